#include "model/account_worker.h"

#include <assert.h>
#include <math.h>

#include "model/windows.h"

static void add(struct ls_account_worker *worker, enum ls_account_part part, double seconds) {
  assert(seconds >= 0);
  ls_sum_add(&worker->parts_s[part], seconds);
}

void ls_account_join(struct ls_account_worker *worker, double now_s) {
  assert(now_s >= 0 && !worker->is_there);
  if (worker->was_there) {
    worker->away_s += fmax(0, now_s - worker->left_s);
  } else {
    worker->joined_s = worker->cursor_s = now_s;
    add(worker, LS_ACCOUNT_ABSENT, now_s);
  }
  worker->is_there = worker->was_there = true;
  worker->left_s = (double)INFINITY;
}

void ls_account_leave(struct ls_account_worker *worker, double now_s) {
  if (!worker->is_there) return;
  ls_account_resume(worker, now_s);
  worker->is_there = false;
  worker->left_s = now_s;
}

void ls_account_suspend(struct ls_account_worker *worker, double now_s) {
  if (!worker->is_there || worker->is_away) return;
  worker->is_away = true;
  worker->away_since_s = fmax(now_s, worker->cursor_s);
}

void ls_account_resume(struct ls_account_worker *worker, double now_s) {
  if (!worker->is_away) return;
  worker->is_away = false;
  worker->away_s += fmax(0, now_s - worker->away_since_s);
}

void ls_account_know_away(struct ls_account_worker *worker, double seconds) {
  if (!(seconds > worker->away_known_s)) return;
  worker->away_s += seconds - worker->away_known_s;
  worker->away_known_s = seconds;
}

double ls_account_fixed_s(const struct ls_platform *platform, size_t worker, double units) {
  if (platform == NULL || worker >= platform->workers_count) return 0;
  const struct ls_cost *costs = ls_worker_costs(&platform->workers[worker], units);
  return costs[LS_OPERATION_RECEIVE].latency_s + costs[LS_OPERATION_COMPUTE].latency_s;
}

/* What is left of the fixed cost of the chunk comes first. */
static void add_useful(struct ls_account_worker *worker, const struct ls_account_work *work,
                       double seconds) {
  if (!worker->has_worked || worker->chunk != work->chunk) worker->fixed_left_s = work->fixed_s;
  double latency_s = fmin(worker->fixed_left_s, seconds);
  worker->fixed_left_s -= latency_s;
  worker->chunk = work->chunk;
  add(worker, LS_ACCOUNT_LATENCY, latency_s);
  add(worker, LS_ACCOUNT_WORK, seconds - latency_s);
}

/* All that is known of being away up to `until_s`, at most what there is behind the cursor. */
static double take_away(struct ls_account_worker *worker, double until_s) {
  if (worker->is_away && until_s > worker->away_since_s) {
    worker->away_s += until_s - worker->away_since_s;
    worker->away_since_s = until_s;
  }
  double taken_s = fmin(worker->away_s, until_s - worker->cursor_s);
  worker->away_s -= taken_s;
  add(worker, LS_ACCOUNT_AWAY, taken_s);
  return taken_s;
}

/* At most `seconds` leave a part; so many do. Of the whole part nothing is left, no rounding. */
static double take(struct ls_account_worker *worker, enum ls_account_part part, double seconds) {
  double part_s = ls_sum_value(&worker->parts_s[part]);
  if (!(seconds > 0 && part_s > 0)) return 0;
  if (seconds < part_s)
    ls_sum_add(&worker->parts_s[part], -seconds);
  else
    worker->parts_s[part] = (struct ls_sum){0};
  return fmin(seconds, part_s);
}

/* What was heard late was work while the account said that the worker waited: the nearest waits
 * first, so the start-up comes last; or that it was away. */
static double take_back(struct ls_account_worker *worker, double seconds) {
  double taken_s = take(worker, LS_ACCOUNT_PORT_WAIT, seconds);
  taken_s += take(worker, LS_ACCOUNT_START_UP, seconds - taken_s);
  worker->late_s += fmax(0, seconds - taken_s);
  return taken_s + take(worker, LS_ACCOUNT_AWAY, seconds - taken_s);
}

