#include "runtime/master/pace.h"

#include <math.h>

static const double HEARTBEAT_S = 1, HEARTBEAT_MOST_S = 60;
static const double BEATS_TO_CORE = 100; /* a percent of it */
/* Not for every worker that comes or goes there is another h. */
static const double MARKED = 0.2;
/* The pause after which nobody goes by the former h is Q by that one, r included. */
static const double BEATS_TO_SETTLE = 4;

void ls_pace_init(struct ls_pace *pace, double heartbeat_s) {
  bool is_told = heartbeat_s > 0;
  double first_s = is_told ? heartbeat_s : HEARTBEAT_S;
  *pace = (struct ls_pace){
      .is_told = is_told, .heartbeat_s = first_s, .judged_s = first_s, .most_s = first_s};
}

double ls_pace_derive(size_t workers, double beat_s) {
  return fmin(fmax(HEARTBEAT_S, BEATS_TO_CORE * (double)workers * beat_s), HEARTBEAT_MOST_S);
}

void ls_pace_add(struct ls_pace *pace, const struct ls_pace_round *round) {
  bool is_quiet = round->messages == round->beats && (round->beats > 0 || round->has_pulsed);
  pace->messages += round->messages;
  pace->beats += round->beats;
  if (!is_quiet) return;
  pace->quiet_beats += round->beats;
  pace->quiet_s += round->processor_s;
}

/* What the other threads did is shared by all messages. */
static void measure(struct ls_pace *pace, double others_s) {
  bool is_typical = pace->quiet_beats >= LS_PACE_WORKERS_LEAST && 2 * pace->beats >= pace->messages;
  if (is_typical) {
    double beat_s = pace->quiet_s / (double)pace->quiet_beats +
                    fmax(0, others_s - pace->others_s) / (double)pace->messages;
    if (!(pace->beat_s > 0) || beat_s < pace->beat_s) pace->beat_s = beat_s;
  }
  pace->quiet_s = 0;
  pace->quiet_beats = pace->beats = pace->messages = 0;
  pace->others_s = others_s;
}

bool ls_pace_look(struct ls_pace *pace, size_t workers, double others_s, double now_s) {
  if (pace->is_told) return false;
  measure(pace, others_s);
  double wished_s = ls_pace_derive(workers, pace->beat_s), before_s = pace->heartbeat_s;
  bool is_marked = fabs(wished_s - before_s) > MARKED * before_s;
  /* Back to the least one also by a small step. */
  if (!is_marked && (wished_s > HEARTBEAT_S || !(before_s > HEARTBEAT_S))) return false;
  pace->heartbeat_s = wished_s;
  pace->most_s = fmax(pace->most_s, wished_s);
  if (wished_s < before_s) pace->settled_s = now_s + BEATS_TO_SETTLE * pace->judged_s;
  return true;
}

bool ls_pace_judge(struct ls_pace *pace, double now_s) {
  bool is_longer = pace->heartbeat_s > pace->judged_s;
  bool is_settled = pace->heartbeat_s < pace->judged_s && now_s >= pace->settled_s;
  if (!is_longer && !is_settled) return false;
  pace->judged_s = pace->heartbeat_s;
  return true;
}
