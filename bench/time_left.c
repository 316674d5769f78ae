/* time_left.c: the time left that a run shows, beside what it took in the end.
 *
 * Simulated runs: 4 workers of speeds 1, 0.93, 0.71 and 0.52 that take one unit after the other.
 * Whenever a further tenth of the units has ended, the band of 10 to 90 % is asked for.  A row for
 * each family of times: how often the band holds the truth (of all askings), how wide it is (mean
 * over the time left), the mean error at half of the units beside that of a mean rate, and seconds
 * for one asking.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "advise/time_left.h"
#include "base/random.h"

enum { WORKERS = 4, UNITS = 600, ASKINGS = 9, RUNS = 1000, SEED = 1 };

static const double speeds[WORKERS] = {1, 0.93, 0.71, 0.52};
static const double HELD_LEAST = 0.75, HELD_MOST = 0.85, TREND_RATIO = 1.0 / 3;
/* Where nothing is left to chance, the band is a point that is this close to the truth. */
static const double EXACT = 1e-3;

/* Of one run. */
struct drift {
  double end[WORKERS]; /* the speed behind the run over that before it */
};

struct family {
  const char *name;
  double (*work)(struct ls_random *random, double share); /* of a unit at such a place */
  bool has_trend, drifts, is_certain;
};

static double draw_normal(struct ls_random *random) {
  double radius = sqrt(-2 * log(1 - ls_random_real(random)));
  return radius * cos(2 * acos(-1.0) * ls_random_real(random));
}

/* The sum of `shape` exponential times, mean 1. */
static double draw_gamma(struct ls_random *random, int shape) {
  double sum = 0;
  for (int i = 0; i < shape; i++) sum -= log(1 - ls_random_real(random));
  return sum / shape;
}

static double constant(struct ls_random *random, double share) {
  (void)random, (void)share;
  return 1;
}
static double jitter(struct ls_random *random, double share) {
  (void)share;
  return exp(0.05 * draw_normal(random));
}
static double gamma_1(struct ls_random *random, double share) {
  (void)share;
  return draw_gamma(random, 1);
}
static double gamma_4(struct ls_random *random, double share) {
  (void)share;
  return draw_gamma(random, 4);
}
static double bimodal(struct ls_random *random, double share) {
  (void)share;
  return (ls_random_real(random) < 0.2 ? 5 : 0.5) * exp(0.1 * draw_normal(random));
}
static double lognormal(struct ls_random *random, double share) {
  (void)share;
  return exp(draw_normal(random));
}
static double pareto(struct ls_random *random, double share) {
  (void)share;
  return pow(1 - ls_random_real(random), -1 / 1.5);
}
static double ramp_up(struct ls_random *random, double share) {
  return (0.5 + share) * exp(0.02 * draw_normal(random));
}
static double ramp_down(struct ls_random *random, double share) {
  return (1.5 - share) * exp(0.02 * draw_normal(random));
}
static double steady(struct ls_random *random, double share) {
  (void)share;
  return exp(0.02 * draw_normal(random));
}

static const struct family families[] = {
    {.name = "constant", .work = constant, .is_certain = true},
    {.name = "constant, 5 %", .work = jitter},
    {.name = "gamma, shape 4", .work = gamma_4},
    {.name = "gamma, shape 1", .work = gamma_1},
    {.name = "bimodal", .work = bimodal},
    {.name = "lognormal, 1", .work = lognormal},
    {.name = "Pareto, 1.5", .work = pareto},
    {.name = "ramp up", .work = ramp_up, .has_trend = true},
    {.name = "ramp down", .work = ramp_down, .has_trend = true},
    {.name = "speeds drift", .work = steady, .drifts = true},
};
enum { FAMILIES = sizeof families / sizeof *families };

struct asking {
  double at_s, mean_rate_s;
  struct ls_time_left left;
};

struct score {
  double held[ASKINGS], width, error, mean_rate_error, truth, seconds;
  size_t runs;
};

/* Speeds change evenly in time, over about the time of the run, each to its own. */
static double speed_at(const struct family *family, const struct drift *drift, size_t worker,
                       double now_s) {
  double share = now_s / (UNITS / 2.3);
  if (!family->drifts) return speeds[worker];
  return speeds[worker] * fmax(1 + (drift->end[worker] - 1) * share, 0.1);
}

