/* conclusion.c: the end of a run: the picture, and what is said of it. */
#include <inttypes.h>
#include <stdio.h>

#include "thinning.h"

static void write_statistics(const struct thinning *state, uint32_t iterations,
                             struct ls_bytes *text) {
  ls_bytes_printf(text,
                  "{\"iterations\": %" PRIu32 ", \"pixels_in\": %" PRIu64 ", \"pixels\": %" PRIu64
                  ", \"tasks\": %" PRIu64 ", \"live\": [",
                  iterations, state->pixels_in, picture_count(&state->after), state->tasks);
  for (uint32_t i = 0; i < iterations && i < LIVE_MAX; i++) {
    ls_bytes_printf(text, "%s%" PRIu64, i == 0 ? "" : ", ", state->live[i]);
  }
  ls_bytes_append_text(text, "]}\n");
}

static void write_words(const struct thinning *state, uint32_t iterations, struct ls_bytes *text) {
  ls_bytes_printf(text,
                  "%zu x %zu pixels, %" PRIu64 " of them black: %" PRIu64 " are left after %" PRIu32
                  " iterations of %" PRIu64 " parts, %" PRIu64 " tasks\n",
                  state->width, state->height, state->pixels_in, picture_count(&state->after),
                  iterations, thinning_parts(state), state->tasks);
}

enum ls_status thinning_conclude(const struct thinning *state, uint32_t iterations,
                                 struct ls_error *err) {
  struct ls_bytes text = {0};
  enum ls_status status = LS_OK;
  if (state->words.output != NULL) {
    status = picture_write(&state->after, state->words.output, err);
  }
  if (status != LS_OK) return status;
  if (state->words.has_statistics) {
    write_statistics(state, iterations, &text);
  } else {
    write_words(state, iterations, &text);
  }
  bool is_whole = !text.failed && fwrite(text.data, 1, text.length, stdout) == text.length &&
                  fflush(stdout) == 0;
  ls_bytes_close(&text);
  return is_whole ? LS_OK : ls_fail(err, LS_EIO, "thinning: standard output cannot be written");
}
