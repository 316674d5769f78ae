/* replication_gain: our replication `gain` beside none (NR), one replica (SR) and a replica for
 * each extra worker (CR), on Heymann's model of a lost worker.
 *
 * Usage: replication_gain [--quick]       (--quick: 50 tasks only)
 *
 * 50 and 150 tasks that all differ, the large ones with 30 to 90 % of the total, on their perfect
 * number of workers and 0 to 3 extra ones.  A worker is lost in a cycle with probability q, any of
 * them, at any time within the largest task.  The expected time is q times the exact average over
 * all workers and 40 instants, plus 1 - q times the time without a loss, in per cent above that of
 * the workers alone; replicas run in both.  `gain` is asked as a run asks it: how many
 * replicas at the given rate of loss.  At price 0 it looks at the time alone, and replicates the
 * last tasks wherever nothing waits: that is what is compared.  At its default price it weighs
 * efficiency, too: shown with the same replicas at the end, for information.  Prints one JSON line
 * for each q (expected times, means over the cases; the least and the most that price 0 gains over
 * CR, in points; how often it is later than CR, and than the best of the three), and exits 1 when
 * it is ever later than CR on as many workers.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/replication.h"
#include "theory/eer.h"
#include "theory/loss.h"
#include "theory/workload.h"

enum { TASKS_MAX = 150, EXTRA_MAX = 3, MIDPOINTS = 40 };
enum { NONE, SINGLE, COMPLETE, GAIN, GAIN_PRICED, STRATEGIES };

static const double probabilities[] = {0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1};
enum { PROBABILITIES = sizeof probabilities / sizeof *probabilities };

static const char *const names[STRATEGIES] = {"nr", "sr", "cr", "gain_price_0", "gain"};

static void require(enum ls_status status, const struct ls_error *err) {
  if (status == LS_OK) return;
  fprintf(stderr, "replication_gain: %s\n", err->text);
  exit(1);
}

struct load {
  double work[TASKS_MAX], total;
  size_t tasks, workers;
};

static void make_load(struct load *load, size_t tasks, double share) {
  struct ls_workload workload = {tasks, share, true, true, 100};
  struct ls_eer_point points[TASKS_MAX];
  struct ls_list_setup setup = {.work = load->work, .tasks = tasks, .workers = tasks};
  struct ls_error err = {0};
  require(ls_workload_make(&workload, load->work, &err), &err);
  require(ls_eer_curve(&setup, points, &err), &err);
  load->tasks = tasks;
  load->total = workload.total;
  load->workers = points[ls_eer_perfect(points, tasks)].workers;
}

/* The expectations with so many replicas, with a loss and without. */
struct outcome {
  struct ls_worsening lost, spared;
};

static struct outcome find_outcome(const struct load *load, size_t extra, size_t replicas,
                                   bool has_spare_replicas) {
  struct ls_loss_study study = {.work = load->work,
                                .tasks = load->tasks,
                                .workers = load->workers,
                                .extra = extra,
                                .replicas = replicas,
                                .midpoints = MIDPOINTS,
                                .has_spare_replicas = has_spare_replicas};
  struct outcome outcome;
  struct ls_error err = {0};
  require(ls_loss_expect(&study, &outcome.lost, &err), &err);
  require(ls_loss_spared(&study, &outcome.spared, &err), &err);
  return outcome;
}

static double expect_time(const struct outcome *outcome, double probability) {
  return probability * outcome->lost.time_percent +
         (1 - probability) * outcome->spared.time_percent;
}

/* How many replicas `gain` wants where a worker is lost with this probability while the tasks last;
 * at its own price when `price` is NULL. */
static size_t ask_gain(const struct load *load, size_t extra, double probability,
                       const char *price) {
  const struct ls_replication *gain = ls_replication_find("gain");
  struct ls_replication_view view = {
      .units = load->tasks,
      .workers_wanted = load->workers,
      .workers_present = load->workers + extra,
      .loss_rate = -log1p(-fmin(probability, 1 - 1e-9)) / load->total,
      .seconds = load->work};
  struct ls_error err = {0};
  ls_arguments_init(&view.arguments, gain->parameters);
  if (price != NULL)
    require(ls_arguments_set(&view.arguments, gain->parameters, "price", price, &err), &err);
  return (size_t)gain->replicas(&view);
}

struct tally {
  size_t cases, later, later_than_best;            /* than CR; than the best of NR, SR and CR */
  double times[STRATEGIES], gain_most, gain_least; /* sums; gains over CR, points */
};

static void count_case(struct tally *tally, const double *times) {
  double best = fmin(times[NONE], fmin(times[SINGLE], times[COMPLETE]));
  tally->cases++;
  for (size_t i = 0; i < STRATEGIES; i++) tally->times[i] += times[i];
  double gained = times[COMPLETE] - times[GAIN];
  if (tally->cases == 1) tally->gain_most = tally->gain_least = gained;
  tally->gain_most = fmax(tally->gain_most, gained);
  tally->gain_least = fmin(tally->gain_least, gained);
  tally->later += !(times[GAIN] <= times[COMPLETE] + 1e-9);
  tally->later_than_best += !(times[GAIN] <= best + 1e-9);
}

static void compare(const struct load *load, size_t extra, struct tally *tallies) {
  struct outcome plain[EXTRA_MAX + 1], spare[EXTRA_MAX + 1];
  for (size_t r = 0; r <= extra; r++) {
    plain[r] = find_outcome(load, extra, r, false);
    spare[r] = find_outcome(load, extra, r, true);
  }
  for (size_t k = 0; k < PROBABILITIES; k++) {
    double q = probabilities[k], times[STRATEGIES];
    times[NONE] = expect_time(&plain[0], q);
    times[SINGLE] = expect_time(&plain[extra > 0 ? 1 : 0], q);
    times[COMPLETE] = expect_time(&plain[extra], q);
    times[GAIN] = expect_time(&spare[ask_gain(load, extra, q, "0")], q);
    times[GAIN_PRICED] = expect_time(&spare[ask_gain(load, extra, q, NULL)], q);
    count_case(&tallies[k], times);
  }
}

static bool print_tally(const struct tally *tally, double probability) {
  printf("{\"loss_probability\": %g, \"cases\": %zu", probability, tally->cases);
  for (size_t i = 0; i < STRATEGIES; i++)
    printf(", \"%s\": %.4g", names[i], tally->times[i] / (double)tally->cases);
  printf(
      ", \"gain_over_cr_least\": %.4g, \"gain_over_cr_most\": %.4g, \"later_than_cr\": %zu, "
      "\"later_than_best\": %zu}\n",
      tally->gain_least, tally->gain_most, tally->later, tally->later_than_best);
  return tally->later == 0;
}

int main(int count, char **words) {
  bool is_quick = count == 2 && strcmp(words[1], "--quick") == 0, is_reached = true;
  struct tally tallies[PROBABILITIES] = {0};
  if (count > 1 && !is_quick) {
    fprintf(stderr, "usage: replication_gain [--quick]\n");
    return 2;
  }
  for (size_t i = 0; i < (is_quick ? 1 : 2); i++) {
    for (double share = 30; share <= 90; share += 10) {
      struct load load;
      make_load(&load, i == 0 ? 50 : 150, share);
      for (size_t extra = 0; extra <= EXTRA_MAX; extra++) compare(&load, extra, tallies);
    }
  }
  for (size_t k = 0; k < PROBABILITIES; k++) {
    if (!print_tally(&tallies[k], probabilities[k])) is_reached = false;
  }
  return is_reached ? 0 : 1;
}
