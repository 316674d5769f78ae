#include "jacobi.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- words ---- */

static enum ls_status read_whole(const char *name, const char *text, uint64_t most, uint64_t *value,
                                 struct ls_error *err) {
  char *end;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 10);
  if (errno != 0 || end == text || *end != 0 || text[0] == '-' || number < 1 || number > most) {
    return ls_fail(err, LS_EINVAL,
                   "jacobi: --%s is '%s', expected a whole number from 1 to %" PRIu64, name, text,
                   most);
  }
  *value = number;
  return LS_OK;
}

static enum ls_status read_tolerance(const char *text, double *value, struct ls_error *err) {
  char *end;
  *value = strtod(text, &end);
  if (end != text && *end == 0 && *value >= 0 && isfinite(*value)) return LS_OK;
  return ls_fail(err, LS_EINVAL, "jacobi: --tolerance is '%s', expected a number >= 0", text);
}

static enum ls_status read_word(void *context, int word, const char *text, struct ls_error *err) {
  struct jacobi *state = context;
  switch (word) {
    case 'i':
      state->image = text;
      return LS_OK;
    case 'o':
      state->output = text;
      return LS_OK;
    case 'n':
      return read_whole("strips", text, 1 << 20, &state->strips, err);
    case 'w':
      return read_whole("sweeps", text, 1 << 10, &state->sweeps, err);
    case 'l':
      return read_whole("limit", text, UINT32_MAX, &state->limit, err);
    case 't':
      return read_tolerance(text, &state->tolerance, err);
    case 's':
      state->is_serial = true;
      return LS_OK;
    default:
      state->is_checked = true;
      return LS_OK;
  }
}

static enum ls_status read_words(struct jacobi *state, int argc, char **argv,
                                 struct ls_error *err) {
  static const struct option options[] = {{"image", required_argument, NULL, 'i'},
                                          {"output", required_argument, NULL, 'o'},
                                          {"strips", required_argument, NULL, 'n'},
                                          {"sweeps", required_argument, NULL, 'w'},
                                          {"limit", required_argument, NULL, 'l'},
                                          {"tolerance", required_argument, NULL, 't'},
                                          {"serial", no_argument, NULL, 's'},
                                          {"check", no_argument, NULL, 'c'},
                                          {NULL, 0, NULL, 0}};
  struct ls_app_words words = {
      .application = "jacobi", .options = options, .read = read_word, .context = state};
  enum ls_status status = ls_app_words_read(&words, argc, argv, err);
  if (status == LS_OK && state->image == NULL) {
    return ls_fail(err, LS_EINVAL, "jacobi: --image FILE is missing");
  }
  return status;
}

static void close_jacobi(void *context) {
  struct jacobi *state = context;
  plate_close(&state->plate);
  free(state->before);
  free(state->after);
  free(state->changed_before);
  free(state->changed_after);
  free(state->changes);
  ls_bytes_close(&state->seams);
  free(state);
}

static enum ls_status open_jacobi(int argc, char **argv, void **out, struct ls_error *err) {
  struct jacobi *state = calloc(1, sizeof *state);
  if (state == NULL) return ls_fail(err, LS_ENOMEM, "jacobi: out of memory");
  state->strips = 8;
  state->sweeps = 10;
  state->limit = 10000;
  state->tolerance = 0.001;
  state->plate.file = -1;
  enum ls_status status = read_words(state, argc, argv, err);
  if (status == LS_OK) status = plate_open(&state->plate, state->image, err);
  if (status != LS_OK) {
    close_jacobi(state);
    return status;
  }
  if (state->strips > state->plate.height) state->strips = state->plate.height;
  *out = state;
  return LS_OK;
}

static size_t find_row(const struct jacobi *state, uint64_t strip) {
  return (size_t)(strip * state->plate.height / state->strips);
}

struct rows jacobi_rows(const struct jacobi *state, struct ls_range strips) {
  size_t first = find_row(state, strips.first);
  return (struct rows){first, find_row(state, strips.first + strips.count) - first};
}

struct rows jacobi_widen(const struct jacobi *state, struct rows rows, size_t by) {
  size_t end = rows.first + rows.count + by;
  size_t first = rows.first > by ? rows.first - by : 0;
  if (end > state->plate.height) end = state->plate.height;
  return (struct rows){first, end - first};
}

uint64_t jacobi_sweeps(const struct jacobi *state, uint32_t iteration) {
  uint64_t before = iteration * state->sweeps;
  uint64_t left = before < state->limit ? state->limit - before : 0;
  return left < state->sweeps ? left : state->sweeps;
}

struct rows jacobi_seam(const struct jacobi *state, uint64_t strip) {
  struct rows seam = {find_row(state, strip + 1), 0};
  return jacobi_widen(state, seam, (size_t)state->sweeps);
}

static const struct ls_app jacobi = {
    .name = "jacobi",
    .summary = "heat spreads in a plate, until it is at rest",
    .usage =
        "--image FILE [--output FILE] [--strips M] [--sweeps S] [--limit N] [--tolerance T] "
        "[--check | --serial]",
    .open = open_jacobi,
    .close = close_jacobi,
    .fingerprint = jacobi_fingerprint,
    .units = jacobi_units,
    .idle = jacobi_idle,
    .broadcast = jacobi_broadcast,
    .pack = jacobi_pack,
    .merge = jacobi_merge,
    .checkpoint = jacobi_checkpoint,
    .restore = jacobi_restore,
    .receive = jacobi_receive,
    .stage = jacobi_stage,
    .compute = jacobi_compute,
};

int main(int argc, char **argv) {
  return ls_cli_main(argc, argv, &jacobi);
}
