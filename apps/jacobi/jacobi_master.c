/* jacobi_master.c: what the master of a plate does, in the order in which it is called. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jacobi.h"

enum ls_status jacobi_fingerprint(void *context, struct ls_bytes *bytes, struct ls_error *err) {
  const struct jacobi *state = context;
  uint64_t digest;
  if (state->output != NULL && ls_whole_file_is_same(state->image, state->output)) {
    return ls_fail(err, LS_EINVAL, "jacobi: --image '%s' and --output '%s' are one file",
                   state->image, state->output);
  }
  enum ls_status status = state->output == NULL ? LS_OK : ls_whole_file_check(state->output, err);
  if (status != LS_OK) return ls_fail_while(err, status, "jacobi: --output");
  status = plate_digest(&state->plate, &digest, err);
  if (status == LS_OK) ls_bytes_append(bytes, &digest, sizeof digest);
  return status;
}

/* A plate that is restored had begun, too. */
static enum ls_status make_room(struct jacobi *state, struct ls_error *err) {
  if (state->changes != NULL) return LS_OK;
  size_t height = state->plate.height, points = state->plate.width * height;
  state->before = calloc(points, sizeof *state->before);
  state->after = calloc(points, sizeof *state->after);
  state->changed_before = calloc(height, sizeof *state->changed_before);
  state->changed_after = calloc(height, sizeof *state->changed_after);
  state->changes = calloc((size_t)state->strips, sizeof *state->changes);
  if (state->before != NULL && state->after != NULL && state->changed_before != NULL &&
      state->changed_after != NULL && state->changes != NULL) {
    return LS_OK;
  }
  return ls_fail(err, LS_ENOMEM, "jacobi: out of memory for %zu points", points);
}

/* The plate as the picture has it; everything has just changed. */
static enum ls_status begin(struct jacobi *state, struct ls_error *err) {
  struct ls_bytes pixels = {0};
  struct rows all = {0, state->plate.height};
  enum ls_status status = make_room(state, err);
  if (status == LS_OK) status = plate_read(&state->plate, all, &pixels, err);
  if (status == LS_OK) {
    struct sheet sheet = {.plate = &state->plate,
                          .rows = all,
                          .pixels = (const unsigned char *)pixels.data,
                          .temperatures = state->after};
    sheet_begin(&sheet);
    memset(state->changed_after, true, all.count);
  }
  ls_bytes_close(&pixels);
  return status;
}

/* The whole plate in one process; `*sweeps` and `*change` as of the end. */
static enum ls_status solve(const struct jacobi *state, double **temperatures, uint64_t *sweeps,
                            double *change, struct ls_error *err) {
  struct ls_bytes pixels = {0};
  struct rows all = {0, state->plate.height};
  size_t points = state->plate.width * state->plate.height;
  enum ls_status status = plate_read(&state->plate, all, &pixels, err);
  struct sheet sheet = {.plate = &state->plate,
                        .rows = all,
                        .pixels = (const unsigned char *)pixels.data,
                        .temperatures = calloc(points, sizeof(double)),
                        .other = calloc(points, sizeof(double))};
  if (status == LS_OK && (sheet.temperatures == NULL || sheet.other == NULL)) {
    status = ls_fail(err, LS_ENOMEM, "jacobi: out of memory for %zu points", points);
  }
  if (status == LS_OK) sheet_begin(&sheet);
  *sweeps = 0;
  *change = HUGE_VAL;
  for (uint32_t i = 0; status == LS_OK && *change > state->tolerance; i++) {
    uint64_t now = jacobi_sweeps(state, i);
    if (now == 0) break;
    *change = sheet_sweep(&sheet, now, all);
    *sweeps += now;
  }
  ls_bytes_close(&pixels);
  free(sheet.other);
  *temperatures = sheet.temperatures;
  return status;
}

static double find_change(const struct jacobi *state) {
  double change = 0;
  for (uint64_t i = 0; i < state->strips; i++) change = fmax(change, state->changes[i]);
  return change;
}

