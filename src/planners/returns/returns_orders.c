/* returns_orders.c: the best LIFO and the best FIFO order, in closed form.
 *
 * Reference:  beaumont2005, Theorems 1 and 2 with their recurrences corrected; the best FIFO for
 *             uncorrelated costs is that of docs/theory/returns.md, 3.
 * Assumes:    no latencies; every worker costs something.
 * Answers:    LIFO: a_1 = 1/(c_1+w_1+d_1), a_{i+1} = a_i w_i/(c_{i+1}+w_{i+1}+d_{i+1}), best by
 *             non-decreasing c + d.  FIFO: u_1 = 1/(c_1+w_1), u_{i+1} = u_i (d_i+w_i)/
 *             (c_{i+1}+w_{i+1}), U = sum u, D = sum d u, rho = U/(1+D), a = u/(1+D).  An order
 *             reaches rho iff g_1(g_2(...g_k(0))) >= rho with g_i(x) = [(1 - rho d_i) +
 *             (d_i+w_i) x]/(c_i+w_i): sort by the angle of (c_i - d_i, 1 - rho d_i), take a worker
 *             iff it raises x, and repeat with the rho found (Dinkelbach).
 * Cost:       O(p log p) a step, fewer than ten steps in practice.
 * Symbols:    c -> send_s, w -> compute_s, d -> reply_s, rho -> throughput, a -> units, x -> reach.
 */

#include "planners/returns/returns_orders.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "planners/returns/returns.h"
#include "planners/returns/returns_port.h"
#include "planners/returns/returns_program.h"

enum { STEPS_MAX = 200, PROGRAM_WORKERS_MAX = 200, FIRST_WORKERS = 2000, HALVINGS = 60 };

/* A worker that costs nothing before it replies gets this part of the largest cost instead, to
 * have an order. */
static const double TINY = 1e-12;

/* ---- LIFO ---- */

void ls_returns_lifo_loads(const struct ls_returns *returns, struct ls_scenario *scenario) {
  struct ls_sum sum = {0};
  double rest = 1; /* a_i w_i: what the workers inside share */
  memset(scenario->units, 0, returns->count * sizeof *scenario->units);
  for (size_t k = 0; k < scenario->count; k++) {
    const struct ls_returns_worker *worker = &returns->workers[scenario->sends[k]];
    double units = rest / (worker->send_s + worker->compute_s + worker->reply_s);
    scenario->units[scenario->sends[k]] = units;
    scenario->returns[scenario->count - 1 - k] = scenario->sends[k];
    rest = units * worker->compute_s;
    ls_sum_add(&sum, units);
  }
  scenario->throughput = ls_sum_value(&sum);
}

struct keyed {
  double key;
  uint32_t worker;
};

static int compare_keys(const void *left, const void *right) {
  const struct keyed *a = left, *b = right;
  if (a->key < b->key) return -1;
  if (a->key > b->key) return 1;
  return a->worker < b->worker ? -1 : a->worker > b->worker;
}

static enum ls_status sort_by(const struct ls_returns *returns,
                              double (*key)(const struct ls_returns_worker *), uint32_t *order,
                              struct ls_error *err) {
  struct keyed *keys = calloc(returns->count, sizeof *keys);
  if (keys == NULL) return ls_fail(err, LS_ENOMEM, "no memory to sort %zu workers", returns->count);
  for (size_t i = 0; i < returns->count; i++) {
    keys[i] = (struct keyed){key(&returns->workers[i]), (uint32_t)i};
  }
  qsort(keys, returns->count, sizeof *keys, compare_keys);
  for (size_t i = 0; i < returns->count; i++) order[i] = keys[i].worker;
  free(keys);
  return LS_OK;
}

static double both_ways(const struct ls_returns_worker *worker) {
  return worker->send_s + worker->reply_s;
}

static double get_send(const struct ls_returns_worker *worker) {
  return worker->send_s;
}

static double get_compute(const struct ls_returns_worker *worker) {
  return worker->compute_s;
}

static double get_reply(const struct ls_returns_worker *worker) {
  return worker->reply_s;
}

/* The workers with the least c + d, at least `wanted` of them, sorted; found by halving the range
 * of the keys. */
