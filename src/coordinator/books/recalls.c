#include "coordinator/books/recalls.h"

#include <math.h>

/* Messages differ: the shortest way times so much, and at least so long, is enough for an answer.
 */
static const double ANSWER_WAYS = 4, ANSWER_MIN_S = 0.001;

void ls_recalls_init(struct ls_recalls *recalls) {
  *recalls = (struct ls_recalls){.way_s = HUGE_VAL, .look_s = HUGE_VAL, .answered_s = -HUGE_VAL};
}

void ls_recalls_hear(struct ls_recalls *recalls, double seconds) {
  if (seconds >= 0 && seconds < recalls->way_s) recalls->way_s = seconds;
}

static double get_way(const struct ls_recalls *recalls) {
  return isfinite(recalls->way_s) ? recalls->way_s : 0;
}

double ls_recalls_answer(const struct ls_recalls *recalls) {
  return fmax(ANSWER_WAYS * get_way(recalls), ANSWER_MIN_S);
}

double ls_recalls_stay(const struct ls_recall_facts *facts, double now_s) {
  double elapsed_s = now_s - facts->begun_s;
  double left_s = elapsed_s < facts->running_s ? facts->running_s - elapsed_s : elapsed_s;
  return left_s + facts->behind_s;
}

double ls_recalls_due(const struct ls_recalls *recalls, const struct ls_recall_facts *facts,
                      double now_s) {
  double move_s = fmax(get_way(recalls) + facts->unit_s, facts->least_s);
  if (ls_recalls_stay(facts, now_s) >= move_s) return now_s;
  return facts->begun_s + fmax(facts->running_s, move_s - facts->behind_s);
}

bool ls_recalls_are_sound(const struct ls_recalls *recalls) {
  return recalls->way_s >= 0 && !isnan(recalls->look_s) && !isnan(recalls->answered_s);
}
