#include "plane.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
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

static off_t find_place(const struct plane *plane, size_t values) {
  return (off_t)(plane->header_bytes + values * plane->value_bytes);
}

static size_t count_values(const struct plane *plane) {
  return plane->blocks.width * plane->blocks.height;
}

/* ---- moving values ---- */

enum { ROWS_AT_ONCE = 64 };

/* Rows in memory, and where the first one's values are in the file. */
struct rows {
  char *data;
  size_t length, count, stride; /* length of a row, and from one to the next, in bytes */
  off_t at;
};

/* preadv or pwritev, and what is wrong when it moves nothing. */
struct way {
  ssize_t (*move)(int file, const struct iovec *parts, int count, off_t at);
  const char *reason;
};
static const struct way reading = {preadv, "has become shorter"},
                        writing = {pwritev, "nothing written"};

/* What the bytes that were moved leave. */
static void skip(struct rows *rows, size_t bytes, size_t *begun) {
  size_t whole = (*begun + bytes) / rows->length;
  *begun = (*begun + bytes) % rows->length;
  rows->data += whole * rows->stride;
  rows->count -= whole;
  rows->at += (off_t)bytes;
}

/* Rows that lie together in the file. */
static enum ls_status move_rows(const struct plane *plane, const struct way *way, struct rows rows,
                                struct ls_error *err) {
  size_t begun = 0; /* bytes of the first row */
  if (rows.stride == rows.length) {
    rows.stride = rows.length *= rows.count;
    rows.count = 1;
  }
  while (rows.count > 0) {
    struct iovec parts[ROWS_AT_ONCE];
    int count = 0;
    for (; count < ROWS_AT_ONCE && (size_t)count < rows.count; count++) {
      size_t from = count == 0 ? begun : 0;
      parts[count] =
          (struct iovec){rows.data + (size_t)count * rows.stride + from, rows.length - from};
    }
    ssize_t moved = way->move(plane->file, parts, count, rows.at);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return fail(plane, moved < 0 ? strerror(errno) : way->reason, err);
    skip(&rows, (size_t)moved, &begun);
  }
  return LS_OK;
}

/* What an area has of a block, to or from the rows of the area in memory. */
static enum ls_status move_part(const struct plane *plane, const struct way *way, struct area block,
                                struct area part, struct rows rows, struct ls_error *err) {
  size_t values = block.y * plane->blocks.width + block.x * block.height +
                  (part.y - block.y) * block.width + part.x - block.x;
  enum ls_status status = LS_OK;
  rows.length = part.width * plane->value_bytes;
  if (part.width == block.width) {
    rows.count = part.height;
    rows.at = find_place(plane, values);
    return move_rows(plane, way, rows, err);
  }
  rows.count = 1;
  for (size_t i = 0; i < part.height && status == LS_OK; i++) {
    rows.at = find_place(plane, values + i * block.width);
    status = move_rows(plane, way, rows, err);
    rows.data += rows.stride;
  }
  return status;
}

static size_t find_less(size_t a, size_t b) {
  return a < b ? a : b;
}

static enum ls_status move_area(const struct plane *plane, const struct way *way, struct area area,
                                char *data, struct ls_error *err) {
  const struct blocks *blocks = &plane->blocks;
  size_t right = area.x + area.width, bottom = area.y + area.height;
  enum ls_status status = LS_OK;
  struct rows rows = {.stride = area.width * plane->value_bytes};
  for (size_t y = area.y; y < bottom && status == LS_OK;) {
    size_t end_y = find_less(bottom, (y / blocks->block_height + 1) * blocks->block_height);
    for (size_t x = area.x; x < right && status == LS_OK;) {
      size_t end_x = find_less(right, (x / blocks->block_width + 1) * blocks->block_width);
      uint64_t unit = y / blocks->block_height * blocks->across + x / blocks->block_width;
      rows.data = data + (y - area.y) * rows.stride + (x - area.x) * plane->value_bytes;
      status = move_part(plane, way, blocks_area(blocks, unit),
                         (struct area){x, y, end_x - x, end_y - y}, rows, err);
      x = end_x;
    }
    y = end_y;
  }
  return status;
}

enum ls_status plane_write(const struct plane *plane, struct area area, const void *data,
                           struct ls_error *err) {
  return move_area(plane, &writing, area, (char *)data, err);
}

enum ls_status plane_read(const struct plane *plane, struct area area, void *data,
                          struct ls_error *err) {
  return move_area(plane, &reading, area, data, err);
}

/* ---- the whole file ---- */

static enum ls_status write_at(const struct plane *plane, const char *data, size_t length, off_t at,
                               struct ls_error *err) {
  if (length == 0) return LS_OK;
  return move_rows(plane, &writing, (struct rows){(char *)data, length, 1, length, at}, err);
}

enum ls_status plane_claim(const struct plane *plane, const char *header, struct ls_error *err) {
  char found[PLANE_HEADER_MAX];
  size_t length = plane->header_bytes;
  if (length == 0) return LS_OK;
  ssize_t got = pread(plane->file, found, length, 0);
  if (got < 0) return fail(plane, strerror(errno), err);
  if ((size_t)got == length && memcmp(found, header, length) == 0) return LS_OK;
  if (ftruncate(plane->file, 0) != 0) return fail(plane, strerror(errno), err);
  return write_at(plane, header, length, 0, err);
}

/* A part of a value at the end of the file counts for none. */
static enum ls_status count_written(const struct plane *plane, size_t *count,
                                    struct ls_error *err) {
  struct stat facts;
  if (fstat(plane->file, &facts) != 0) return fail(plane, strerror(errno), err);
  size_t length = (size_t)facts.st_size, header = plane->header_bytes;
  *count = length < header ? 0 : (length - header) / plane->value_bytes;
  return LS_OK;
}

enum ls_status plane_extend(const struct plane *plane, const void *value, struct ls_error *err) {
  char block[FILL_BYTES];
  size_t at = 0, all = count_values(plane), size = plane->value_bytes;
  enum ls_status status = count_written(plane, &at, err);
  for (size_t i = 0; i < FILL_BYTES / size; i++) memcpy(block + i * size, value, size);
  while (status == LS_OK && at < all) {
    size_t more = FILL_BYTES / size < all - at ? FILL_BYTES / size : all - at;
    status = write_at(plane, block, more * size, find_place(plane, at), err);
    at += more;
  }
  return status;
}

enum ls_status plane_finish(const struct plane *plane, const char *header, struct ls_error *err) {
  if (ftruncate(plane->file, find_place(plane, count_values(plane))) != 0) {
    return fail(plane, strerror(errno), err);
  }
  return write_at(plane, header, plane->header_bytes, 0, err);
}

enum ls_status plane_sync(const struct plane *plane, struct ls_error *err) {
  /* What cannot be synced, such as memory, says EINVAL. */
  if (fdatasync(plane->file) == 0 || errno == EINVAL) return LS_OK;
  return fail(plane, strerror(errno), err);
}
