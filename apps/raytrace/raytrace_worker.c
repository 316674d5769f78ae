/* raytrace_worker.c: what a worker does with strips of a frame. */
#include <inttypes.h>
#include <string.h>

#include "raytrace.h"
#include "scene.h"

enum ls_status raytrace_receive(void *context, uint32_t iteration, const struct ls_bytes *bytes,
                                struct ls_error *err) {
  struct raytrace *state = context;
  (void)iteration;
  if (bytes->length != sizeof state->digest) {
    return ls_fail(err, LS_ECORRUPT, "raytrace: a digest of %zu bytes, expected %zu", bytes->length,
                   sizeof state->digest);
  }
  memcpy(&state->digest, bytes->data, sizeof state->digest);
  return LS_OK;
}

/* Frames of two scenes make no animation. */
static enum ls_status check_scene(const struct raytrace *state, struct ls_error *err) {
  uint64_t digest;
  enum ls_status status = scene_digest(state->words.scene, &state->words.options, &digest, err);
  if (status != LS_OK || digest == state->digest) return status;
  return ls_fail(err, LS_EINVAL,
                 "raytrace: %s: not the scene with which the run began, or what it includes is not",
                 state->words.scene);
}

/* Strips of one call lie beside one another: one start of povray does. */
enum ls_status raytrace_compute(void *context, const struct ls_work *work, struct ls_bytes *output,
                                struct ls_error *err) {
  const struct raytrace *state = context;
  const struct raytrace_words *words = &state->words;
  struct povray_job job = {.program = words->povray,
                           .scene = words->scene,
                           .options = &words->options,
                           .size = words->size,
                           .clock = raytrace_clock(words, work->iteration),
                           .rows = raytrace_rows(words, work->units)};
  enum ls_status status = check_scene(state, err);
  if (status == LS_OK) status = povray_render(&job, output, err);
  if (status == LS_OK) return LS_OK;
  return ls_fail_while(err, status, "frame %" PRIu32 ", rows %zu to %zu", work->iteration,
                       job.rows.first, job.rows.first + job.rows.count - 1);
}
