#include "advise/time_trend.h"

#include <math.h>
#include <string.h>

/* How probable trends are before anything is seen, and how strong. */
static const double PRIOR[LS_TRENDS] = {0.952, 0.016, 0.02, 0.012};
static const double SLOPE_DEVIATION = 0.7, RAMP_DEVIATION = 1.0;
/* A ramp goes from a time to one at most so many times as long, or as short. */
static const double RAMP_MOST = 3.0;
/* A speed that falls is followed no further than to this share of what it was. */
static const double SPEED_LEAST = 0.05;
static const double VARIANCE_LEAST = 1e-8;
/* What is so much less probable than the best is not looked at more closely. */
static const double NEGLIGIBLE = 10;
enum { ZOOMS = 3, ZOOM_LEAST = 9, REFINEMENTS = 3 };

/* Sums of one worker's samples. */
struct sums {
  double n, times, logs, times_squared, products;
};

struct fit {
  const struct ls_time_record *record;
  struct ls_time_trend *trend;
  struct sums workers[LS_TREND_WORKERS + 1];
};

static size_t place(uint32_t worker) {
  return worker < LS_TREND_WORKERS ? worker : LS_TREND_WORKERS;
}

/* `rise`: the last time over the first one, less 1. */
static double ramp_log(double rise, double share) {
  return log1p(rise * fmin(fmax(share, 0), 1));
}

/* ---- chance ---- */

/* By how much a time at one worker differs from the mean of its neighbours: a trend, which goes on
 * evenly, does not make that larger. */
static double measure_variance(const struct ls_time_record *record) {
  double last[LS_TREND_WORKERS + 1] = {0}, before[LS_TREND_WORKERS + 1] = {0};
  double squares = 0, count = 0;
  size_t seen[LS_TREND_WORKERS + 1] = {0};
  for (size_t i = 0; i < record->count; i++) {
    size_t worker = place(record->samples[i].worker);
    double log_s = record->samples[i].log_s;
    if (++seen[worker] > 2) {
      double difference = last[worker] - (before[worker] + log_s) / 2;
      squares += difference * difference;
      count++;
    }
    before[worker] = last[worker];
    last[worker] = log_s;
  }
  /* Of few differences the estimate is uncertain itself: what looks like a trend is chance sooner.
   */
  if (!(count > 0)) return 1;
  return fmax(squares / (1.5 * count) * (1 + 2 / count), VARIANCE_LEAST);
}

/* ---- trends in time ---- */

static void add_point(struct sums *sums, double time, double log_s) {
  sums->n++;
  sums->times += time;
  sums->logs += log_s;
  sums->times_squared += time * time;
  sums->products += time * log_s;
}

static double sum_xx(const struct sums *sums) {
  return sums->n > 0 ? sums->times_squared - sums->times * sums->times / sums->n : 0;
}

static double sum_xy(const struct sums *sums) {
  return sums->n > 0 ? sums->products - sums->times * sums->logs / sums->n : 0;
}

/* The slope by its prior and the samples; the logarithm of how much more probable than none. */
static double weigh_slope(double xx, double xy, double variance, double *slope, double *deviation) {
  double prior = 1 / (SLOPE_DEVIATION * SLOPE_DEVIATION), precision = prior + xx / variance;
  *slope = xy / variance / precision;
  *deviation = sqrt(1 / precision);
  return 0.5 * *slope * *slope * precision + 0.5 * log(prior / precision);
}

static double weigh_common(struct fit *fit) {
  double xx = 0, xy = 0, slope, deviation;
  struct ls_time_trend *trend = fit->trend;
  for (size_t i = 0; i <= LS_TREND_WORKERS; i++) {
    xx += sum_xx(&fit->workers[i]);
    xy += sum_xy(&fit->workers[i]);
  }
  double evidence = weigh_slope(xx, xy, trend->variance, &slope, &deviation);
  for (size_t i = 0; i <= LS_TREND_WORKERS; i++) {
    trend->workers[LS_TREND_TIME][i].slope = slope;
    trend->workers[LS_TREND_TIME][i].slope_deviation = deviation;
  }
  return evidence;
}

static double weigh_own(struct fit *fit) {
  struct ls_time_trend *trend = fit->trend;
  double evidence = 0;
  for (size_t i = 0; i <= LS_TREND_WORKERS; i++) {
    struct ls_trend_worker *worker = &trend->workers[LS_TREND_OWN][i];
    evidence += weigh_slope(sum_xx(&fit->workers[i]), sum_xy(&fit->workers[i]), trend->variance,
                            &worker->slope, &worker->slope_deviation);
  }
  return evidence;
}

