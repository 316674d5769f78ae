/* scow_optimum.c: the period in which the continuous model ends soonest.
 *
 * Symbols:  a T - b -> struct line, nu -> rounds_real, T* -> find_stationary, i -> full.
 */
#include "planners/scow/scow_optimum.h"

#include <math.h>

#include "planners/scow/scow_cells.h"

/* What a period produces: a T - b units, and how long the first worker waits for its chunk, by
 * second of the period. */
struct line {
  double a, b;
  double wait_slope;
  size_t full;
  bool has_partial;
};

/* The periods for which a line holds. */
struct range {
  double from_s, to_s;
};

struct search {
  double load, units_least;
  struct ls_scow_optimum best;
};

double ls_scow_model_makespan(const struct ls_scow_worker *first, double load, double production,
                              double period_s) {
  double chunk = ls_scow_chunk(first, period_s);
  return (load / production + 0.5) * period_s + ls_scow_first_s(first, chunk);
}

/* Sending to the first worker: (e + g_1)(x), by second of the period when it is full. */
static double find_wait(const struct ls_scow_worker *first, bool is_full) {
  double slope = first->master.per_unit_s + first->link.per_unit_s;
  return slope / (is_full ? first->compute.per_unit_s : first->send.per_unit_s);
}

static struct line line_of_full(const struct ls_scow_set *set, size_t full) {
  return (struct line){.a = set->production[full],
                       .b = set->lost[full],
                       .wait_slope = find_wait(&set->workers[0], full > 0),
                       .full = full};
}

/* Theorem 12: the next worker gets what the others leave. */
static struct line line_with_partial(const struct ls_scow_set *set, size_t full) {
  const struct ls_cost *next = &set->workers[full].send;
  struct line line = line_of_full(set, full);
  line.a += (1 - set->slopes[full]) / next->per_unit_s;
  line.b += (set->constants[full] + next->latency_s) / next->per_unit_s;
  line.has_partial = true;
  return line;
}

/* Where the slope of mu is 0; 0 when mu only grows. */
static double find_stationary(const struct line *line, double load) {
  if (!(line->b > 0)) return 0;
  return (sqrt(line->b * load / (0.5 + line->wait_slope)) + line->b) / line->a;
}

/* The chunk of the first worker. */
static double find_chunk(const struct ls_scow_set *set, const struct line *line, double period_s) {
  const struct ls_scow_worker *first = &set->workers[0];
  if (line->full > 0) return ls_scow_chunk(first, period_s);
  return (period_s - first->send.latency_s) / first->send.per_unit_s;
}

static void offer(struct search *search, const struct ls_scow_set *set, const struct line *line,
                  double period_s) {
  double production = line->a * period_s - line->b;
  double chunk = find_chunk(set, line, period_s);
  if (!(production > 0) || !(chunk > 0)) return;
  double rounds = search->load / production;
  double makespan_s = (rounds + 0.5) * period_s + ls_scow_first_s(&set->workers[0], chunk);
  if (!(makespan_s < search->best.makespan_s * (1 - LS_SCOW_GUARD)) &&
      !isinf(search->best.makespan_s))
    return;
  search->best =
      (struct ls_scow_optimum){makespan_s, period_s, rounds, line->full, line->has_partial, chunk};
}

/* The least mu of a line within the periods that it holds for, windows and nu >= 1 allow. */
static void try_line(struct search *search, const struct ls_scow_set *set, const struct line *line,
                     struct range range) {
  const struct ls_scow_worker *first = &set->workers[0];
  double least_s = set->least_s[line->full], most_s = set->most_s[line->full];
  if (line->full == 0) {
    least_s = ls_cost_time(&first->send, fmax(search->units_least, first->least));
    most_s = ls_cost_time(&first->send, first->most);
  }
  double from_s = fmax(range.from_s, least_s);
  double to_s = fmin(fmin(range.to_s, most_s), (search->load + line->b) / line->a);
  if (!(line->a > 0) || !(from_s <= to_s * (1 + LS_SCOW_GUARD))) return;
  double period_s = find_stationary(line, search->load);
  period_s = fmin(fmax(period_s, from_s), fmax(to_s, from_s));
  offer(search, set, line, period_s);
}