static enum ls_status check(const struct jacobi *state, uint64_t sweeps, struct ls_error *err) {
  double *serial = NULL, change;
  uint64_t serial_sweeps;
  enum ls_status status = solve(state, &serial, &serial_sweeps, &change, err);
  size_t bytes = state->plate.width * state->plate.height * sizeof *serial;
  if (status == LS_OK && (serial_sweeps != sweeps || memcmp(serial, state->after, bytes) != 0)) {
    status = ls_fail(err, LS_ECORRUPT,
                     "jacobi: the plate is not the one that one process computes, in %" PRIu64
                     " sweeps instead of %" PRIu64,
                     serial_sweeps, sweeps);
  }
  free(serial);
  return status;
}

static enum ls_status conclude(const struct jacobi *state, uint64_t sweeps, struct ls_error *err) {
  enum ls_status status = state->is_checked ? check(state, sweeps, err) : LS_OK;
  if (status == LS_OK && state->output != NULL) {
    status = plate_write(&state->plate, state->after, state->output, err);
  }
  if (status != LS_OK) return status;
  (void)printf("%zu x %zu points, %" PRIu64 " sweeps, last change %.3g; %" PRIu64
               " strips computed, %" PRIu64 " idle%s\n",
               state->plate.width, state->plate.height, sweeps, find_change(state), state->computed,
               state->idle, state->is_checked ? "; as computed serially" : "");
  if (state->restored > 0) (void)printf("restored before iteration %u\n", state->restored);
  return LS_OK;
}

static enum ls_status run_serially(struct jacobi *state, struct ls_error *err) {
  double *temperatures = NULL, change;
  uint64_t sweeps;
  enum ls_status status = solve(state, &temperatures, &sweeps, &change, err);
  if (status == LS_OK && state->output != NULL) {
    status = plate_write(&state->plate, temperatures, state->output, err);
  }
  if (status == LS_OK) {
    (void)printf("%zu x %zu points, %" PRIu64 " sweeps, last change %.3g\n", state->plate.width,
                 state->plate.height, sweeps, change);
  }
  free(temperatures);
  return status;
}

/* What came after the last iteration is what comes before this one. */
static void turn(struct jacobi *state) {
  size_t height = state->plate.height;
  double *before = state->before;
  bool *changed = state->changed_before;
  state->before = state->after;
  state->after = before;
  state->changed_before = state->changed_after;
  state->changed_after = changed;
  memcpy(state->after, state->before, state->plate.width * height * sizeof *state->after);
  memset(state->changed_after, false, height);
}

enum ls_status jacobi_units(void *context, uint32_t iteration, uint64_t *units,
                            struct ls_error *err) {
  struct jacobi *state = context;
  *units = 0;
  if (state->is_serial) return iteration == 0 ? run_serially(state, err) : LS_OK;
  enum ls_status status = iteration == 0 ? begin(state, err) : LS_OK;
  if (status != LS_OK) return status;
  bool is_at_rest = iteration > 0 && find_change(state) <= state->tolerance;
  if (is_at_rest || jacobi_sweeps(state, iteration) == 0) {
    uint64_t sweeps = iteration * state->sweeps;
    return conclude(state, sweeps < state->limit ? sweeps : state->limit, err);
  }
  turn(state);
  state->iteration = iteration;
  *units = state->strips;
  return LS_OK;
}

/* What is as it was, and has as its surroundings what they were, becomes what it is. */
enum ls_status jacobi_idle(void *context, uint32_t iteration, struct ls_ranges *units,
                           struct ls_error *err) {
  struct jacobi *state = context;
  (void)err;
  /* The last iteration may have fewer sweeps, and another change. */
  if (jacobi_sweeps(state, iteration) < state->sweeps) return LS_OK;
  for (uint64_t strip = 0; strip < state->strips; strip++) {
    struct rows rows = jacobi_rows(state, (struct ls_range){strip, 1});
    struct rows around = jacobi_widen(state, rows, (size_t)state->sweeps);
    bool has_changed = false;
    for (size_t i = 0; i < around.count; i++) {
      has_changed = has_changed || state->changed_before[around.first + i];
    }
    if (has_changed) continue;
    ls_ranges_add(units, (struct ls_range){strip, 1});
    state->idle++;
  }
  return LS_OK;
}

static void append_rows(const struct jacobi *state, struct rows rows, struct ls_bytes *bytes) {
  size_t width = state->plate.width;
  ls_bytes_append(bytes, state->before + rows.first * width,
                  rows.count * width * sizeof *state->before);
}

