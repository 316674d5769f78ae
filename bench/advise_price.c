/* advise_price: the worth of advice on which workers to take by price, over seeded scenarios.
 *
 * Usage: advise_price [SCENARIOS]
 *
 * A scenario: 1024 units of a seeded cell of the grid (laws of task times, latencies, prefetches,
 * loads; see lab/studies/trial.h) on 8 workers of unequal speeds, whose prices are drawn: alike, by
 * speed, by speed and luck, luck alone; one of four policies.  The adviser (advise/crew_advice.h)
 * chooses workers on 4 draws; its choice and every fixed number of the fastest workers are judged
 * on 12 others, by their means.  Three terms: the cheapest within a deadline (1.05 to 3 times the
 * least time of a fixed number), the fastest within a price (1.05 to 3 times the least price), the
 * cheapest within 1.1 of the best time.  What the advice costs is compared with the best fixed
 * number in hindsight, which may take as long (cost as much) as the terms say or as the advice did,
 * whichever is more: an advice that misses its terms gains nothing by it.  Prints one JSON line;
 * the exit status is 1 when the mean is over 1.02 of the best fixed number for any of the terms, or
 * when the terms are missed by more than 2 % in the mean.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise/crew_advice.h"
#include "advise/selection.h"
#include "base/random.h"
#include "lab/studies/trial.h"
#include "theory/list_schedule.h"

enum { WORKERS = 8, DRAWS = 4, JUDGED = 12, JUDGED_FROM = 100, TERMS = 3 };
static const double LIMIT = 1.02, MISSED = 0.02;
static const char *const term_names[TERMS] = {"deadline", "price_max", "near_best"};

static void require(enum ls_status status, const struct ls_error *err) {
  if (status == LS_OK) return;
  fprintf(stderr, "advise_price: %s\n", err->text);
  exit(1);
}

/* The trial with prices, from a draw on. */
struct world {
  struct ls_trial trial;
  size_t first;
};

static enum ls_status draw_world(void *context, size_t draw, struct ls_simulation *setup,
                                 struct ls_error *err) {
  struct world *world = context;
  enum ls_status status = ls_trial_draw(&world->trial, world->first + draw, err);
  if (status != LS_OK) return status;
  ls_trial_world(&world->trial, setup);
  setup->config.seed = world->first + draw;
  return LS_OK;
}

static void draw_prices(struct ls_trial *trial, struct ls_random *random) {
  size_t kind = (size_t)ls_random_below(random, 4);
  for (size_t i = 0; i < WORKERS; i++) {
    double luck = 0.5 + 1.5 * ls_random_real(random);
    double by_speed = pow(trial->speeds[i], 1.3);
    trial->platform.workers[i].price_per_s = kind == 0   ? 1
                                             : kind == 1 ? by_speed
                                             : kind == 2 ? by_speed * luck
                                                         : luck;
  }
}

static struct ls_candidate draw_candidate(const struct ls_trial *trial, struct ls_random *random) {
  static const char *const policies[] = {"ss", "fac2", "wf2", "af"};
  struct ls_error err = {0};
  struct ls_candidate candidate = {
      .chunking = ls_chunking_find(policies[ls_random_below(random, 4)]),
      .prefetch = trial->prefetch};
  require(ls_trial_arguments(trial, candidate.chunking, &candidate.arguments, &err), &err);
  return candidate;
}

/* Expected time and price of a crew, by draws that the advice has not seen. */
static void judge_crew(struct world *world, const struct ls_candidate *candidate,
                       const size_t *workers, size_t count, struct ls_offer *offer) {
  struct ls_error err = {0};
  *offer = (struct ls_offer){0, 0};
  for (size_t draw = 0; draw < JUDGED; draw++) {
    struct ls_simulation setup = {0};
    struct ls_simulated result;
    struct ls_selection selection = {0};
    require(draw_world(world, draw, &setup, &err), &err);
    setup.config.chunking = candidate->chunking;
    setup.config.arguments = candidate->arguments;
    setup.prefetch = candidate->prefetch;
    require(ls_selection_open(&selection, &setup, workers, count, &err), &err);
    require(ls_simulate(&setup, &result, NULL, &err), &err);
    ls_selection_close(&selection);
    offer->time_s += result.makespan_s / JUDGED;
    offer->price += result.price / JUDGED;
  }
}

/* Entry n - 1: the n fastest. */
static void judge_numbers(struct world *world, const struct ls_candidate *candidate,
                          struct ls_offer *offers) {
  double keys[WORKERS];
  uint64_t list[WORKERS];
  size_t workers[WORKERS];
  struct ls_error err = {0};
  for (size_t i = 0; i < WORKERS; i++) keys[i] = world->trial.speeds[i];
  require(ls_list_sort(keys, WORKERS, list, &err), &err);
  for (size_t n = 1; n <= WORKERS; n++) {
    workers[n - 1] = (size_t)list[n - 1];
    judge_crew(world, candidate, workers, n, &offers[n - 1]);
  }
}

