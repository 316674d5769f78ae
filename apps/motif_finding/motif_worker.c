/* motif_worker.c: what a worker does with start vectors and prefixes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "branch.h"
#include "brute_force.h"
#include "motif_finding.h"

/* Brute force has none. */
enum ls_status motif_receive(void *context, uint32_t iteration, const struct ls_bytes *bytes,
                             struct ls_error *err) {
  struct motif *motif = context;
  motif->bound = 0;
  if (!motif->words.is_branching) return LS_OK;
  if (bytes->length != sizeof motif->bound) {
    return ls_fail(err, LS_ECORRUPT, "motif: the bound of level %u has %zu bytes, expected %zu",
                   iteration + 1, bytes->length, sizeof motif->bound);
  }
  memcpy(&motif->bound, bytes->data, sizeof motif->bound);
  return LS_OK;
}

static enum ls_status try_vectors(const struct motif *motif, struct ls_range units,
                                  struct ls_bytes *output, struct ls_error *err) {
  struct best best = {0};
  struct ls_range vectors = {motif->share.first + units.first, units.count};
  enum ls_status status = brute_force(&motif->space, vectors, &best, err);
  if (status == LS_OK) answer_append(&best, output);
  return status;
}

static void try_rows(const struct motif *motif, const struct ls_work *work,
                     struct ls_bytes *output) {
  struct best best = {0};
  struct ls_range vectors = {motif->share.first + work->units.first, work->units.count};
  size_t before = (size_t)(work->units.first - work->packed.first);
  const uint8_t *tasks = work->input;
  rows_search(&motif->space, tasks + before * rows_task_bytes(&motif->space), vectors, &best);
  answer_append(&best, output);
}

static enum ls_status expand_prefixes(const struct motif *motif, const struct ls_work *work,
                                      struct ls_bytes *output, struct ls_error *err) {
  const struct space *space = &motif->space;
  size_t depth = work->iteration + 1;
  size_t stride = depth + 1 < space->sequences ? levels_stride(space) : 0;
  const char *input = work->input;
  struct branching branching = {.bound = motif->bound};
  uint8_t *kept = calloc((size_t)work->units.count * stride + 1, 1);
  if (kept == NULL) return ls_fail(err, LS_ENOMEM, "motif: out of memory for prefixes");
  for (uint64_t i = 0; i < work->units.count; i++) {
    uint64_t prefix, at = work->units.first - work->packed.first + i;
    memcpy(&prefix, input + at * sizeof prefix, sizeof prefix);
    branch_expand(space, prefix, depth, &branching, stride > 0 ? kept + i * stride : NULL);
  }
  answer_append(&branching.best, output);
  if (stride > 0) ls_bytes_append(output, kept, (size_t)work->units.count * stride);
  free(kept);
  return LS_OK;
}

enum ls_status motif_compute(void *context, const struct ls_work *work, struct ls_bytes *output,
                             struct ls_error *err) {
  const struct motif *motif = context;
  bool is_branching = motif->words.is_branching;
  if (!is_branching && !motif->words.sends_rows) {
    return try_vectors(motif, work->units, output, err);
  }
  size_t bytes = is_branching ? sizeof(uint64_t) : rows_task_bytes(&motif->space);
  if (work->length != (size_t)work->packed.count * bytes) {
    return ls_fail(err, LS_ECORRUPT,
                   "motif: %zu bytes were packed for %" PRIu64 " units, expected %zu for each",
                   work->length, work->packed.count, bytes);
  }
  if (is_branching) return expand_prefixes(motif, work, output, err);
  try_rows(motif, work, output);
  return LS_OK;
}