/* ---- the trend in order ---- */

/* The logarithm of the probability of the samples, but for a constant; `*level` is the mean of the
 * ramp over them. */
static double weigh_ramp(const struct fit *fit, double ramp, double *level) {
  double n[LS_TREND_WORKERS + 1] = {0}, sum[LS_TREND_WORKERS + 1] = {0}, squares = 0, all = 0;
  const struct ls_time_record *record = fit->record;
  double rise = expm1(ramp);
  for (size_t i = 0; i < record->count; i++) {
    const struct ls_time_sample *sample = &record->samples[i];
    double drop = ramp_log(rise, sample->order / fit->trend->units);
    double rest = sample->log_s - drop;
    size_t worker = place(sample->worker);
    n[worker]++;
    sum[worker] += rest;
    squares += rest * rest;
    all += drop;
  }
  for (size_t i = 0; i <= LS_TREND_WORKERS; i++)
    if (n[i] > 0) squares -= sum[i] * sum[i] / n[i];
  *level = all / (double)record->count;
  return -squares / (2 * fit->trend->variance);
}

static double weigh_grid(struct fit *fit, double from, double to, double *weights) {
  struct ls_time_trend *trend = fit->trend;
  double best = -(double)INFINITY;
  for (size_t i = 0; i < LS_TREND_GRID; i++) {
    double ramp = from + (to - from) * (double)i / (LS_TREND_GRID - 1);
    trend->ramps[i] = ramp;
    weights[i] = weigh_ramp(fit, ramp, &trend->ramp_levels[i]) -
                 0.5 * ramp * ramp / (RAMP_DEVIATION * RAMP_DEVIATION);
    if (weights[i] > best) {
      best = weights[i];
      trend->ramp = ramp;
      trend->ramp_level = trend->ramp_levels[i];
    }
  }
  return best;
}

/* The grid is narrowed until it shows the probable ramps closely. */
static double weigh_order(struct fit *fit) {
  double weights[LS_TREND_GRID], from = -RAMP_MOST, to = RAMP_MOST, best = 0, unused, sum = 0;
  struct ls_time_trend *trend = fit->trend;
  for (size_t zoom = 0; zoom <= ZOOMS; zoom++) {
    size_t first = LS_TREND_GRID - 1, last = 0;
    best = weigh_grid(fit, from, to, weights);
    for (size_t i = 0; i < LS_TREND_GRID; i++) {
      if (weights[i] < best - NEGLIGIBLE) continue;
      if (i < first) first = i;
      last = i;
    }
    if (zoom == ZOOMS || last - first >= ZOOM_LEAST) break;
    from = trend->ramps[first > 0 ? first - 1 : 0];
    to = trend->ramps[last + 1 < LS_TREND_GRID ? last + 1 : last];
  }
  for (size_t i = 0; i < LS_TREND_GRID; i++) {
    sum += exp(weights[i] - best);
    trend->ramp_sums[i] = sum;
  }
  double step = trend->ramps[1] - trend->ramps[0];
  double none = weigh_ramp(fit, 0, &unused);
  return best - none + log(sum * step / (RAMP_DEVIATION * sqrt(2 * acos(-1.0))));
}

/* ---- levels ---- */

static double expect_drop(const struct fit *fit, enum ls_trend kind,
                          const struct ls_time_sample *sample) {
  const struct ls_time_trend *trend = fit->trend;
  if (kind == LS_TREND_NONE) return 0;
  if (kind == LS_TREND_ORDER) return ramp_log(expm1(trend->ramp), sample->order / trend->units);
  const struct ls_trend_worker *worker = &trend->workers[kind][place(sample->worker)];
  double speed = 1 - worker->slope * (sample->begin_s / trend->span_s - worker->middle);
  return -log(fmax(speed, SPEED_LEAST));
}

/* The derivative of a drop by the slope. */
static double find_steepness(const struct fit *fit, enum ls_trend kind,
                             const struct ls_time_sample *sample) {
  const struct ls_trend_worker *worker = &fit->trend->workers[kind][place(sample->worker)];
  double time = sample->begin_s / fit->trend->span_s - worker->middle;
  double speed = 1 - worker->slope * time;
  return speed > SPEED_LEAST ? time / speed : 0;
}

