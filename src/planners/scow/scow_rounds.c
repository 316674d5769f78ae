#include "planners/scow/scow_rounds.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "model/load.h"
#include "model/plan_repeat.h"
#include "planners/scow/scow_rates.h"
#include "planners/scow/scow_spmd.h"

static const double WHOLE_MOST = 9007199254740992.0; /* 2^53 */
/* Passes of scaling and clamping: each settles a chunk at least, most settle many. */
enum { PASSES_MAX = 64 };

/* ---- Sizes within limits ---- */

/* Scales those between their limits so that all sum up to the total. False: nothing can move. */
static bool scale_free(struct ls_scow_slot *slots, size_t count, double total) {
  struct ls_sum fixed = {0}, free_units = {0};
  for (size_t i = 0; i < count; i++) {
    bool is_free = slots[i].units > slots[i].least && slots[i].units < slots[i].most;
    ls_sum_add(is_free ? &free_units : &fixed, slots[i].units);
  }
  double rest = total - ls_sum_value(&fixed), sum = ls_sum_value(&free_units);
  if (fabs(rest - sum) <= 1e-12 * total) return true;
  if (!(sum > 0) || !(rest > 0)) return false;
  for (size_t i = 0; i < count; i++) {
    bool is_free = slots[i].units > slots[i].least && slots[i].units < slots[i].most;
    if (is_free) slots[i].units *= rest / sum;
  }
  return true;
}

/* Sizes beyond a limit come to it; those below half their least go. True: some did. */
static bool clamp(struct ls_scow_slot *slots, size_t count) {
  bool has_moved = false;
  for (size_t i = 0; i < count; i++) {
    double units = slots[i].units;
    if (units > slots[i].most) slots[i].units = slots[i].most;
    if (units > 0 && units < slots[i].least)
      slots[i].units = units < slots[i].least / 2 ? 0 : slots[i].least;
    if (slots[i].units < units || slots[i].units > units) has_moved = true;
  }
  return has_moved;
}

static bool are_within(const struct ls_scow_slot *slots, size_t count, double total) {
  struct ls_sum sum = {0};
  for (size_t i = 0; i < count; i++) {
    double units = slots[i].units;
    if (units > slots[i].most * (1 + 1e-9) || (units > 0 && units < slots[i].least * (1 - 1e-9)))
      return false;
    ls_sum_add(&sum, units);
  }
  return fabs(ls_sum_value(&sum) - total) <= 1e-9 * total;
}

static enum ls_status round_slots(struct ls_scow_slot *slots, size_t count, double total,
                                  struct ls_error *err) {
  double *shares = calloc(count, sizeof *shares);
  uint64_t *whole = calloc(count, sizeof *whole);
  enum ls_status status = LS_OK;
  if (shares == NULL || whole == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory to round %zu chunks", count);
  } else {
    for (size_t i = 0; i < count; i++) shares[i] = slots[i].units;
    status = ls_load_round(shares, count, (uint64_t)total, whole, err);
  }
  for (size_t i = 0; i < count && status == LS_OK; i++) slots[i].units = (double)whole[i];
  free(whole);
  free(shares);
  return status;
}

enum ls_status ls_scow_fit_slots(const struct ls_scow_slots *slots, bool *is_found,
                                 struct ls_error *err) {
  struct ls_scow_slot *items = slots->items;
  struct ls_sum sum = {0};
  *is_found = false;
  for (size_t i = 0; i < slots->count; i++) {
    if (!(items[i].units > 0) || !(slots->total > 0)) items[i].units = 0;
    ls_sum_add(&sum, items[i].units);
  }
  double wanted = ls_sum_value(&sum);
  *is_found = !(slots->total > 0);
  if (*is_found || !(wanted > 0) || !isfinite(wanted)) return LS_OK;
  for (size_t i = 0; i < slots->count; i++) items[i].units *= slots->total / wanted;
  for (int pass = 0; pass < PASSES_MAX && clamp(items, slots->count); pass++)
    if (!scale_free(items, slots->count, slots->total)) return LS_OK;
  if (slots->is_whole) {
    enum ls_status status = round_slots(items, slots->count, slots->total, err);
    if (status != LS_OK) return status;
  }
  *is_found = are_within(items, slots->count, slots->total);
  return LS_OK;
}

/* ---- Rounds ---- */

