/* frames.c: frames as files (PPM, P6). */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "raytrace.h"

enum { DIGITS_MIN = 3 };

void frame_name(const struct raytrace_words *words, uint32_t frame, struct ls_bytes *name) {
  int digits = snprintf(NULL, 0, "%" PRIu64, words->frames - 1);
  if (digits < DIGITS_MIN) digits = DIGITS_MIN;
  ls_bytes_printf(name, "%s-%0*" PRIu32 ".ppm", words->output, digits, frame);
}

/* ---- writing ---- */

/* A new name is on the disk when its folder is. */
static bool sync_folder(const char *path) {
  struct ls_bytes folder = {0};
  const char *slash = strrchr(path, '/');
  if (slash != NULL) ls_bytes_append(&folder, path, (size_t)(slash - path) + 1);
  ls_bytes_append_text(&folder, ".");
  int file = folder.failed ? -1 : open(folder.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool is_well = file >= 0 && fsync(file) == 0;
  if (file >= 0) (void)close(file);
  ls_bytes_close(&folder);
  return is_well;
}

enum ls_status frame_write(const struct raytrace *state, struct ls_error *err) {
  char header[64];
  const struct picture_size *size = &state->words.size;
  size_t length =
      (size_t)snprintf(header, sizeof header, "P6\n%zu %zu\n255\n", size->width, size->height);
  const struct ls_text parts[] = {{header, length, NULL},
                                  {state->pixels.data, state->pixels.length, NULL}};
  struct ls_bytes path = {0};
  frame_name(&state->words, state->frame, &path);
  enum ls_status status = path.failed ? ls_fail(err, LS_ENOMEM, "out of memory for a name")
                                      : ls_whole_file_write(path.data, parts, 2, err);
  if (status == LS_OK && state->is_synced && !sync_folder(path.data)) {
    status = ls_fail(err, LS_EIO, "%s: its folder: %s", path.data, strerror(errno));
  }
  ls_bytes_close(&path);
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "raytrace: --output");
}

enum ls_status frames_check_place(const struct raytrace_words *words, struct ls_error *err) {
  struct ls_bytes path = {0};
  frame_name(words, 0, &path);
  enum ls_status status = path.failed ? ls_fail(err, LS_ENOMEM, "out of memory for a name")
                                      : ls_whole_file_check(path.data, err);
  ls_bytes_close(&path);
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "raytrace: --output");
}

/* ---- comparing ---- */

static enum ls_status read_picture(const char *path, struct picture_size size,
                                   struct ls_bytes *bytes, size_t *at, struct ls_error *err) {
  char block[65536];
  FILE *file = fopen(path, "rbe");
  if (file == NULL) return ls_fail(err, LS_EIO, "raytrace: %s: %s", path, strerror(errno));
  for (size_t got = 1; got > 0;) {
    got = fread(block, 1, sizeof block, file);
    ls_bytes_append(bytes, block, got);
  }
  bool has_failed = ferror(file) != 0 || bytes->failed;
  (void)fclose(file);
  if (has_failed) return ls_fail(err, LS_EIO, "raytrace: %s: cannot be read", path);
  struct ls_text text = {ls_bytes_text(bytes), bytes->length, path};
  return povray_find_pixels(&text, size, at, err);
}

static enum ls_status compare(const char *path, struct ls_text written,
                              const struct ls_bytes *whole, size_t row, struct ls_error *err) {
  if (written.length != whole->length) {
    return ls_fail(err, LS_ECORRUPT, "raytrace: %s: %zu bytes of pixels, expected %zu", path,
                   written.length, whole->length);
  }
  for (size_t at = 0; at < written.length; at += row) {
    if (memcmp(written.data + at, whole->data + at, row) == 0) continue;
    return ls_fail(err, LS_ECORRUPT,
                   "raytrace: %s: row %zu is not as in the frame that povray renders at once", path,
                   at / row);
  }
  return LS_OK;
}

static enum ls_status check_frame(const struct raytrace_words *words, uint32_t frame,
                                  struct ls_error *err) {
  struct povray_job job = {.program = words->povray,
                           .scene = words->scene,
                           .options = &words->options,
                           .size = words->size,
                           .clock = raytrace_clock(words, frame),
                           .rows = {0, words->size.height}};
  struct ls_bytes path = {0}, file = {0}, whole = {0};
  size_t at = 0;
  frame_name(words, frame, &path);
  enum ls_status status = read_picture(ls_bytes_text(&path), words->size, &file, &at, err);
  if (status == LS_OK) {
    status = povray_render(&job, &whole, err);
    if (status != LS_OK) status = ls_fail_while(err, status, "raytrace: frame %" PRIu32, frame);
  }
  if (status == LS_OK) {
    struct ls_text written = {file.data + at, file.length - at, path.data};
    status = compare(path.data, written, &whole, words->size.width * PIXEL_BYTES, err);
  }
  ls_bytes_close(&path);
  ls_bytes_close(&file);
  ls_bytes_close(&whole);
  return status;
}

enum ls_status frames_check(const struct raytrace_words *words, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (uint32_t frame = 0; frame < words->frames && status == LS_OK; frame++) {
    status = check_frame(words, frame, err);
  }
  return status;
}
