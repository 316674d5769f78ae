#include "runtime/master/staffing.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>

/* A local worker takes some 10 ms to come; nobody is to wait for minutes when the trouble is over.
 */
static const double FIRST_S = 0.1, MOST_S = 5;

static void owe(struct ls_staffing *staffing, size_t workers, double now_s) {
  /* Many that fail together have failed once. */
  if (staffing->owed == 0) {
    staffing->backoff.first_s = FIRST_S;
    staffing->backoff.most_s = MOST_S;
    staffing->again_s = ls_backoff_fail(&staffing->backoff, now_s);
  }
  staffing->owed += workers;
}

void ls_staffing_request(struct ls_staffing *staffing, struct ls_pools *pools, size_t workers,
                         double now_s) {
  if (pools->count == 0) return;
  staffing->asked += workers;
  if (staffing->untimely + staffing->unfit > 0)
    owe(staffing, workers, now_s);
  else
    ls_pools_request(pools, workers);
}

size_t ls_staffing_grant(struct ls_staffing *staffing) {
  if (staffing->asked == 0) return 0;
  --staffing->asked;
  return 1;
}

size_t ls_staffing_refuse(struct ls_staffing *staffing, const struct ls_pool_news *news,
                          double now_s) {
  size_t told = news->count < staffing->asked ? news->count : staffing->asked;
  staffing->asked -= told;
  staffing->is_final = news->is_final;
  if (news->words != NULL) {
    (void)snprintf(staffing->why, sizeof staffing->why, "%s", news->words);
  }
  if (!news->is_barred)
    staffing->barred_s = 0;
  else if (staffing->barred_s == 0)
    staffing->barred_s = now_s;
  if (news->count > told && !news->is_final) owe(staffing, news->count - told, now_s);
  return told;
}

bool ls_staffing_is_barred(const struct ls_staffing *staffing, double now_s, double patience_s) {
  bool is_barred = staffing->barred_s > 0 && !staffing->is_able;
  return is_barred && now_s >= staffing->barred_s + patience_s;
}

static void note_untimely(struct ls_staffing *staffing, const struct ls_pool_news *news,
                          const char *deed) {
  /* One that was killed, or taken away, says nothing of the next one. */
  bool was_killed = news->signal == SIGKILL || news->signal == SIGTERM;
  if (!was_killed && news->cause != LS_LOSS_RECLAIMED) ++staffing->untimely;
  (void)snprintf(staffing->why, sizeof staffing->why,
                 "a worker, in slot %u, ended before it %s: %s", news->slot, deed,
                 news->words != NULL ? news->words : "for an unknown reason");
}

void ls_staffing_lose(struct ls_staffing *staffing, const struct ls_pool_news *news, double now_s) {
  note_untimely(staffing, news, "joined");
  owe(staffing, 1, now_s);
}

void ls_staffing_miss(struct ls_staffing *staffing, const struct ls_pool_news *news) {
  note_untimely(staffing, news, "began");
}

void ls_staffing_leave(struct ls_staffing *staffing, const struct ls_pool_news *news) {
  if (news->exit_code == 0) return;
  ++staffing->unfit;
  (void)snprintf(staffing->why, sizeof staffing->why, "a worker, in slot %u, %s", news->slot,
                 news->words != NULL ? news->words : "said nothing more");
}

void ls_staffing_hear_unable(struct ls_staffing *staffing, const char *worker, const char *why) {
  if (staffing->unable[0] != '\0') return;
  (void)snprintf(staffing->unable, sizeof staffing->unable, "%s: %s", worker, why);
}

const char *ls_staffing_unable(const struct ls_staffing *staffing) {
  return staffing->is_able || staffing->unable[0] == '\0' ? NULL : staffing->unable;
}

void ls_staffing_serve(struct ls_staffing *staffing) {
  staffing->unfit = 0;
}

void ls_staffing_join(struct ls_staffing *staffing) {
  ls_backoff_succeed(&staffing->backoff);
  staffing->untimely = 0;
  staffing->barred_s = 0;
  staffing->is_able = true;
  staffing->is_final = false;
  staffing->why[0] = '\0';
}

double ls_staffing_until_s(const struct ls_staffing *staffing) {
  return staffing->owed > 0 ? staffing->again_s : HUGE_VAL;
}

void ls_staffing_retry(struct ls_staffing *staffing, struct ls_pools *pools, double now_s) {
  if (!(now_s >= ls_staffing_until_s(staffing))) return;
  size_t workers = staffing->owed;
  staffing->owed = 0;
  ls_pools_request(pools, workers);
}