/* Units of a round that the windows of those with a share allow; `last_least`: of the last one. */
struct limits {
  double least, most, last_least;
};

static struct limits find_limits(const struct ls_scow_rounds *rounds) {
  struct limits limits = {.most = (double)INFINITY};
  for (size_t i = 0; i < rounds->star->count; i++) {
    const struct ls_scow_worker *worker = &rounds->star->items[i];
    double share = rounds->shares[i];
    if (!(share > 0)) continue;
    double lower = rounds->is_whole ? ceil(worker->least) : worker->least;
    double upper = rounds->is_whole ? floor(worker->most) : worker->most;
    double last = rounds->is_whole ? ceil(worker->tail_least) : worker->tail_least;
    limits.least = fmax(limits.least, lower / share);
    limits.most = fmin(limits.most, upper / share);
    limits.last_least = fmax(limits.last_least, last / share);
  }
  return limits;
}

/* The smallest share goes where windows leave no size. False: nobody is left. */
static bool drop_least(struct ls_scow_rounds *rounds) {
  size_t count = rounds->star->count, found = count;
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    if (!(rounds->shares[i] > 0)) continue;
    if (found == count || rounds->shares[i] < rounds->shares[found]) found = i;
  }
  if (found == count) return false;
  rounds->shares[found] = 0;
  for (size_t i = 0; i < count; i++) sum += rounds->shares[i];
  if (!(sum > 0)) return false;
  for (size_t i = 0; i < count; i++) rounds->shares[i] /= sum;
  return true;
}

/* The units of a round, and how many are equal; what is left makes one more. */
struct division {
  double round_units, times, rest;
};

static struct division divide_by(double load, double units) {
  double times = floor(load / units * (1 + LS_SCOW_GUARD));
  double rest = load - times * units;
  return (struct division){units, times, rest <= 1e-12 * load ? 0 : rest};
}

/* Where windows want more than the rest for a last round, it is played with the round before it, or
 * all rounds are a little larger. */
static struct division enlarge_last(const struct ls_scow_rounds *rounds,
                                    const struct limits *limits, double load,
                                    struct division division) {
  bool is_small = division.rest > 0 && division.rest < limits->last_least * (1 - 1e-9);
  if (!is_small || !(division.times >= 1)) return division;
  double both = division.round_units + division.rest;
  if (both <= limits->most)
    return (struct division){division.round_units, division.times - 1, both};
  double units = load / division.times;
  if (rounds->is_whole) units = ceil(units * (1 - LS_SCOW_GUARD));
  return units <= limits->most * (1 + 1e-9) ? divide_by(load, units) : division;
}

static bool divide(struct ls_scow_rounds *rounds, double load, struct division *division) {
  struct limits limits = find_limits(rounds);
  while (limits.least > limits.most * (1 + 1e-9)) {
    if (!drop_least(rounds)) return false;
    limits = find_limits(rounds);
  }
  double units = fmax(fmin(rounds->round_units, limits.most), limits.least);
  if (rounds->is_whole) {
    units = fmin(ceil(units * (1 - LS_SCOW_GUARD)),
                 limits.most >= 1 ? floor(limits.most) : limits.most);
    units = fmax(units, 1);
  } else if (rounds->are_equal) {
    double times = ceil(load / units * (1 - LS_SCOW_GUARD));
    if (load / times < limits.least && times > 1) times--;
    units = load / times;
  }
  *division = enlarge_last(rounds, &limits, load, divide_by(load, units));
  return true;
}

/* A round of so many units; `is_last`: one that may be smaller than windows want. */
struct round {
  double units;
  uint32_t number;
  bool is_last;
};

