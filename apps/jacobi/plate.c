#include "plate.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/checksum.h"
#include "../common/input_file.h"
#include "../common/netpbm_header.h"

enum { HEADER_MAX = 1024, SIDE_MAX = 1 << 20, COLD = 0, HOT = 255 };

/* ---- the picture ---- */

static enum ls_status read_header(struct plate *plate, const char *path, struct ls_error *err) {
  char data[HEADER_MAX];
  ssize_t got = pread(plate->file, data, sizeof data, 0);
  const struct ls_text text = {data, got > 0 ? (size_t)got : 0, path};
  struct netpbm_reader reader = {.application = "jacobi", .text = &text};
  struct netpbm_header header;
  if (netpbm_form(&text) != '5') {
    return ls_fail(err, LS_EINVAL, "jacobi: %s: not a grey picture (PGM, P5)", path);
  }
  enum ls_status status = netpbm_read_header(&reader, &header, err);
  if (status != LS_OK) return status;
  plate->width = header.width;
  plate->height = header.height;
  plate->pixels_at = header.header_bytes;
  if (plate->width < 3 || plate->height < 3 || plate->width > SIDE_MAX ||
      plate->height > SIDE_MAX || header.maxval != HOT) {
    return ls_fail(err, LS_EINVAL,
                   "jacobi: %s: %zu x %zu pixels up to %" PRIu32
                   ", expected sides of 3 to %d and 255",
                   path, plate->width, plate->height, header.maxval, (int)SIDE_MAX);
  }
  struct stat facts;
  uint64_t needed = (uint64_t)plate->pixels_at + (uint64_t)plate->width * plate->height;
  if (fstat(plate->file, &facts) == 0 && (uint64_t)facts.st_size >= needed) return LS_OK;
  return ls_fail(err, LS_EINVAL, "jacobi: %s: shorter than %zu x %zu pixels", path, plate->width,
                 plate->height);
}

enum ls_status plate_open(struct plate *plate, const char *path, struct ls_error *err) {
  plate->file = -1;
  enum ls_status status = input_file_open("jacobi", path, &plate->file, err);
  if (status == LS_OK) status = read_header(plate, path, err);
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
  *digest = checksum_add(CHECKSUM_START ^ plate->width, pixels.data, pixels.length);
  ls_bytes_close(&pixels);
  return status;
}

enum ls_status plate_write(const struct plate *plate, const double *temperatures, const char *path,
                           struct ls_error *err) {
  char header[64];
  size_t points = plate->width * plate->height;
  size_t header_bytes =
      (size_t)snprintf(header, sizeof header, "P5\n%zu %zu\n255\n", plate->width, plate->height);
  char *pixels = malloc(points);
  if (pixels == NULL)
    return ls_fail(err, LS_ENOMEM, "jacobi: out of memory for %zu points", points);
  for (size_t i = 0; i < points; i++) {
    pixels[i] = (char)(unsigned char)lround(temperatures[i]);
  }
  const struct ls_text parts[] = {{header, header_bytes, NULL}, {pixels, points, NULL}};
  enum ls_status status = ls_whole_file_write(path, parts, 2, err);
  free(pixels);
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "jacobi: --output");
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
