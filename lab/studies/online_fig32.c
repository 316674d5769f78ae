/* online_fig32.c: Figure 3.2 of the thesis on Monitor: the batch sizes of seven strategies for 512
 * tasks and four workers that report the times of its Figure 3.1. */
#include <stdio.h>
#include <string.h>

#include "lab/studies/study.h"
#include "model/load.h"
#include "policies/chunking.h"
#include "policies/chunking/monitor.h"
#include "policies/chunking/wf.h"

enum { WORKERS = 4, UNITS = 512, BATCHES_MAX = 128, SINGLES = 2, STEPS = 9 };

/* Seconds per task of each worker at steps 1 to 9 (Figure 3.1). */
static const double times[WORKERS][STEPS] = {{.10, .15, 1.01, .90, .28, .29, .99, .90, .89},
                                             {.56, .40, .50, .48, .52, .53, .47, .49, .50},
                                             {.89, .90, .89, .24, .67, .88, .60, .66, .63},
                                             {.75, .76, .74, .50, .45, .70, .69, .63, .62}};

/* Batches of each worker, as printed; 0 at the end unless it stands in the figure. */
struct row {
  const char *name, *policy, *rounding;
  size_t disagreeing; /* numbers that contradict the figure's own rule */
  const char *printed[WORKERS];
};

static const char ONES[] = "";

static const struct row rows[] = {
    {"SC", "sc", NULL, 0, {"128", "128", "128", "128"}},
    {"SS", "ss", NULL, 0, {ONES, ONES, ONES, ONES}},
    {"GSS",
     "gss",
     "floor",
     0,
     {"128 40 13 4 1 1", "96 30 9 3 1 1", "72 23 7 2 1 1", "54 17 5 2 1"}},
    {"TSS", "tss", NULL, 0, {"64 48 32 8", "60 44 28", "56 40 24", "52 36 20"}},
    {"Factoring",
     "fac2",
     NULL,
     0,
     {"64 32 16 8 4 2 1 1", "64 32 16 8 4 2 1 1", "64 32 16 8 4 2 1 1", "64 32 16 8 4 2 1 1"}},
    {"Weighted Factoring",
     "wf",
     NULL,
     0,
     {"180 90 45 22 11 6 3 1 1 1", "32 16 8 4 2 1 1 1", "20 10 5 3 1", "24 12 6 3 2 1"}},
    /* Phase 6 prints 7 of 8 tasks; what follows from that differs, too. */
    {"Monitor",
     "monitor",
     NULL,
     4,
     {"1 1 177 73 11 4 6 4 0 1", "1 1 32 27 23 7 3 1 2 2", "1 1 20 12 13 14 3 1 1 1",
      "1 1 23 14 16 6 4 1 1 1"}}};

struct batches {
  uint64_t units[WORKERS][BATCHES_MAX];
  size_t counts[WORKERS];
};

static void hand_out(struct batches *batches, size_t worker, uint64_t units) {
  if (batches->counts[worker] < BATCHES_MAX)
    batches->units[worker][batches->counts[worker]++] = units;
}

/* Workers ask 0, 1, 2, 3, 0, ... until nothing waits. */
static enum ls_status ask_in_turn(const struct row *row, struct batches *batches,
                                  struct ls_error *err) {
  const struct ls_chunking *policy = ls_chunking_find(row->policy);
  const bool is_present[WORKERS] = {true, true, true, true};
  const double weights[WORKERS] = {1, 1, 1, 1};
  struct ls_chunking_setup setup = {
      .units = UNITS, .slots = WORKERS, .mean_seconds = 1, .overhead_seconds = 0.01};
  ls_arguments_init(&setup.arguments, policy->parameters);
  enum ls_status status = LS_OK;
  if (row->rounding != NULL)
    status = ls_arguments_set(&setup.arguments, policy->parameters, "rounding", row->rounding, err);
  if (status != LS_OK) return status;
  struct ls_arena arena = {0};
  void *state = NULL;
  status = ls_chunking_init(policy, &arena, &setup, &state, err);
  struct ls_chunking_view view = {.units = UNITS,
                                  .units_unassigned = UNITS,
                                  .workers_present = WORKERS,
                                  .slots = WORKERS,
                                  .weights = weights,
                                  .is_present = is_present,
                                  .is_counted = is_present};
  for (uint32_t turn = 0; status == LS_OK && view.units_unassigned > 0; turn++) {
    uint64_t units = policy->next_units(state, &view, turn % WORKERS);
    if (units > view.units_unassigned) units = view.units_unassigned;
    view.units_unassigned -= units;
    if (units > 0) hand_out(batches, turn % WORKERS, units);
  }
  ls_arena_close(&arena);
  return status;
}

