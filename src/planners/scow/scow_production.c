/* scow_production.c: the most units in one period.
 *
 * Symbols:  T -> period_s, Y -> full chunk, q -> full, h, H -> send, c, C -> compute, chi -> a
 *           column `used`.
 */
#include "planners/scow/scow_production.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/linear.h"

/* What a period has left while chunks are added. */
struct room {
  double send_s, master_s, link_s; /* of h, of e + s, of l */
  bool is_other;                   /* not h was what ended it */
};

static void take(struct room *room, const struct ls_scow_worker *worker, double units) {
  room->send_s -= ls_cost_time(&worker->send, units);
  room->master_s -= ls_cost_time(&worker->master, units);
  room->link_s -= ls_cost_time(&worker->link, units);
}

/* The units that one station sends in what it has left; a slope of 0: any number. */
static double fit(double left_s, const struct ls_cost *cost) {
  double rest_s = left_s - cost->latency_s;
  if (rest_s < 0) return 0;
  return cost->per_unit_s > 0 ? rest_s / cost->per_unit_s : (double)INFINITY;
}

static bool has_room(const struct room *room, const struct ls_scow_worker *worker, double units,
                     double period_s) {
  double slack = LS_SCOW_GUARD * period_s;
  return ls_cost_time(&worker->send, units) <= room->send_s + slack &&
         ls_cost_time(&worker->master, units) <= room->master_s + slack &&
         ls_cost_time(&worker->link, units) <= room->link_s + slack;
}

static double fit_all(struct room *room, const struct ls_scow_worker *worker) {
  double by_send = fit(room->send_s, &worker->send);
  double most =
      fmin(by_send, fmin(fit(room->master_s, &worker->master), fit(room->link_s, &worker->link)));
  if (most < by_send * (1 - LS_SCOW_GUARD)) room->is_other = true;
  return most;
}

/* What the greedy rule may have missed, when worker `next` was the first that was not full. */
static double find_bound(const struct ls_scow_worker *workers, size_t next, double period_s,
                         double left_s) {
  double latencies_s = 0;
  for (size_t i = 0; i < next; i++)
    if (ls_scow_chunk(&workers[i], period_s) > 0) latencies_s += workers[i].send.latency_s;
  const struct ls_cost *send = &workers[next].send;
  return (latencies_s + fmin(fmax(left_s, 0), send->latency_s)) / send->per_unit_s;
}

static bool is_same(const struct ls_cost *a, const struct ls_cost *b) {
  return !(a->latency_s < b->latency_s) && !(a->latency_s > b->latency_s) &&
         !(a->per_unit_s < b->per_unit_s) && !(a->per_unit_s > b->per_unit_s);
}

/* Where h is the master's for some workers and the link's for others, no station has to pay the sum
 * of them, and more may be sent than it allows. */
static bool is_mixed(const struct ls_scow_worker *workers, size_t count) {
  bool are_masters = true, are_links = true;
  for (size_t i = 0; i < count; i++) {
    if (!is_same(&workers[i].send, &workers[i].master)) are_masters = false;
    if (!is_same(&workers[i].send, &workers[i].link)) are_links = false;
  }
  return !are_masters && !are_links;
}

struct ls_scow_production ls_scow_produce(const struct ls_scow_worker *workers, size_t count,
                                          double period_s, size_t full_most, double *units) {
  struct ls_scow_production found = {.position = SIZE_MAX};
  struct room room = {period_s, period_s, period_s, false};
  size_t i = 0;
  for (size_t k = 0; k < count && units != NULL; k++) units[k] = 0;
  for (; i < count; i++) {
    double chunk = ls_scow_chunk(&workers[i], period_s);
    if (!(chunk > 0)) continue;
    if (found.full >= full_most || !has_room(&room, &workers[i], chunk, period_s)) break;
    take(&room, &workers[i], chunk);
    found.total += chunk;
    found.full++;
    if (units != NULL) units[i] = chunk;
  }
  double left_s = room.send_s;
  size_t next = i;
  for (; i < count && found.position == SIZE_MAX; i++) {
    double chunk = ls_scow_chunk(&workers[i], period_s);
    double part = chunk > 0 ? fmin(chunk, fit_all(&room, &workers[i])) : 0;
    if (!(part > LS_SCOW_GUARD * chunk)) continue;
    found.position = i;
    found.partial = part;
    found.total += part;
    if (units != NULL) units[i] = part;
  }
  if (next < count) found.bound = find_bound(workers, next, period_s, left_s);
  if (room.is_other || is_mixed(workers, count)) found.bound = (double)NAN;
  return found;
}

struct ls_scow_production ls_scow_produce_identical(const struct ls_scow_worker *worker,
                                                    size_t count, double period_s) {
  struct ls_scow_production found = {.position = SIZE_MAX};
  double chunk = ls_scow_chunk(worker, period_s);
  double send_s = ls_cost_time(&worker->send, chunk);
  if (!(chunk > 0)) return found;
  double full = floor(period_s / send_s * (1 + LS_SCOW_GUARD));
  found.full = full < (double)count ? (size_t)full : count;
  found.total = (double)found.full * chunk;
  if (found.full == count) return found;
  double rest =
      (period_s - (double)found.full * send_s - worker->send.latency_s) / worker->send.per_unit_s;
  if (!(rest > LS_SCOW_GUARD * chunk)) return found;
  found.position = found.full;
  found.partial = fmin(rest, chunk);
  found.total += found.partial;
  return found;
}

