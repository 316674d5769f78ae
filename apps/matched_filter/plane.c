#include "plane.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILL_BYTES = 1 << 16 };

static enum ls_status fail(const struct plane *plane, const char *reason, struct ls_error *err) {
  return ls_fail(err, LS_EIO, "matched-filter: %s: %s",
                 plane->path == NULL ? "responses in memory" : plane->path, reason);
}

static enum ls_status open_file(struct plane *plane, int flags, struct ls_error *err) {
  if (plane->file >= 0) return LS_OK;
  plane->file = plane->path == NULL ? memfd_create("responses", MFD_CLOEXEC)
                                    : open(plane->path, O_RDWR | O_CLOEXEC | flags, 0666);
  return plane->file >= 0 ? LS_OK : fail(plane, strerror(errno), err);
}

enum ls_status plane_open(struct plane *plane, struct ls_error *err) {
  return open_file(plane, 0, err);
}

enum ls_status plane_make(struct plane *plane, struct ls_error *err) {
  return open_file(plane, O_CREAT, err);
}

void plane_close(struct plane *plane) {
  if (plane->file >= 0) (void)close(plane->file);
  plane->file = -1;
}

static off_t find_place(const struct plane *plane, size_t x, size_t y) {
  return (off_t)(plane->header_bytes + (y * plane->image.width + x) * plane->value_bytes);
}

static enum ls_status write_at(const struct plane *plane, const char *data, size_t length, off_t at,
                               struct ls_error *err) {
  while (length > 0) {
    ssize_t written = pwrite(plane->file, data, length, at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail(plane, written < 0 ? strerror(errno) : "nothing written", err);
    data += written;
    at += written;
    length -= (size_t)written;
  }
  return LS_OK;
}

static enum ls_status read_at(const struct plane *plane, char *data, size_t length, off_t at,
                              struct ls_error *err) {
  while (length > 0) {
    ssize_t got = pread(plane->file, data, length, at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return fail(plane, got < 0 ? strerror(errno) : "has become shorter", err);
    data += got;
    at += got;
    length -= (size_t)got;
  }
  return LS_OK;
}

/* Whole rows of the image lie together. */
static struct area join_rows(const struct plane *plane, struct area area) {
  if (area.width < plane->image.width) return area;
  return (struct area){0, area.y, area.width * area.height, 1};
}

enum ls_status plane_write(const struct plane *plane, struct area area, const void *data,
                           struct ls_error *err) {
  struct area rows = join_rows(plane, area);
  size_t length = rows.width * plane->value_bytes;
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < rows.height && status == LS_OK; i++) {
    status = write_at(plane, (const char *)data + i * length, length,
                      find_place(plane, rows.x, rows.y + i), err);
  }
  return status;
}

enum ls_status plane_read(const struct plane *plane, struct area area, void *data,
                          struct ls_error *err) {
  struct area rows = join_rows(plane, area);
  size_t length = rows.width * plane->value_bytes;
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < rows.height && status == LS_OK; i++) {
    status = read_at(plane, (char *)data + i * length, length,
                     find_place(plane, rows.x, rows.y + i), err);
  }
  return status;
}

/* A part of a value at the end of the file counts for none. */
static enum ls_status count_values(const struct plane *plane, size_t *count, struct ls_error *err) {
  struct stat facts;
  if (fstat(plane->file, &facts) != 0) return fail(plane, strerror(errno), err);
  size_t length = (size_t)facts.st_size, header = plane->header_bytes;
  *count = length < header ? 0 : (length - header) / plane->value_bytes;
  return LS_OK;
}

enum ls_status plane_extend(const struct plane *plane, const void *value, struct ls_error *err) {
  char block[FILL_BYTES];
  size_t at = 0, all = plane->image.width * plane->image.height, size = plane->value_bytes;
  enum ls_status status = count_values(plane, &at, err);
  for (size_t i = 0; i < FILL_BYTES / size; i++) memcpy(block + i * size, value, size);
  while (status == LS_OK && at < all) {
    size_t more = FILL_BYTES / size < all - at ? FILL_BYTES / size : all - at;
    status = write_at(plane, block, more * size, find_place(plane, at, 0), err);
    at += more;
  }
  return status;
}

enum ls_status plane_finish(const struct plane *plane, const char *header, struct ls_error *err) {
  if (ftruncate(plane->file, find_place(plane, 0, plane->image.height)) != 0) {
    return fail(plane, strerror(errno), err);
  }
  return write_at(plane, header, plane->header_bytes, 0, err);
}

enum ls_status plane_sync(const struct plane *plane, struct ls_error *err) {
  /* What cannot be synced, such as memory, says EINVAL. */
  if (fdatasync(plane->file) == 0 || errno == EINVAL) return LS_OK;
  return fail(plane, strerror(errno), err);
}