struct totals {
  double ratio[TERMS], worst[TERMS], missed[TERMS];
  size_t late[TERMS], scenarios;
  double crews;
};

/* The least of the figure that is wanted, among the numbers within the limits of both. */
static double find_best(const struct ls_offer *offers, bool by_price, const struct ls_offer *most) {
  double best = (double)INFINITY;
  for (size_t i = 0; i < WORKERS; i++) {
    if (offers[i].time_s > most->time_s * (1 + 1e-9) || offers[i].price > most->price * (1 + 1e-9))
      continue;
    best = fmin(best, by_price ? offers[i].price : offers[i].time_s);
  }
  return best;
}

static void compare(struct totals *totals, size_t term, const struct ls_offer *advised,
                    const struct ls_offer *numbers, double limit) {
  bool by_price = term != 1;
  double used = by_price ? advised->time_s : advised->price;
  double allowed = fmax(limit, used), missed = fmax(0, used / limit - 1);
  struct ls_offer most = {by_price ? allowed : (double)INFINITY,
                          by_price ? (double)INFINITY : allowed};
  double ratio =
      (by_price ? advised->price : advised->time_s) / find_best(numbers, by_price, &most);
  totals->ratio[term] += ratio;
  totals->worst[term] = fmax(totals->worst[term], ratio);
  totals->missed[term] += missed;
  totals->late[term] += missed > MISSED;
}

static void play_scenario(uint64_t seed, struct totals *totals) {
  struct ls_random random;
  struct ls_error err = {0};
  struct world world = {0};
  struct ls_offer numbers[WORKERS];
  ls_random_init(&random, seed, "advise-price");
  struct ls_trial_key key = {
      .number = (size_t)ls_random_below(&random, LS_TRIALS), .workers = WORKERS, .seed = seed};
  while (ls_trial_cell(key.number).speeds == 0)
    key.number = (size_t)ls_random_below(&random, LS_TRIALS);
  require(ls_trial_open(&world.trial, &key, &err), &err);
  draw_prices(&world.trial, &random);
  struct ls_candidate candidate = draw_candidate(&world.trial, &random);
  world.first = JUDGED_FROM;
  judge_numbers(&world, &candidate, numbers);
  struct ls_offer least = {(double)INFINITY, (double)INFINITY};
  for (size_t i = 0; i < WORKERS; i++) {
    least.time_s = fmin(least.time_s, numbers[i].time_s);
    least.price = fmin(least.price, numbers[i].price);
  }
  double factor = 1.05 * pow(3 / 1.05, ls_random_real(&random));
  const double none = (double)NAN;
  const double limits[TERMS] = {factor * least.time_s, factor * least.price, 1.1 * least.time_s};
  const struct ls_terms terms[TERMS] = {{limits[0], none}, {none, limits[1]}, {none, none}};
  for (size_t term = 0; term < TERMS; term++) {
    struct ls_crew_advice advice;
    struct ls_offer advised;
    struct ls_crew_advice_setup setup = {.world = {.context = &world, .draw = draw_world},
                                         .candidate = &candidate,
                                         .terms = terms[term],
                                         .draws = DRAWS,
                                         .tries_max = 128,
                                         .scale = 1};
    world.first = 0;
    require(ls_crew_advise(&setup, &advice, &err), &err);
    totals->crews += (double)advice.crews.count / TERMS;
    const struct ls_crew *crew = &advice.crews.items[advice.deal.index];
    world.first = JUDGED_FROM;
    judge_crew(&world, &candidate, crew->workers, crew->count, &advised);
    compare(totals, term, &advised, numbers, limits[term]);
    ls_crew_advice_close(&advice);
  }
  totals->scenarios++;
  ls_trial_close(&world.trial);
}

int main(int argc, char **argv) {
  size_t scenarios = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 200;
  struct totals totals = {0};
  bool is_good = true;
  if (scenarios == 0 || argc > 2) {
    fprintf(stderr, "usage: advise_price [SCENARIOS >= 1]\n");
    return 2;
  }
  for (size_t i = 0; i < scenarios; i++) play_scenario(i + 1, &totals);
  double count = (double)totals.scenarios;
  printf("{\"scenarios\": %zu, \"crews_tried\": %.1f", totals.scenarios, totals.crews / count);
  for (size_t i = 0; i < TERMS; i++) {
    double ratio = totals.ratio[i] / count, missed = totals.missed[i] / count;
    printf(
        ", \"%s\": {\"to_best_number\": %.4f, \"worst\": %.4f, \"missed_by\": %.4f, "
        "\"missed\": %zu}",
        term_names[i], ratio, totals.worst[i], missed, totals.late[i]);
    if (!(ratio <= LIMIT && missed <= MISSED)) is_good = false;
  }
  printf(", \"limit\": %.2f}\n", LIMIT);
  return is_good ? 0 : 1;
}