/* One cell: with a partial worker where it gets something, else as many full ones. */
static void try_cell(struct search *search, const struct ls_scow_set *set, size_t cut) {
  size_t full = ls_scow_set_full(set, ls_scow_set_between(set, cut));
  struct range range = {set->cuts[cut], set->cuts[cut + 1]};
  if (full == set->count) {
    struct line line = line_of_full(set, full);
    try_line(search, set, &line, range);
    return;
  }
  /* The master's time that full workers leave, (1 - A) T - B, must be more than H. */
  double growth = 1 - set->slopes[full];
  double border_s = (set->constants[full] + set->workers[full].send.latency_s) / growth;
  struct range with_partial = range, without = range;
  if (growth > LS_SCOW_GUARD) {
    with_partial.from_s = fmax(range.from_s, border_s);
    without.to_s = fmin(range.to_s, border_s);
  } else if (growth < -LS_SCOW_GUARD) {
    with_partial.to_s = fmin(range.to_s, border_s);
    without.from_s = fmax(range.from_s, border_s);
  }
  struct line line = line_with_partial(set, full);
  if (with_partial.from_s < with_partial.to_s) try_line(search, set, &line, with_partial);
  if (full == 0) return;
  line = line_of_full(set, full);
  if (without.from_s < without.to_s) try_line(search, set, &line, without);
}

enum ls_status ls_scow_optimize(const struct ls_scow_star *star,
                                const struct ls_scow_question *question,
                                struct ls_scow_optimum *optimum, struct ls_error *err) {
  struct search search = {question->load, question->units_least, {.makespan_s = (double)INFINITY}};
  struct ls_scow_sets sets;
  const struct ls_scow_set *set;
  enum ls_status status = ls_scow_sets_open(&sets, star, question->sets_most, err);
  if (status != LS_OK) return status;
  while ((set = ls_scow_sets_next(&sets, question->units_least)) != NULL) {
    for (size_t i = 1; i <= set->count; i++) {
      struct line line = line_of_full(set, i);
      struct range range;
      if (ls_scow_set_range(set, i, &range.from_s, &range.to_s))
        try_line(&search, set, &line, range);
    }
    if (question->constraint == LS_SCOW_PWU) continue;
    for (size_t i = 0; i + 1 < set->cuts_count; i++) try_cell(&search, set, i);
  }
  ls_scow_sets_close(&sets);
  *optimum = search.best;
  return LS_OK;
}

/* ---- The published search ---- */

static void keep_published(struct ls_scow_optimum *optimum, const struct ls_scow_worker *worker,
                           double load, struct ls_scow_optimum found) {
  found.chunk = ls_scow_chunk(worker, found.period_s);
  found.makespan_s = ls_scow_model_makespan(worker, load, load / found.rounds_real, found.period_s);
  if (found.chunk > 0 && found.makespan_s < optimum->makespan_s) *optimum = found;
}

/* i = 1..lambda full workers and a partial one, if T* has so many (Figure 5-2). */
static void search_mp(const struct ls_scow_star *star, double load,
                      struct ls_scow_optimum *optimum) {
  const struct ls_scow_worker *worker = &star->items[0];
  double h = worker->send.per_unit_s, latency_s = worker->send.latency_s;
  double c = worker->compute.per_unit_s;
  double both = worker->master.per_unit_s + worker->link.per_unit_s;
  double most = floor(c / h * (1 + LS_SCOW_GUARD));
  for (size_t i = 1; (double)i <= most && i < star->count; i++) {
    double lost_s = (double)(i + 1) * latency_s;
    double period_s = sqrt(load * h * c * lost_s / (both + c / 2)) + lost_s;
    double chunk = ls_scow_chunk(worker, period_s);
    double full = floor(period_s / ls_cost_time(&worker->send, chunk) * (1 + LS_SCOW_GUARD));
    if (!(chunk > 0) || full < (double)i || full > (double)i) continue;
    keep_published(optimum, worker, load,
                   (struct ls_scow_optimum){.period_s = period_s,
                                            .rounds_real = h * load / (period_s - lost_s),
                                            .full = i,
                                            .has_partial = true});
  }
}

/* As many full workers as there are, in the period of perfect utilization or a longer one. */
static void search_pwu(const struct ls_scow_star *star, double load,
                       struct ls_scow_optimum *optimum) {
  const struct ls_scow_worker *worker = &star->items[0];
  const struct ls_cost *compute = &worker->compute;
  double count = (double)star->count, c = compute->per_unit_s;
  double a = count / c, b = count * compute->latency_s / c;
  double both = worker->master.per_unit_s + worker->link.per_unit_s;
  double period_s = (sqrt(b * load / (0.5 + both / c)) + b) / a;
  double slope = count * worker->send.per_unit_s / c;
  double constant = count * worker->send.latency_s - slope * compute->latency_s;
  if (slope < 1) period_s = fmax(period_s, constant / (1 - slope));
  keep_published(
      optimum, worker, load,
      (struct ls_scow_optimum){
          .period_s = period_s, .rounds_real = load / (a * period_s - b), .full = star->count});
}

void ls_scow_search_published_period(const struct ls_scow_star *star, double load,
                                     enum ls_scow_constraint constraint,
                                     struct ls_scow_optimum *optimum) {
  *optimum = (struct ls_scow_optimum){.makespan_s = (double)INFINITY};
  if (constraint == LS_SCOW_MP)
    search_mp(star, load, optimum);
  else
    search_pwu(star, load, optimum);
}
