/* returns_whole.c: whole units of a scenario made better by replay.
 *
 * Reference:  docs/theory/returns.md, 7, whole units.
 * Assumes:    whole units within the limits, in the orders of the scenario.
 * Answers:    the first move that ends sooner is taken, until none does or the moves are used up.
 * Cost:       200,000 replays of O(p) at most, 20,000,000/p of more than 100 workers.
 * Symbols:    p -> count.
 */
#include "planners/returns/returns_whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns/returns_limits.h"

/* Of more workers orders stay as they are: with as many, some leave hardly anything to gain. */
enum { MOVES_MAX = 200000, STEPS_MAX = 20000000, ORDERED_MAX = 10 };

static const double SOONER = 1e-12;

/* What is moved: `amount` units, and the one who gets them comes to these places. */
struct move {
  uint32_t from, to; /* the same: places only */
  double amount;
  size_t send, reply; /* among the others; SIZE_MAX: it stays */
};

struct search {
  const struct ls_returns *returns;
  struct ls_scenario *scenario;
  double *units;
  uint32_t *sends, *replies; /* as they were before a move */
  double best_s;
  uint64_t moves, moves_max; /* fewer of more workers */
};

static bool may_have(const struct search *search, uint32_t worker, double units) {
  const struct ls_returns_limits *limits = search->returns->limits;
  if (limits == NULL || !(units > 0)) return true;
  return units >= limits[worker].least && units <= limits[worker].most;
}

static void place(uint32_t *order, size_t count, uint32_t worker, size_t place) {
  size_t at = 0;
  if (place == SIZE_MAX) return;
  while (order[at] != worker) at++;
  memmove(order + at, order + at + 1, (count - at - 1) * sizeof *order);
  memmove(order + place + 1, order + place, (count - place - 1) * sizeof *order);
  order[place] = worker;
}

/* Makes the move; it stays made where the plan ends sooner. */
static bool try_move(struct search *search, const struct move *move) {
  struct ls_scenario *scenario = search->scenario;
  double *units = search->units, from = units[move->from], to = units[move->to];
  size_t bytes = scenario->count * sizeof *scenario->sends;
  double amount = move->from == move->to ? 0 : move->amount;
  if (!may_have(search, move->from, from - amount) || !may_have(search, move->to, to + amount))
    return false;
  search->moves++;
  place(scenario->sends, scenario->count, move->to, move->send);
  place(scenario->returns, scenario->count, move->to, move->reply);
  units[move->from] -= amount;
  units[move->to] += amount;
  double makespan_s = ls_returns_makespan(search->returns, scenario, units);
  if (makespan_s < search->best_s * (1 - SOONER)) {
    search->best_s = makespan_s;
    memcpy(search->sends, scenario->sends, bytes);
    memcpy(search->replies, scenario->returns, bytes);
    return true;
  }
  units[move->from] = from;
  units[move->to] = to;
  if (move->send != SIZE_MAX) memcpy(scenario->sends, search->sends, bytes);
  if (move->reply != SIZE_MAX) memcpy(scenario->returns, search->replies, bytes);
  return false;
}

/* The same units with the one who gets them at every place that the planner may choose. */
static bool try_places(struct search *search, struct move move) {
  size_t count = search->scenario->count;
  enum ls_returns_freedom freedom = search->returns->freedom;
  bool is_free = freedom == LS_RETURNS_ANY_ORDERS;
  move.send = move.reply = SIZE_MAX;
  if (move.from != move.to && try_move(search, &move)) return true;
  if (freedom == LS_RETURNS_GIVEN_ORDERS || count > ORDERED_MAX) return false;
  for (move.send = 0; move.send < count; move.send++) {
    size_t other = freedom == LS_RETURNS_FIFO_ORDERS ? move.send : count - 1 - move.send;
    for (size_t i = 0; i < (is_free ? count : 1); i++) {
      move.reply = is_free ? i : other;
      if (try_move(search, &move)) return true;
    }
  }
  return false;
}

static bool try_all(struct search *search) {
  const struct ls_scenario *scenario = search->scenario;
  for (size_t i = 0; i < scenario->count; i++) {
    uint32_t from = search->sends[i];
    if (!(search->units[from] > 0)) continue;
    for (size_t k = 0; k < scenario->count && search->moves < search->moves_max; k++) {
      struct move move = {.from = from, .to = search->sends[k], .amount = 1};
      if (try_places(search, move)) return true;
      move.amount = search->units[from];
      if (move.amount > 1 && move.to != from && try_places(search, move)) return true;
    }
  }
  return false;
}

