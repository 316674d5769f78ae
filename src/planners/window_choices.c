#include "planners/window_choices.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "model/replay.h"
#include "model/validate.h"
#include "model/windows.h"

/* Combinations that are tried at most, the kinds of workers that may have so many, and windows of
 * equal number where there are more. */
enum { COMBINATIONS_MOST = 16, KINDS_MOST = 4, SAME_MOST = 8 };

/* What is tried: combination `number`, or in all workers the window `number`, or the cheapest. */
enum way { WAY_COMBINATION, WAY_SAME, WAY_BEST };
struct choice {
  enum way way;
  size_t number;
};

struct choosing {
  const struct ls_planner *planner;
  const struct ls_planner_setup *setup;
  struct ls_one_window left;
  /* Workers with the same windows and room are of one kind; 0 kinds: they are too many. */
  const struct ls_worker_model *kinds[KINDS_MOST];
  size_t kinds_count, combinations, windows_most;
  struct choice choices[COMBINATIONS_MOST];
  size_t choices_count;
  struct ls_plan *plan; /* the best one, if `chosen` is one of the choices */
  size_t chosen;
  bool is_stopped;
  struct ls_planner_reason why; /* the first choice was refused for this ... */
  bool has_other_reasons;       /* ... and not all others */
  struct ls_error failure;
};

enum ls_status ls_one_window_open(struct ls_one_window *left, const struct ls_platform *platform,
                                  struct ls_error *err) {
  left->platform = *platform;
  left->platform.workers = calloc(platform->workers_count, sizeof *left->platform.workers);
  if (left->platform.workers == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", platform->workers_count);
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_worker_model *worker = &left->platform.workers[i];
    *worker = platform->workers[i];
    if (worker->windows_count > 0) ls_worker_take_window(worker, ls_worker_window_best(worker));
  }
  return LS_OK;
}

void ls_one_window_close(struct ls_one_window *left) {
  free(left->platform.workers);
  left->platform.workers = NULL;
}

static bool is_kind(const struct ls_worker_model *kind, const struct ls_worker_model *worker) {
  if (kind->windows_count != worker->windows_count) return false;
  if (kind->room_units < worker->room_units || kind->room_units > worker->room_units) return false;
  return kind->windows == worker->windows ||
         memcmp(kind->windows, worker->windows, worker->windows_count * sizeof *worker->windows) ==
             0;
}

static size_t find_kind(const struct choosing *choosing, const struct ls_worker_model *worker) {
  size_t i = 0;
  while (i < choosing->kinds_count && !is_kind(choosing->kinds[i], worker)) i++;
  return i;
}

/* How many combinations there are, unless they are too many. */
static void count_combinations(struct choosing *choosing) {
  const struct ls_platform *platform = choosing->setup->platform;
  bool is_countable = true;
  choosing->combinations = 1;
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_worker_model *worker = &platform->workers[i];
    if (worker->windows_count > choosing->windows_most)
      choosing->windows_most = worker->windows_count;
    if (!is_countable || worker->windows_count == 0) continue;
    if (find_kind(choosing, worker) < choosing->kinds_count) continue;
    choosing->combinations *= worker->windows_count;
    is_countable =
        choosing->kinds_count < KINDS_MOST && choosing->combinations <= COMBINATIONS_MOST;
    if (is_countable) choosing->kinds[choosing->kinds_count++] = worker;
  }
  if (!is_countable) choosing->kinds_count = 0;
}

/* The cheapest windows come first: where time is short, they are what is tried. */
static void list_choices(struct choosing *choosing) {
  count_combinations(choosing);
  bool has_combinations = choosing->kinds_count > 0;
  size_t best = 0, scale = 1;
  for (size_t i = 0; i < choosing->kinds_count; i++) {
    best += scale * ls_worker_window_best(choosing->kinds[i]);
    scale *= choosing->kinds[i]->windows_count;
  }
  size_t count = has_combinations ? choosing->combinations
                                  : (size_t)fmin(SAME_MOST, (double)choosing->windows_most);
  struct choice first = {has_combinations ? WAY_COMBINATION : WAY_BEST, best};
  choosing->choices[choosing->choices_count++] = first;
  for (size_t i = 0; i < count; i++)
    if (!has_combinations || i != best)
      choosing->choices[choosing->choices_count++] =
          (struct choice){has_combinations ? WAY_COMBINATION : WAY_SAME, i};
}

static size_t find_window(const struct choosing *choosing, const struct choice *choice,
                          const struct ls_worker_model *worker) {
  size_t last = worker->windows_count - 1, number = choice->number;
  if (choice->way == WAY_BEST) return ls_worker_window_best(worker);
  if (choice->way == WAY_SAME) return number < last ? number : last;
  size_t kind = find_kind(choosing, worker);
  for (size_t i = 0; i < kind; i++) number /= choosing->kinds[i]->windows_count;
  return number % worker->windows_count;
}

static void take_windows(struct choosing *choosing, const struct choice *choice) {
  const struct ls_platform *platform = choosing->setup->platform;
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_worker_model *worker = &platform->workers[i];
    if (worker->windows_count == 0) continue;
    choosing->left.platform.workers[i] = *worker;
    ls_worker_take_window(&choosing->left.platform.workers[i],
                          find_window(choosing, choice, worker));
  }
}

static void note_refusal(struct choosing *choosing, const char *why) {
  struct ls_planner_reason *first = &choosing->why;
  if (first->text[0] == '\0')
    (void)snprintf(first->text, sizeof first->text, "%.*s", (int)sizeof first->text - 1, why);
  else if (strncmp(first->text, why, sizeof first->text - 1) != 0)
    choosing->has_other_reasons = true;
}

