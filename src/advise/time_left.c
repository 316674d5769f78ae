#include "advise/time_left.h"

#include <math.h>
#include <stdlib.h>

#include "advise/time_trend.h"
#include "base/heap.h"
#include "base/random.h"
#include "base/statistics.h"

enum {
  DRAWS = 160,  /* for the band */
  MIDDLES = 80, /* for the median */
  RESULTS_LEAST = 3,
  WORKERS_MOST = 128, /* of more a part is simulated, with its share of the units */
  SINGLES_LEAST = 64, /* so many of the last units are simulated one by one, */
  SINGLES_EACH = 4,   /* and so many for each worker; */
  GROUPS_LEAST = 128, /* the others in so many groups, */
  GROUPS_EACH = 2,    /* for each worker */
  GROUP_DRAWS = 8     /* times that make the sum of a group */
};

/* Times of units whose logarithms exceed the threshold have a tail as that of Pareto's law. */
struct tail {
  double probability;       /* that there is one */
  bool is_heavy;            /* in the present simulation */
  double threshold, excess; /* in logarithms; the mean above it */
  double factor;            /* the threshold, no logarithm */
  double count;
};

/* A tail is heavy from here on (index 2 of Pareto's law), and has a mean at any rate. */
static const double EXCESS_HEAVY = 0.5, EXCESS_CHANCE = 0.8, EXCESS_WIDTH = 0.15;
static const double INDEX_LEAST = 1.05;
/* What is known of an index before anything is seen: as much as so many times above the threshold
 * tell, of the middle between no mean and a variance. */
static const double INDEX_TIMES = 12, INDEX_MIDDLE = 1.5;
/* The largest distance from the exponential law that chance explains, times the root of n. */
static const double DISTANCE_MOST = 1.0;
/* No time is drawn that is longer than the threshold by more than this, in logarithms. */
static const double EXCESS_MOST = 9;
/* A trend moves the middle from this probability on. */
static const double TREND_LEAST = 0.95;
enum { TAIL_LEAST = 8, TAIL_PART = 8 };

/* All of one call; the arrays have room for samples and workers together. */
struct plan {
  const struct ls_time_left_state *state;
  struct ls_time_trend trend;
  struct ls_random random;
  double *rests, *factors, *pool; /* logarithms of what levels and trend leave; themselves */
  size_t rests_count, pool_count;
  struct tail tail;
  size_t workers;   /* simulated */
  uint64_t waiting; /* units not begun, for them */
  double group;     /* units of a group before the last single ones */
  double unit;      /* that were timed together: results of several units */
  double pull;      /* towards the mean of all samples: there are more results than samples */
  double level;     /* logarithm of what all results took, over what the samples did */
  struct ls_heap heap;
  double chance; /* by how much times were longer than their mean in the last simulation */
  double made_s[DRAWS];
};

/* ---- chance ---- */

static void find_tail(struct plan *plan) {
  struct tail *tail = &plan->tail;
  size_t n = plan->rests_count, k = n / TAIL_PART;
  double distance = 0;
  *tail = (struct tail){.is_heavy = false};
  if (k < TAIL_LEAST) k = TAIL_LEAST;
  if (n < 2 * TAIL_LEAST) return;
  ls_sort_ascending(plan->rests, n);
  const double *above = plan->rests + (n - k);
  tail->threshold = plan->rests[n - k - 1];
  tail->factor = exp(tail->threshold);
  tail->count = (double)k;
  for (size_t i = 0; i < k; i++) tail->excess += (above[i] - tail->threshold) / (double)k;
  double least = EXCESS_HEAVY - EXCESS_CHANCE / sqrt((double)k);
  double probability = fmin((tail->excess - least) / EXCESS_WIDTH, 1);
  if (!(probability > 0)) return;
  for (size_t i = 0; i < k; i++) {
    double law = 1 - exp(-(above[i] - tail->threshold) / tail->excess);
    distance = fmax(
        distance, fmax(fabs(law - (double)i / (double)k), fabs(law - (double)(i + 1) / (double)k)));
  }
  if (distance * sqrt((double)k) < DISTANCE_MOST) tail->probability = probability;
}

/* The mean excess that the tail of this simulation has: gamma, by its normal approximation in the
 * cube root (Wilson and Hilferty). */
