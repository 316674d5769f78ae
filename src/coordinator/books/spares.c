/* spares.c: the worth of replicas, from look to look. */
#include "coordinator/books/spares.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

/* Lessons, or a change of what is expected, that are this part of what there was tell nothing new:
 * the chance in the law of fewer than a thousand units is more. */
static const double NEWS = 1.0 / 16;

void ls_spares_close(struct ls_spares *spares) {
  free(spares->looks);
  free(spares->candidates);
  free(spares->idle);
  *spares = (struct ls_spares){0};
}

enum ls_status ls_spares_add_slots(struct ls_spares *spares, size_t slots) {
  void *looks = spares->looks, *candidates = spares->candidates, *idle = spares->idle;
  size_t *room = spares->capacities;
  if (slots <= spares->slots) return LS_OK;
  enum ls_status status = ls_array_reserve(&looks, &room[0], slots, sizeof *spares->looks);
  spares->looks = looks;
  if (status == LS_OK)
    status = ls_array_reserve(&candidates, &room[1], slots, sizeof *spares->candidates);
  spares->candidates = candidates;
  if (status == LS_OK) status = ls_array_reserve(&idle, &room[2], slots, sizeof *spares->idle);
  spares->idle = idle;
  if (status != LS_OK) return status;
  for (size_t i = spares->slots; i < slots; i++) spares->looks[i] = (struct ls_look){0};
  spares->slots = slots;
  return LS_OK;
}

void ls_spares_believe(struct ls_spares *spares, const struct ls_slowness *slowness) {
  double seen = 0;
  spares->slowness = *slowness;
  for (size_t i = 0; i < LS_SLOWNESS_BINS; i++) seen += slowness->ended[i] + slowness->censored[i];
  spares->lessons = (uint64_t)seen;
}

void ls_spares_end(struct ls_spares *spares, double ratio) {
  if (ratio > 0) ls_slowness_end(&spares->slowness, ratio);
  spares->lessons++;
}

void ls_spares_stop(struct ls_spares *spares, double ratio) {
  if (ratio > 0) ls_slowness_censor(&spares->slowness, ratio);
  spares->lessons++;
}

const struct ls_slowness_law *ls_spares_law(struct ls_spares *spares) {
  if (!spares->has_law || spares->law_lessons != spares->lessons)
    ls_slowness_estimate(&spares->slowness, &spares->law);
  spares->has_law = true;
  spares->law_lessons = spares->lessons;
  return &spares->law;
}

static bool is_alike(double a, double b) {
  return (isnan(a) && isnan(b)) || fabs(a - b) <= NEWS * b;
}

static bool is_same_case(const struct ls_spare_case *a, const struct ls_spare_case *b) {
  /* No computed numbers: the times of the same event. */
  return a->unit == b->unit && !(a->begun_s < b->begun_s) && !(a->begun_s > b->begun_s) &&
         a->losses == b->losses && is_alike(a->expected_s, b->expected_s);
}

struct ls_look *ls_spares_look(struct ls_spares *spares, uint32_t slot,
                               const struct ls_spare_case *now) {
  struct ls_look *look = &spares->looks[slot];
  uint64_t doubled = look->doubled;
  bool holds = look->speed > 0 && is_same_case(&look->of, now);
  if (spares->is_dear) {
    double news = (double)(spares->lessons - look->lessons);
    holds = holds && spares->now_s < look->again_s && news <= NEWS * (double)look->lessons;
  } else {
    holds = holds && look->pass == spares->pass && look->sent == spares->sent;
  }
  if (!holds)
    *look = (struct ls_look){.of = *now,
                             .again_s = -(double)INFINITY,
                             .lessons = spares->lessons,
                             .pass = spares->pass,
                             .sent = spares->sent,
                             .doubled = doubled};
  return look;
}

static int compare(const void *left, const void *right) {
  const struct ls_spare_idle *a = left, *b = right;
  if (a->speed > b->speed || a->speed < b->speed) return a->speed > b->speed ? -1 : 1;
  return (a->rank > b->rank) - (a->rank < b->rank);
}

void ls_spares_rank_idle(struct ls_spares *spares) {
  struct ls_spare_idle *idle = spares->idle;
  size_t i = 1;
  while (i < spares->idle_count && compare(&idle[i - 1], &idle[i]) < 0) i++;
  if (i < spares->idle_count) qsort(idle, spares->idle_count, sizeof *idle, compare);
}
