/* filter_worker.c: what is done with blocks. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <time.h>

#include "matched_filter.h"
#include "picture.h"

/* ---- one block ---- */

enum ls_status matched_read(const struct matched *state, struct ls_range units,
                            struct ls_bytes *samples, struct ls_error *err) {
  struct stretch stretches[STRETCHES_MAX];
  size_t count = blocks_stretch(&state->blocks, units, stretches);
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    status = image_read(&state->image, stretches[i].area, samples, err);
  }
  return status;
}

/* The stretch in which a unit is, among the samples of several. */
static struct samples find_samples(const struct matched *state, uint64_t unit, struct ls_range of,
                                   const void *data) {
  struct stretch stretches[STRETCHES_MAX];
  size_t sample = state->image.pgm.sample_bytes, i = 0;
  (void)blocks_stretch(&state->blocks, of, stretches);
  const unsigned char *at = data;
  while (unit - stretches[i].units.first >= stretches[i].units.count) {
    at += stretches[i].area.width * stretches[i].area.height * sample;
    i++;
  }
  return (struct samples){at, stretches[i].area, sample};
}

enum ls_status matched_filter_unit(struct matched *state, uint64_t unit, struct ls_range of,
                                   const void *samples, struct ls_error *err) {
  struct samples here = find_samples(state, unit, of, samples);
  struct area area = blocks_area(&state->blocks, unit);
  if (state->words.is_cut) {
    struct inner_area given = {state->filter, here, area, state->words.edge};
    return inner_blocks_filter(&state->inner, &given, state->values, err);
  }
  enum ls_status status = patch_fill(&state->patch, &here, area, state->words.edge, err);
  if (status == LS_OK) filter_run(state->filter, &state->patch, state->values);
  return status;
}

enum ls_status matched_read_and_filter(struct matched *state, uint64_t unit, struct ls_error *err) {
  struct ls_bytes samples = {0};
  struct ls_range alone = {unit, 1};
  enum ls_status status = matched_read(state, alone, &samples, err);
  if (status == LS_OK) status = matched_filter_unit(state, unit, alone, samples.data, err);
  ls_bytes_close(&samples);
  return status;
}

enum ls_status matched_paint(struct matched *state, uint64_t unit, const struct facts *whole,
                             struct ls_error *err) {
  struct area area = blocks_area(&state->blocks, unit);
  size_t count = area.width * area.height;
  enum ls_status status = plane_open(&state->responses, err);
  if (status == LS_OK) status = plane_open(&state->picture, err);
  if (status == LS_OK) status = plane_read(&state->responses, area, state->values, err);
  if (status != LS_OK) return status;
  facts_turn_bytes(state->values, count);
  /* A pixel takes the room of the response before it, which nobody needs any more. */
  unsigned char *pixels = (unsigned char *)state->values;
  picture_scale(state->values, count, whole, pixels);
  return plane_write(&state->picture, area, pixels, err);
}

/* ---- the functions of a worker ---- */

static void wait_for(double seconds) {
  double whole = floor(seconds);
  struct timespec left = {(time_t)whole, (long)((seconds - whole) * 1e9)};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

enum ls_status matched_stage(void *context, const struct ls_work *work, struct ls_bytes *staged,
                             struct ls_error *err) {
  const struct matched *state = context;
  if (work->iteration > 0 || state->words.is_sent) return LS_OK;
  if (state->words.stage_s > 0) wait_for(state->words.stage_s * (double)work->units.count);
  return matched_read(state, work->units, staged, err);
}

static enum ls_status deliver(struct matched *state, uint64_t unit, struct ls_bytes *output,
                              struct ls_error *err) {
  struct area area = blocks_area(&state->blocks, unit);
  size_t count = area.width * area.height;
  struct facts facts = facts_find(state->values, area);
  unsigned char bytes[FACTS_BYTES];
  facts_write(&facts, bytes);
  ls_bytes_append(output, bytes, sizeof bytes);
  facts_turn_bytes(state->values, count);
  if (!state->words.is_written) {
    ls_bytes_append(output, state->values, count * sizeof *state->values);
    return LS_OK;
  }
  enum ls_status status = plane_open(&state->responses, err);
  if (status == LS_OK) status = plane_write(&state->responses, area, state->values, err);
  return status;
}

static enum ls_status filter_units(struct matched *state, const struct ls_work *work,
                                   struct ls_bytes *output, struct ls_error *err) {
  bool is_sent = state->words.is_sent;
  enum ls_status status = LS_OK;
  for (uint64_t i = 0; i < work->units.count && status == LS_OK; i++) {
    uint64_t unit = work->units.first + i;
    status = matched_filter_unit(state, unit, is_sent ? work->packed : work->units,
                                 is_sent ? work->input : work->staged, err);
    if (status == LS_OK) status = deliver(state, unit, output, err);
  }
  bool is_synced = state->is_synced && state->words.is_written;
  return status == LS_OK && is_synced ? plane_sync(&state->responses, err) : status;
}

static enum ls_status paint_units(struct matched *state, const struct ls_work *work,
                                  struct ls_error *err) {
  enum ls_status status = LS_OK;
  if (work->length != FACTS_BYTES) {
    return ls_fail(err, LS_ECORRUPT, "matched-filter: facts of %zu bytes, expected %d",
                   work->length, (int)FACTS_BYTES);
  }
  struct facts whole = facts_read(work->input);
  for (uint64_t i = 0; i < work->units.count && status == LS_OK; i++) {
    status = matched_paint(state, work->units.first + i, &whole, err);
  }
  return status == LS_OK && state->is_synced ? plane_sync(&state->picture, err) : status;
}

enum ls_status matched_compute(void *context, const struct ls_work *work, struct ls_bytes *output,
                               struct ls_error *err) {
  return work->iteration == 0 ? filter_units(context, work, output, err)
                              : paint_units(context, work, err);
}