static double draw_excess(struct plan *plan) {
  const struct tail *tail = &plan->tail;
  double k = tail->count + INDEX_TIMES;
  double excess = (tail->count * tail->excess + INDEX_TIMES / INDEX_MIDDLE) / k;
  double root = 1 - 1 / (9 * k) + ls_trend_normal(&plan->random) / (3 * sqrt(k));
  double index = fmax(root * root * root, 0.05) / excess;
  return 1 / fmax(index, INDEX_LEAST);
}

static double draw_exponential(struct plan *plan) {
  return -log(1 - ls_random_real(&plan->random));
}

/* A logarithm above the threshold is drawn from the tail. */
static double replace_tail(struct plan *plan, double rest, double excess) {
  if (!plan->tail.is_heavy || rest <= plan->tail.threshold) return rest;
  return plan->tail.threshold + fmin(excess * draw_exponential(plan), EXCESS_MOST);
}

/* What chance makes of a time. */
static double draw_factor(struct plan *plan, double excess) {
  double factor = plan->pool[ls_random_below(&plan->random, plan->pool_count)];
  if (!plan->tail.is_heavy || factor <= plan->tail.factor) return factor;
  return exp(replace_tail(plan, (double)INFINITY, excess));
}

/* One that is longer than `least`. */
static double draw_longer(struct plan *plan, double least, double excess) {
  enum { TRIES = 64 };
  for (size_t i = 0; i < TRIES; i++) {
    double rest = plan->rests[ls_random_below(&plan->random, plan->rests_count)];
    rest = replace_tail(plan, rest, excess);
    if (rest > least) return rest;
  }
  /* Longer than nearly all that ended: by a tail that halves its probability with each doubling. */
  if (plan->tail.is_heavy && least > plan->tail.threshold)
    return least + excess * draw_exponential(plan);
  return least + fmin(draw_exponential(plan), 3) / 3;
}

/* ---- one simulation ---- */

struct course {
  struct ls_trend_draw draw;
  double excess, scale; /* scale: of all times */
  double order;         /* units begun */
  double mean;          /* of the factors that times are drawn from */
  double chance, drawn; /* factors of all units that have begun, over that mean; units */
};

/* Seconds of `units` that one worker does one after the other. */
static double take(struct plan *plan, struct course *course, const struct ls_time_left_worker *who,
                   double units, double at_s) {
  double sum = 0, timed = fmax(1, units / plan->unit), draws = fmin(ceil(timed), GROUP_DRAWS);
  double log_s = ls_trend_draw_log(&course->draw, who->worker, course->order + units / 2,
                                   plan->state->now_s + at_s);
  for (size_t i = 0; i < (size_t)draws; i++) sum += draw_factor(plan, course->excess);
  course->order += units;
  course->chance += units * sum / draws / course->mean;
  course->drawn += units;
  return units * sum / draws * exp(log_s) * course->scale;
}

/* What runs ends later than now: its time is drawn from those that are longer than its age. */
static double end_running(struct plan *plan, struct course *course,
                          const struct ls_time_left_worker *who) {
  const struct ls_time_left_state *state = plan->state;
  double order = ls_time_record_order(state->record, who->worker);
  double log_s =
      ls_trend_draw_log(&course->draw, who->worker, order, state->now_s - fmax(who->running_s, 0)) +
      log(course->scale);
  double least = log(fmax(who->running_s / plan->unit, 1e-12)) - log_s;
  double rest = draw_longer(plan, least, course->excess);
  plan->pool[plan->pool_count++] = exp(rest);
  return fmax(exp(rest + log_s) * plan->unit - who->running_s, 0);
}

/* The samples, and what is believed of what runs, drawn with repetition: another mean. */
static void draw_pool(struct plan *plan, struct course *course) {
  size_t count = plan->pool_count + plan->rests_count;
  double before = 0, after = 0;
  for (size_t i = 0; i < plan->rests_count; i++)
    plan->pool[plan->pool_count + i] = plan->factors[i];
  double *drawn = plan->pool + count;
  for (size_t i = 0; i < count; i++) {
    drawn[i] = plan->pool[ls_random_below(&plan->random, count)];
    before += plan->pool[i];
    after += drawn[i];
  }
  for (size_t i = 0; i < count; i++) plan->pool[i] = drawn[i];
  plan->pool_count = count;
  course->mean = before / (double)count;
  course->scale *= pow(before / after, plan->pull);
}