/* The slopes were found as if logarithms changed evenly, where speeds do: a step of Gauss and
 * Newton towards those. */
static void refine_slopes(struct fit *fit, enum ls_trend kind) {
  struct ls_time_trend *trend = fit->trend;
  struct sums sums[LS_TREND_WORKERS + 1] = {{0}};
  double all_xx = 0, all_xy = 0;
  for (size_t i = 0; i < fit->record->count; i++) {
    const struct ls_time_sample *sample = &fit->record->samples[i];
    double steepness = find_steepness(fit, kind, sample);
    double rest = sample->log_s - expect_drop(fit, kind, sample);
    add_point(&sums[place(sample->worker)], steepness, rest);
  }
  for (size_t i = 0; i <= LS_TREND_WORKERS; i++) {
    all_xx += sum_xx(&sums[i]);
    all_xy += sum_xy(&sums[i]);
  }
  for (size_t i = 0; i <= LS_TREND_WORKERS; i++) {
    struct ls_trend_worker *worker = &trend->workers[kind][i];
    double xx = kind == LS_TREND_OWN ? sum_xx(&sums[i]) : all_xx;
    double xy = kind == LS_TREND_OWN ? sum_xy(&sums[i]) : all_xy;
    weigh_slope(xx, xy + worker->slope * xx, trend->variance, &worker->slope,
                &worker->slope_deviation);
  }
}

/* As far as they differ beyond chance: by the variance between workers, estimated by moments. */
static void find_levels(struct fit *fit, enum ls_trend kind) {
  struct ls_time_trend *trend = fit->trend;
  double sum[LS_TREND_WORKERS + 1] = {0}, all = 0, between = 0, squares = 0, groups = 0;
  double n = (double)fit->record->count;
  for (size_t i = 0; i < fit->record->count; i++) {
    const struct ls_time_sample *sample = &fit->record->samples[i];
    double rest = sample->log_s - expect_drop(fit, kind, sample);
    sum[place(sample->worker)] += exp(rest);
  }
  /* By means of times, not of logarithms: those add up to what the run took. */
  for (size_t i = 0; i <= LS_TREND_WORKERS; i++) {
    double count = fit->workers[i].n;
    if (!(count > 0)) continue;
    sum[i] = count * log(sum[i] / count);
    all += sum[i] / n;
  }
  for (size_t i = 0; i <= LS_TREND_WORKERS; i++) {
    double count = fit->workers[i].n;
    if (!(count > 0)) continue;
    between += count * (sum[i] / count - all) * (sum[i] / count - all);
    squares += count * count;
    groups++;
  }
  double room = n - squares / n;
  double excess = room > 0 ? fmax(0, (between - (groups - 1) * trend->variance) / room) : 0;
  for (size_t i = 0; i <= LS_TREND_WORKERS; i++) {
    struct ls_trend_worker *worker = &trend->workers[kind][i];
    double count = fit->workers[i].n,
           chance = count > 0 ? trend->variance / count : (double)INFINITY;
    double share = count > 0 && excess > 0 ? excess / (excess + chance) : 0;
    worker->level = all + (count > 0 ? share * (sum[i] / count - all) : 0);
    worker->level_deviation = sqrt(count > 0 ? share * chance : excess);
    worker->share = count / n;
  }
}

/* ---- the fit ---- */

static void take_samples(struct fit *fit) {
  const struct ls_time_record *record = fit->record;
  struct ls_time_trend *trend = fit->trend;
  double end_s = 0;
  for (size_t i = 0; i < record->workers_count; i++)
    end_s = fmax(end_s, record->workers[i].ended_s);
  trend->span_s = end_s > 0 ? end_s * fmax(trend->units / fmax(record->units, 1), 1) : 1;
  for (size_t i = 0; i < record->count; i++) {
    const struct ls_time_sample *sample = &record->samples[i];
    struct sums *sums = &fit->workers[place(sample->worker)];
    double time = sample->begin_s / trend->span_s;
    add_point(sums, time, sample->log_s);
  }
  for (size_t kind = 0; kind < LS_TRENDS; kind++)
    for (size_t i = 0; i <= LS_TREND_WORKERS; i++)
      trend->workers[kind][i].middle =
          fit->workers[i].n > 0 ? fit->workers[i].times / fit->workers[i].n : 0;
}