/* The plan's time with all windows; a choice in which a planner fails is none. */
static enum ls_status judge(struct choosing *choosing, size_t index, struct ls_plan *trial,
                            struct ls_error *err) {
  const struct ls_platform *platform = choosing->setup->platform;
  struct ls_error outside = {0};
  enum ls_status status = ls_replay(trial, platform, err);
  if (status != LS_OK) return status;
  status = ls_validate_limits(trial, platform, &outside);
  if (status == LS_EINVAL) {
    note_refusal(choosing, outside.text);
    return LS_OK;
  }
  if (status != LS_OK) return ls_fail(err, status, "%s", outside.text);
  bool is_first = choosing->chosen == SIZE_MAX;
  if (!is_first && !(trial->makespan_s < choosing->plan->makespan_s)) return LS_OK;
  ls_plan_take(choosing->plan, trial);
  choosing->chosen = index;
  return LS_OK;
}

static enum ls_status try_choice(struct choosing *choosing, size_t index, struct ls_error *err) {
  struct ls_planner_setup setup = *choosing->setup;
  struct ls_plan trial;
  struct ls_error refusal = {0};
  take_windows(choosing, &choosing->choices[index]);
  setup.platform = &choosing->left.platform;
  if (setup.budget.work_max > 0)
    setup.budget.work_max = setup.budget.work_max / choosing->choices_count + 1;
  enum ls_status status =
      ls_planner_run(choosing->planner, &setup, choosing->plan->algorithm, &trial, &refusal);
  if (status == LS_OK && trial.outcome == LS_PLAN_OK) {
    status = judge(choosing, index, &trial, &refusal);
  } else if (status == LS_OK) {
    note_refusal(choosing, trial.why);
  }
  ls_plan_close(&trial);
  /* Another choice may be one that the planner's sums bear. */
  if (status == LS_EINVAL && choosing->failure.status == LS_OK) choosing->failure = refusal;
  return status == LS_OK || status == LS_EINVAL ? LS_OK : ls_fail(err, status, "%s", refusal.text);
}

/* One member for each run of workers with one window. */
static void tell_windows(struct ls_plan *plan, const struct ls_platform *platform) {
  struct ls_bytes json = {0};
  const char *separator = "[";
  for (size_t i = 0, next; i < platform->workers_count; i = next) {
    const struct ls_worker_model *worker = &platform->workers[i];
    for (next = i + 1; next < platform->workers_count; next++) {
      const struct ls_worker_model *other = &platform->workers[next];
      if (memcmp(&worker->window_from, &other->window_from, sizeof(double)) != 0) break;
      if (memcmp(&worker->window_to, &other->window_to, sizeof(double)) != 0) break;
    }
    ls_bytes_printf(&json,
                    "%s{\"worker\": %zu, \"workers\": %zu, \"from\": %.17g, \"to\": ", separator, i,
                    next - i, worker->window_from);
    ls_json_write_number(&json, worker->window_to);
    ls_bytes_append_char(&json, '}');
    separator = ", ";
  }
  ls_bytes_append_char(&json, ']');
  ls_plan_set_json(plan, "windows", &json);
}

/* What is proven is so in these windows only. */
static void tell_choice(struct choosing *choosing) {
  struct ls_plan *plan = choosing->plan;
  take_windows(choosing, &choosing->choices[choosing->chosen]);
  tell_windows(plan, &choosing->left.platform);
  if (ls_plan_has(plan, "proven")) ls_plan_set_flag(plan, "proven", false);
  ls_plan_unset(plan, "search_gap");
  ls_plan_unset(plan, "makespan_at_least");
  ls_plan_unset(plan, "lower_bound");
  if (choosing->is_stopped) ls_plan_set_flag(plan, "stopped", true);
}

/* A plan by formulas takes no time. */
static bool is_time_over(const struct choosing *choosing) {
  const struct ls_budget *budget = &choosing->setup->budget;
  if (!choosing->planner->is_search && !choosing->planner->plans_returns) return false;
  return choosing->chosen != SIZE_MAX && budget->stop != NULL && budget->stop(budget->stop_context);
}

enum ls_status ls_window_choices_run(const struct ls_planner *planner,
                                     const struct ls_planner_setup *setup, struct ls_plan *plan,
                                     struct ls_error *err) {
  struct choosing choosing = {.planner = planner, .setup = setup, .plan = plan, .chosen = SIZE_MAX};
  assert(ls_platform_has_windows(setup->platform) && setup->load > 0);
  enum ls_status status = ls_one_window_open(&choosing.left, setup->platform, err);
  if (status != LS_OK) return status;
  list_choices(&choosing);
  for (size_t i = 0; i < choosing.choices_count && status == LS_OK; i++) {
    choosing.is_stopped = is_time_over(&choosing);
    if (choosing.is_stopped) break;
    status = try_choice(&choosing, i, err);
  }
  if (status == LS_OK && choosing.chosen != SIZE_MAX) {
    tell_choice(&choosing);
    status = ls_plan_finish(plan, err);
  } else if (status == LS_OK && choosing.why.text[0] != '\0') {
    ls_plan_refuse(plan, choosing.has_other_reasons ? "%.125s; nor in other windows" : "%s",
                   choosing.why.text);
  } else if (status == LS_OK) {
    status = ls_fail(err, LS_EINVAL, "%s", choosing.failure.text);
  }
  ls_one_window_close(&choosing.left);
  return status;
}