static size_t select_first(const struct ls_returns *returns, size_t wanted, struct keyed *keys) {
  double least = 0, most = 0;
  for (size_t i = 0; i < returns->count; i++) most = fmax(most, both_ways(&returns->workers[i]));
  for (int turn = 0; turn < HALVINGS && wanted < returns->count; turn++) {
    double middle = least + (most - least) / 2;
    size_t below = 0;
    for (size_t i = 0; i < returns->count; i++) below += both_ways(&returns->workers[i]) <= middle;
    if (below >= wanted)
      most = middle;
    else
      least = middle;
    if (below >= wanted && below <= 2 * wanted) break;
  }
  size_t count = 0;
  for (size_t i = 0; i < returns->count; i++) {
    double key = both_ways(&returns->workers[i]);
    if (key <= most) keys[count++] = (struct keyed){key, (uint32_t)i};
  }
  qsort(keys, count, sizeof *keys, compare_keys);
  return count;
}

/* Loads shrink geometrically: those behind the first few thousand are often nothing. */
enum ls_status ls_returns_lifo(const struct ls_returns *returns, struct ls_scenario *scenario,
                               struct ls_error *err) {
  struct keyed *keys = calloc(returns->count, sizeof *keys);
  if (keys == NULL) return ls_fail(err, LS_ENOMEM, "no memory to sort %zu workers", returns->count);
  for (size_t wanted = FIRST_WORKERS;; wanted *= 8) {
    if (wanted > returns->count / 8) wanted = returns->count;
    size_t count = select_first(returns, wanted, keys);
    for (size_t k = 0; k < count; k++) scenario->sends[k] = keys[k].worker;
    scenario->count = count;
    ls_returns_lifo_loads(returns, scenario);
    double last = scenario->units[scenario->sends[count - 1]];
    if (count == returns->count || last < 1e-30 * scenario->throughput) break;
  }
  free(keys);
  return LS_OK;
}

/* ---- FIFO ---- */

/* Lengths of u beyond this are scaled down, which the quotient U/(1+D) does not notice. */
static const double LARGE = 1e200;

void ls_returns_fifo_loads(const struct ls_returns *returns, struct ls_scenario *scenario) {
  double one = 1, u = 1; /* `one` is the 1 of 1 + D after scaling */
  size_t first = 0;      /* before it scaling has left nothing */
  struct ls_sum sum = {0}, replies = {0};
  memset(scenario->units, 0, returns->count * sizeof *scenario->units);
  for (size_t k = 0; k < scenario->count; k++) {
    const struct ls_returns_worker *worker = &returns->workers[scenario->sends[k]];
    u /= worker->send_s + worker->compute_s;
    scenario->units[scenario->sends[k]] = u;
    scenario->returns[k] = scenario->sends[k];
    ls_sum_add(&sum, u);
    ls_sum_add(&replies, worker->reply_s * u);
    u *= worker->reply_s + worker->compute_s;
    if (u > LARGE) {
      for (size_t i = first; i <= k; i++) scenario->units[scenario->sends[i]] /= LARGE;
      while (first < k && !(scenario->units[scenario->sends[first]] > 0)) first++;
      sum = (struct ls_sum){sum.total / LARGE, sum.compensation / LARGE};
      replies = (struct ls_sum){replies.total / LARGE, replies.compensation / LARGE};
      one /= LARGE;
      u /= LARGE;
    }
  }
  double time_s = one + ls_sum_value(&replies);
  for (size_t k = 0; k < scenario->count; k++) scenario->units[scenario->sends[k]] /= time_s;
  scenario->throughput = ls_sum_value(&sum) / time_s;
}

/* A worker in the sort by angle. */
struct turned {
  double x, y;
  uint32_t worker;
};

/* By angle in [0, 2 pi): half-plane, then the sign of the cross product. */
static int compare_angles(const void *left, const void *right) {
  const struct turned *a = left, *b = right;
  bool is_low_a = a->y < 0 || (!(a->y > 0) && a->x < 0);
  bool is_low_b = b->y < 0 || (!(b->y > 0) && b->x < 0);
  if (is_low_a != is_low_b) return is_low_a ? 1 : -1;
  double cross = a->x * b->y - a->y * b->x;
  if (cross > 0) return -1;
  if (cross < 0) return 1;
  return a->worker < b->worker ? 1 : -1; /* taken from the back, the lower number stands first */
}

