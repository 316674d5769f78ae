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
  char header[64];
  size_t header_bytes =
      (size_t)snprintf(header, sizeof header, "P4\n%zu %zu\n", picture->width, picture->height);
  const struct ls_text parts[] = {
      {header, header_bytes, NULL},
      {(const char *)picture->rows, picture->row_bytes * picture->height, NULL},
  };
  enum ls_status status = ls_whole_file_write(path, parts, 2, err);
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "thinning: --output");
}
