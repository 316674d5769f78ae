/* presence.c: workers join, leave, are reclaimed and given back, granted and released. */
#include "simulate/engine_private.h"
#include "simulate/presence_private.h"
#include "simulate/processor_private.h"

#include <assert.h>

/* A worker that is there now asks, or the policy that pushes looks again. */
static void welcome(struct ls_engine *engine, uint32_t number) {
  engine->is_push_due = engine->is_pushed;
  ls_engine_master_wake(engine);
  ls_reclaim_plan(engine, number);
  ls_processor_enter(engine, number);
}

/* The end of the run is known later than it is: those before it are forgotten. */
static void keep_late(struct ls_engine *engine, const struct ls_absence *absence) {
  size_t kept = 0;
  for (size_t i = 0; i < engine->late_count; i++)
    if (engine->late[i].until_s > engine->makespan_s) engine->late[kept++] = engine->late[i];
  engine->late_count = kept;
  if (!(absence->until_s > engine->makespan_s)) return;
  if (ls_engine_grow(engine, (void **)&engine->late, &engine->late_capacity, kept + 1,
                     sizeof *engine->late))
    engine->late[engine->late_count++] = *absence;
}

/* A time of the worker that has ended, in which it was not there or did nothing. */
static void note_absence(struct ls_engine *engine, struct ls_engine_worker *worker, double from_s) {
  struct ls_absence absence = {
      .worker = (uint32_t)(worker - engine->workers), .from_s = from_s, .until_s = engine->now_s};
  worker->suspended_s += engine->now_s - from_s;
  if (!(engine->now_s > from_s)) return;
  keep_late(engine, &absence);
  if (engine->timeline != NULL) ls_timeline_add_absence(engine->timeline, &absence);
}

void ls_presence_join(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  worker->is_present = true;
  if (isfinite(worker->join_s)) {
    note_absence(engine, worker, worker->left_s);
  } else {
    worker->join_s = engine->now_s;
  }
  worker->left_s = (double)INFINITY;
  const struct ls_coordinator_config *config = &engine->setup->config;
  const char *labels = number < config->labels_count ? config->labels[number] : NULL;
  ls_engine_master_step(
      engine,
      &(struct ls_event){.kind = LS_EVENT_JOINED, .worker = number, .joined = {.labels = labels}});
  welcome(engine, number);
}

/* The units of the worker are lost, also those on their way to it; its earlier messages are heard
 * first.
 */
static void depart(struct ls_engine *engine, uint32_t number, struct ls_event event) {
  struct ls_engine_worker *worker = &engine->workers[number];
  ls_processor_clear(engine, number);
  ls_mail_clear(engine, number);
  worker->epoch++;
  event.worker = number;
  ls_engine_master_step(engine, &event);
  engine->is_push_due = engine->is_pushed;
  ls_engine_master_wake(engine);
}

static void end_suspension(struct ls_engine *engine, struct ls_engine_worker *worker) {
  note_absence(engine, worker, worker->paused_s);
  worker->is_suspended = worker->is_reclaimed = false;
}

void ls_presence_leave(struct ls_engine *engine, uint32_t number, enum ls_loss cause) {
  struct ls_engine_worker *worker = &engine->workers[number];
  if (!worker->is_present && !worker->is_suspended) return;
  if (worker->is_suspended) end_suspension(engine, worker);
  worker->left_s = engine->now_s;
  depart(engine, number, (struct ls_event){.kind = LS_EVENT_LOST, .lost = cause});
}

void ls_presence_pause(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  if (!worker->is_present) return;
  if (worker->is_still) end_suspension(engine, worker);
  if (worker->side.is_leaving) {
    ls_presence_leave(engine, number, LS_LOSS_RECLAIMED);
    return;
  }
  depart(engine, number,
         (struct ls_event){.kind = LS_EVENT_SUSPENDED, .suspended = {.is_vacated = true}});
  worker->is_suspended = true;
  worker->paused_s = engine->now_s;
  ls_reclaim_plan_return(engine, number);
}

void ls_presence_stand(struct ls_engine *engine, size_t index) {
  const struct ls_simulated_pause *pause = &engine->setup->pauses[index];
  struct ls_engine_worker *worker = &engine->workers[pause->worker];
  if (!worker->is_present || worker->is_still) return;
  worker->wakes_s = pause->until_s;
  ls_processor_stand(engine, pause->worker);
  worker->is_suspended = true;
  worker->paused_s = engine->now_s;
  ls_engine_master_step(engine, &(struct ls_event){.kind = LS_EVENT_SUSPENDED,
                                                   .worker = pause->worker,
                                                   .suspended = {.reason = LS_AWAY_STOPPED}});
  ls_engine_master_wake(engine);
}