void ls_account_work(struct ls_account_worker *worker, const struct ls_account_work *work) {
  double elapsed_s = fmax(0, work->end_s - worker->cursor_s);
  bool is_counted = work->seconds > 0;
  if (!worker->was_there || !(elapsed_s > 0 || is_counted)) return;
  double here_s = elapsed_s > 0 ? fmax(0, elapsed_s - take_away(worker, work->end_s)) : 0;
  double span_s = work->end_s - fmax(work->start_s, worker->cursor_s);
  double busy_s = fmax(0, fmin(here_s, is_counted ? work->seconds : span_s));
  add(worker, worker->has_worked ? LS_ACCOUNT_PORT_WAIT : LS_ACCOUNT_START_UP, here_s - busy_s);
  if (is_counted) busy_s += take_back(worker, work->seconds - busy_s);
  if (work->is_useful)
    add_useful(worker, work, busy_s);
  else
    add(worker, LS_ACCOUNT_LOSSES, busy_s);
  worker->last = work->is_useful ? LS_ACCOUNT_WORK : LS_ACCOUNT_LOSSES;
  worker->has_worked = true;
  worker->cursor_s = fmax(worker->cursor_s, work->end_s);
}

static bool is_of_account(const struct ls_account_worker *worker, double makespan_s) {
  return worker->was_there && worker->joined_s < makespan_s && worker->left_s > worker->joined_s;
}

/* What it worked beyond the makespan is no part of it, nor what it waited for that work. */
static void cut(struct ls_account_worker *worker, double makespan_s) {
  const enum ls_account_part sources[] = {
      worker->last,       LS_ACCOUNT_PORT_WAIT, LS_ACCOUNT_START_UP, LS_ACCOUNT_AWAY,
      LS_ACCOUNT_LATENCY, LS_ACCOUNT_LOSSES,    LS_ACCOUNT_WORK};
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
    worker->cursor_s -= take(worker, sources[i], worker->cursor_s - makespan_s);
}

/* From the last work to the makespan; `end_s`: of all computing. */
static void finish(struct ls_account_worker *worker, double end_s, double makespan_s) {
  cut(worker, makespan_s);
  double there_s = fmax(worker->cursor_s, fmin(worker->left_s, makespan_s));
  double gone_s = there_s;
  /* Who is away at the end was so since an instant that is known. */
  if (worker->is_away) there_s = fmin(there_s, fmax(worker->cursor_s, worker->away_since_s));
  worker->is_away = false;
  double tail_s = fmax(0, there_s - fmax(end_s, worker->cursor_s));
  double before_s = there_s - worker->cursor_s - tail_s;
  double away_s = fmin(fmax(0, there_s - worker->cursor_s), worker->away_s);
  double away_before_s = fmin(away_s, fmax(0, before_s));
  add(worker, LS_ACCOUNT_IMBALANCE, fmax(0, before_s - away_before_s));
  add(worker, LS_ACCOUNT_TAIL, fmax(0, tail_s - (away_s - away_before_s)));
  add(worker, LS_ACCOUNT_AWAY, away_s);
  add(worker, LS_ACCOUNT_AWAY, gone_s - there_s);
  add(worker, LS_ACCOUNT_ABSENT, fmax(0, makespan_s - gone_s));
}

void ls_account_average(const struct ls_account_worker *workers, size_t count, double makespan_s,
                        struct ls_account *account) {
  struct ls_sum sums[LS_ACCOUNT_PARTS] = {{0}};
  double end_s = 0, those = 0;
  for (size_t i = 0; i < count; i++) {
    if (!is_of_account(&workers[i], makespan_s)) continue;
    those++;
    if (workers[i].has_worked) end_s = fmax(end_s, fmin(workers[i].cursor_s, makespan_s));
  }
  for (size_t i = 0; i < count; i++) {
    if (!is_of_account(&workers[i], makespan_s)) continue;
    struct ls_account_worker worker = workers[i];
    finish(&worker, end_s, makespan_s);
    for (size_t part = 0; part < LS_ACCOUNT_PARTS; part++)
      ls_sum_add(&sums[part], ls_sum_value(&worker.parts_s[part]));
  }
  *account = (struct ls_account){.makespan_s = makespan_s, .workers = those};
  for (size_t part = 0; part < LS_ACCOUNT_PARTS && those > 0; part++)
    account->parts_s[part] = ls_sum_value(&sums[part]) / those;
}