void ls_time_trend_fit(const struct ls_time_record *record, double units,
                       struct ls_time_trend *trend) {
  double evidence[LS_TRENDS] = {0}, best = 0, sum = 0;
  *trend = (struct ls_time_trend){.units = fmax(units, 1)};
  struct fit fit = {.record = record, .trend = trend};
  trend->variance = measure_variance(record);
  take_samples(&fit);
  evidence[LS_TREND_ORDER] = weigh_order(&fit);
  evidence[LS_TREND_TIME] = weigh_common(&fit);
  evidence[LS_TREND_OWN] = weigh_own(&fit);
  for (size_t i = 0; i < REFINEMENTS; i++) {
    refine_slopes(&fit, LS_TREND_TIME);
    refine_slopes(&fit, LS_TREND_OWN);
  }
  for (size_t i = 0; i < LS_TRENDS; i++) best = fmax(best, evidence[i]);
  for (size_t i = 0; i < LS_TRENDS; i++) {
    trend->probability[i] = PRIOR[i] * exp(evidence[i] - best);
    sum += trend->probability[i];
    find_levels(&fit, (enum ls_trend)i);
  }
  for (size_t i = 0; i < LS_TRENDS; i++) trend->probability[i] /= sum;
}

/* ---- courses ---- */

double ls_trend_normal(struct ls_random *random) {
  double radius = sqrt(-2 * log(1 - ls_random_real(random)));
  return radius * cos(2 * acos(-1.0) * ls_random_real(random));
}

static void set_worker(const struct ls_trend_worker *worker, double level, double slope,
                       struct ls_trend_draw *draw, size_t i) {
  draw->level[i] = level;
  draw->slope[i] = slope;
  draw->middle[i] = worker->middle;
}

void ls_time_trend_centre(const struct ls_time_trend *trend, enum ls_trend kind,
                          struct ls_trend_draw *draw) {
  *draw = (struct ls_trend_draw){
      .trend = kind, .units = trend->units, .span_s = trend->span_s, .rise = expm1(trend->ramp)};
  for (size_t i = 0; i <= LS_TREND_WORKERS; i++) {
    const struct ls_trend_worker *worker = &trend->workers[kind][i];
    set_worker(worker, worker->level, worker->slope, draw, i);
  }
}

static size_t draw_ramp(const struct ls_time_trend *trend, struct ls_random *random) {
  double at = ls_random_real(random) * trend->ramp_sums[LS_TREND_GRID - 1];
  size_t i = 0;
  while (i + 1 < LS_TREND_GRID && trend->ramp_sums[i] < at) i++;
  return i;
}

/* Levels differ from each other by chance; their mean is not drawn here, but with the times. */
void ls_time_trend_draw(const struct ls_time_trend *trend, enum ls_trend kind,
                        struct ls_random *random, struct ls_trend_draw *draw) {
  double common = ls_trend_normal(random), mean = 0;
  *draw = (struct ls_trend_draw){.trend = kind, .units = trend->units, .span_s = trend->span_s};
  if (kind == LS_TREND_ORDER) {
    size_t i = draw_ramp(trend, random);
    draw->rise = expm1(trend->ramps[i]);
    mean -= trend->ramp_level - trend->ramp_levels[i];
  }
  for (size_t i = 0; i <= LS_TREND_WORKERS; i++) {
    const struct ls_trend_worker *worker = &trend->workers[kind][i];
    double chance = common, level = 0;
    if (kind == LS_TREND_OWN && worker->share > 0) chance = ls_trend_normal(random);
    if (worker->level_deviation > 0) level = worker->level_deviation * ls_trend_normal(random);
    mean += worker->share * level;
    set_worker(worker, worker->level + level, worker->slope + worker->slope_deviation * chance,
               draw, i);
  }
  for (size_t i = 0; i <= LS_TREND_WORKERS; i++) draw->level[i] -= mean;
}

/* In time a speed goes on to change evenly, as around the middle of the samples. */
double ls_trend_draw_log(const struct ls_trend_draw *draw, size_t worker, double order,
                         double begin_s) {
  size_t i = worker < LS_TREND_WORKERS ? worker : LS_TREND_WORKERS;
  if (draw->trend == LS_TREND_NONE) return draw->level[i];
  if (draw->trend == LS_TREND_ORDER)
    return draw->level[i] + ramp_log(draw->rise, order / draw->units);
  double speed = 1 - draw->slope[i] * (begin_s / draw->span_s - draw->middle[i]);
  return draw->level[i] - log(fmax(speed, SPEED_LEAST));
}
