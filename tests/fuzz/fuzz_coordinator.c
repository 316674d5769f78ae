/* Bytes become a configuration and then events, in whatever order. After each step the coordinator
 * is sound, settles no unit twice, sends nothing to a worker that never joined, and counts every
 * unit once. */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "coordinator/coordinator.h"
#include "fuzz.h"

enum { WORKERS_MAX = 8, UNITS_MAX = 200, SENDS_MAX = 64, STEPS_MAX = 2000 };

struct input {
  const uint8_t *data;
  size_t size;
};

struct driver {
  struct input input;
  struct ls_coordinator *coordinator;
  struct ls_actions actions;
  double now_s;
  uint64_t units;             /* of the iteration that is open */
  bool is_settled[UNITS_MAX]; /* of that iteration */
  bool has_joined[WORKERS_MAX];
  struct ls_event sent[SENDS_MAX]; /* the last ranges sent, as results of them */
  size_t sent_count;
  bool wants_iteration;
};

static unsigned take(struct input *input) {
  if (input->size == 0) return 0;
  input->size--;
  return *input->data++;
}

static void remember(struct driver *driver, uint32_t worker, uint64_t chunk,
                     struct ls_range range) {
  driver->sent[driver->sent_count++ % SENDS_MAX] = (struct ls_event){
      .kind = LS_EVENT_RESULT, .worker = worker, .result = {.chunk = chunk, .units = range}};
}

static void on_send(struct driver *driver, const struct ls_action *action) {
  assert(action->worker < WORKERS_MAX && driver->has_joined[action->worker]);
  assert(action->send.ranges_count >= 1);
  for (size_t i = 0; i < action->send.ranges_count; i++) {
    struct ls_range range = driver->actions.ranges[action->send.first_range + i];
    assert(range.count >= 1 && range.first < driver->units);
    assert(range.count <= driver->units - range.first);
    for (uint64_t unit = range.first; unit < range.first + range.count; unit++) {
      assert(!driver->is_settled[unit]);
    }
    remember(driver, action->worker, action->send.chunk, range);
  }
}

static void on_settle(struct driver *driver, const struct ls_action *action) {
  assert(action->settle.units.count >= 1 && action->settle.units.first < driver->units);
  assert(action->settle.units.count <= driver->units - action->settle.units.first);
  for (uint64_t i = 0; i < action->settle.units.count; i++) {
    assert(!driver->is_settled[action->settle.units.first + i]);
    driver->is_settled[action->settle.units.first + i] = true;
  }
}

static void step(struct driver *driver, struct ls_event *event) {
  event->now_s = driver->now_s;
  if (event->kind == LS_EVENT_ITERATION) {
    driver->units = event->iteration_units;
    driver->wants_iteration = false;
    memset(driver->is_settled, 0, sizeof driver->is_settled);
  }
  struct ls_error err = {0};
  enum ls_status status = ls_coordinator_step(driver->coordinator, event, &driver->actions, &err);
  assert(ls_coordinator_is_sound(driver->coordinator));
  if (status != LS_OK) {
    assert(err.text[0] != '\0');
    return;
  }
  if (event->kind == LS_EVENT_JOINED) driver->has_joined[event->worker] = true;
  for (size_t i = 0; i < driver->actions.count; i++) {
    const struct ls_action *action = &driver->actions.items[i];
    assert((unsigned)action->kind < LS_ACTION_COUNT);
    if (action->kind == LS_ACTION_SEND) on_send(driver, action);
    if (action->kind == LS_ACTION_SETTLE) on_settle(driver, action);
    if (action->kind == LS_ACTION_ITERATION_DONE) driver->wants_iteration = true;
  }
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(driver->coordinator, &totals);
  assert(totals.waiting + totals.sent + totals.done + totals.failed + totals.given_up ==
         totals.units);
}

/* Mostly a result of something that was sent, whole or in part; sometimes nonsense. */
static void draw_result(struct driver *driver, struct ls_event *event) {
  struct ls_event_result *result = &event->result;
  unsigned choice = take(&driver->input);
  size_t known = driver->sent_count < SENDS_MAX ? driver->sent_count : SENDS_MAX;
  if (known > 0 && choice >= 32) {
    *event = driver->sent[choice % known];
    unsigned part = take(&driver->input);
    if (part % 4 == 1) result->units.count = 1;
    if (part % 4 == 2) {
      result->units.first += result->units.count - 1;
      result->units.count = 1;
    }
  } else {
    result->chunk = take(&driver->input);
    result->units = (struct ls_range){take(&driver->input), take(&driver->input)};
  }
  unsigned outcome = take(&driver->input);
  /* One outcome is beyond the last. */
  result->outcome = (enum ls_outcome)(outcome < 128 ? 0 : outcome % (LS_OUTCOME_COUNT + 1));
  result->seconds = result->squares = 1;
}

