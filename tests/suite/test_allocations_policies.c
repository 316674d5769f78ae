/* Whichever allocation fails, policies, the coordinator and the worker's side say so and leave
 * nothing behind; and where "nothing has changed" is promised, the same call succeeds as soon as
 * there is memory.  Whole runs are in test_allocations_simulate.c.
 */
#include "base/arena.h"
#include "coordinator/coordinator.h"
#include "coordinator/worker_side.h"
#include "policies/chunking.h"
#include "policies/predictor.h"
#include "scarce_memory.h"

enum { SLOTS = 3, UNITS = 40 };

static const double weights[SLOTS] = {1, 2, 3};
static const struct ls_chunking_earlier earlier[SLOTS] = {{4, 5}, {0, 0}, {6, 3}};
static struct ls_plan_chunk planned[] = {{.worker = 0, .units = 10},
                                         {.worker = 1, .units = 10},
                                         {.worker = 2, .units = 15},
                                         {.worker = 0, .units = 5}};
static size_t returned[] = {2, 0, 1, 3};
static const struct ls_plan plan = {.chunks = planned,
                                    .chunks_count = 4,
                                    .has_returns = true,
                                    .returns = returned,
                                    .returns_count = 4};

/* ---- chunking policies by themselves ---- */

static enum ls_status try_chunking(const void *context, struct ls_error *err) {
  const struct ls_chunking *policy = context;
  struct ls_arena arena = {0};
  struct ls_chunking_setup setup = {.units = UNITS,
                                    .slots = SLOTS,
                                    .weights = weights,
                                    .earlier = earlier,
                                    .mean_seconds = 1,
                                    .deviation_seconds = 0.5,
                                    .overhead_seconds = 0.1,
                                    .seed = 1,
                                    .plan = &plan};
  void *policy_state;
  ls_arguments_init(&setup.arguments, policy->parameters);
  enum ls_status status = ls_chunking_init(policy, &arena, &setup, &policy_state, err);
  for (size_t slots = SLOTS + 1; status == LS_OK && policy->resize != NULL && slots < 20; slots++) {
    status = policy->resize(policy_state, slots, err);
    if (status != LS_OK) {
      long left = memory.left;
      memory_is_plenty();
      assert_int_equal(policy->resize(policy_state, slots, NULL), LS_OK);
      memory.left = left;
    }
  }
  memory_is_plenty();
  ls_arena_close(&arena);
  return status;
}

static void every_policy_begins_and_grows_or_says_so(void **state) {
  (void)state;
  for (size_t i = 0; ls_chunkings[i] != NULL; i++) {
    struct scarce_trial trial = {ls_chunkings[i]->name, try_chunking, ls_chunkings[i]};
    long count = scarce_play_all(&trial);
    if ((count > 0) != (ls_chunkings[i]->init != NULL))
      fail_msg("%s: takes memory %ld times", ls_chunkings[i]->name, count);
  }
}

static enum ls_status try_history(const void *context, struct ls_error *err) {
  struct ls_task_history_setup setup = {0};
  struct ls_task_history *history;
  (void)context;
  scarce_mark(&history, sizeof history);
  enum ls_status status = ls_task_history_create(&setup, &history, err);
  if (status != LS_OK) {
    memory_is_plenty();
    scarce_require_untouched("history", &history, sizeof history);
    return status;
  }
  for (uint64_t tasks = 2; status == LS_OK && tasks < 60; tasks += 19) {
    status = ls_task_history_reserve(history, tasks, err);
    ls_task_history_observe(history, tasks - 1, 2);
    ls_task_history_observe(history, 1, 3);
    ls_task_history_close_iteration(history);
  }
  memory_is_plenty();
  (void)ls_task_history_predict(history, LS_PREDICTOR_CHOSEN, 1);
  ls_task_history_destroy(history);
  return status;
}

static void a_history_says_so(void **state) {
  (void)state;
  scarce_require("history", try_history, NULL);
}

/* ---- the coordinator ---- */

static struct ls_coordinator_config make_config(const char *policy) {
  static const struct ls_coordinator_lesson lessons[] = {{0, {0, 10}, 1}, {1, {5, 20}, 2}};
  struct ls_coordinator_config config = {.chunking = ls_chunking_find(policy),
                                         .ordering = ls_ordering_find("average"),
                                         .sizing = ls_sizing_find("self"),
                                         .replication = ls_replication_find("gain"),
                                         .lessons = lessons,
                                         .lessons_count = 2,
                                         .workers = SLOTS,
                                         .workers_max = 2 * SLOTS,
                                         .weights = weights,
                                         .weights_count = SLOTS,
                                         .mean_seconds = 1,
                                         .deviation_seconds = 0.5,
                                         .overhead_seconds = 0.1};
  assert_non_null(config.chunking);
  ls_arguments_init(&config.arguments, config.chunking->parameters);
  if (config.chunking->is_pushed) {
    config.plan = &plan;
    config.ordering = NULL;
    config.replication = NULL;
  }
  return config;
}