static enum ls_status simulate(struct plan *plan, struct course *course, double *made_s) {
  const struct ls_time_left_state *state = plan->state;
  double waiting = (double)plan->waiting, end_s = 0;
  double singles = fmax(SINGLES_LEAST, SINGLES_EACH * (double)plan->workers) * plan->unit;
  struct ls_heap_item item;
  enum ls_status status = LS_OK;
  plan->pool_count = 0;
  course->scale = exp(plan->level);
  course->order = state->record->units;
  plan->heap.count = 0;
  plan->heap.has_hole = false;
  for (size_t i = 0; i < plan->workers && status == LS_OK; i++) {
    const struct ls_time_left_worker *who = &state->workers[i];
    double free_s = who->running_s >= 0 ? end_running(plan, course, who) : 0;
    status = ls_heap_push(&plan->heap, free_s, 0, i);
  }
  draw_pool(plan, course);
  while (status == LS_OK && ls_heap_pop(&plan->heap, &item)) {
    end_s = fmax(end_s, item.time_s);
    if (!(waiting > 0)) continue;
    double units = waiting > singles ? fmin(plan->group, waiting - singles) : plan->unit;
    units = fmin(fmax(units, 1), waiting);
    waiting -= units;
    double seconds = take(plan, course, &state->workers[item.payload], units, item.time_s);
    status = ls_heap_push(&plan->heap, fmin(item.time_s + seconds, 1e300), 0, item.payload);
  }
  *made_s = end_s;
  return status;
}

/* ---- all simulations ---- */

/* What all results took over what they would have by the samples of their workers. */
static double find_level(const struct ls_time_record *record) {
  double seconds[WORKERS_MOST] = {0}, units[WORKERS_MOST] = {0}, sampled_s = 0, all_s = 0;
  if (record->count == record->results) return 0;
  for (size_t i = 0; i < record->count; i++) {
    const struct ls_time_sample *sample = &record->samples[i];
    if (sample->worker >= WORKERS_MOST) continue;
    seconds[sample->worker] += sample->units * exp(sample->log_s);
    units[sample->worker] += sample->units;
  }
  for (size_t i = 0; i < record->workers_count && i < WORKERS_MOST; i++) {
    if (!(units[i] > 0)) continue;
    sampled_s += record->workers[i].units * seconds[i] / units[i];
    all_s += record->workers[i].seconds;
  }
  return sampled_s > 0 ? log(all_s / sampled_s) : 0;
}

static void take_rests(struct plan *plan, enum ls_trend kind) {
  const struct ls_time_record *record = plan->state->record;
  struct ls_trend_draw centre;
  ls_time_trend_centre(&plan->trend, kind, &centre);
  plan->rests_count = record->count;
  for (size_t i = 0; i < record->count; i++) {
    const struct ls_time_sample *sample = &record->samples[i];
    plan->rests[i] =
        sample->log_s - ls_trend_draw_log(&centre, sample->worker, sample->order, sample->begin_s);
  }
  find_tail(plan);
  for (size_t i = 0; i < record->count; i++) plan->factors[i] = exp(plan->rests[i]);
}

static enum ls_status simulate_one(struct plan *plan, enum ls_trend kind, bool is_heavy,
                                   double *made_s) {
  struct course course = {.excess = 0};
  ls_time_trend_draw(&plan->trend, kind, &plan->random, &course.draw);
  plan->tail.is_heavy = is_heavy;
  if (is_heavy) course.excess = draw_excess(plan);
  enum ls_status status = simulate(plan, &course, made_s);
  plan->chance = course.drawn > 0 ? course.chance / course.drawn - 1 : 0;
  return status;
}

/* Where the middle is: by the most probable trend alone, and by times as they have been.  What is
 * improbable, or has never been seen, makes the band wide; to the middle it would be noise, as is
 * what a simulation draws longer than the mean: it is taken out of its makespan.  By the
 * exponential function: that leaves the middle a little below the mean, the more so the more times
 * scatter and the less their mean is to be trusted, as estimates of small errors are. */