/* At first all is in the picture. */
enum ls_status jacobi_broadcast(void *context, uint32_t iteration, struct ls_bytes *bytes,
                                struct ls_error *err) {
  const struct jacobi *state = context;
  (void)err;
  for (uint64_t strip = 0; iteration > 0 && strip + 1 < state->strips; strip++) {
    append_rows(state, jacobi_seam(state, strip), bytes);
  }
  return LS_OK;
}

enum ls_status jacobi_pack(void *context, struct ls_range units, uint32_t slot,
                           struct ls_bytes *input, struct ls_error *err) {
  const struct jacobi *state = context;
  (void)slot, (void)err;
  if (state->iteration > 0) append_rows(state, jacobi_rows(state, units), input);
  return LS_OK;
}

static enum ls_status merge_strip(struct jacobi *state, const struct ls_unit_result *result,
                                  uint64_t strip, size_t *at, struct ls_error *err) {
  struct rows rows = jacobi_rows(state, (struct ls_range){strip, 1});
  size_t width = state->plate.width, bytes = width * sizeof *state->after;
  struct answer answer = {0};
  const char *data = result->output.data;
  bool is_whole = result->output.length - *at >= sizeof answer + rows.count * bytes;
  if (is_whole) memcpy(&answer, data + *at, sizeof answer);
  if (!is_whole || answer.iteration != result->iteration || answer.slot != result->slot) {
    return ls_fail(err, LS_ECORRUPT, "jacobi: strip %" PRIu64 " has an answer that is not its own",
                   strip);
  }
  *at += sizeof answer;
  for (size_t i = 0; i < rows.count; i++, *at += bytes) {
    size_t row = rows.first + i;
    double *here = state->after + row * width;
    state->changed_after[row] = memcmp(here, data + *at, bytes) != 0;
    memcpy(here, data + *at, bytes);
  }
  state->changes[strip] = answer.change;
  state->computed++;
  return LS_OK;
}

enum ls_status jacobi_merge(void *context, const struct ls_unit_result *result,
                            struct ls_error *err) {
  struct ls_range units = result->units;
  if (result->outcome != LS_OUTCOME_DONE || result->output.data == NULL) {
    return ls_fail(err, LS_EIO, "jacobi: strips %" PRIu64 " to %" PRIu64 " have no answer",
                   units.first, units.first + units.count - 1);
  }
  size_t at = 0;
  enum ls_status status = LS_OK;
  for (uint64_t i = 0; i < units.count && status == LS_OK; i++) {
    status = merge_strip(context, result, units.first + i, &at, err);
  }
  return status;
}

/* What the next iteration begins with. */
enum ls_status jacobi_checkpoint(void *context, struct ls_bytes *bytes, struct ls_error *err) {
  const struct jacobi *state = context;
  size_t height = state->plate.height;
  (void)err;
  ls_bytes_append(bytes, &state->computed, sizeof state->computed);
  ls_bytes_append(bytes, &state->idle, sizeof state->idle);
  ls_bytes_append(bytes, state->changes, (size_t)state->strips * sizeof *state->changes);
  ls_bytes_append(bytes, state->changed_after, height * sizeof *state->changed_after);
  ls_bytes_append(bytes, state->after, state->plate.width * height * sizeof *state->after);
  return LS_OK;
}

static void take(void *to, size_t length, const char **from) {
  memcpy(to, *from, length);
  *from += length;
}

enum ls_status jacobi_restore(void *context, uint32_t iteration, const struct ls_bytes *bytes,
                              struct ls_error *err) {
  struct jacobi *state = context;
  size_t height = state->plate.height, points = state->plate.width * height;
  size_t changes = (size_t)state->strips * sizeof *state->changes;
  size_t expected = 2 * sizeof(uint64_t) + changes + height * sizeof *state->changed_after +
                    points * sizeof *state->after;
  if (bytes->length != expected) {
    return ls_fail(err, LS_ECORRUPT, "jacobi: a checkpoint of %zu bytes, expected %zu",
                   bytes->length, expected);
  }
  enum ls_status status = make_room(state, err);
  if (status != LS_OK) return status;
  const char *from = bytes->data;
  take(&state->computed, sizeof state->computed, &from);
  take(&state->idle, sizeof state->idle, &from);
  take(state->changes, changes, &from);
  take(state->changed_after, height * sizeof *state->changed_after, &from);
  take(state->after, points * sizeof *state->after, &from);
  state->restored = iteration;
  return LS_OK;
}