static enum ls_status prepare(struct ls_coordinator *coordinator, struct ls_error *err) {
  static const double seconds[UNITS] = {1, 2, 3};
  static const struct ls_range done[] = {{3, 4}, {20, 2}}, failed[] = {{30, 1}};
  struct ls_coordinator_past past = {2, done, 2, failed, 1};
  struct ls_coordinator_times times = {seconds, seconds, UNITS};
  enum ls_status status = ls_coordinator_declare(coordinator, &times, err);
  if (status == LS_OK) status = ls_coordinator_restore(coordinator, &past, err);
  return status;
}

/* Steps, and the words for what they decide. */
static enum ls_status step_all(struct ls_coordinator *coordinator, const struct ls_event *events,
                               size_t count, struct ls_error *err) {
  struct ls_actions actions = {.wants_notes = true};
  enum ls_status status = LS_OK;
  for (size_t i = 0; status == LS_OK && i < count; i++) {
    struct ls_bytes words = {0};
    status = ls_coordinator_step(coordinator, &events[i], &actions, err);
    for (size_t k = 0; k < actions.notes_count; k++)
      ls_note_write(&actions.notes[k], "unit", &words);
    for (size_t k = 0; k < actions.count; k++) ls_action_write(&actions, &actions.items[k], &words);
    if (status == LS_OK) status = scarce_bytes(&words, err);
    ls_bytes_close(&words);
  }
  ls_actions_close(&actions);
  return status;
}

/* What is learnt of earlier runs, or what goes wrong in this one. */
struct job {
  const struct ls_chunking *policy;
  bool has_past;
};

static enum ls_status try_coordinator(const void *context, struct ls_error *err) {
  const struct job *job = context;
  bool is_pushed = job->policy->is_pushed;
  struct ls_coordinator_config config = make_config(job->policy->name);
  struct ls_coordinator_choice choice = {.chunking = ls_chunking_find("fac2")};
  struct ls_coordinator *coordinator;
  ls_arguments_init(&choice.arguments, choice.chunking->parameters);
  config.choices = &choice;
  config.choices_count = is_pushed ? 0 : 1;
  config.retries = config.kills_max = 1;
  if (!job->has_past) {
    config.weights = NULL;
    config.weights_count = config.lessons_count = 0;
    config.ordering = NULL;
    config.sizing = NULL;
  }
  scarce_mark(&coordinator, sizeof coordinator);
  enum ls_status status = ls_coordinator_create(&config, &coordinator, err);
  if (status != LS_OK) {
    memory_is_plenty();
    scarce_require_untouched("coordinator", &coordinator, sizeof coordinator);
    return status;
  }
  const struct ls_event events[] = {
      {.kind = LS_EVENT_JOINED, .worker = 0},
      {.kind = LS_EVENT_ITERATION, .iteration_units = UNITS},
      {.kind = LS_EVENT_JOINED, .worker = 1},
      {.kind = LS_EVENT_FREE},
      {.kind = LS_EVENT_READY, .worker = 0, .ready_units = 9},
      {.kind = LS_EVENT_READY, .worker = 1, .ready_units = 9},
      {.kind = LS_EVENT_RESULT,
       .result = {.chunk = 0, .units = {0, 1}, .outcome = LS_OUTCOME_FAILED, .seconds = 1}},
      {.kind = LS_EVENT_ADVICE,
       .advice = {.policy = is_pushed ? 0 : 1, .prefetch = 2, .workers = 2}},
      {.kind = LS_EVENT_JOINED, .worker = 5},
      {.kind = LS_EVENT_READY, .worker = 5, .ready_units = 9},
      {.kind = LS_EVENT_LOST, .worker = 1, .lost = LS_LOSS_CRASHED},
      {.kind = LS_EVENT_READY, .worker = 0, .ready_units = 30},
      {.kind = LS_EVENT_LEAVING, .worker = 0},
      {.kind = LS_EVENT_STOP, .is_hard = true},
  };
  if (!is_pushed && job->has_past) status = prepare(coordinator, err);
  if (status == LS_OK)
    status = step_all(coordinator, events, sizeof events / sizeof events[0], err);
  memory_is_plenty();
  ls_coordinator_destroy(coordinator);
  return status;
}

static void the_coordinator_says_so_under_every_policy(void **state) {
  (void)state;
  for (size_t i = 0; ls_chunkings[i] != NULL; i++) {
    for (int has_past = 0; has_past < 2; has_past++) {
      struct job job = {ls_chunkings[i], has_past != 0};
      scarce_require(ls_chunkings[i]->name, try_coordinator, &job);
    }
  }
}

/* ---- the worker's side ---- */

static const struct ls_range ranges[] = {{0, 3}, {7, 2}, {12, 6}};
static const double times[] = {1, 2, 3};