/* Rounds with the times of step 1, rounded as the figure was. */
static void play_weighted(struct batches *batches) {
  double weights[WORKERS];
  struct ls_load_candidate scratch[WORKERS];
  struct ls_wf_workers workers = {.weights = weights, .count = WORKERS, .rounding = LS_WF_PRINTED};
  for (size_t i = 0; i < WORKERS; i++) weights[i] = 1 / times[i][0];
  for (uint64_t rest = UNITS; rest > 0;) {
    uint64_t units[WORKERS];
    ls_wf_round(&workers, rest, scratch, units);
    for (size_t i = 0; i < WORKERS; i++) {
      if (units[i] > 0) hand_out(batches, i, units[i]);
      rest -= units[i];
    }
  }
}

/* Two single units each; then phase k with the times of step k, all units being finished. */
static enum ls_status play_monitor(struct batches *batches, struct ls_error *err) {
  const double waiting[WORKERS] = {0};
  uint64_t rest = UNITS - SINGLES * WORKERS;
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < WORKERS * SINGLES; i++) hand_out(batches, i % WORKERS, 1);
  for (size_t step = 0; rest > 0 && status == LS_OK; step++) {
    double seconds[WORKERS], shares[WORKERS];
    uint64_t units[WORKERS], quota = ls_monitor_quota(rest, WORKERS);
    for (size_t i = 0; i < WORKERS; i++) seconds[i] = times[i][step < STEPS ? step : STEPS - 1];
    ls_monitor_solve(seconds, waiting, WORKERS, (double)quota, shares);
    status = ls_load_round(shares, WORKERS, quota, units, err);
    for (size_t i = 0; i < WORKERS && status == LS_OK; i++) hand_out(batches, i, units[i]);
    rest -= quota;
  }
  return status;
}

static enum ls_status play(const struct row *row, struct batches *batches, struct ls_error *err) {
  if (strcmp(row->policy, "monitor") == 0) return play_monitor(batches, err);
  if (strcmp(row->policy, "wf") != 0) return ask_in_turn(row, batches, err);
  play_weighted(batches);
  return LS_OK;
}

/* Prints a row of one worker, a number that differs from the printed one as ours(printed); the
 * numbers that agree. */
static size_t compare_row(const struct batches *batches, size_t worker, const char *printed,
                          size_t *count, struct ls_study_report *report) {
  size_t agreeing = 0;
  for (size_t i = 0; i < batches->counts[worker]; i++) {
    char *end = NULL;
    unsigned long long expected = printed == ONES ? 1 : strtoull(printed, &end, 10);
    unsigned long long ours = batches->units[worker][i];
    if (printed != ONES) printed = end;
    agreeing += ours == expected;
    ++*count;
    if (printed == ONES && i >= 3) continue;
    if (ours == expected)
      ls_study_print(report, " %llu", ours);
    else
      ls_study_print(report, " %llu(%llu)", ours, expected);
  }
  ls_study_print(report, printed == ONES ? " ...\n" : "\n");
  return agreeing;
}

static enum ls_status run_figure(const struct ls_study_options *options,
                                 struct ls_study_report *report, struct ls_error *err) {
  size_t all = 0, all_agreeing = 0;
  (void)options;
  ls_study_print(report,
                 "Batches of each worker, 512 tasks. Monitor's phase 6 prints 4 1 1 1, which is 7 "
                 "of 8 tasks, and its\nphases 7 and 8 follow from that: ours(printed) there is no "
                 "failure.\n");
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    struct batches batches = {0};
    size_t count = 0, agreeing = 0;
    enum ls_status status = play(&rows[r], &batches, err);
    if (status != LS_OK) return status;
    ls_study_print(report, "%s\n", rows[r].name);
    for (size_t i = 0; i < WORKERS; i++) {
      ls_study_print(report, "  P%zu ", i + 1);
      agreeing += compare_row(&batches, i, rows[r].printed[i], &count, report);
    }
    char name[64];
    (void)snprintf(name, sizeof name, "%s: numbers as printed", rows[r].name);
    ls_study_compare(report, name,
                     ls_study_near(LS_STUDY_SPECIFIED, (double)(count - rows[r].disagreeing), 0),
                     (double)agreeing);
    all += count;
    all_agreeing += agreeing;
  }
  ls_study_compare(report, "numbers of the figure", ls_study_near(LS_STUDY_SPECIFIED, 653, 0),
                   (double)all);
  ls_study_compare(report, "numbers that follow from their rules",
                   ls_study_near(LS_STUDY_SPECIFIED, 649, 0), (double)all_agreeing);
  return LS_OK;
}

const struct ls_study ls_study_online_figure_3_2 = {
    .name = "online-figure-3-2",
    .summary = "batch sizes of seven strategies for 512 tasks and four workers",
    .reference = "rosenvinge2004, Figure 3.2",
    .run = run_figure,
};