/* `*is_found` false: its chunks do not fit. */
static enum ls_status add_round(const struct ls_scow_rounds *rounds, const struct round *round,
                                struct ls_plan *plan, bool *is_found, struct ls_error *err) {
  const struct ls_scow_star *star = rounds->star;
  struct ls_scow_slots slots = {.items = calloc(star->count, sizeof *slots.items),
                                .count = star->count,
                                .total = round->units,
                                .is_whole = rounds->is_whole};
  if (slots.items == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu chunks", star->count);
  for (size_t i = 0; i < star->count; i++)
    slots.items[i] = (struct ls_scow_slot){
        rounds->shares[i], round->is_last ? star->items[i].tail_least : star->items[i].least,
        star->items[i].most};
  enum ls_status status = ls_scow_fit_slots(&slots, is_found, err);
  for (size_t i = 0; i < star->count && status == LS_OK && *is_found; i++) {
    double units = slots.items[i].units;
    if (units > 0) ls_plan_add(plan, star->items[i].number, round->number, units);
  }
  free(slots.items);
  return status;
}

static enum ls_status write_rounds(const struct ls_scow_rounds *rounds,
                                   const struct division *division, struct ls_plan *plan,
                                   bool *is_found, struct ls_error *err) {
  enum ls_status status = LS_OK;
  bool has_body = division->times >= 1;
  *is_found = true;
  struct round body = {.units = division->round_units};
  struct round last = {.units = division->rest, .number = has_body, .is_last = true};
  if (has_body) status = add_round(rounds, &body, plan, is_found, err);
  size_t body_end = plan->chunks_count;
  if (status == LS_OK && *is_found && division->rest > 0)
    status = add_round(rounds, &last, plan, is_found, err);
  if (status == LS_OK && *is_found && division->times > 1)
    ls_plan_repeat(plan, 0, body_end, (uint64_t)division->times);
  return status;
}

/* The chunks of the body and of the last round, by position. */
static enum ls_status tell_spmd(const struct ls_scow_rounds *rounds,
                                const struct division *division, struct ls_plan *plan,
                                struct ls_error *err) {
  const struct ls_scow_star *star = rounds->star;
  double *units = calloc(2 * star->count, sizeof *units), *last = units + star->count;
  size_t *positions = calloc(star->platform_count, sizeof *positions);
  enum ls_status status = LS_OK;
  if (units == NULL || positions == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu chunks", star->count);
  } else {
    for (size_t i = 0; i < star->count; i++) positions[star->items[i].number] = i;
    for (size_t i = 0; i < plan->chunks_count; i++) {
      const struct ls_plan_chunk *chunk = &plan->chunks[i];
      bool is_body = chunk->round == 0 && division->times >= 1;
      (is_body ? units : last)[positions[chunk->worker]] = chunk->units;
    }
    struct ls_scow_spmd spmd = {(uint64_t)division->times, units, last, NULL};
    ls_scow_tell_spmd(star, &spmd, plan);
  }
  free(positions);
  free(units);
  return status;
}

enum ls_status ls_scow_add_rounds(struct ls_scow_rounds *rounds, struct ls_plan *plan,
                                  struct ls_error *err) {
  struct division division = {0};
  bool is_found = divide(rounds, plan->load, &division);
  enum ls_status status = LS_OK;
  if (is_found && !(division.times <= WHOLE_MOST)) {
    ls_plan_refuse(plan, "%g rounds of %g units are more than a plan counts: at most 2^53",
                   division.times, division.round_units);
    return LS_OK;
  }
  if (is_found) status = write_rounds(rounds, &division, plan, &is_found, err);
  if (status == LS_OK && !is_found)
    ls_plan_refuse(plan, "the windows of the workers leave no size of a round");
  if (status == LS_OK && is_found && rounds->is_whole)
    status = tell_spmd(rounds, &division, plan, err);
  return status;
}

/* ---- What is said of them ---- */

void ls_scow_tell(const struct ls_scow_star *star, struct ls_star_notes *notes,
                  struct ls_plan *plan) {
  if (star->is_multi_port)
    ls_star_note(notes, "planned for one transfer at a time, played with shared bandwidth");
  if (notes->text[0] != '\0') ls_plan_set_text(plan, "why", notes->text);
}

enum ls_status ls_scow_tell_round(const struct ls_scow_star *star, const double *units,
                                  double period_s, struct ls_plan *plan, struct ls_error *err) {
  struct ls_scow_load load = ls_scow_load_of(star->items, star->count, units);
  double bound_s;
  enum ls_status status = ls_scow_bound(star, plan->load, &bound_s, err);
  if (status != LS_OK) return status;
  if (isnan(period_s)) period_s = load.period_s;
  ls_plan_set(plan, "lower_bound", bound_s);
  if (load.workers == 0 || !(period_s > 0)) return LS_OK;
  ls_plan_set(plan, "worker_utilization", load.compute_s / ((double)load.workers * period_s));
  ls_plan_set(plan, "network_utilization", fmax(load.master_s, load.link_s) / period_s);
  return LS_OK;
}