static const struct ls_side_event side_events[] = {
    {.kind = LS_SIDE_EVENT_JOINED},
    {.kind = LS_SIDE_EVENT_CHUNK, .arrived = {1, 10, ranges, 3, false, true}},
    {.kind = LS_SIDE_EVENT_CHUNK, .arrived = {2, 11, &ranges[2], 1, true, false}},
    {.kind = LS_SIDE_EVENT_BEGUN},
    {.kind = LS_SIDE_EVENT_ENDED, .ended = {2, LS_OUTCOME_DONE, 3, 5, times, 3, false}},
    {.kind = LS_SIDE_EVENT_DUE},
    {.kind = LS_SIDE_EVENT_ENDED, .ended = {1, LS_OUTCOME_FAILED, 1, 1, NULL, 0, true}},
    {.kind = LS_SIDE_EVENT_BEGUN},
    {.kind = LS_SIDE_EVENT_FETCH, .chunk = 2},
    {.kind = LS_SIDE_EVENT_CANCEL, .chunk = 1},
    {.kind = LS_SIDE_EVENT_ENDED, .ended = {2, LS_OUTCOME_CANCELLED, 0, 0, NULL, 0, false}},
    {.kind = LS_SIDE_EVENT_PREFETCH, .prefetch = 4},
    {.kind = LS_SIDE_EVENT_BEGUN},
    {.kind = LS_SIDE_EVENT_ENDED, .ended = {4, LS_OUTCOME_DONE, 8, 20, NULL, 0, false}},
    {.kind = LS_SIDE_EVENT_DUE},
    {.kind = LS_SIDE_EVENT_ENDED, .ended = {2, LS_OUTCOME_DONE, 3, 5, times, 3, false}},
    {.kind = LS_SIDE_EVENT_CHUNK, .arrived = {3, 12, ranges, 2, false, false}},
    {.kind = LS_SIDE_EVENT_RECALL},
    {.kind = LS_SIDE_EVENT_LEAVE},
    {.kind = LS_SIDE_EVENT_RELEASE},
};

static void write_side_actions(const struct ls_side_actions *actions, struct ls_bytes *out) {
  for (size_t i = 0; i < actions->count; i++) {
    const struct ls_side_action *action = &actions->items[i];
    ls_bytes_printf(out, "%d", (int)action->kind);
    if (action->kind == LS_SIDE_ACTION_ASK) ls_bytes_printf(out, " %ju", (uintmax_t)action->units);
    if (action->kind == LS_SIDE_ACTION_TELL)
      ls_bytes_printf(out, " %ju %ju+%ju %d %g", (uintmax_t)action->result.chunk,
                      (uintmax_t)action->result.units.first, (uintmax_t)action->result.units.count,
                      (int)action->result.outcome, action->result.seconds);
    ls_bytes_append_char(out, '\n');
  }
  for (size_t i = 0; i < actions->times_count; i++) ls_bytes_printf(out, "%g ", actions->times[i]);
}

/* An event that failed is told once more: what comes of it is what would have come at once. Every
 * event brings new actions. */
static void play_side(const struct ls_side_settings *settings, long fails_at,
                      struct ls_bytes *words) {
  struct ls_worker_side side;
  ls_worker_side_init(&side, settings);
  for (size_t i = 0; i < sizeof side_events / sizeof side_events[0]; i++) {
    const struct ls_side_event *event = &side_events[i];
    struct ls_side_actions actions = {0};
    memory.left = fails_at;
    enum ls_status status = ls_worker_side_step(&side, event, &actions);
    fails_at = memory.left;
    memory_is_plenty();
    if (status != LS_OK) {
      assert_int_equal(status, LS_ENOMEM);
      assert_int_equal(ls_worker_side_step(&side, event, &actions), LS_OK);
    }
    write_side_actions(&actions, words);
    ls_side_actions_close(&actions);
  }
  ls_worker_side_close(&side);
}

static void a_side_without_memory_is_as_before(void **state) {
  const struct ls_side_settings settings[] = {
      {.prefetch = 3, .has_receive = true, .has_progress = true},
      {.prefetch = 9, .has_receive = true, .has_progress = true, .history = 4, .report_every = 2},
      {.prefetch = 1, .has_receive = true, .has_progress = true, .history = 4}};
  (void)state;
  for (size_t k = 0; k < 3; k++) {
    struct ls_bytes expected = {0};
    long count = 0, live = memory.live;
    play_side(&settings[k], -1, &expected);
    do {
      struct ls_bytes words = {0};
      memory.has_failed = memory.is_lasting = false;
      play_side(&settings[k], count++, &words);
      assert_string_equal(ls_bytes_text(&words), ls_bytes_text(&expected));
      ls_bytes_close(&words);
    } while (memory.has_failed);
    assert_true(count > 4);
    ls_bytes_close(&expected);
    assert_int_equal(memory.live, live);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_policy_begins_and_grows_or_says_so),
      cmocka_unit_test(a_history_says_so),
      cmocka_unit_test(the_coordinator_says_so_under_every_policy),
      cmocka_unit_test(a_side_without_memory_is_as_before),
  };
  scarce_open();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
