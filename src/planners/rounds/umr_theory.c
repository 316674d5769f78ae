/* umr_theory.c: Uniform Multi-Round, the closed forms.
 *
 * Reference:  yang2002, Eq. 4-25, in the corrected form of docs/theory/umr.md, 3; the numerics of
 *             its section 3.3 keep their digits where the printed forms lose them: large
 *             theta^M, no latencies, theta near 1.
 * Assumes:    the reduced stations of umr_theory.h; equal delays where no worker is to wait.
 * Answers:    what umr_theory.h says; the planners refuse before they come here.
 * Cost:       O(1) per evaluation after O(N) sums.
 * Symbols:    SS -> speed, SB -> slowness (local), cbar -> compute_latency_s, A -> send_per_unit_s,
 *             H -> send_latency_s, D -> round_step, L -> log_theta, W -> load, M -> rounds,
 *             x = M L, g, P, phi, psi, k, q -> as in 3.3.
 */

#include "planners/rounds/umr_theory.h"

#include <assert.h>
#include <math.h>

#include "base/statistics.h"
#include "planners/star/reduced_star.h"

/* Chunks that differ from 0 by no more than this part of the load do so by rounding. */
static const double NEGLIGIBLE = 1e-12;

/* theta, eta and D from the sums; `slowness` is SB. */
static void finish_constants(struct ls_umr *umr, double slowness) {
  assert(slowness > 0);
  double c = umr->speed * (umr->compute_latency_s - umr->send_latency_s);
  bool is_one = fabs(slowness - 1) < 1e-12;
  umr->growth = is_one ? 0 : (1 - slowness) / slowness;
  umr->theta = is_one ? 1 : 1 / slowness;
  /* The logarithm keeps its digits near 1, and stays finite far below it. */
  umr->log_theta = fabs(umr->growth) < 0.5 ? log1p(umr->growth) : -log(slowness);
  umr->eta = is_one ? (double)NAN : c / (slowness - 1);
  umr->round_step = umr->theta * c;
  umr->send_per_unit_s = slowness / umr->speed;
}

void ls_umr_init_identical(struct ls_umr *umr, const struct ls_star_worker *worker, size_t count,
                           double load) {
  double workers = (double)count;
  *umr = (struct ls_umr){.workers_count = count,
                         .is_identical = true,
                         .load = load,
                         .speed = workers / worker->compute_per_unit_s,
                         .compute_latency_s = worker->compute_latency_s,
                         .send_latency_s = workers * worker->send_latency_s,
                         .delay_s = worker->delay_s};
  finish_constants(umr, workers * worker->send_per_unit_s / worker->compute_per_unit_s);
}

void ls_umr_init(struct ls_umr *umr, const struct ls_star_worker *workers, size_t count,
                 double load) {
  assert(count >= 1 && load > 0);
  if (ls_star_is_identical(workers, count)) {
    ls_umr_init_identical(umr, &workers[0], count, load);
    return;
  }
  struct ls_sum speed = {0}, slowness = {0}, latency = {0}, send = {0};
  double largest_latency_s = 0;
  for (size_t i = 0; i < count; i++) {
    double rate = 1 / workers[i].compute_per_unit_s;
    ls_sum_add(&speed, rate);
    ls_sum_add(&slowness, rate * workers[i].send_per_unit_s);
    ls_sum_add(&latency, rate * workers[i].compute_latency_s);
    largest_latency_s = fmax(largest_latency_s, workers[i].compute_latency_s);
  }
  *umr = (struct ls_umr){.workers_count = count,
                         .load = load,
                         .speed = ls_sum_value(&speed),
                         .delay_s = workers[count - 1].delay_s};
  umr->compute_latency_s = ls_sum_value(&latency) / umr->speed;
  for (size_t i = 0; i < count; i++) {
    double beta =
        (umr->compute_latency_s - workers[i].compute_latency_s) / workers[i].compute_per_unit_s;
    ls_sum_add(&send, workers[i].send_latency_s + beta * workers[i].send_per_unit_s);
  }
  umr->send_latency_s = ls_sum_value(&send);
  umr->round_least = umr->speed * (largest_latency_s - umr->compute_latency_s);
  finish_constants(umr, ls_sum_value(&slowness));
}