static bool is_listed(const struct ls_scenario *scenario, uint32_t worker) {
  for (size_t k = 0; k < scenario->count; k++)
    if (scenario->sends[k] == worker) return true;
  return false;
}

/* Those without units stand last in the orders, where they change nothing. */
static void list_all(const struct ls_returns *returns, struct ls_scenario *scenario) {
  bool is_lifo = returns->freedom == LS_RETURNS_LIFO_ORDERS;
  if (returns->freedom == LS_RETURNS_GIVEN_ORDERS || returns->count > ORDERED_MAX) return;
  for (uint32_t i = 0; i < returns->count; i++) {
    if (is_listed(scenario, i)) continue;
    if (is_lifo)
      memmove(scenario->returns + 1, scenario->returns,
              scenario->count * sizeof *scenario->returns);
    scenario->returns[is_lifo ? 0 : scenario->count] = i;
    scenario->sends[scenario->count++] = i;
  }
}

/* Keeps those with whole units in the orders. */
static void keep_loaded(struct ls_scenario *scenario, const double *units) {
  size_t sends = 0, returns = 0;
  for (size_t k = 0; k < scenario->count; k++) {
    if (units[scenario->sends[k]] > 0) scenario->sends[sends++] = scenario->sends[k];
    if (units[scenario->returns[k]] > 0) scenario->returns[returns++] = scenario->returns[k];
  }
  scenario->count = sends;
}

/* The best plan so far of several starts. */
struct found {
  double *units;
  uint32_t *sends, *replies;
  double makespan_s;
};

/* Moves until nothing ends sooner; keeps the plan where it is better than all before. */
static void descend(struct search *search, struct found *found) {
  struct ls_scenario *scenario = search->scenario;
  size_t count = scenario->count;
  memcpy(search->sends, scenario->sends, count * sizeof *search->sends);
  memcpy(search->replies, scenario->returns, count * sizeof *search->replies);
  search->best_s = ls_returns_makespan(search->returns, scenario, search->units);
  while (search->moves < search->moves_max && try_all(search)) continue;
  if (!(search->best_s < found->makespan_s * (1 - SOONER))) return;
  found->makespan_s = search->best_s;
  memcpy(found->units, search->units, search->returns->count * sizeof *found->units);
  memcpy(found->sends, scenario->sends, count * sizeof *found->sends);
  memcpy(found->replies, scenario->returns, count * sizeof *found->replies);
}

/* Starts at what was rounded; of few workers then at all units on each of them. */
static void search_whole(struct search *search, struct found *found) {
  double load = 0;
  for (size_t i = 0; i < search->returns->count; i++) load += search->units[i];
  descend(search, found);
  if (search->scenario->count > ORDERED_MAX) return;
  for (uint32_t worker = 0; worker < search->returns->count; worker++) {
    if (!is_listed(search->scenario, worker) || !may_have(search, worker, load)) continue;
    memset(search->units, 0, search->returns->count * sizeof *search->units);
    search->units[worker] = load;
    descend(search, found);
  }
}

enum ls_status ls_returns_improve_whole(const struct ls_returns *returns,
                                        struct ls_scenario *scenario, double *units,
                                        struct ls_error *err) {
  list_all(returns, scenario);
  size_t count = scenario->count;
  struct search search = {.returns = returns, .scenario = scenario, .units = units};
  struct found found = {.makespan_s = (double)INFINITY};
  search.sends = calloc(4 * count, sizeof *search.sends);
  found.units = calloc(returns->count, sizeof *found.units);
  enum ls_status status = LS_OK;
  if (search.sends == NULL || found.units == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu workers", count);
  } else {
    search.replies = search.sends + count;
    search.moves_max = count > STEPS_MAX / MOVES_MAX ? STEPS_MAX / count : MOVES_MAX;
    found.sends = search.sends + 2 * count;
    found.replies = search.sends + 3 * count;
    search_whole(&search, &found);
    memcpy(units, found.units, returns->count * sizeof *units);
    memcpy(scenario->sends, found.sends, count * sizeof *found.sends);
    memcpy(scenario->returns, found.replies, count * sizeof *found.replies);
    keep_loaded(scenario, units);
  }
  free(found.units);
  free(search.sends);
  return status;
}