static enum ls_status find_middle(struct plan *plan, double *median_s) {
  enum ls_status status = LS_OK;
  enum ls_trend best = LS_TREND_NONE;
  for (size_t kind = 1; kind < LS_TRENDS; kind++)
    if (plan->trend.probability[kind] > TREND_LEAST) best = (enum ls_trend)kind;
  take_rests(plan, best);
  double waiting = fmin((double)plan->waiting / (double)plan->state->units_left, 1);
  for (size_t i = 0; i < MIDDLES && status == LS_OK; i++) {
    status = simulate_one(plan, best, false, &plan->made_s[i]);
    plan->made_s[i] *= exp(-waiting * plan->chance);
  }
  if (status == LS_OK) *median_s = ls_median(plan->made_s, MIDDLES);
  return status;
}

static enum ls_status simulate_all(struct plan *plan) {
  enum ls_status status = LS_OK;
  double reached = 0;
  size_t made = 0;
  for (size_t kind = 0; kind < LS_TRENDS && status == LS_OK; kind++) {
    reached += plan->trend.probability[kind];
    size_t until = kind + 1 < LS_TRENDS ? (size_t)llround(DRAWS * reached) : DRAWS;
    if (until > made) take_rests(plan, (enum ls_trend)kind);
    for (; made < until && status == LS_OK; made++) {
      bool is_heavy = ls_random_real(&plan->random) < plan->tail.probability;
      status = simulate_one(plan, (enum ls_trend)kind, is_heavy, &plan->made_s[made]);
    }
  }
  return status;
}

static void measure(struct plan *plan) {
  const struct ls_time_left_state *state = plan->state;
  const struct ls_time_record *record = state->record;
  double part = 1, running = 0;
  plan->workers = state->workers_count;
  if (plan->workers > WORKERS_MOST) {
    part = (double)WORKERS_MOST / (double)plan->workers;
    plan->workers = WORKERS_MOST;
  }
  plan->unit = fmax(1, record->units / (double)record->results);
  for (size_t i = 0; i < plan->workers; i++)
    if (state->workers[i].running_s >= 0) running += plan->unit;
  plan->waiting = (uint64_t)fmax(0, round((double)state->units_left * part - running));
  double groups = fmax(GROUPS_LEAST, GROUPS_EACH * (double)plan->workers);
  plan->group = fmax(ceil((double)plan->waiting / groups), plan->unit);
  plan->level = find_level(record);
  plan->pull = 1 - sqrt((double)record->count / (double)record->results);
}

static void conclude(struct plan *plan, double median_s, struct ls_time_left *left) {
  ls_sort_ascending(plan->made_s, DRAWS);
  double least_s = ls_quantile_sorted(plan->made_s, DRAWS, 0.1);
  double most_s = ls_quantile_sorted(plan->made_s, DRAWS, 0.9);
  *left = (struct ls_time_left){.is_known = true,
                                .least_s = fmin(least_s, median_s),
                                .median_s = median_s,
                                .most_s = fmax(most_s, median_s)};
}

enum ls_status ls_time_left_find(const struct ls_time_left_state *state, struct ls_time_left *left,
                                 struct ls_error *err) {
  const struct ls_time_record *record = state->record;
  *left = (struct ls_time_left){.is_known = state->units_left == 0};
  if (state->units_left == 0 || record->results < RESULTS_LEAST || state->workers_count == 0)
    return LS_OK;
  struct plan *plan = calloc(1, sizeof *plan);
  size_t room = LS_TIME_SAMPLES + WORKERS_MOST;
  double median_s = 0;
  enum ls_status status = plan != NULL ? LS_OK : LS_ENOMEM;
  if (plan != NULL) {
    plan->state = state;
    plan->rests = calloc(room, sizeof *plan->rests);
    plan->factors = calloc(room, sizeof *plan->factors);
    plan->pool = calloc(2 * room, sizeof *plan->pool);
    if (plan->rests == NULL || plan->factors == NULL || plan->pool == NULL) status = LS_ENOMEM;
  }
  if (status == LS_OK) {
    ls_random_init(&plan->random, state->seed, "time left");
    measure(plan);
    ls_time_trend_fit(record, record->units + (double)state->units_left, &plan->trend);
    status = find_middle(plan, &median_s);
  }
  if (status == LS_OK) status = simulate_all(plan);
  if (status == LS_OK) {
    conclude(plan, median_s, left);
  } else {
    (void)ls_fail(err, status, "no memory for the time left");
  }
  if (plan != NULL) {
    ls_heap_close(&plan->heap);
    free(plan->rests);
    free(plan->factors);
    free(plan->pool);
  }
  free(plan);
  return status;
}