/* (expm1(u) - u) / u^2 for |u| < 1/2 by its Taylor series: coefficients 1/(n+2)!. The function phi
 * of 3.3 is 1 + u psi. */
static double psi(double u) {
  static const double coefficients[] = {
      1.0 / 2,         1.0 / 6,          1.0 / 24,          1.0 / 120,          1.0 / 720,
      1.0 / 5040,      1.0 / 40320,      1.0 / 362880,      1.0 / 3628800,      1.0 / 39916800,
      1.0 / 479001600, 1.0 / 6227020800, 1.0 / 87178291200, 1.0 / 1307674368000};
  double sum = 0;
  for (size_t n = sizeof coefficients / sizeof *coefficients; n > 0; n--) {
    sum = sum * u + coefficients[n - 1];
  }
  return sum;
}

/* The terms that dEx/dM and round_0 share near theta = 1, and away from it. */
struct series {
  double g, p, g_slope, p_slope;
};

static struct series make_series(double log_theta, double rounds) {
  double x = rounds * log_theta;
  double psi_one = psi(log_theta), phi_one = 1 + log_theta * psi_one;
  double psi_all = psi(x), phi_all = 1 + x * psi_all;
  return (struct series){
      .g = rounds * phi_all / phi_one,
      .p = rounds * (rounds * psi_all - psi_one) / (phi_one * phi_one),
      .g_slope = (1 + x * phi_all) / phi_one,
      .p_slope = (rounds * phi_all - psi_one) / (phi_one * phi_one),
  };
}

static bool is_near_one(const struct ls_umr *umr, double rounds) {
  return fabs(rounds * umr->log_theta) < 0.5;
}

/* k(M), and q of 3.3; one exponential serves both. */
static double find_factor(const struct ls_umr *umr, double rounds, double *q) {
  double x = rounds * umr->log_theta;
  if (x > 0) {
    double e = exp(-x);
    *q = umr->log_theta / (1 - e);
    return umr->growth * e / (1 - e);
  }
  double e = exp(x);
  *q = umr->log_theta * e / (e - 1);
  return umr->growth / (e - 1);
}

double ls_umr_round_first(const struct ls_umr *umr, double rounds) {
  if (is_near_one(umr, rounds)) {
    struct series series = make_series(umr->log_theta, rounds);
    return (umr->load - umr->round_step * series.p) / series.g;
  }
  double q, k = find_factor(umr, rounds, &q);
  return umr->eta + k * (umr->load - rounds * umr->eta);
}

double ls_umr_predict(const struct ls_umr *umr, double rounds) {
  return umr->load / umr->speed + rounds * umr->compute_latency_s +
         (umr->send_per_unit_s * ls_umr_round_first(umr, rounds) + umr->send_latency_s) / 2 +
         umr->delay_s;
}

double ls_umr_slope(const struct ls_umr *umr, double rounds) {
  if (is_near_one(umr, rounds)) {
    struct series series = make_series(umr->log_theta, rounds);
    double first = (umr->load - umr->round_step * series.p) / series.g;
    return umr->compute_latency_s -
           umr->send_per_unit_s / 2 * (umr->round_step * series.p_slope + first * series.g_slope) /
               series.g;
  }
  double q, k = find_factor(umr, rounds, &q);
  return umr->compute_latency_s -
         umr->send_per_unit_s / 2 * k * (umr->eta + (umr->load - rounds * umr->eta) * q);
}

/* round_{M-1} for a real M. */
static double find_last_round(const struct ls_umr *umr, double rounds) {
  double x = (rounds - 1) * umr->log_theta;
  return exp(x) * ls_umr_round_first(umr, rounds) + umr->round_step * expm1(x) / umr->growth;
}

/* The upper end of M* (3.4, step 1). */
static double find_upper(const struct ls_umr *umr) {
  double most = LS_UMR_ROUNDS_MAX;
  if (umr->growth > 0) return umr->eta > 0 ? fmin(most, umr->load / umr->eta) : most;
  if (!(umr->growth < 0)) {
    if (!(umr->round_step < 0)) return most;
    return fmin(most, 0.5 + sqrt(0.25 - 2 * umr->load / umr->round_step));
  }
  if (!(umr->eta < 0) || find_last_round(umr, most) > 0) return most;
  double least = 1;
  for (int i = 0; i < 60; i++) {
    double middle = (least + most) / 2;
    if (find_last_round(umr, middle) > 0) {
      least = middle;
    } else {
      most = middle;
    }
  }
  return least;
}

