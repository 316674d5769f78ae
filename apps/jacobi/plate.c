#include "plate.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER_MAX = 1024, SIDE_MAX = 1 << 20, COLD = 0, HOT = 255 };

/* ---- the picture ---- */

/* A number of the header behind spaces and comments; 0: there is none. */
static size_t read_number(const char *text, size_t length, size_t *at) {
  size_t number = 0;
  while (*at < length && (isspace((unsigned char)text[*at]) != 0 || text[*at] == '#')) {
    if (text[*at] == '#') {
      while (*at < length && text[*at] != '\n') ++*at;
    } else {
      ++*at;
    }
  }
  while (*at < length && isdigit((unsigned char)text[*at]) != 0 && number <= SIDE_MAX) {
    number = 10 * number + (size_t)(text[(*at)++] - '0');
  }
  return number;
}

static enum ls_status read_header(struct plate *plate, const char *path, struct ls_error *err) {
  char text[HEADER_MAX];
  ssize_t got = pread(plate->file, text, sizeof text, 0);
  size_t length = got > 0 ? (size_t)got : 0, at = 2;
  if (length < 2 || memcmp(text, "P5", 2) != 0) {
    return ls_fail(err, LS_EINVAL, "jacobi: %s: not a grey picture (PGM, P5)", path);
  }
  plate->width = read_number(text, length, &at);
  plate->height = read_number(text, length, &at);
  size_t white = read_number(text, length, &at);
  plate->pixels_at = at + 1;
  if (plate->width < 3 || plate->height < 3 || plate->width > SIDE_MAX ||
      plate->height > SIDE_MAX || white != HOT) {
    return ls_fail(err, LS_EINVAL,
                   "jacobi: %s: %zu x %zu pixels up to %zu, expected sides of 3 to %d and 255",
                   path, plate->width, plate->height, white, (int)SIDE_MAX);
  }
  struct stat facts;
  uint64_t needed = (uint64_t)plate->pixels_at + (uint64_t)plate->width * plate->height;
  if (fstat(plate->file, &facts) == 0 && (uint64_t)facts.st_size >= needed) return LS_OK;
  return ls_fail(err, LS_EINVAL, "jacobi: %s: shorter than %zu x %zu pixels", path, plate->width,
                 plate->height);
}

enum ls_status plate_open(struct plate *plate, const char *path, struct ls_error *err) {
  plate->file = open(path, O_RDONLY | O_CLOEXEC);
  if (plate->file < 0) {
    return ls_fail(err, LS_EINVAL, "jacobi: %s: %s", path, strerror(errno));
  }
  enum ls_status status = read_header(plate, path, err);
  if (status != LS_OK) plate_close(plate);
  return status;
}

void plate_close(struct plate *plate) {
  if (plate->file >= 0) (void)close(plate->file);
  plate->file = -1;
}

enum ls_status plate_read(const struct plate *plate, struct rows rows, struct ls_bytes *pixels,
                          struct ls_error *err) {
  char block[65536];
  size_t left = rows.count * plate->width, at = plate->pixels_at + rows.first * plate->width;
  while (left > 0) {
    size_t wanted = left < sizeof block ? left : sizeof block;
    ssize_t got = pread(plate->file, block, wanted, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      return ls_fail(err, LS_EIO, "jacobi: rows %zu to %zu cannot be read: %s", rows.first,
                     rows.first + rows.count - 1, got < 0 ? strerror(errno) : "the file ends");
    }
    ls_bytes_append(pixels, block, (size_t)got);
    at += (size_t)got;
    left -= (size_t)got;
  }
  return pixels->failed ? ls_fail(err, LS_ENOMEM, "jacobi: out of memory for rows") : LS_OK;
}

enum ls_status plate_digest(const struct plate *plate, uint64_t *digest, struct ls_error *err) {
  struct ls_bytes pixels = {0};
  enum ls_status status = plate_read(plate, (struct rows){0, plate->height}, &pixels, err);
  uint64_t number = UINT64_C(0xcbf29ce484222325) ^ plate->width;
  for (size_t i = 0; i < pixels.length; i++) {
    number = (number ^ (unsigned char)pixels.data[i]) * UINT64_C(0x100000001b3);
  }
  ls_bytes_close(&pixels);
  *digest = number;
  return status;
}

enum ls_status plate_write(const struct plate *plate, const double *temperatures, const char *path,
                           struct ls_error *err) {
  char name[4096];
  if (snprintf(name, sizeof name, "%s.part", path) >= (int)sizeof name) {
    return ls_fail(err, LS_EINVAL, "jacobi: the name of the output is too long");
  }
  FILE *file = fopen(name, "wb");
  if (file == NULL) return ls_fail(err, LS_EIO, "jacobi: %s: %s", name, strerror(errno));
  fprintf(file, "P5\n%zu %zu\n255\n", plate->width, plate->height);
  for (size_t i = 0; i < plate->width * plate->height; i++) {
    (void)putc((int)lround(temperatures[i]), file);
  }
  bool is_well = ferror(file) == 0;
  is_well = fclose(file) == 0 && is_well;
  if (is_well && rename(name, path) == 0) return LS_OK;
  return ls_fail(err, LS_EIO, "jacobi: %s: %s", path, strerror(errno));
}

/* ---- heat ---- */

void sheet_begin(struct sheet *sheet) {
  for (size_t i = 0; i < sheet->rows.count * sheet->plate->width; i++) {
    sheet->temperatures[i] = sheet->pixels[i];
  }
}

/* One row of the sheet that is no rim of the plate; the largest change in it. */
static double sweep_row(const struct sheet *sheet, size_t row) {
  size_t width = sheet->plate->width;
  const unsigned char *pixels = sheet->pixels + row * width;
  const double *above = sheet->temperatures + (row - 1) * width;
  const double *here = above + width, *below = here + width;
  double *next = sheet->other + row * width;
  double change = 0;
  next[0] = here[0];
  next[width - 1] = here[width - 1];
  for (size_t x = 1; x + 1 < width; x++) {
    bool is_fixed = pixels[x] == COLD || pixels[x] == HOT;
    double mean = ((above[x] + below[x]) + (here[x - 1] + here[x + 1])) * 0.25;
    next[x] = is_fixed ? here[x] : mean;
    change = fmax(change, fabs(next[x] - here[x]));
  }
  return change;
}

double sheet_sweep(struct sheet *sheet, uint64_t sweeps, struct rows inner) {
  size_t width = sheet->plate->width, count = sheet->rows.count;
  double change = 0;
  for (uint64_t sweep = 0; sweep < sweeps; sweep++) {
    change = 0;
    memcpy(sheet->other, sheet->temperatures, width * sizeof(double));
    memcpy(sheet->other + (count - 1) * width, sheet->temperatures + (count - 1) * width,
           width * sizeof(double));
    for (size_t row = 1; row + 1 < count; row++) {
      size_t place = sheet->rows.first + row;
      double here = sweep_row(sheet, row);
      if (place >= inner.first && place - inner.first < inner.count) change = fmax(change, here);
    }
    double *swapped = sheet->temperatures;
    sheet->temperatures = sheet->other;
    sheet->other = swapped;
  }
  return change;
}
