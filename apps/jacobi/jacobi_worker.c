/* jacobi_worker.c: what a worker does with strips of a plate. */
#include <stdlib.h>
#include <string.h>

#include "jacobi.h"

enum ls_status jacobi_receive(void *context, uint32_t iteration, const struct ls_bytes *bytes,
                              struct ls_error *err) {
  struct jacobi *state = context;
  (void)iteration;
  ls_bytes_clear(&state->seams);
  if (bytes->length > 0) ls_bytes_append(&state->seams, bytes->data, bytes->length);
  if (!state->seams.failed) return LS_OK;
  return ls_fail(err, LS_ENOMEM, "jacobi: out of memory for the seams");
}

/* The pixels of the strips and around them. */
enum ls_status jacobi_stage(void *context, const struct ls_work *work, struct ls_bytes *staged,
                            struct ls_error *err) {
  const struct jacobi *state = context;
  struct rows rows = jacobi_widen(state, jacobi_rows(state, work->units), (size_t)state->sweeps);
  return plate_read(&state->plate, rows, staged, err);
}

/* Where the temperatures of a row that is near the packed strips are at this worker. */
static const char *find_temperatures(const struct jacobi *state, const struct ls_work *work,
                                     size_t row) {
  size_t bytes = state->plate.width * sizeof(double), before = 0;
  struct rows packed = jacobi_rows(state, work->packed);
  if (row >= packed.first && row - packed.first < packed.count) {
    return (const char *)work->input + (row - packed.first) * bytes;
  }
  uint64_t last =
      row < packed.first ? work->packed.first - 1 : work->packed.first + work->packed.count - 1;
  for (uint64_t strip = 0; strip < last; strip++) before += jacobi_seam(state, strip).count;
  return state->seams.data + (before + row - jacobi_seam(state, last).first) * bytes;
}

static enum ls_status compute_strip(const struct jacobi *state, const struct ls_work *work,
                                    uint64_t strip, struct ls_bytes *output, struct ls_error *err) {
  size_t width = state->plate.width, by = (size_t)state->sweeps;
  struct rows inner = jacobi_rows(state, (struct ls_range){strip, 1});
  struct rows staged = jacobi_widen(state, jacobi_rows(state, work->units), by);
  struct sheet sheet = {.plate = &state->plate, .rows = jacobi_widen(state, inner, by)};
  size_t points = sheet.rows.count * width;
  double *room = malloc(2 * points * sizeof *room);
  if (room == NULL) return ls_fail(err, LS_ENOMEM, "jacobi: out of memory for a strip");
  sheet.temperatures = room;
  sheet.other = room + points;
  sheet.pixels = (const unsigned char *)work->staged + (sheet.rows.first - staged.first) * width;
  if (work->iteration == 0) sheet_begin(&sheet);
  for (size_t i = 0; work->iteration > 0 && i < sheet.rows.count; i++) {
    memcpy(sheet.temperatures + i * width, find_temperatures(state, work, sheet.rows.first + i),
           width * sizeof(double));
  }
  struct answer answer = {.iteration = work->iteration, .slot = work->slot};
  answer.change = sheet_sweep(&sheet, jacobi_sweeps(state, work->iteration), inner);
  ls_bytes_append(output, &answer, sizeof answer);
  ls_bytes_append(output, sheet.temperatures + (inner.first - sheet.rows.first) * width,
                  inner.count * width * sizeof(double));
  free(room);
  return LS_OK;
}

enum ls_status jacobi_compute(void *context, const struct ls_work *work, struct ls_bytes *output,
                              struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (uint64_t i = 0; i < work->units.count && status == LS_OK; i++) {
    status = compute_strip(context, work, work->units.first + i, output, err);
  }
  return status;
}