/* Where the slope changes its sign within [least, most]; an end when it does not.  The Illinois
 * form of the rule of false position, which keeps the sign between its ends. */
static double find_root(const struct ls_umr *umr, double least, double most) {
  double low = ls_umr_slope(umr, least), high = ls_umr_slope(umr, most);
  if (!(low < 0)) return least;
  if (!(high > 0)) return most;
  for (int i = 0, side = 0; i < 100 && most - least > 1e-12 * most; i++) {
    double middle = least + (most - least) * low / (low - high);
    double slope = ls_umr_slope(umr, middle);
    if (slope < 0) {
      if (side < 0) high /= 2;
      least = middle;
      low = slope;
      side = -1;
    } else {
      if (!(slope > 0)) return middle;
      if (side > 0) low /= 2;
      most = middle;
      high = slope;
      side = 1;
    }
  }
  return fabs(low) < fabs(high) ? least : most;
}

/* For theta < 1 and eta > 0 Ex may have more than one valley: a grid finds the deepest. */
static double search_grid(const struct ls_umr *umr, double upper) {
  size_t steps = (size_t)ceil((upper - 1) / 0.05);
  double step = (upper - 1) / (double)steps;
  double best = 1, best_s = ls_umr_predict(umr, 1);
  for (size_t i = 1; i <= steps; i++) {
    double rounds = i == steps ? upper : 1 + step * (double)i;
    double end_s = ls_umr_predict(umr, rounds);
    if (end_s < best_s) {
      best_s = end_s;
      best = rounds;
    }
  }
  return find_root(umr, fmax(1, best - step), fmin(upper, best + step));
}

static bool has_valleys(const struct ls_umr *umr) {
  return umr->growth < 0 && umr->eta > 0;
}

/* floor(M* + 1/2) where Ex is convex: the slope is not positive up to the half-integer before it.
 * A sign at half-integers is all that is needed. */
static size_t round_convex(const struct ls_umr *umr, double upper) {
  size_t least = 1, most = (size_t)floor(upper + 0.5);
  while (least < most) {
    size_t middle = (least + most + 1) / 2;
    if (ls_umr_slope(umr, (double)middle - 0.5) <= 0) {
      least = middle;
    } else {
      most = middle - 1;
    }
  }
  return least;
}

/* Steps 3 and 4. */
static void settle_rounds(const struct ls_umr *umr, struct ls_umr_choice *choice) {
  if (umr->growth > 0 && umr->eta > 0) {
    /* W/eta may be a whole number that rounding put just below itself. */
    double bound = umr->load / umr->eta * (1 + NEGLIGIBLE);
    if ((double)choice->rounds > bound) {
      choice->rounds = bound >= 1 ? (size_t)floor(bound) : 1;
      choice->is_clamped = true;
    }
  }
  while (choice->rounds > 1 && !ls_umr_is_possible(umr, choice->rounds)) {
    choice->rounds--;
    choice->is_lowered = true;
  }
}

static void choose(const struct ls_umr *umr, struct ls_umr_choice *choice, bool wants_real) {
  double upper = find_upper(umr);
  *choice = (struct ls_umr_choice){.rounds_real = 1, .rounds = 1};
  if (!(upper > 1)) return;
  if (has_valleys(umr)) {
    choice->rounds_real = search_grid(umr, upper);
    choice->rounds = (size_t)floor(choice->rounds_real + 0.5);
  } else {
    choice->rounds = round_convex(umr, upper);
    double near = (double)choice->rounds;
    if (wants_real) {
      choice->rounds_real = find_root(umr, fmax(1, near - 0.5), fmin(upper, near + 0.5));
    }
  }
  settle_rounds(umr, choice);
}

void ls_umr_choose(const struct ls_umr *umr, struct ls_umr_choice *choice) {
  choose(umr, choice, true);
}

size_t ls_umr_choose_rounds(const struct ls_umr *umr) {
  struct ls_umr_choice choice;
  choose(umr, &choice, false);
  return choice.rounds;
}

/* Near theta = 1 the recurrence is exact enough, and eta is too large to be. */
static bool iterates(const struct ls_umr *umr) {
  return fabs(umr->log_theta) < 1e-4;
}

