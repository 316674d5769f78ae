/* dual_simplex.c: the program of a pair of orders for a few workers, and the vertex it moves.
 *
 * Reference:  docs/theory/returns.md, 1 (rows, port row, no idle time).
 * Assumes:    at most LS_SMALL_MAX workers, each costing something, no latencies.
 * Answers:    the dual simplex method on rows g.x <= h: a violated row enters, the row with the
 *             least multiplier per unit of its share leaves.
 * Cost:       O(p^2) per pivot, about p pivots for a pair.
 * Symbols:    x -> point, y -> dual.
 */

#include "planners/returns/dual_simplex.h"

#include <math.h>
#include <string.h>

#include "planners/returns/returns.h"

/* A share of the entering row below this is none; an excess below NEGLIGIBLE_EXCESS proves nothing
 * without a share. */
static const double NEGLIGIBLE_SHARE = 1e-9;
static const double NEGLIGIBLE_EXCESS = 1e-6;
static const double PAIR_TOLERANCE = 1e-12;

enum { PIVOTS_MAX = 300 };

void ls_small_init(struct ls_small *small, const struct ls_returns *returns,
                   const uint32_t *workers, size_t count) {
  *small = (struct ls_small){.count = count, .is_one_port = returns->is_one_port};
  for (size_t i = 0; i < count; i++) {
    const struct ls_returns_worker *worker = &returns->workers[workers[i]];
    double total_s = worker->send_s + worker->compute_s + worker->reply_s;
    small->cost[0][i] = worker->send_s / total_s;
    small->cost[1][i] = worker->reply_s / total_s;
    small->compute[i] = worker->compute_s / total_s;
    small->gain[i] = 1 / total_s;
    small->unit = fmax(small->unit, small->gain[i]);
  }
  for (size_t i = 0; i < count; i++) small->gain[i] /= small->unit;
}

void ls_vertex_init(struct ls_vertex *vertex, const struct ls_small *small) {
  memset(vertex, 0, sizeof *vertex);
  for (size_t i = 0; i < small->count; i++) {
    vertex->edge[i][i] = 1;
    vertex->point[i] = 1;
    vertex->dual[i] = small->gain[i];
    vertex->bound += small->gain[i];
  }
}

enum ls_pivot ls_vertex_add(struct ls_vertex *vertex, size_t count, const double *row,
                            double excess) {
  double share[LS_SMALL_MAX];
  size_t leaving = count;
  double rate = HUGE_VAL;
  for (size_t k = 0; k < count; k++) {
    double sum = 0;
    for (size_t j = 0; j < count; j++) sum += row[j] * vertex->edge[k][j];
    share[k] = sum;
    if (sum > NEGLIGIBLE_SHARE && vertex->dual[k] < rate * sum) {
      rate = vertex->dual[k] / sum;
      leaving = k;
    }
  }
  if (leaving == count) return excess > NEGLIGIBLE_EXCESS ? LS_PIVOT_INFEASIBLE : LS_PIVOT_STUCK;
  double edge[LS_SMALL_MAX];
  for (size_t j = 0; j < count; j++) edge[j] = vertex->edge[leaving][j] / share[leaving];
  for (size_t j = 0; j < count; j++) vertex->point[j] -= excess * edge[j];
  for (size_t k = 0; k < count; k++) {
    for (size_t j = 0; j < count; j++) vertex->edge[k][j] -= share[k] * edge[j];
    double dual = vertex->dual[k] - rate * share[k];
    vertex->dual[k] = dual > 0 ? dual : 0;
  }
  memcpy(vertex->edge[leaving], edge, count * sizeof *edge);
  vertex->dual[leaving] = rate;
  vertex->bound -= rate * excess;
  return LS_PIVOT_DONE;
}

/* Rows of a pair, one per worker, and the port's as the last one. */
struct rows {
  double row[LS_SMALL_MAX + 1][LS_SMALL_MAX];
  size_t count;
};

static void build_rows(const struct ls_small *small, const struct ls_pair *pair,
                       struct rows *rows) {
  size_t count = small->count;
  memset(rows, 0, sizeof *rows);
  for (size_t i = 0; i < count; i++) rows->row[i][i] = small->compute[i];
  for (int side = 0; side < 2; side++) {
    const double *cost = small->cost[side];
    for (size_t k = 0; k < count; k++) {
      size_t outer = pair->order[side][k];
      for (size_t m = k; m < count; m++) rows->row[pair->order[side][m]][outer] += cost[outer];
    }
  }
  rows->count = count;
  if (!small->is_one_port) return;
  for (size_t j = 0; j < count; j++) rows->row[count][j] = small->cost[0][j] + small->cost[1][j];
  rows->count = count + 1;
}

