/* Workers that were asked for and have not come yet, while a sizing changes its mind: a thousand
 * seeded sequences of iterations, grants, joins, losses and suspensions.  What was asked for by an
 * earlier wish is neither asked for twice, nor used against the present wish, nor waited for when
 * it does not come.
 */
#include "harness.h"

#include "base/random.h"

enum { NUMBERS = 400, HELD_MAX = 256, UNITS_MAX = 30, WORKERS_MOST = 8 };

struct held {
  uint32_t worker;
  uint64_t chunk;
  struct ls_range range;
};

enum whereabouts { NOWHERE, THERE, SUSPENDED };

struct driver {
  struct rig rig;
  struct ls_random random;
  enum whereabouts workers[NUMBERS];
  uint32_t next_worker;
  size_t there, suspended;
  size_t owed;   /* asked for, or started, and not there yet */
  size_t untold; /* of these, asked for and not told to be granted */
  struct held held[HELD_MAX];
  size_t held_count;
  uint32_t iterations_left;
  uint64_t turned_away;
  bool is_open, is_finished;
};

static struct ls_random wishes;

static size_t want_at_random(const struct ls_sizing_view *view, size_t given) {
  assert_true(view->wanted >= 1);
  return 1 + (size_t)ls_random_below(&wishes, given);
}

static const struct ls_sizing moody = {
    .name = "moody", .summary = "any number", .reference = "none", .wanted = want_at_random};

static uint64_t draw(struct driver *driver, uint64_t n) {
  return ls_random_below(&driver->random, n);
}

static void step(struct driver *driver, struct ls_event event);

static void leave(struct driver *driver, uint32_t worker, enum whereabouts now) {
  size_t kept = 0;
  for (size_t i = 0; i < driver->held_count; i++) {
    if (driver->held[i].worker != worker) driver->held[kept++] = driver->held[i];
  }
  driver->held_count = kept;
  driver->there -= driver->workers[worker] == THERE;
  driver->suspended -= driver->workers[worker] == SUSPENDED;
  driver->suspended += now == SUSPENDED;
  driver->workers[worker] = now;
}

static void take(struct driver *driver, const struct ls_action *action) {
  assert_int_equal(driver->workers[action->worker], THERE);
  for (size_t i = 0; i < action->send.ranges_count; i++) {
    assert_in_range(driver->held_count, 0, HELD_MAX - 1);
    driver->held[driver->held_count++] =
        (struct held){action->worker, action->send.chunk,
                      driver->rig.actions.ranges[action->send.first_range + i]};
  }
}

static void open_next(struct driver *driver) {
  bool is_more = driver->iterations_left > 0;
  if (is_more) driver->iterations_left--;
  step(driver, (struct ls_event){.kind = LS_EVENT_ITERATION,
                                 .iteration_units = is_more ? 1 + draw(driver, UNITS_MAX) : 0});
}

static void perform(struct driver *driver, enum ls_event_kind cause) {
  const struct ls_actions *actions = &driver->rig.actions;
  bool is_done = false, has_asked = false;
  for (size_t i = 0; i < actions->count; i++) {
    const struct ls_action *action = &actions->items[i];
    if (action->kind == LS_ACTION_SEND) take(driver, action);
    if (action->kind == LS_ACTION_CANCEL) continue;
    if (action->kind == LS_ACTION_RELEASE) {
      assert_true(driver->workers[action->worker] != NOWHERE);
      driver->turned_away += cause != LS_EVENT_ITERATION;
      leave(driver, action->worker, NOWHERE);
    }
    if (action->kind == LS_ACTION_REQUEST_WORKERS) {
      has_asked = true;
      driver->owed += action->workers;
      driver->untold += action->workers;
    }
    is_done |= action->kind == LS_ACTION_ITERATION_DONE;
    driver->is_finished |= action->kind == LS_ACTION_FINISH;
  }
  driver->is_open = cause == LS_EVENT_ITERATION || driver->is_open;
  driver->is_open &= !is_done && !driver->is_finished;
  size_t wanted = rig_totals(&driver->rig).workers_wanted;
  size_t all = driver->there + driver->suspended + driver->owed;
  if (driver->is_open && driver->next_worker > 0) {
    assert_true(driver->there <= wanted);
    assert_true(all >= wanted);
  }
  if (has_asked) assert_int_equal(all, wanted);
  if (is_done && !driver->is_finished) open_next(driver);
}

static void step(struct driver *driver, struct ls_event event) {
  event.now_s = driver->rig.now_s + ls_random_real(&driver->random);
  rig_step(&driver->rig, event);
  perform(driver, event.kind);
}

static void ask(struct driver *driver, uint32_t worker) {
  if (driver->workers[worker] != THERE || driver->is_finished) return;
  step(driver, (struct ls_event){.kind = LS_EVENT_READY, .worker = worker});
}

static void join(struct driver *driver) {
  if (driver->owed == 0) return;
  assert_in_range(driver->next_worker, 0, NUMBERS - 1);
  uint32_t worker = driver->next_worker++;
  driver->owed--;
  if (driver->untold > driver->owed) driver->untold = driver->owed;
  driver->workers[worker] = THERE;
  driver->there++;
  step(driver, (struct ls_event){.kind = LS_EVENT_JOINED, .worker = worker});
  ask(driver, worker);
}

static void never_come(struct driver *driver) {
  if (driver->owed == 0) return;
  assert_in_range(driver->next_worker, 0, NUMBERS - 1);
  driver->owed--;
  if (driver->untold > driver->owed) driver->untold = driver->owed;
  step(driver, (struct ls_event){.kind = LS_EVENT_LOST, .worker = driver->next_worker++});
}