static void draw_event(struct driver *driver, struct ls_event *event) {
  unsigned kind = take(&driver->input) % LS_EVENT_COUNT;
  *event = (struct ls_event){.kind = (enum ls_event_kind)kind};
  driver->now_s += (double)(take(&driver->input) % 16) / 4;
  /* One number is beyond the last. */
  event->worker = take(&driver->input) % (WORKERS_MAX + 1);
  switch (event->kind) {
    case LS_EVENT_RESULT:
      draw_result(driver, event);
      break;
    case LS_EVENT_ITERATION:
      /* A driver opens the next iteration only when it was asked to. */
      event->kind = driver->wants_iteration ? LS_EVENT_ITERATION : LS_EVENT_TIMER;
      event->iteration_units = take(&driver->input) % (UNITS_MAX + 1);
      break;
    case LS_EVENT_STOP:
      event->is_hard = take(&driver->input) % 2 != 0;
      break;
    case LS_EVENT_READY:
      event->ready_units = take(&driver->input) % 8;
      break;
    case LS_EVENT_HEARTBEAT:
      event->speed = (double)take(&driver->input) * LS_EVENT_SPEED_MOST / 255;
      break;
    case LS_EVENT_GRANTED:
      event->granted = take(&driver->input) % 8;
      break;
    case LS_EVENT_ADVICE:
      event->advice.prefetch = take(&driver->input) % 8;
      event->advice.workers = take(&driver->input) % 8;
      break;
    default:
      break;
  }
}

/* A plan for as many units as the first iteration has; its last chunk takes what is left. */
static size_t draw_plan(struct input *input, uint64_t units, size_t workers,
                        struct ls_plan_chunk *chunks) {
  size_t count = 0;
  while (units > 0) {
    uint64_t size = 1 + take(input) % 32;
    if (size > units || count + 1 == UNITS_MAX) size = units;
    chunks[count++] =
        (struct ls_plan_chunk){.worker = (uint32_t)(take(input) % workers), .units = (double)size};
    units -= size;
  }
  return count;
}

static bool create(struct driver *driver, uint64_t *units) {
  struct input *input = &driver->input;
  static struct ls_plan_chunk chunks[UNITS_MAX];
  struct ls_plan plan = {.chunks = chunks};
  size_t chunkings = 0, orderings = 0;
  while (ls_chunkings[chunkings] != NULL) chunkings++;
  while (ls_orderings[orderings] != NULL) orderings++;
  struct ls_coordinator_config config = {.chunking = ls_chunkings[take(input) % chunkings],
                                         .ordering = ls_orderings[take(input) % orderings],
                                         .workers = 1 + take(input) % WORKERS_MAX,
                                         .workers_max = WORKERS_MAX,
                                         .mean_seconds = 1,
                                         .deviation_seconds = 0.5,
                                         .overhead_seconds = 0.1,
                                         .is_exact = true};
  *units = take(input) % (UNITS_MAX + 1);
  unsigned limits = take(input);
  config.retries = limits % 4;
  config.kills_max = limits / 4 % 4;
  config.silence_s = limits / 16 % 4;
  config.patience_s = limits / 64;
  config.deadline_s = take(input) < 224 ? 0 : 50;
  config.seed = take(input);
  ls_arguments_init(&config.arguments, config.chunking->parameters);
  if (config.chunking->is_pushed) {
    config.plan = &plan;
    plan.chunks_count = draw_plan(input, *units, config.workers, chunks);
  }
  struct ls_error err = {0};
  bool is_created = ls_coordinator_create(&config, &driver->coordinator, &err) == LS_OK;
  assert(is_created || err.text[0] != '\0');
  return is_created;
}

bool fuzz_accepts;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct driver driver = {.input = {data, size}};
  uint64_t units;
  driver.actions.wants_notes = 1;
  fuzz_accepts = create(&driver, &units);
  if (fuzz_accepts) {
    step(&driver, &(struct ls_event){.kind = LS_EVENT_ITERATION, .iteration_units = units});
    struct ls_event event;
    for (int steps = 0; steps < STEPS_MAX && driver.input.size > 0; steps++) {
      draw_event(&driver, &event);
      step(&driver, &event);
    }
  }
  ls_coordinator_destroy(driver.coordinator);
  ls_actions_close(&driver.actions);
  return 0;
}
