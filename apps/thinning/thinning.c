#include "thinning.h"

#include <stdlib.h>

/* ---- parts ---- */

uint64_t thinning_parts(const struct thinning *state) {
  return state->words.parts < state->height ? state->words.parts : state->height;
}

static size_t find_row(const struct thinning *state, uint64_t part) {
  return (size_t)(part * state->height / thinning_parts(state));
}

struct rows thinning_rows(const struct thinning *state, struct ls_range parts) {
  size_t first = find_row(state, parts.first);
  return (struct rows){first, find_row(state, parts.first + parts.count) - first};
}

struct rows thinning_halo(const struct thinning *state, struct ls_range parts) {
  const struct algorithm *algorithm = state->words.algorithm;
  struct rows own = thinning_rows(state, parts);
  size_t first = own.first > algorithm->above ? own.first - algorithm->above : 0;
  size_t end = own.first + own.count + algorithm->below;
  if (end > state->height) end = state->height;
  return (struct rows){first, end - first};
}

/* ---- numbers ---- */

void thinning_append_number(struct ls_bytes *bytes, size_t number) {
  for (int shift = 8 * (NUMBER_BYTES - 1); shift >= 0; shift -= 8) {
    ls_bytes_append_char(bytes, (char)(unsigned char)(number >> shift));
  }
}

size_t thinning_read_number(const char *bytes) {
  size_t number = 0;
  for (size_t i = 0; i < NUMBER_BYTES; i++) number = number << 8 | (unsigned char)bytes[i];
  return number;
}

/* ---- opening and closing ---- */

static void close_thinning(void *context) {
  struct thinning *state = context;
  picture_close(&state->before);
  picture_close(&state->after);
  free(state->is_changed);
  free(state->is_live);
  free(state);
}

static enum ls_status open_thinning(int argc, char **argv, void **out, struct ls_error *err) {
  struct thinning *state = calloc(1, sizeof *state);
  if (state == NULL) return ls_fail(err, LS_ENOMEM, "thinning: out of memory");
  enum ls_status status = thinning_words_read(&state->words, argc, argv, err);
  if (status == LS_OK) {
    *out = state;
  } else {
    close_thinning(state);
  }
  return status;
}

static const struct ls_app thinning = {
    .name = "thinning",
    .summary = "thins a picture in black and white to its lines",
    .usage =
        "--image FILE [--output FILE] [--parts M] "
        "[--algorithm afp3|afp2|afp1|zhang-suen|guo-hall] [--rule halo|own] [--threshold T] "
        "[--cost R] [--statistics]",
    .open = open_thinning,
    .close = close_thinning,
    .fingerprint = thinning_fingerprint,
    .units = thinning_units,
    .idle = thinning_idle,
    .broadcast = thinning_broadcast,
    .pack = thinning_pack,
    .merge = thinning_merge,
    .checkpoint = thinning_checkpoint,
    .restore = thinning_restore,
    .receive = thinning_receive,
    .compute = thinning_compute,
};

int main(int argc, char **argv) {
  return ls_cli_main(argc, argv, &thinning);
}
