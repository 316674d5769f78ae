#include "image.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/checksum.h"
#include "../common/input_file.h"

/* ---- opening ---- */

static enum ls_status read_header(struct image *image, struct ls_error *err) {
  struct stat facts;
  char text[PGM_HEADER_MAX];
  if (fstat(image->file, &facts) != 0) {
    return ls_fail(err, LS_EINVAL, "matched-filter: %s: %s", image->path, strerror(errno));
  }
  ssize_t got = pread(image->file, text, sizeof text, 0);
  struct ls_text header = {text, got > 0 ? (size_t)got : 0, image->path};
  enum ls_status status = pgm_read_header(&header, &image->pgm, err);
  if (status != LS_OK) return status;
  const struct netpbm_header *pgm = &image->pgm;
  uint64_t needed = (uint64_t)pgm->width * pgm->height * pgm->sample_bytes + pgm->header_bytes;
  if ((uint64_t)facts.st_size >= needed) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "matched-filter: %s: has %lld bytes, expected %" PRIu64 " for %" PRIu32
                 " x %" PRIu32 " pixels",
                 image->path, (long long)facts.st_size, needed, pgm->width, pgm->height);
}

enum ls_status image_open(struct image *image, const char *path, struct ls_error *err) {
  *image = (struct image){.path = path, .file = -1};
  enum ls_status status = input_file_open("matched-filter", path, &image->file, err);
  if (status == LS_OK) status = read_header(image, err);
  if (status != LS_OK) image_close(image);
  return status;
}

void image_close(struct image *image) {
  if (image->file >= 0) (void)close(image->file);
  image->file = -1;
}

struct area image_area(const struct image *image) {
  return (struct area){0, 0, image->pgm.width, image->pgm.height};
}

/* ---- rows ---- */

static enum ls_status check_samples(const struct image *image, const unsigned char *samples,
                                    struct area row, struct ls_error *err) {
  const uint32_t most = image->pgm.maxval;
  if (most == UINT8_MAX || most == UINT16_MAX) return LS_OK;
  for (size_t i = 0; i < row.width; i++) {
    const unsigned char *at = samples + i * image->pgm.sample_bytes;
    uint32_t sample = image->pgm.sample_bytes == 1 ? at[0] : (uint32_t)(at[0] << 8 | at[1]);
    if (sample <= most) continue;
    return ls_fail(err, LS_EINVAL,
                   "matched-filter: %s: the pixel in column %zu of row %zu is %" PRIu32
                   ", expected at most the maxval %" PRIu32,
                   image->path, row.x + i, row.y, sample, most);
  }
  return LS_OK;
}

/* One row of an area. */
static enum ls_status read_row(const struct image *image, struct area row, unsigned char *samples,
                               struct ls_error *err) {
  size_t sample = image->pgm.sample_bytes, length = row.width * sample, got = 0;
  off_t at = (off_t)(image->pgm.header_bytes + (row.y * image->pgm.width + row.x) * sample);
  while (got < length) {
    ssize_t more = pread(image->file, samples + got, length - got, at + (off_t)got);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) {
      return ls_fail(err, LS_EIO, "matched-filter: %s: row %zu cannot be read: %s", image->path,
                     row.y, more < 0 ? strerror(errno) : "the file has become shorter");
    }
    got += (size_t)more;
  }
  return check_samples(image, samples, row, err);
}

enum ls_status image_read(const struct image *image, struct area area, struct ls_bytes *samples,
                          struct ls_error *err) {
  size_t length = area.width * image->pgm.sample_bytes;
  unsigned char *row = malloc(length);
  if (row == NULL) return ls_fail(err, LS_ENOMEM, "matched-filter: out of memory for a row");
  enum ls_status status = LS_OK;
  for (size_t y = 0; y < area.height && status == LS_OK; y++) {
    status = read_row(image, (struct area){area.x, area.y + y, area.width, 1}, row, err);
    if (status == LS_OK) ls_bytes_append(samples, row, length);
  }
  free(row);
  if (status != LS_OK || !samples->failed) return status;
  return ls_fail(err, LS_ENOMEM, "matched-filter: out of memory for %zu rows", area.height);
}

/* The master reads all of the image before anybody computes.  So its rows are not digested byte by
 * byte, each of which waits for the one before, but by words, of which several go on at once. */
enum { LANES = 4 };
static void digest_row(uint64_t lanes[LANES], const unsigned char *row, size_t length) {
  const size_t step = LANES * sizeof *lanes;
  size_t at = 0;
  for (; length - at >= step; at += step) {
    uint64_t words[LANES];
    memcpy(words, row + at, step);
    for (size_t i = 0; i < LANES; i++) lanes[i] = (lanes[i] ^ words[i]) * CHECKSUM_FACTOR;
    for (size_t i = 0; i < LANES; i++) lanes[i] ^= lanes[i] >> 32;
  }
  lanes[0] = checksum_add(lanes[0], row + at, length - at);
}

enum ls_status image_digest(const struct image *image, struct ls_bytes *digest,
                            struct ls_error *err) {
  struct area row = {0, 0, image->pgm.width, 1};
  size_t length = row.width * image->pgm.sample_bytes;
  uint64_t lanes[LANES] = {CHECKSUM_START, 1, 2, 3};
  unsigned char *samples = malloc(length);
  if (samples == NULL) return ls_fail(err, LS_ENOMEM, "matched-filter: out of memory for a row");
  enum ls_status status = LS_OK;
  for (; row.y < image->pgm.height && status == LS_OK; row.y++) {
    status = read_row(image, row, samples, err);
    if (status == LS_OK) digest_row(lanes, samples, length);
  }
  free(samples);
  ls_bytes_append(digest, lanes, sizeof lanes);
  ls_bytes_printf(digest, "%" PRIu32 " %" PRIu32 " %" PRIu32, image->pgm.width, image->pgm.height,
                  image->pgm.maxval);
  return status;
}
