/* worker_lines.c: what a running command has written so far is told while it runs.
 *
 * Its outputs are looked at by time, and only whole lines are told, since nobody mixes those.  All
 * of it goes once more with the result: these lines are for people's eyes, and may be lost with a
 * connection.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/os/clock.h"
#include "runtime/worker/worker_private.h"

/* So often it is looked at; so much is told at a time, whose last line may then be cut. */
static const double LOOK_S = 0.03;
enum { PIECE_BYTES = 128 << 10 };

static bool tells_lines(const struct ls_worker *worker) {
  return worker->settings.showing == LS_SHOW_LINES && worker->side.is_running &&
         !worker->must_start && worker->kind->written != NULL;
}

static void post(struct ls_worker *worker, int stream, const char *data, size_t length) {
  struct ls_message message = {.kind = LS_MESSAGE_LINES,
                               .chunk = worker->side.running.chunk,
                               .range = worker->shown_units,
                               .stream = stream == 0 ? LS_STREAM_OUT : LS_STREAM_ERR,
                               .offset = worker->shown[stream],
                               .output = {data, length}};
  ls_line_post(&worker->line, &message);
  worker->shown[stream] += length;
}

static void begin_anew(struct ls_worker *worker, struct ls_range units) {
  worker->shown_units = units;
  worker->shown[0] = worker->shown[1] = 0;
}

void ls_worker_show_again(struct ls_worker *worker) {
  const struct ls_job *job = &worker->side.running;
  /* Just started: the side has not heard yet how many it took. */
  uint64_t units = worker->taken > 0 ? worker->taken : job->units.count;
  begin_anew(worker, (struct ls_range){job->units.first, units});
  worker->show_s = ls_clock_s() + LOOK_S;
  enum ls_showing showing = worker->settings.showing;
  if (showing != LS_SHOW_NOTHING && showing != LS_SHOW_DIRECTLY) post(worker, 0, NULL, 0);
}

/* A line that is longer than a piece waits for the result. */
static void tell_stream(struct ls_worker *worker, int stream, const struct ls_capture *capture,
                        char *block) {
  size_t got = ls_capture_read(capture, worker->shown[stream], block, PIECE_BYTES);
  const char *end = got > 0 ? memrchr(block, '\n', got) : NULL;
  if (end != NULL) post(worker, stream, block, (size_t)(end - block) + 1);
}

/* A master that is behind gets no more of what it can do without. */
void ls_worker_show(struct ls_worker *worker) {
  struct ls_range units;
  if (!tells_lines(worker) || ls_clock_s() < worker->show_s) return;
  worker->show_s = ls_clock_s() + LOOK_S;
  if (ls_postbox_is_waiting(&worker->line.postbox)) return;
  const struct ls_capture *captures = worker->kind->written(worker->executor, &units);
  if (captures == NULL) return;
  /* A task that has failed is halved. */
  if (units.first != worker->shown_units.first || units.count != worker->shown_units.count)
    begin_anew(worker, units);
  char *block = NULL;
  for (int stream = 0; stream < 2; ++stream) {
    bool has_more = ls_capture_length(&captures[stream]) > worker->shown[stream];
    if (has_more && block == NULL) block = malloc(PIECE_BYTES);
    if (has_more && block != NULL) tell_stream(worker, stream, &captures[stream], block);
  }
  free(block);
}

double ls_worker_show_patience_s(const struct ls_worker *worker) {
  if (!tells_lines(worker) || !ls_line_is_open(&worker->line)) return (double)INFINITY;
  return fmax(0, worker->show_s - ls_clock_s());
}
