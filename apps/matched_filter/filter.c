/* filter.c: docs/theory/matched-filter.md, 3 and 5; the plain loops. */
#include "filter.h"

#include <stdlib.h>
#include <string.h>

#include "filter_lanes.h"

/* Output pixels of a row that are summed at once, one tap at a time: they stay in the cache. */
enum { SPAN_MAX = 256 };

struct filter {
  struct filter_setup setup;
  struct kernels kernels;
  struct lanes *lanes; /* NULL: plain loops */
};

enum ls_status filter_create(const struct filter_setup *setup, struct filter **out,
                             struct ls_error *err) {
  bool is_linear = setup->response == RESPONSE_SUM;
  if (setup->form == FORM_COMPOSITE && !is_linear) {
    return ls_fail(err, LS_EINVAL,
                   "matched-filter: --form is 'composite', expected 'bank' or 'auto': only the "
                   "response 'sum' is that of one kernel");
  }
  struct filter *filter = calloc(1, sizeof *filter);
  if (filter == NULL) return ls_fail(err, LS_ENOMEM, "matched-filter: out of memory");
  filter->setup = *setup;
  bool is_composite = is_linear && setup->form != FORM_BANK;
  enum ls_status status = is_composite ? kernels_make_composite(&filter->kernels, err)
                                       : kernels_make(&filter->kernels, setup->response, err);
  /* The composite's taps take more than 16 bits. */
  bool has_lanes = !is_composite && !setup->is_plain && setup->pixel_max <= PIXEL_NARROW_MAX;
  if (status == LS_OK && has_lanes) {
    status = lanes_create(&filter->kernels, setup->response, &filter->lanes, err);
  }
  if (status == LS_OK) {
    *out = filter;
  } else {
    filter_destroy(filter);
  }
  return status;
}

void filter_destroy(struct filter *filter) {
  if (filter == NULL) return;
  lanes_destroy(filter->lanes);
  kernels_close(&filter->kernels);
  free(filter);
}

/* Neighbours in a row of output pixels. */
struct span {
  const int32_t *pixels; /* of the first; what is around it is around it there */
  ptrdiff_t stride;      /* from one row to the next */
  size_t count;
};

static struct span find_span(const struct patch *patch, size_t x, size_t y, size_t count) {
  size_t stride = patch->width + 2 * BORDER;
  return (struct span){patch->pixels + (y + BORDER) * stride + x + BORDER, (ptrdiff_t)stride,
                       count};
}

/* Taps times pixels, one tap at a time; in 32 bits where these are enough. */
static void sum_narrow(const struct kernels *kernels, const struct kernel *kernel,
                       const struct span *span, int64_t *sums) {
  int32_t narrow[SPAN_MAX] = {0};
  const struct tap *taps = kernels->taps + kernel->first;
  for (size_t i = 0; i < kernel->count; i++) {
    const int32_t *from = span->pixels + taps[i].dy * span->stride + taps[i].dx;
    const int32_t weight = taps[i].weight;
    for (size_t x = 0; x < span->count; x++) narrow[x] += weight * from[x];
  }
  for (size_t x = 0; x < span->count; x++) sums[x] = narrow[x];
}

static void sum_wide(const struct kernels *kernels, const struct kernel *kernel,
                     const struct span *span, int64_t *sums) {
  memset(sums, 0, span->count * sizeof *sums);
  const struct tap *taps = kernels->taps + kernel->first;
  for (size_t i = 0; i < kernel->count; i++) {
    const int32_t *from = span->pixels + taps[i].dy * span->stride + taps[i].dx;
    const int64_t weight = taps[i].weight;
    for (size_t x = 0; x < span->count; x++) sums[x] += weight * from[x];
  }
}

static void fold(enum response response, const int64_t *sums, int64_t *responses, size_t count) {
  for (size_t x = 0; x < count; x++) {
    int64_t sum = sums[x];
    switch (response) {
      case RESPONSE_SUM:
        responses[x] += sum;
        break;
      case RESPONSE_RECTIFIED:
        responses[x] += sum > 0 ? sum : 0;
        break;
      case RESPONSE_MAX:
        responses[x] = sum > responses[x] ? sum : responses[x];
        break;
    }
  }
}

static void run_span(const struct filter *filter, const struct span *span, int64_t *responses) {
  const struct kernels *kernels = &filter->kernels;
  bool is_narrow = kernels->count > 1 && filter->setup.pixel_max <= PIXEL_NARROW_MAX;
  int64_t sums[SPAN_MAX];
  int64_t first = filter->setup.response == RESPONSE_MAX ? INT64_MIN : 0;
  for (size_t x = 0; x < span->count; x++) responses[x] = first;
  for (size_t i = 0; i < kernels->count; i++) {
    if (is_narrow) {
      sum_narrow(kernels, &kernels->items[i], span, sums);
    } else {
      sum_wide(kernels, &kernels->items[i], span, sums);
    }
    fold(filter->setup.response, sums, responses, span->count);
  }
}

void filter_run(const struct filter *filter, const struct patch *patch, int64_t *responses) {
  if (filter->lanes != NULL) {
    lanes_run(filter->lanes, patch, responses);
    return;
  }
  for (size_t y = 0; y < patch->height; y++) {
    for (size_t x = 0; x < patch->width; x += SPAN_MAX) {
      size_t left = patch->width - x;
      struct span span = find_span(patch, x, y, left < SPAN_MAX ? left : SPAN_MAX);
      run_span(filter, &span, responses + y * patch->width + x);
    }
  }
}

size_t filter_find_best(const struct filter *filter, const struct patch *patch) {
  const struct kernels *kernels = &filter->kernels;
  struct span first = find_span(patch, 0, 0, 1);
  size_t best = 0;
  int64_t most = INT64_MIN;
  for (size_t i = 0; i < kernels->count; i++) {
    int64_t sum;
    sum_wide(kernels, &kernels->items[i], &first, &sum);
    if (sum > most) best = i;
    if (sum > most) most = sum;
  }
  return best;
}
