#include "coordinator/books/patience.h"

#include <math.h>
#include <string.h>

#include "base/statistics.h"

#define ANSWER_MIN_S    0.01
#define USUAL_SILENCE_S 4.0 /* Q of a heartbeat of a second */
#define GRANT_MIN_S     0.01
#define ASK_AGAIN_MAX_S 60.0
/* A worker tries for 10 Q + g when it has noticed, which takes it another Q. */
#define HOMING_SILENCES 11

double ls_patience_silence(const struct ls_patience *patience, double answer_s) {
  if (patience->silence_s > 0) return patience->silence_s;
  if (!(patience->heartbeat_s > 0)) return HUGE_VAL;
  return 3 * patience->heartbeat_s +
         (answer_s > 0 ? fmax(answer_s, ANSWER_MIN_S) : LS_PATIENCE_ANSWER_S);
}

double ls_patience_grant(const struct ls_patience *patience) {
  double sorted[LS_PATIENCE_GRANTS];
  size_t count =
      patience->grants_count < LS_PATIENCE_GRANTS ? patience->grants_count : LS_PATIENCE_GRANTS;
  if (!(patience->first_grant_s > 0) || count == 0) return patience->first_grant_s;
  memcpy(sorted, patience->grants, count * sizeof *sorted);
  ls_sort_ascending(sorted, count);
  return fmax(sorted[count / 2], GRANT_MIN_S);
}

double ls_patience_loss(const struct ls_patience *patience, double silence_s, double expected_s) {
  if (patience->patience_s > 0) return patience->patience_s;
  if (!isfinite(silence_s)) return HUGE_VAL;
  return fmax(silence_s, fmax(ls_patience_grant(patience), expected_s)); /* NAN is no larger */
}

double ls_patience_homing(const struct ls_patience *patience, double silence_s) {
  return HOMING_SILENCES * silence_s + ls_patience_grant(patience);
}

double ls_patience_return(double silence_s, double expected_s, double ran_s) {
  double least_s = isfinite(silence_s) ? silence_s : USUAL_SILENCE_S;
  return isnan(expected_s) ? fmax(ran_s, least_s) : expected_s;
}

static void add(struct ls_patience_asks *asks, uint64_t workers, double now_s) {
  if (workers == 0) return;
  if (asks->count == LS_PATIENCE_ASKS)
    asks->items[asks->count - 1].workers += workers;
  else
    asks->items[asks->count++] = (struct ls_patience_ask){now_s, workers};
}

/* The oldest `workers` of them. */
static void take(struct ls_patience_asks *asks, uint64_t workers) {
  while (workers > 0 && asks->count > 0) {
    struct ls_patience_ask *oldest = &asks->items[0];
    uint64_t taken = workers < oldest->workers ? workers : oldest->workers;
    workers -= taken;
    oldest->workers -= taken;
    if (oldest->workers > 0) return;
    asks->count--;
    memmove(asks->items, asks->items + 1, asks->count * sizeof *asks->items);
  }
}

void ls_patience_ask(struct ls_patience *patience, uint64_t workers, double now_s) {
  patience->put_off_s = 0;
  add(&patience->asked, workers, now_s);
}

double ls_patience_join(struct ls_patience *patience, uint64_t expected, double now_s) {
  double asked_s = patience->asked.count > 0 ? patience->asked.items[0].time_s : (double)NAN;
  take(&patience->asked, 1);
  if (patience->granted > 0 && patience->granted >= expected) patience->granted--;
  patience->granted_s = now_s;
  patience->refusals = 0;
  return asked_s;
}

void ls_patience_come(struct ls_patience *patience, double waited_s) {
  if (isnan(waited_s)) return;
  patience->grants[patience->grants_count++ % LS_PATIENCE_GRANTS] = waited_s;
}

void ls_patience_grant_workers(struct ls_patience *patience, uint64_t workers, double now_s) {
  patience->granted += workers;
  patience->granted_s = now_s;
}

/* As long as some of those that were granted come, the others are on their way. */
double ls_patience_give_up_s(const struct ls_patience *patience) {
  double silence_s = ls_patience_silence(patience, 0), grant_s = ls_patience_grant(patience);
  if (patience->granted == 0 || !(grant_s > 0) || !isfinite(silence_s)) return HUGE_VAL;
  return fmax(patience->granted_s, patience->judged_from_s) + 3 * grant_s + silence_s;
}

uint64_t ls_patience_give_up(struct ls_patience *patience, double now_s) {
  if (ls_patience_give_up_s(patience) > now_s) return 0;
  uint64_t workers = patience->granted;
  take(&patience->asked, workers);
  patience->granted = 0;
  return workers;
}

void ls_patience_put_off(struct ls_patience *patience, double now_s) {
  if (!(patience->put_off_s > 0)) patience->put_off_s = now_s + ls_patience_grant(patience);
}

bool ls_patience_is_overdue(const struct ls_patience *patience, double now_s) {
  return patience->put_off_s > 0 && patience->put_off_s <= now_s;
}

double ls_patience_ask_s(const struct ls_patience *patience, double now_s) {
  double next_s = ls_patience_give_up_s(patience);
  if (patience->ask_again_s > now_s) next_s = fmin(next_s, patience->ask_again_s);
  return patience->put_off_s > now_s ? fmin(next_s, patience->put_off_s) : next_s;
}

void ls_patience_refuse(struct ls_patience *patience, uint64_t workers, double now_s) {
  double wait_s =
      ldexp(ls_patience_grant(patience), (int)(patience->refusals < 32 ? patience->refusals : 32));
  take(&patience->asked, workers);
  patience->refusals++;
  patience->ask_again_s = now_s + fmin(wait_s, ASK_AGAIN_MAX_S);
}

void ls_patience_judge_from(struct ls_patience *patience, double wished_s, double now_s) {
  double silence_s = ls_patience_silence(patience, ANSWER_MIN_S);
  if (isfinite(silence_s) && now_s - wished_s > silence_s / 2) patience->judged_from_s = now_s;
}

bool ls_patience_is_sound(const struct ls_patience *patience) {
  for (size_t i = 0; i < patience->asked.count; i++) {
    const struct ls_patience_ask *ask = &patience->asked.items[i];
    if (ask->workers == 0 || (i > 0 && ask->time_s < ask[-1].time_s)) return false;
  }
  return patience->asked.count <= LS_PATIENCE_ASKS;
}
