#include "model/course_links.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

const double ls_course_links_alone = 1.05;

/* With fewer transfers in company nothing is told; from how many at a time on it is one. */
enum { OVERLAPPING_LEAST = 4 };
static const double COMPANY = 1.25;

/* One hypothesis counts where it misses the times by so much less than the other, in squares; what
 * both miss them by at least, in parts, and what one time may at most. */
static const double BETTER = 1.5, MISS_LEAST = 0.02, MISS_MOST = 1;

struct edge {
  double time_s;
  size_t transfer;
  bool is_end;
};

static int compare_edges(const void *left, const void *right) {
  const struct edge *a = left, *b = right;
  if (a->time_s < b->time_s) return -1;
  if (a->time_s > b->time_s) return 1;
  return (int)b->is_end - (int)a->is_end; /* who ends makes room for who begins */
}

/* Sums over time of the number on their way, and of the share of one of them. */
static void meet(const struct ls_run_course *course, struct edge *edges,
                 struct ls_course_links *links) {
  size_t count = course->transfers_count, busy = 0;
  double together_s = 0, share_s = 0, now_s = 0;
  for (size_t i = 0; i < count; i++) {
    const struct ls_course_transfer *transfer = &course->transfers[i];
    edges[2 * i] = (struct edge){transfer->start_s, i, false};
    edges[2 * i + 1] = (struct edge){transfer->start_s + transfer->seconds, i, true};
  }
  qsort(edges, 2 * count, sizeof *edges, compare_edges);
  for (size_t i = 0; i < 2 * count; i++) {
    const struct edge *edge = &edges[i];
    double seconds = edge->time_s - now_s;
    together_s += seconds * (double)busy;
    if (busy > 0) share_s += seconds / (double)busy;
    now_s = edge->time_s;
    if (edge->is_end) {
      links->company[edge->transfer] = together_s - links->company[edge->transfer];
      links->alone_s[edge->transfer] = share_s - links->alone_s[edge->transfer];
      busy -= busy > 0;
    } else {
      links->company[edge->transfer] = together_s;
      links->alone_s[edge->transfer] = share_s;
      busy++;
    }
  }
  for (size_t i = 0; i < count; i++) {
    double seconds = course->transfers[i].seconds;
    links->company[i] = seconds > 0 ? fmax(1, links->company[i] / seconds) : 1;
    links->alone_s[i] = fmin(links->alone_s[i], seconds);
    links->overlapping += links->company[i] >= COMPANY;
  }
}

/* Of a worker, weighted: points, units, seconds, and their products. */
struct sums {
  double mean_s, weight, units, seconds, squares, products;
  size_t count;
};

static double weigh(const struct sums *sums, double seconds) {
  double scale_s = seconds + sums->mean_s; /* short ones do not tell most */
  return scale_s > 0 ? 1 / (scale_s * scale_s) : 0;
}

static void find_law(const struct sums *sums, double *latency_s, double *per_unit_s) {
  double spread = sums->weight * sums->squares - sums->units * sums->units;
  double slope = sums->weight * sums->products - sums->units * sums->seconds;
  bool is_flat = !(spread > 1e-9 * sums->weight * sums->squares);
  *per_unit_s = is_flat ? 0 : slope / spread;
  *latency_s = (sums->seconds - *per_unit_s * sums->units) / sums->weight;
}

static void add_point(struct sums *sums, double units, double seconds) {
  double weight = weigh(sums, seconds);
  sums->weight += weight;
  sums->units += weight * units;
  sums->seconds += weight * seconds;
  sums->squares += weight * units * units;
  sums->products += weight * units * seconds;
}

/* `alone_s`: what each transfer would have taken alone, if that is not its time; `is_common`: one
 * law for all workers. */
struct hypothesis {
  const double *alone_s;
  bool is_common;
};

/* By how much the times miss the laws, in the mean of squares, in parts. */
static double find_miss(const struct ls_run_course *course, struct hypothesis hypothesis,
                        struct sums *workers) {
  double miss = 0, freedom = 0;
  for (size_t i = 0; i < course->workers_count; i++) workers[i] = (struct sums){.count = 0};
  for (size_t pass = 0; pass < 3; pass++) {
    for (size_t i = 0; i < course->transfers_count; i++) {
      const struct ls_course_transfer *transfer = &course->transfers[i];
      struct sums *sums = &workers[hypothesis.is_common ? 0 : transfer->worker];
      double seconds = hypothesis.alone_s != NULL ? hypothesis.alone_s[i] : transfer->seconds;
      double units = (double)transfer->units, latency_s, per_unit_s;
      if (pass == 0) sums->mean_s += (seconds - sums->mean_s) / (double)++sums->count;
      if (pass == 1) add_point(sums, units, seconds);
      if (pass < 2 || sums->count <= 2 || !(sums->weight > 0)) continue;
      find_law(sums, &latency_s, &per_unit_s);
      double rest_s = seconds - latency_s - per_unit_s * units;
      miss += fmin(MISS_MOST * MISS_MOST, 4 * weigh(sums, seconds) * rest_s * rest_s);
      freedom += 1 - 2 / (double)sums->count;
    }
  }
  return MISS_LEAST * MISS_LEAST + miss / fmax(1, freedom);
}

/* Workers may be alike, and then few transfers tell more. */
static double find_least_miss(const struct ls_run_course *course, const double *alone_s,
                              struct sums *workers) {
  double own = find_miss(course, (struct hypothesis){alone_s, false}, workers);
  double common = find_miss(course, (struct hypothesis){alone_s, true}, workers);
  return fmin(own, common);
}

enum ls_status ls_course_links_find(const struct ls_run_course *course,
                                    struct ls_course_links *links, struct ls_error *err) {
  size_t count = course->transfers_count;
  struct ls_course_links made = {.company = calloc(count + 1, sizeof(double)),
                                 .alone_s = calloc(count + 1, sizeof(double))};
  struct edge *edges = calloc(2 * count + 1, sizeof *edges);
  struct sums *workers = calloc(course->workers_count + 1, sizeof *workers);
  bool is_had = made.company != NULL && made.alone_s != NULL && edges != NULL && workers != NULL;
  if (is_had) {
    meet(course, edges, &made);
    double separate = find_least_miss(course, NULL, workers);
    double shared = find_least_miss(course, made.alone_s, workers);
    if (made.overlapping >= OVERLAPPING_LEAST && separate * BETTER < shared)
      made.links = LS_LINKS_SEPARATE;
    if (made.overlapping >= OVERLAPPING_LEAST && shared * BETTER < separate)
      made.links = LS_LINKS_SHARED;
    *links = made;
  } else {
    ls_course_links_close(&made);
  }
  free(edges);
  free(workers);
  return is_had ? LS_OK : ls_fail(err, LS_ENOMEM, "no memory for %zu transfers", count);
}

void ls_course_links_close(struct ls_course_links *links) {
  free(links->company);
  free(links->alone_s);
  *links = (struct ls_course_links){.links = LS_LINKS_UNKNOWN};
}