static void grant(struct driver *driver) {
  if (driver->untold == 0) return;
  uint64_t count = 1 + draw(driver, driver->untold);
  driver->untold -= count;
  step(driver, (struct ls_event){.kind = LS_EVENT_GRANTED, .granted = count});
}

static void answer(struct driver *driver) {
  if (driver->held_count == 0) return;
  struct held held = driver->held[draw(driver, driver->held_count)];
  for (size_t i = 0; i < driver->held_count; i++) {
    if (driver->held[i].chunk == held.chunk && driver->held[i].range.first == held.range.first) {
      driver->held[i] = driver->held[--driver->held_count];
    }
  }
  step(driver,
       (struct ls_event){.kind = LS_EVENT_RESULT,
                         .worker = held.worker,
                         .result = {.chunk = held.chunk, .units = held.range, .seconds = 1}});
  ask(driver, held.worker);
}

static void trouble(struct driver *driver) {
  if (driver->next_worker == 0) return;
  uint32_t worker = (uint32_t)draw(driver, driver->next_worker);
  enum whereabouts before = driver->workers[worker];
  bool is_lost = draw(driver, 2) == 0;
  if (before == NOWHERE) return;
  if (is_lost) {
    leave(driver, worker, NOWHERE);
    step(driver, (struct ls_event){.kind = LS_EVENT_LOST, .worker = worker});
  } else if (before == THERE) {
    leave(driver, worker, SUSPENDED);
    step(driver,
         (struct ls_event){
             .kind = LS_EVENT_SUSPENDED, .worker = worker, .suspended = {.is_vacated = true}});
  } else {
    leave(driver, worker, THERE);
    driver->there++;
    step(driver, (struct ls_event){.kind = LS_EVENT_RESUMED, .worker = worker});
    ask(driver, worker);
  }
}

static void act(struct driver *driver) {
  switch (draw(driver, 8)) {
    case 0:
    case 1:
      join(driver);
      return;
    case 2:
      grant(driver);
      return;
    case 3:
      if (driver->next_worker < NUMBERS / 2) never_come(driver);
      return;
    case 4:
      if (driver->next_worker < NUMBERS / 2) trouble(driver);
      return;
    default:
      answer(driver);
      return;
  }
}

/* From here on nothing is lost: whoever is owed comes, whoever is there works. */
static void come_to_an_end(struct driver *driver) {
  for (uint32_t i = 0; i < driver->next_worker; i++) {
    if (driver->workers[i] != SUSPENDED) continue;
    leave(driver, i, NOWHERE);
    step(driver, (struct ls_event){.kind = LS_EVENT_LOST, .worker = i});
  }
  for (int i = 0; i < 5000 && !driver->is_finished; i++) {
    if (driver->held_count > 0 && draw(driver, 2))
      answer(driver);
    else if (driver->owed > 0)
      join(driver);
    else
      answer(driver);
  }
  assert_true(driver->is_finished);
}

static void restore(struct driver *driver, uint64_t units) {
  struct ls_range done = {0, units};
  struct ls_coordinator_past past = {.iteration = 1, .done = &done, .done_count = 1};
  struct ls_error err = {0};
  if (ls_coordinator_restore(driver->rig.coordinator, &past, &err) != LS_OK)
    fail_msg("%s", err.text);
}

/* Turned away in this run. */
static uint64_t run(uint64_t seed, const char *policy) {
  struct driver *driver = calloc(1, sizeof *driver);
  double weights[NUMBERS];
  assert_non_null(driver);
  ls_random_init(&driver->random, seed, "driver");
  ls_random_init(&wishes, seed, "wishes");
  struct ls_coordinator_config config = rig_config(1);
  config.chunking = ls_chunking_find(policy);
  assert_non_null(config.chunking);
  ls_arguments_init(&config.arguments, config.chunking->parameters);
  config.workers = 1 + (size_t)draw(driver, WORKERS_MOST);
  config.workers_max = NUMBERS;
  config.sizing = &moody;
  for (size_t i = 0; i < NUMBERS; i++) weights[i] = 0.1 + ls_random_real(&driver->random);
  config.weights_count = NUMBERS;
  if (draw(driver, 2)) config.weights = weights;
  rig_open(&driver->rig, &config);
  driver->iterations_left = 2 + (uint32_t)draw(driver, 4);
  uint64_t settled = draw(driver, 3);
  if (settled > 0) restore(driver, settled == 1 ? 1 : UNITS_MAX);
  if (settled > 1) {
    rig_step(&driver->rig,
             (struct ls_event){.kind = LS_EVENT_ITERATION, .iteration_units = UNITS_MAX});
  }
  open_next(driver);
  /* As real masters do: the first workers come unasked, as many as are wanted. */
  driver->owed = rig_totals(&driver->rig).workers_wanted;
  for (int i = 0; i < 400 && !driver->is_finished; i++) act(driver);
  if (!driver->is_finished) come_to_an_end(driver);
  uint64_t turned_away = driver->turned_away;
  rig_close(&driver->rig);
  free(driver);
  return turned_away;
}

static void whoever_is_owed_comes_once_and_is_wanted_or_goes(void **state) {
  uint64_t turned_away = 0;
  (void)state;
  for (uint64_t seed = 0; seed < 1000; seed++) turned_away += run(seed, "ss");
  assert_true(turned_away > 100);
}

/* What static chunking keeps for a worker is kept only while that one may come. */
static void nothing_is_kept_for_a_worker_that_does_not_come(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 1000; seed++) (void)run(seed, "sc");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whoever_is_owed_comes_once_and_is_wanted_or_goes),
      cmocka_unit_test(nothing_is_kept_for_a_worker_that_does_not_come),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