/* One step: the list that reaches furthest beyond `throughput`, into scenario->sends. */
static void find_list(const struct ls_returns *returns, double throughput, struct turned *turned,
                      uint32_t *reversed, struct ls_scenario *scenario) {
  size_t count = 0, taken = 0;
  for (size_t i = 0; i < returns->count; i++) {
    const struct ls_returns_worker *worker = &returns->workers[i];
    if (!(throughput * fmin(worker->send_s, worker->reply_s) < 1)) continue;
    struct turned item = {worker->send_s - worker->reply_s, 1 - throughput * worker->reply_s,
                          (uint32_t)i};
    if (fabs(item.x) > 0 || fabs(item.y) > 0) turned[count++] = item;
  }
  qsort(turned, count, sizeof *turned, compare_angles);
  double reach = 0;
  for (size_t k = 0; k < count; k++) {
    const struct ls_returns_worker *worker = &returns->workers[turned[k].worker];
    double next =
        ((1 - throughput * worker->reply_s) + (worker->reply_s + worker->compute_s) * reach) /
        (worker->send_s + worker->compute_s);
    if (!(next > reach)) continue;
    reach = next;
    reversed[taken++] = turned[k].worker;
  }
  for (size_t k = 0; k < taken; k++) scenario->sends[k] = reversed[taken - 1 - k];
  scenario->count = taken;
}

/* The best worker alone: any throughput that can be had is a start. */
static void start_list(const struct ls_returns *returns, struct ls_scenario *scenario) {
  size_t best = 0;
  double best_s = HUGE_VAL;
  for (size_t i = 0; i < returns->count; i++) {
    const struct ls_returns_worker *worker = &returns->workers[i];
    double cost_s = worker->send_s + worker->compute_s + worker->reply_s;
    if (cost_s < best_s) {
      best_s = cost_s;
      best = i;
    }
  }
  scenario->sends[0] = (uint32_t)best;
  scenario->count = 1;
  scenario->throughput = 1 / best_s;
}

/* Room for one search. */
struct lists {
  struct turned *turned;
  uint32_t *reversed;
  struct ls_scenario next;
};

/* Steps until the throughput of the list no longer rises; `returns` may be the first of more
 * workers. */
static void climb_steps(const struct ls_returns *returns, struct lists *lists,
                        struct ls_scenario *scenario) {
  for (int step = 0; step < STEPS_MAX; step++) {
    find_list(returns, scenario->throughput, lists->turned, lists->reversed, &lists->next);
    ls_returns_fifo_loads(returns, &lists->next);
    double before = scenario->throughput;
    /* The last list is the one whose workers all help at its own throughput. */
    if (!(lists->next.throughput >= before * (1 - 1e-15))) return;
    scenario->count = lists->next.count;
    scenario->throughput = lists->next.throughput;
    memcpy(scenario->sends, lists->next.sends, lists->next.count * sizeof *lists->next.sends);
    if (!(scenario->throughput > before * (1 + 1e-14))) return;
  }
}

static enum ls_status find_best(const struct ls_returns *returns, struct ls_scenario *scenario,
                                struct ls_error *err) {
  struct lists lists = {.turned = calloc(returns->count, sizeof *lists.turned),
                        .reversed = calloc(returns->count, sizeof *lists.reversed)};
  enum ls_status status = ls_scenario_open(&lists.next, returns->count, err);
  if (status == LS_OK && (lists.turned == NULL || lists.reversed == NULL))
    status = ls_fail(err, LS_ENOMEM, "no memory to sort %zu workers", returns->count);
  if (status == LS_OK) {
    start_list(returns, scenario);
    /* The throughput of a few workers rules most of many out before they are sorted. */
    for (size_t few = FIRST_WORKERS; few < returns->count / 8; few *= 8) {
      struct ls_returns first = *returns;
      first.count = few;
      climb_steps(&first, &lists, scenario);
    }
    climb_steps(returns, &lists, scenario);
    ls_returns_fifo_loads(returns, scenario);
  }
  ls_scenario_close(&lists.next);
  free(lists.turned);
  free(lists.reversed);
  return status;
}

double ls_returns_ratio(const struct ls_returns *returns) {
  double ratio = (double)NAN;
  for (size_t i = 0; i < returns->count; i++) {
    const struct ls_returns_worker *worker = &returns->workers[i];
    if (!(worker->send_s > 0) && !(worker->reply_s > 0)) continue;
    double here = worker->reply_s / worker->send_s; /* infinite without a cost of sending */
    if (isnan(ratio)) ratio = here;
    if (isinf(here) != isinf(ratio)) return (double)NAN;
    if (!isinf(here) && !(fabs(here - ratio) <= 1e-12 * ratio)) return (double)NAN;
  }
  return isnan(ratio) ? 1 : ratio;
}

/* Sending and computing must cost something in the recurrence. */
static bool has_free_start(const struct ls_returns *returns) {
  for (size_t i = 0; i < returns->count; i++) {
    if (!(returns->workers[i].send_s + returns->workers[i].compute_s > 0)) return true;
  }
  return false;
}