/* ---- The exact most ---- */

/* Do all messages cost one station the same, so that it alone rules? */
static bool is_bus(const struct ls_scow_star *star) {
  bool are_links = true, are_masters = true;
  for (size_t i = 0; i < star->count; i++) {
    const struct ls_cost *send = &star->items[i].send, *first = &star->items[0].send;
    const struct ls_cost *link = &star->items[i].link, *master = &star->items[i].master;
    bool is_link = link->per_unit_s >= master->per_unit_s && link->latency_s >= master->latency_s;
    bool is_master = master->per_unit_s >= link->per_unit_s && master->latency_s >= link->latency_s;
    are_links = are_links && is_link;
    are_masters = are_masters && is_master;
    if (!are_links && !are_masters) return false;
    if (send->per_unit_s < first->per_unit_s || send->per_unit_s > first->per_unit_s) return false;
    if (send->latency_s < first->latency_s || send->latency_s > first->latency_s) return false;
  }
  return true;
}

struct candidate {
  double chunk;
  size_t position;
};

static int compare_chunks(const void *left, const void *right) {
  const struct candidate *a = left, *b = right;
  if (a->chunk > b->chunk) return -1;
  if (a->chunk < b->chunk) return 1;
  return a->position < b->position ? -1 : a->position > b->position;
}

