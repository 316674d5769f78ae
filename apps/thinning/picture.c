#include "picture.h"

#include <stdio.h>
#include <stdlib.h>

#include "../common/input_file.h"

/* The master alone reads it: it may be a pipe. */
enum ls_status picture_read(const char *path, double threshold, struct picture *picture,
                            struct ls_error *err) {
  struct ls_bytes bytes = {0};
  enum ls_status status = input_file_read("thinning", path, true, &bytes, err);
  if (status == LS_OK) {
    struct ls_text text = {bytes.data, bytes.length, path};
    status = picture_parse(&text, threshold, picture, err);
  }
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