/* The same problem, in which the start of every worker costs something. */
static enum ls_status copy_costly(const struct ls_returns *returns, struct ls_returns *copy,
                                  struct ls_error *err) {
  *copy = *returns;
  copy->limits = NULL;
  copy->workers = calloc(returns->count, sizeof *copy->workers);
  if (copy->workers == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", returns->count);
  memcpy(copy->workers, returns->workers, returns->count * sizeof *copy->workers);
  double largest_s = 0;
  for (size_t i = 0; i < copy->count; i++) {
    const struct ls_returns_worker *worker = &copy->workers[i];
    largest_s = fmax(largest_s, fmax(worker->send_s, fmax(worker->compute_s, worker->reply_s)));
  }
  for (size_t i = 0; i < copy->count; i++) {
    struct ls_returns_worker *worker = &copy->workers[i];
    if (!(worker->send_s + worker->compute_s > 0)) worker->send_s = TINY * largest_s;
  }
  return LS_OK;
}

static enum ls_status order_costly(const struct ls_returns *returns, struct ls_scenario *scenario,
                                   struct ls_error *err) {
  struct ls_returns costly;
  enum ls_status status = copy_costly(returns, &costly, err);
  if (status != LS_OK) return status;
  status = find_best(&costly, scenario, err);
  ls_returns_close(&costly);
  /* The order is right, the loads nearly so: the program makes them exact. */
  if (status == LS_OK && scenario->count <= PROGRAM_WORKERS_MAX)
    status = ls_returns_program(returns, scenario, err);
  return status;
}

enum ls_status ls_returns_fifo(const struct ls_returns *returns, struct ls_scenario *scenario,
                               bool *is_proven, struct ls_error *err) {
  *is_proven = true;
  if (returns->is_one_port) return ls_returns_fifo_one_port(returns, scenario, is_proven, err);
  if (has_free_start(returns)) return order_costly(returns, scenario, err);
  return find_best(returns, scenario, err);
}

/* By the angle of (c - d, 1 - rho d) again, here from -pi/2 on: a worker with c > d that is too
 * slow to return for the throughput stands behind all others, as in Theorem 2. */
static bool is_sent_before(const struct ls_returns_worker *a, const struct ls_returns_worker *b,
                           double throughput) {
  double x_a = a->send_s - a->reply_s, y_a = 1 - throughput * a->reply_s;
  double x_b = b->send_s - b->reply_s, y_b = 1 - throughput * b->reply_s;
  if ((x_a < 0) != (x_b < 0)) return x_a < 0;
  return x_b * y_a - y_b * x_a > 0;
}

void ls_returns_fifo_list_all(const struct ls_returns *returns, struct ls_scenario *scenario) {
  const struct ls_returns_worker *workers = returns->workers;
  double *is_listed = scenario->ends_s;
  memset(is_listed, 0, returns->count * sizeof *is_listed);
  for (size_t k = 0; k < scenario->count; k++) is_listed[scenario->sends[k]] = 1;
  for (uint32_t i = 0; i < returns->count; i++) {
    if (is_listed[i] > 0) continue;
    size_t k = 0;
    while (k < scenario->count &&
           !is_sent_before(&workers[i], &workers[scenario->sends[k]], scenario->throughput))
      k++;
    memmove(scenario->sends + k + 1, scenario->sends + k,
            (scenario->count - k) * sizeof *scenario->sends);
    scenario->sends[k] = i;
    scenario->count++;
    scenario->units[i] = 0;
  }
  memcpy(scenario->returns, scenario->sends, scenario->count * sizeof *scenario->sends);
}

enum ls_status ls_returns_fifo_in_order(const struct ls_returns *returns,
                                        struct ls_scenario *scenario, struct ls_error *err) {
  if (returns->is_one_port) return ls_returns_fifo_one_port_in_order(returns, scenario, err);
  if (!has_free_start(returns)) {
    ls_returns_fifo_loads(returns, scenario);
    return LS_OK;
  }
  memcpy(scenario->returns, scenario->sends, scenario->count * sizeof *scenario->sends);
  return ls_returns_program(returns, scenario, err);
}

enum ls_status ls_returns_sort(const struct ls_returns *returns, enum ls_returns_key key,
                               uint32_t *order, struct ls_error *err) {
  static double (*const keys[])(const struct ls_returns_worker *) = {
      [LS_RETURNS_BY_SEND] = get_send,
      [LS_RETURNS_BY_COMPUTE] = get_compute,
      [LS_RETURNS_BY_REPLY] = get_reply,
  };
  return sort_by(returns, keys[key], order, err);
}