/* It has all it had, and what it asked for still stands. */
static void go_on(struct ls_engine *engine, uint32_t number) {
  ls_engine_master_step(engine, &(struct ls_event){.kind = LS_EVENT_RESUMED, .worker = number});
  ls_processor_go_on(engine, number);
  ls_engine_master_wake(engine);
}

void ls_presence_resume(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  if (!worker->is_suspended) return;
  end_suspension(engine, worker);
  if (worker->is_still) {
    go_on(engine, number);
    return;
  }
  worker->is_present = true;
  ls_engine_master_step(engine, &(struct ls_event){.kind = LS_EVENT_RESUMED, .worker = number});
  welcome(engine, number);
}

double ls_presence_up(const struct ls_engine *engine, uint32_t number, double until_s) {
  const struct ls_engine_worker *worker = &engine->workers[number];
  double end_s = fmin(worker->left_s, until_s);
  if (!(end_s > worker->join_s)) return 0;
  double suspended_s = worker->suspended_s;
  for (size_t i = 0; i < engine->late_count; i++) {
    const struct ls_absence *late = &engine->late[i];
    if (late->worker == number) suspended_s -= fmax(0, late->until_s - fmax(late->from_s, end_s));
  }
  if (worker->is_suspended) suspended_s += fmax(0, end_s - worker->paused_s);
  return end_s - worker->join_s - suspended_s;
}

/* A machine that nobody uses or waits for: the fastest, and of equal ones the first. UINT32_MAX:
 * there is none. */
static uint32_t find_free(const struct ls_engine *engine) {
  uint32_t best = UINT32_MAX;
  for (uint32_t number = 0; number < engine->workers_count; number++) {
    if (engine->workers[number].is_expected) continue;
    const struct ls_worker_model *model = engine->workers[number].model;
    if (best == UINT32_MAX ||
        model->costs[LS_OPERATION_COMPUTE].per_unit_s <
            engine->workers[best].model->costs[LS_OPERATION_COMPUTE].per_unit_s)
      best = number;
  }
  return best;
}

/* Machines that are there, away for a while, or on their way. */
static size_t count_taken(const struct ls_engine *engine) {
  size_t taken = 0;
  for (uint32_t number = 0; number < engine->workers_count; number++) {
    const struct ls_engine_worker *worker = &engine->workers[number];
    taken += worker->is_expected &&
             !(worker->left_s < (double)INFINITY && worker->join_s <= worker->left_s);
  }
  return taken;
}

/* What a limit does not allow is not waited for. */
static void refuse_requested(struct ls_engine *engine) {
  size_t limit = engine->setup->grant.limit, taken = count_taken(engine);
  if (limit == 0 || taken + engine->requested <= limit) return;
  size_t allowed = taken < limit ? limit - taken : 0;
  ls_engine_push(engine, engine->now_s, LS_ENGINE_GRANTED,
                 (uint64_t)(engine->requested - allowed) << 32 | UINT32_MAX);
  engine->requested = allowed;
}

void ls_presence_refused(struct ls_engine *engine, uint64_t machines) {
  ls_engine_master_step(engine, &(struct ls_event){.kind = LS_EVENT_REFUSED, .refused = machines});
}

static void grant_requested(struct ls_engine *engine) {
  const struct ls_simulated_grant *grant = &engine->setup->grant;
  while (engine->requested > 0) {
    uint32_t number = find_free(engine);
    if (number == UINT32_MAX) return;
    double delay_s = grant->delay_s;
    if (grant->is_exponential) delay_s *= -log1p(-ls_random_real(&engine->grant_chance));
    engine->workers[number].is_expected = true;
    engine->requested--;
    ls_engine_push(engine, engine->now_s + delay_s, LS_ENGINE_GRANTED, number);
  }
}

void ls_presence_request(struct ls_engine *engine, uint64_t count) {
  engine->requested += (size_t)count;
  refuse_requested(engine);
  grant_requested(engine);
}

void ls_presence_granted(struct ls_engine *engine, uint32_t number) {
  ls_engine_master_step(engine, &(struct ls_event){.kind = LS_EVENT_GRANTED, .granted = 1});
  ls_presence_join(engine, number);
}

void ls_presence_release(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  if (engine->is_finished || !worker->is_present) return;
  /* It ends what runs, when it goes on if it stands still, and says so. */
  if (worker->side.is_leaving && worker->side.is_running) return;
  if (worker->is_suspended) end_suspension(engine, worker);
  worker->left_s = engine->now_s;
  /* Who left in order has left for good. */
  worker->is_expected = worker->side.is_leaving;
  depart(engine, number, (struct ls_event){.kind = LS_EVENT_LOST});
  grant_requested(engine);
}
