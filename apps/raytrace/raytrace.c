#include "raytrace.h"

#include <stdlib.h>

uint64_t raytrace_strips(const struct raytrace_words *words) {
  return words->strips < words->size.height ? words->strips : words->size.height;
}

static size_t find_row(const struct raytrace_words *words, uint64_t strip) {
  return (size_t)(strip * words->size.height / raytrace_strips(words));
}

struct rows raytrace_rows(const struct raytrace_words *words, struct ls_range strips) {
  size_t first = find_row(words, strips.first);
  return (struct rows){first, find_row(words, strips.first + strips.count) - first};
}

double raytrace_clock(const struct raytrace_words *words, uint32_t frame) {
  return words->frames > 1 ? (double)frame / (double)(words->frames - 1) : 0;
}

/* ---- opening and closing ---- */

static void close_raytrace(void *context) {
  struct raytrace *state = context;
  ls_bytes_close(&state->pixels);
  free(state);
}

static enum ls_status open_raytrace(int argc, char **argv, void **out, struct ls_error *err) {
  struct raytrace *state = calloc(1, sizeof *state);
  if (state == NULL) return ls_fail(err, LS_ENOMEM, "raytrace: out of memory");
  enum ls_status status = raytrace_words_read(&state->words, argc, argv, err);
  if (status == LS_OK) {
    *out = state;
  } else {
    close_raytrace(state);
  }
  return status;
}

static const struct ls_app raytrace = {
    .name = "raytrace",
    .summary = "renders the frames of an animation in strips, by povray",
    .usage =
        "--scene FILE --output PREFIX [--size WxH] [--frames N] [--strips M] "
        "[--option POVRAY-OPTION]... [--povray PROGRAM] [--check]",
    .open = open_raytrace,
    .sync = raytrace_sync,
    .close = close_raytrace,
    .fingerprint = raytrace_fingerprint,
    .units = raytrace_units,
    .broadcast = raytrace_broadcast,
    .merge = raytrace_merge,
    .checkpoint = raytrace_checkpoint,
    .restore = raytrace_restore,
    .receive = raytrace_receive,
    .compute = raytrace_compute,
};

int main(int argc, char **argv) {
  return ls_cli_main(argc, argv, &raytrace);
}