static double read_clock(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void ask(const struct ls_time_record *record, double now_s, const double *begun_s,
                const double *free_s, size_t left, struct asking *asking) {
  struct ls_time_left_worker workers[WORKERS];
  for (uint32_t i = 0; i < WORKERS; i++)
    workers[i] = (struct ls_time_left_worker){i, free_s[i] > now_s ? now_s - begun_s[i] : -1};
  const struct ls_time_left_state state = {.record = record,
                                           .now_s = now_s,
                                           .units_left = left,
                                           .workers = workers,
                                           .workers_count = WORKERS,
                                           .seed = 1};
  asking->at_s = now_s;
  asking->mean_rate_s = now_s / (double)(UNITS - left) * (double)left;
  if (ls_time_left_find(&state, &asking->left, NULL) != LS_OK) abort();
}

static void count(const struct family *family, const struct asking *askings, double end_s,
                  struct score *score) {
  for (size_t i = 0; i < ASKINGS; i++) {
    const struct asking *asking = &askings[i];
    double truth_s = end_s - asking->at_s, slack_s = family->is_certain ? EXACT * truth_s : 0;
    if (truth_s > asking->left.least_s - slack_s && truth_s < asking->left.most_s + slack_s)
      score->held[i]++;
    score->width += (asking->left.most_s - asking->left.least_s) / truth_s / ASKINGS;
    if (i != ASKINGS / 2) continue;
    score->error += fabs(asking->left.median_s - truth_s);
    score->mean_rate_error += fabs(asking->mean_rate_s - truth_s);
    score->truth += truth_s;
  }
}

static void play(const struct family *family, uint64_t seed, struct score *score) {
  struct ls_time_record record = {.count = 0};
  struct ls_random random;
  struct drift drift;
  struct asking askings[ASKINGS];
  double begun_s[WORKERS] = {0}, free_s[WORKERS] = {0}, end_s = 0, begin;
  bool is_busy[WORKERS] = {false};
  size_t begun = 0, ended = 0, asked = 0;
  ls_random_init(&random, seed, family->name);
  for (size_t i = 0; i < WORKERS; i++) drift.end[i] = 0.4 + 0.4 * ls_random_real(&random);
  while (ended < UNITS) {
    size_t next = WORKERS;
    for (size_t i = 0; i < WORKERS; i++)
      if ((is_busy[i] || begun < UNITS) && (next == WORKERS || free_s[i] < free_s[next])) next = i;
    double now_s = free_s[next];
    if (is_busy[next]) {
      ls_time_record_add(&record, (uint32_t)next, 1, now_s - begun_s[next], now_s);
      ended++;
      end_s = now_s;
    }
    is_busy[next] = begun < UNITS;
    if (begun < UNITS) {
      double work = family->work(&random, (double)begun++ / UNITS);
      begun_s[next] = now_s;
      free_s[next] = now_s + work / speed_at(family, &drift, next, now_s);
    }
    if (asked < ASKINGS && ended >= (asked + 1) * UNITS / 10) {
      begin = read_clock();
      ask(&record, now_s, begun_s, free_s, UNITS - ended, &askings[asked++]);
      score->seconds += (read_clock() - begin) / ASKINGS;
    }
  }
  count(family, askings, end_s, score);
  score->runs++;
  ls_time_record_close(&record);
}

static bool judge(const struct family *family, const struct score *score) {
  double runs = (double)score->runs, held = 0, ratio = score->error / score->mean_rate_error;
  for (size_t i = 0; i < ASKINGS; i++) held += score->held[i] / runs / ASKINGS;
  bool holds = held >= HELD_LEAST && (held <= HELD_MOST || family->is_certain);
  bool is_trend = family->has_trend || family->drifts;
  bool is_close = ratio <= (is_trend ? TREND_RATIO : 1);
  printf("%-15s %5.1f %% %7.1f %% %8.2f %% %8.2f %% %6.3f %7.2f ms  %s\n", family->name, 100 * held,
         100 * score->width / runs, 100 * score->error / score->truth,
         100 * score->mean_rate_error / score->truth, ratio, 1e3 * score->seconds / runs,
         holds && is_close ? ""
         : holds           ? "error"
         : is_close        ? "band"
                           : "band, error");
  printf("    ");
  for (size_t i = 0; i < ASKINGS; i++) printf(" %3.0f", 100 * score->held[i] / runs);
  printf("\n");
  return holds && is_close;
}

int main(int argc, char **argv) {
  size_t runs = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : RUNS;
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : SEED;
  bool is_good = true;
  printf("family            held    width      error  mean rate  ratio    an asking\n");
  for (size_t i = 0; i < FAMILIES; i++) {
    struct score score = {.width = 0};
    for (size_t run = 0; run < runs; run++) play(&families[i], seed + run, &score);
    is_good = judge(&families[i], &score) && is_good;
    fflush(stdout);
  }
  return is_good ? 0 : 1;
}