/* round_j of `rounds` rounds, away from theta = 1.  For theta > 1 the first factor is
 * theta^(j-M): iterating from round_0 would let errors grow like theta^j. */
static double find_round(const struct ls_umr *umr, double rounds, double j) {
  double x = rounds * umr->log_theta, rest = umr->load - rounds * umr->eta;
  double power =
      x > 0 ? exp((j - rounds) * umr->log_theta) / -expm1(-x) : exp(j * umr->log_theta) / expm1(x);
  return umr->eta + umr->growth * power * rest;
}

void ls_umr_round_sizes(const struct ls_umr *umr, size_t rounds, double *sizes) {
  assert(rounds >= 1);
  if (!iterates(umr)) {
    for (size_t j = 0; j < rounds; j++) sizes[j] = find_round(umr, (double)rounds, (double)j);
    return;
  }
  sizes[0] = ls_umr_round_first(umr, (double)rounds);
  for (size_t j = 1; j < rounds; j++) sizes[j] = umr->theta * sizes[j - 1] + umr->round_step;
}

bool ls_umr_is_possible(const struct ls_umr *umr, size_t rounds) {
  /* Rounds grow or shrink throughout, so the first and the last are the extremes. */
  double first = ls_umr_round_first(umr, (double)rounds), last;
  if (iterates(umr)) {
    last = first;
    for (size_t j = 1; j < rounds; j++) last = umr->theta * last + umr->round_step;
  } else {
    last = find_round(umr, (double)rounds, (double)rounds - 1);
  }
  double least = umr->round_least - NEGLIGIBLE * umr->load;
  return first >= least && last >= least;
}

double ls_umr_chunk(const struct ls_umr *umr, const struct ls_star_worker *worker,
                    double round_units) {
  double units =
      umr->is_identical
          ? round_units / (double)umr->workers_count
          : (round_units / umr->speed + umr->compute_latency_s - worker->compute_latency_s) /
                worker->compute_per_unit_s;
  return units > 0 ? units : 0;
}

/* a_i of 3.5: when worker i could compute its first unit of the last round. */
static void find_starts(const struct ls_umr *umr, const struct ls_star_worker *workers,
                        double round_first, double *starts_s) {
  struct ls_sum sent_s = {0};
  for (size_t i = 0; i < umr->workers_count; i++) {
    double units = ls_umr_chunk(umr, &workers[i], round_first);
    ls_sum_add(&sent_s, workers[i].send_latency_s + units * workers[i].send_per_unit_s);
    starts_s[i] = ls_sum_value(&sent_s) + workers[i].delay_s + workers[i].compute_latency_s;
  }
}

/* Who could begin so near the end that only rounding lies between gets nothing. */
static bool is_in_time(const struct ls_umr *umr, const struct ls_star_worker *worker,
                       double start_s, double end_s) {
  return (end_s - start_s) / worker->compute_per_unit_s > NEGLIGIBLE * umr->load;
}

bool ls_umr_last_round(const struct ls_umr *umr, const struct ls_star_worker *workers,
                       double round_first, double round_last, double *units) {
  /* The starts stand in `units` until the common end is known. Leaving out those who start too late
   * for an end lowers the end, so nobody comes back and the passes end at that of the
   * water-filling. */
  find_starts(umr, workers, round_first, units);
  double end_s = (double)INFINITY;
  size_t used = umr->workers_count, before;
  do {
    struct ls_sum speed = {0}, weighted = {0};
    before = used;
    used = 0;
    for (size_t i = 0; i < umr->workers_count; i++) {
      if (!is_in_time(umr, &workers[i], units[i], end_s)) continue;
      ls_sum_add(&speed, 1 / workers[i].compute_per_unit_s);
      ls_sum_add(&weighted, units[i] / workers[i].compute_per_unit_s);
    }
    end_s = (round_last + ls_sum_value(&weighted)) / ls_sum_value(&speed);
    for (size_t i = 0; i < umr->workers_count; i++)
      used += is_in_time(umr, &workers[i], units[i], end_s);
  } while (used < before && used > 0);
  for (size_t i = 0; i < umr->workers_count; i++) {
    bool is_used = is_in_time(umr, &workers[i], units[i], end_s);
    units[i] = is_used ? (end_s - units[i]) / workers[i].compute_per_unit_s : 0;
  }
  return used < umr->workers_count;
}