/* The most violated row, or a negative load as a row of -1; its excess, 0 when there is none. */
static double find_violated(const struct rows *rows, size_t count, const double *point,
                            double *row) {
  double worst = PAIR_TOLERANCE;
  size_t found = SIZE_MAX;
  for (size_t r = 0; r < rows->count; r++) {
    double excess = -1;
    for (size_t j = 0; j < count; j++) excess += rows->row[r][j] * point[j];
    if (excess > worst) {
      worst = excess;
      found = r;
    }
  }
  size_t negative = count;
  for (size_t j = 0; j < count; j++) {
    if (-point[j] <= worst) continue;
    worst = -point[j];
    negative = j;
  }
  if (negative < count) {
    memset(row, 0, count * sizeof *row);
    row[negative] = -1;
    return worst;
  }
  if (found == SIZE_MAX) return 0;
  memcpy(row, rows->row[found], count * sizeof *row);
  return worst;
}

double ls_pair_value_above(const struct ls_small *small, const struct ls_pair *pair, double least,
                           double *loads) {
  struct rows rows;
  struct ls_vertex vertex;
  double row[LS_SMALL_MAX];
  build_rows(small, pair, &rows);
  ls_vertex_init(&vertex, small);
  for (int pivot = 0; pivot < PIVOTS_MAX; pivot++) {
    double excess = find_violated(&rows, small->count, vertex.point, row);
    if (!(excess > 0)) break;
    if (ls_vertex_add(&vertex, small->count, row, excess) != LS_PIVOT_DONE) break;
    if (vertex.bound <= least) return 0;
  }
  /* Rounding of the pivots may leave the point beyond the rows; it is scaled back, so that the
   * value can be had. */
  double longest = 1, value = 0;
  for (size_t j = 0; j < small->count; j++) vertex.point[j] = fmax(vertex.point[j], 0);
  for (size_t r = 0; r < rows.count; r++) {
    double used = 0;
    for (size_t j = 0; j < small->count; j++) used += rows.row[r][j] * vertex.point[j];
    longest = fmax(longest, used);
  }
  for (size_t j = 0; j < small->count; j++) {
    vertex.point[j] /= longest;
    value += small->gain[j] * vertex.point[j];
  }
  if (loads != NULL) memcpy(loads, vertex.point, small->count * sizeof *loads);
  return value;
}

double ls_pair_value(const struct ls_small *small, const struct ls_pair *pair, double *loads) {
  return ls_pair_value_above(small, pair, 0, loads);
}

void ls_pair_shuffle(struct ls_pair *pair, size_t count, struct ls_random *random) {
  uint64_t order[LS_SMALL_MAX];
  for (int side = 0; side < 2; side++) {
    for (size_t k = 0; k < count; k++) order[k] = k;
    ls_random_shuffle(random, order, count);
    for (size_t k = 0; k < count; k++) pair->order[side][k] = (uint8_t)order[k];
  }
}

/* Numbers of the scenario's workers within the set, from the outside; returns how many. */
static size_t list_placed(const struct ls_small *small, const uint32_t *workers,
                          const struct ls_scenario *scenario, int side, uint8_t *order) {
  size_t placed = 0;
  for (size_t k = 0; k < scenario->count; k++) {
    uint32_t worker = side == 0 ? scenario->sends[k] : scenario->returns[scenario->count - 1 - k];
    for (size_t i = 0; i < small->count; i++) {
      if (workers[i] == worker) order[placed++] = (uint8_t)i;
    }
  }
  return placed;
}

void ls_pair_of(struct ls_pair *pair, const struct ls_small *small, const uint32_t *workers,
                const struct ls_scenario *scenario) {
  for (int side = 0; side < 2; side++) {
    uint8_t listed[LS_SMALL_MAX];
    bool is_listed[LS_SMALL_MAX] = {false};
    size_t listed_count = list_placed(small, workers, scenario, side, listed);
    size_t others = small->count - listed_count;
    /* Sent to last, return last: the rows of workers that get nothing follow from the others'. */
    size_t first = side == 0 ? 0 : others, next = side == 0 ? listed_count : 0;
    for (size_t k = 0; k < listed_count; k++) {
      pair->order[side][first + k] = listed[k];
      is_listed[listed[k]] = true;
    }
    for (size_t i = 0; i < small->count; i++) {
      if (!is_listed[i]) pair->order[side][next++] = (uint8_t)i;
    }
  }
}

void ls_pair_to(const struct ls_pair *pair, const struct ls_small *small,
                const struct ls_returns *returns, const uint32_t *workers,
                struct ls_scenario *scenario) {
  double loads[LS_SMALL_MAX];
  size_t count = small->count;
  scenario->throughput = ls_pair_value(small, pair, loads) * small->unit;
  scenario->count = count;
  memset(scenario->units, 0, returns->count * sizeof *scenario->units);
  for (size_t k = 0; k < count; k++) {
    scenario->sends[k] = workers[pair->order[0][k]];
    scenario->returns[count - 1 - k] = workers[pair->order[1][k]];
    if (loads[k] > PAIR_TOLERANCE)
      scenario->units[workers[k]] = loads[k] * small->gain[k] * small->unit;
  }
}