/* A.1, corrected: the k largest chunks, the last ones as far as the bus lets them. */
static enum ls_status produce_on_bus(const struct ls_scow_star *star, double period_s,
                                     double *units, struct ls_error *err) {
  const struct ls_cost *send = &star->items[0].send;
  struct candidate *items = malloc(star->count * sizeof *items);
  if (items == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu chunks", star->count);
  for (size_t i = 0; i < star->count; i++) {
    items[i] = (struct candidate){fmax(0, ls_scow_chunk(&star->items[i], period_s)), i};
    units[i] = 0;
  }
  qsort(items, star->count, sizeof *items, compare_chunks);
  double sum = 0, best = 0;
  size_t best_count = 0;
  for (size_t k = 1; k <= star->count && items[k - 1].chunk > 0; k++) {
    sum += items[k - 1].chunk;
    double sent = (period_s - (double)k * send->latency_s) / send->per_unit_s;
    if (!(fmin(sum, sent) > best * (1 + LS_SCOW_GUARD))) continue;
    best = fmin(sum, sent);
    best_count = k;
  }
  double left = best;
  for (size_t k = 0; k < best_count; k++) {
    units[items[k].position] = fmin(left, items[k].chunk);
    left -= units[items[k].position];
  }
  free(items);
  return LS_OK;
}

/* What is known of a worker before the program is solved. */
enum { UNKNOWN, UNUSED, USED };

/* A worker by what a unit of its full chunk costs the network. */
struct offer {
  double cost_s;
  size_t position;
};

static int compare_offers(const void *left, const void *right) {
  const struct offer *a = left, *b = right;
  if (a->cost_s < b->cost_s) return -1;
  if (a->cost_s > b->cost_s) return 1;
  return a->position < b->position ? -1 : a->position > b->position;
}

/* What a full chunk is worth beyond its price, in units; `price`: units for a second of the
 * station. */
static double find_surplus(const struct ls_cost *cost, double chunk, double price) {
  return chunk - price * ls_cost_time(cost, chunk);
}

/* The units that a second of the station is worth where parts of workers may be used. */
static double find_price(const struct offer *offers, size_t count, const struct ls_scow_star *star,
                         const struct ls_cost *(*cost_of)(const struct ls_scow_worker *),
                         double period_s) {
  double left_s = period_s;
  for (size_t i = 0; i < count; i++) {
    const struct ls_scow_worker *worker = &star->items[offers[i].position];
    left_s -= ls_cost_time(cost_of(worker), ls_scow_chunk(worker, period_s));
    if (left_s < 0) return 1 / offers[i].cost_s;
  }
  return 0;
}

static const struct ls_cost *link_of(const struct ls_scow_worker *worker) {
  return &worker->link;
}

static const struct ls_cost *master_of(const struct ls_scow_worker *worker) {
  return &worker->master;
}

/* Workers that every solution as good as `found` units uses, or does not use: by the price of the
 * station's time no solution is better than `most`, and each worker that does otherwise costs so
 * much more. */
static enum ls_status fix_workers(const struct ls_scow_star *star, double period_s, double found,
                                  char *known, struct ls_error *err) {
  struct offer *offers = calloc(star->count, sizeof *offers);
  if (offers == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", star->count);
  for (int station = 0; station < 2; station++) {
    const struct ls_cost *(*cost_of)(const struct ls_scow_worker *) =
        station == 0 ? link_of : master_of;
    size_t count = 0;
    for (size_t i = 0; i < star->count; i++) {
      double chunk = ls_scow_chunk(&star->items[i], period_s);
      if (!(chunk > 0)) continue;
      offers[count++] = (struct offer){ls_cost_time(cost_of(&star->items[i]), chunk) / chunk, i};
    }
    qsort(offers, count, sizeof *offers, compare_offers);
    double price = find_price(offers, count, star, cost_of, period_s), most = price * period_s;
    for (size_t i = 0; i < count; i++) {
      const struct ls_scow_worker *worker = &star->items[offers[i].position];
      most += fmax(0, find_surplus(cost_of(worker), ls_scow_chunk(worker, period_s), price));
    }
    double slack = most - found + 1e-9 * most;
    for (size_t i = 0; i < count; i++) {
      const struct ls_scow_worker *worker = &star->items[offers[i].position];
      double surplus = find_surplus(cost_of(worker), ls_scow_chunk(worker, period_s), price);
      /* A chunk that is worth less than its units cost is best as small as can be. */
      if (price * cost_of(worker)->per_unit_s > 1) surplus = -price * cost_of(worker)->latency_s;
      if (-surplus > slack) known[offers[i].position] = UNUSED;
      if (surplus > slack) known[offers[i].position] = USED;
    }
  }
  free(offers);
  return LS_OK;
}

/* One station: the messages of those that are used take no longer than the period. */
static void add_station(struct ls_linear *program, const struct ls_scow_star *star,
                        const size_t *columns, bool is_master, double period_s) {
  (void)ls_linear_row(program, LS_AT_MOST, period_s);
  for (size_t i = 0; i < star->count; i++) {
    const struct ls_cost *cost = is_master ? &star->items[i].master : &star->items[i].link;
    if (columns[i] == SIZE_MAX) continue;
    if (cost->per_unit_s > 0) ls_linear_entry(program, columns[i], cost->per_unit_s);
    if (cost->latency_s > 0) ls_linear_entry(program, columns[i] + 1, cost->latency_s);
  }
}

/* x_i and chi_i stand side by side; SIZE_MAX: no solution uses this worker. */
static void build_program(struct ls_linear *program, const struct ls_scow_star *star,
                          const char *known, size_t *columns, double period_s) {
  for (size_t i = 0; i < star->count; i++) {
    double chunk = ls_scow_chunk(&star->items[i], period_s);
    columns[i] = SIZE_MAX;
    if (!(chunk > 0) || known[i] == UNUSED) continue;
    columns[i] = ls_linear_column(program, 1);
    size_t used = ls_linear_column(program, 0);
    ls_linear_bound(program, columns[i], 0, chunk);
    ls_linear_bound(program, used, known[i] == USED ? 1 : 0, 1);
    if (known[i] == USED) continue;
    ls_linear_integer(program, used);
    (void)ls_linear_row(program, LS_AT_MOST, 0);
    ls_linear_entry(program, columns[i], 1);
    ls_linear_entry(program, used, -chunk);
  }
  if (star->uses_master) add_station(program, star, columns, true, period_s);
  if (star->uses_link) add_station(program, star, columns, false, period_s);
}

static enum ls_status solve_program(const struct ls_scow_star *star, double period_s,
                                    struct ls_budget *budget, double *units, struct ls_error *err) {
  struct ls_linear program;
  struct ls_linear_solution solution = {0};
  size_t *columns = malloc(star->count * sizeof *columns);
  char *known = calloc(star->count, sizeof *known);
  enum ls_status status = LS_OK;
  ls_linear_init(&program, true);
  if (columns == NULL || known == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu columns", star->count);
  } else {
    double found = ls_scow_produce(star->items, star->count, period_s, SIZE_MAX, NULL).total;
    status = fix_workers(star, period_s, found, known, err);
  }
  if (status == LS_OK) build_program(&program, star, known, columns, period_s);
  if (status == LS_OK) status = ls_linear_solve(&program, budget->work_max, &solution, err);
  if (status == LS_OK && solution.values == NULL)
    status = ls_fail(err, LS_EINVAL, "the program of a period was stopped without a solution");
  if (status == LS_OK) {
    if (solution.outcome == LS_LINEAR_STOPPED) budget->is_stopped = true;
    for (size_t i = 0; i < star->count; i++)
      units[i] = columns[i] == SIZE_MAX ? 0 : solution.values[columns[i]];
  }
  ls_linear_solution_close(&solution);
  ls_linear_close(&program);
  free(known);
  free(columns);
  return status;
}

enum ls_status ls_scow_produce_exactly(const struct ls_scow_star *star, double period_s,
                                       struct ls_budget *budget, double *units,
                                       struct ls_error *err) {
  bool is_any = false;
  for (size_t i = 0; i < star->count; i++) {
    units[i] = 0;
    if (ls_scow_chunk(&star->items[i], period_s) > 0) is_any = true;
  }
  if (!is_any) return LS_OK;
  if (is_bus(star)) return produce_on_bus(star, period_s, units, err);
  return solve_program(star, period_s, budget, units, err);
}
