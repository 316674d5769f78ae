#include "picture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum ls_status picture_read(const char *path, double threshold, struct picture *picture,
                            struct ls_error *err) {
  char block[65536];
  struct ls_bytes bytes = {0};
  FILE *file = fopen(path, "rbe");
  if (file == NULL) return ls_fail(err, LS_EINVAL, "thinning: %s: %s", path, strerror(errno));
  for (size_t got = 1; got > 0;) {
    got = fread(block, 1, sizeof block, file);
    ls_bytes_append(&bytes, block, got);
  }
  enum ls_status status = LS_OK;
  if (ferror(file) != 0) {
    status = ls_fail(err, LS_EINVAL, "thinning: %s: %s", path, strerror(errno));
  } else if (bytes.failed) {
    status = ls_fail(err, LS_ENOMEM, "thinning: %s: out of memory", path);
  } else {
    struct ls_text text = {bytes.data, bytes.length, path};
    status = picture_parse(&text, threshold, picture, err);
  }
  (void)fclose(file);
  ls_bytes_close(&bytes);
  return status;
}

void picture_close(struct picture *picture) {
  free(picture->rows);
  picture->rows = NULL;
}

uint64_t picture_count(const struct picture *picture) {
  uint64_t count = 0;
  for (size_t i = 0; i < picture->row_bytes * picture->height; i++) {
    for (unsigned left = picture->rows[i]; left != 0; left &= left - 1) count++;
  }
  return count;
}

enum ls_status picture_write(const struct picture *picture, const char *path,
                             struct ls_error *err) {
  struct ls_bytes name = {0};
  ls_bytes_printf(&name, "%s.part", path);
  if (name.failed) return ls_fail(err, LS_ENOMEM, "thinning: out of memory for a name");
  FILE *file = fopen(name.data, "wbe");
  bool is_well = file != NULL;
  if (is_well) {
    size_t bytes = picture->row_bytes * picture->height;
    (void)fprintf(file, "P4\n%zu %zu\n", picture->width, picture->height);
    is_well = fwrite(picture->rows, 1, bytes, file) == bytes;
    is_well = fclose(file) == 0 && is_well;
  }
  is_well = is_well && rename(name.data, path) == 0;
  ls_bytes_close(&name);
  return is_well ? LS_OK : ls_fail(err, LS_EIO, "thinning: %s: %s", path, strerror(errno));
}
