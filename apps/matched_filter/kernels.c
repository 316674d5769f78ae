/* kernels.c: matched filters for vessels (chaudhuri1989), as docs/theory/matched-filter.md, 1 and 2
 * have them.
 *
 * Symbols: s -> scale, theta -> angle, u -> across, v -> along, t -> weight.
 */
#include "kernels.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TAPS = SIDE_MAX * SIDE_MAX, CENTRE = TAPS / 2 };

static const double reach = 10.5; /* of the square, from its centre */
static const double spread = 50;  /* twice the variance: the deviation is 5 pixels */
static const double unit_of_sums = 65536, unit_of_max = 16384;

/* A square of taps, row by row. */
struct square {
  int half_side;
  bool is_inside[TAPS];
  double hill[TAPS];
  int32_t weights[TAPS];
};

static void raise_hill(struct square *square, double scale, double angle) {
  double cosine = cos(angle), sine = sin(angle);
  square->half_side = (int)floor(reach * sqrt(2) * scale);
  for (int i = 0; i < TAPS; i++) {
    int dx = i % SIDE_MAX - BORDER, dy = i / SIDE_MAX - BORDER;
    double across = (dx * cosine - dy * sine) / scale;
    double along = (dx * sine + dy * cosine) / scale;
    square->is_inside[i] = fabs(across) <= reach && fabs(along) <= reach;
    square->hill[i] = square->is_inside[i] ? exp(-across * across / spread) : 0;
  }
}

/* The hill less its mean, as whole numbers without a sum. */
static void round_taps(struct square *square, enum response response) {
  double sum = 0, squares = 0;
  int inside = 0;
  int32_t total = 0;
  for (int i = 0; i < TAPS; i++) {
    sum += square->hill[i];
    inside += square->is_inside[i] ? 1 : 0;
  }
  for (int i = 0; i < TAPS; i++) {
    if (square->is_inside[i]) square->hill[i] -= sum / inside;
    squares += square->hill[i] * square->hill[i];
  }
  double unit = response == RESPONSE_MAX ? unit_of_max / sqrt(squares) : unit_of_sums / (2 * reach);
  for (int i = 0; i < TAPS; i++) {
    square->weights[i] = (int32_t)lround(unit * square->hill[i]);
    total += square->weights[i];
  }
  square->weights[CENTRE] -= total;
}

static void make_square(struct square *square, size_t number, enum response response) {
  double scale = (double)(2 + number / ANGLES) / 10;
  double degrees = 6.0 * (double)(1 + number % ANGLES);
  raise_hill(square, scale, degrees * acos(-1) / 180);
  round_taps(square, response);
}

/* Keeps the taps that are not 0. */
static void add_kernel(struct kernels *kernels, int half_side, const int32_t *weights) {
  struct kernel *kernel = &kernels->items[kernels->count++];
  const struct kernel *before = kernel == kernels->items ? NULL : kernel - 1;
  kernel->first = before == NULL ? 0 : before->first + before->count;
  kernel->half_side = half_side;
  kernel->count = 0;
  for (int i = 0; i < TAPS; i++) {
    int dx = i % SIDE_MAX - BORDER, dy = i / SIDE_MAX - BORDER;
    if (weights[i] == 0) continue;
    kernels->taps[kernel->first + kernel->count++] =
        (struct tap){(int16_t)dx, (int16_t)dy, weights[i]};
  }
}

static enum ls_status make_room(struct kernels *kernels, size_t count, struct ls_error *err) {
  *kernels = (struct kernels){.taps = calloc(count * TAPS, sizeof *kernels->taps)};
  if (kernels->taps != NULL) return LS_OK;
  return ls_fail(err, LS_ENOMEM, "matched-filter: out of memory for %zu kernels", count);
}

enum ls_status kernels_make(struct kernels *kernels, enum response response, struct ls_error *err) {
  enum ls_status status = make_room(kernels, KERNELS, err);
  for (size_t number = 0; number < KERNELS && status == LS_OK; number++) {
    struct square square = {0};
    make_square(&square, number, response);
    add_kernel(kernels, square.half_side, square.weights);
  }
  return status;
}

enum ls_status kernels_make_composite(struct kernels *kernels, struct ls_error *err) {
  int32_t weights[TAPS] = {0};
  enum ls_status status = make_room(kernels, 1, err);
  for (size_t number = 0; number < KERNELS; number++) {
    struct square square = {0};
    make_square(&square, number, RESPONSE_SUM);
    for (int i = 0; i < TAPS; i++) weights[i] += square.weights[i];
  }
  if (status == LS_OK) add_kernel(kernels, BORDER, weights);
  return status;
}

void kernels_close(struct kernels *kernels) {
  free(kernels->taps);
  *kernels = (struct kernels){0};
}
