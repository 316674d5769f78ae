/* returns_gap.c: how far the better of FIFO and LIFO, and the local search, are from the optimum,
 * by number of workers and kind of platform.  New: the paper leaves the optimum open. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "lab/studies/returns_platforms.h"
#include "lab/studies/study.h"
#include "runtime/os/parallel_map.h"

enum { RATIOS = 4, KINDS = 5, WORKERS_FROM = 3, WORKERS_TO = 6, SIZES = 4, PLATFORMS = 50 };

static const double ratios[RATIOS] = {0.1, 1, 3, 10};
static const double returned[KINDS] = {0.2, 0.8, 1, 1.5, 0}; /* z; 0: uncorrelated */

struct setting {
  uint64_t seed, platforms;
};

/* The loss against the optimum, as a part of it. */
struct loss {
  double two, search;
};

static enum ls_status find_loss(const struct ls_platform *platform, struct loss *loss,
                                struct ls_error *err) {
  double best = 1, fifo = 0, lifo = 0, search = 0;
  enum ls_status status = ls_study_throughput(platform, "returns-exact", &best, NULL, err);
  if (status == LS_OK) status = ls_study_throughput(platform, "fifo", &fifo, NULL, err);
  if (status == LS_OK) status = ls_study_throughput(platform, "lifo", &lifo, NULL, err);
  if (status == LS_OK) status = ls_study_throughput(platform, "returns-search", &search, NULL, err);
  *loss = (struct loss){fmax(0, 1 - fmax(fifo, lifo) / best), fmax(0, 1 - search / best)};
  return status;
}

static enum ls_status play_item(void *context, size_t index, void *result, struct ls_error *err) {
  const struct setting *setting = context;
  size_t cell = index / setting->platforms;
  struct ls_random random;
  struct ls_platform platform;
  char stream[64];
  (void)snprintf(stream, sizeof stream, "returns gap %zu", index);
  ls_random_init(&random, setting->seed, stream);
  enum ls_status status =
      ls_study_returns_star(&platform, WORKERS_FROM + cell / (RATIOS * KINDS),
                            ratios[cell % RATIOS], returned[cell / RATIOS % KINDS], &random, err);
  if (status != LS_OK) return status;
  status = find_loss(&platform, result, err);
  ls_platform_close(&platform);
  return status;
}

struct summary {
  struct ls_moments two, search;
  uint64_t missed_two, missed_search; /* not optimal */
};

static void add_loss(struct summary *summary, const struct loss *loss) {
  ls_moments_add(&summary->two, 100 * loss->two);
  ls_moments_add(&summary->search, 100 * loss->search);
  if (loss->two > 1e-9) summary->missed_two++;
  if (loss->search > 1e-9) summary->missed_search++;
}

static void print_cell(struct ls_study_report *report, size_t cell, const struct summary *summary) {
  char kind[24];
  double z = returned[cell / RATIOS % KINDS], count = (double)summary->two.count;
  if (z > 0)
    (void)snprintf(kind, sizeof kind, "z = %g", z);
  else
    (void)snprintf(kind, sizeof kind, "uncorrelated");
  ls_study_print(report, "%7zu  %-12s  %5g  %7.3f  %7.3f  %6.0f  %9.4f  %7.3f  %6.0f\n",
                 WORKERS_FROM + cell / (RATIOS * KINDS), kind, ratios[cell % RATIOS],
                 summary->two.mean, summary->two.largest, 100 * (double)summary->missed_two / count,
                 summary->search.mean, summary->search.largest,
                 100 * (double)summary->missed_search / count);
}

static void print_losses(struct ls_study_report *report, const struct loss *losses,
                         uint64_t platforms) {
  double worst = 0, five_least = HUGE_VAL, five_most = 0;
  ls_study_print(report,
                 "workers  returns       w/c    mean %%    most  missed     search    most "
                 " missed\n");
  for (size_t cell = 0; cell < (size_t)RATIOS * KINDS * SIZES; cell++) {
    struct summary summary = {0};
    for (size_t i = 0; i < platforms; i++) add_loss(&summary, &losses[cell * platforms + i]);
    print_cell(report, cell, &summary);
    worst = fmax(worst, summary.two.largest);
    if (WORKERS_FROM + cell / (RATIOS * KINDS) != 5) continue;
    five_least = fmin(five_least, summary.two.mean);
    five_most = fmax(five_most, summary.two.mean);
  }
  static const char OTHER_CLASSES[] =
      "docs/theory/returns.md, 4, does not say which classes it looked at";
  ls_study_compare(report, "best of FIFO and LIFO, largest loss, % (proven: half)",
                   ls_study_at_most(LS_STUDY_SPECIFIED, 50), worst);
  ls_study_compare(report, "5 workers, least mean loss of a class, %",
                   ls_study_unjudged(LS_STUDY_SPECIFIED, 0.2, OTHER_CLASSES), five_least);
  ls_study_compare(report, "5 workers, largest mean loss of a class, %",
                   ls_study_unjudged(LS_STUDY_SPECIFIED, 4, OTHER_CLASSES), five_most);
}

static enum ls_status run_gap(const struct ls_study_options *options,
                              struct ls_study_report *report, struct ls_error *err) {
  struct setting setting = {options->seed, options->sample > 0 ? options->sample : PLATFORMS};
  size_t count = (size_t)RATIOS * KINDS * SIZES * setting.platforms;
  struct loss *losses = calloc(count, sizeof *losses);
  if (losses == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu platforms", count);
  struct ls_parallel_map map = {.count = count,
                                .result_bytes = sizeof *losses,
                                .processes = options->processes,
                                .compute = play_item,
                                .context = &setting};
  enum ls_status status = ls_parallel_map(&map, losses, err);
  if (status == LS_OK) {
    ls_study_print(
        report,
        "Throughput lost against the proven optimum, in %%, by the better of the best "
        "FIFO and the best LIFO\n(mean, most, platforms on which it is not optimal), and "
        "by returns-search.\n%llu platforms a class, seed %llu, two ports.\n",
        (unsigned long long)setting.platforms, (unsigned long long)options->seed);
    print_losses(report, losses, setting.platforms);
  }
  free(losses);
  return status;
}

const struct ls_study ls_study_returns_gap = {
    .name = "returns-gap",
    .summary = "how far FIFO, LIFO and the local search are from the optimum",
    .reference = "beyond beaumont2005",
    .run = run_gap,
};
