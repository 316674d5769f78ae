/* The step: whichever allocation fails, a step does all or the run is over (docs/decisions/0002).
 *
 * The allocator is wrapped by the linker (see meson.build).
 */
#include "../../support/counted_memory.h"
#include "harness.h"

/* The actions of a step in words. */
static const char *write_actions(struct rig *rig) {
  ls_bytes_clear(&rig->text);
  for (size_t i = 0; i < rig->actions.count; i++) {
    if (i > 0) ls_bytes_append_text(&rig->text, "; ");
    ls_action_write(&rig->actions, &rig->actions.items[i], &rig->text);
  }
  return ls_bytes_text(&rig->text);
}

/* Plays the events; the allocation number `fails_at` of them all fails.  True: none did. A step
 * does all that it does with memory, or the run is over, for this step and for all others. */
static bool play_starved(const struct ls_coordinator_config *config, const struct ls_event *events,
                         size_t count, struct ls_bytes *words, long fails_at) {
  struct rig rig;
  rig_open(&rig, config);
  bool is_over = false;
  allocations_left = fails_at;
  for (size_t i = 0; i < count; i++) {
    struct ls_error err = {0};
    enum ls_status status = rig_try(&rig, events[i], &err);
    if (status == LS_OK) {
      long left = allocations_left;
      allocations_left = -1;
      assert_false(is_over);
      assert_string_equal(write_actions(&rig), ls_bytes_text(&words[i]));
      assert_true(ls_coordinator_is_sound(rig.coordinator));
      allocations_left = left;
      continue;
    }
    assert_int_equal(status, LS_ENOMEM);
    assert_true(strlen(err.text) > 0);
    assert_int_equal(rig.actions.count, 0);
    is_over = true;
    allocations_left = -1;
  }
  bool is_done = !is_over;
  allocations_left = -1;
  rig_close(&rig);
  return is_done;
}

static void without_memory_a_step_does_all_or_the_run_is_over(void **state) {
  (void)state;
  const struct ls_event events[] = {
      {.kind = LS_EVENT_JOINED, .worker = 0},
      {.kind = LS_EVENT_READY, .worker = 0},
      {.kind = LS_EVENT_JOINED, .worker = 1},
      {.kind = LS_EVENT_ITERATION, .iteration_units = 3000},
      {.kind = LS_EVENT_READY, .worker = 0, .ready_units = 900},
      {.kind = LS_EVENT_READY, .worker = 1, .ready_units = 2900},
      {.kind = LS_EVENT_RESULT,
       .result = {.chunk = 0, .units = {1, 1}, .outcome = LS_OUTCOME_FAILED}},
      {.kind = LS_EVENT_RESULT,
       .result = {.chunk = 0, .units = {0, 1}, .outcome = LS_OUTCOME_DONE}},
      {.kind = LS_EVENT_READY, .worker = 1},
      {.kind = LS_EVENT_ADVICE, .advice = {.policy = 1, .prefetch = 3, .workers = 1}},
      {.kind = LS_EVENT_READY, .worker = 0},
      {.kind = LS_EVENT_SUSPENDED, .worker = 0},
      {.kind = LS_EVENT_LOST, .worker = 1},
      {.kind = LS_EVENT_RESUMED, .worker = 0},
      {.kind = LS_EVENT_READY, .worker = 0, .ready_units = 5},
      {.kind = LS_EVENT_TIMER, .now_s = 100},
      {.kind = LS_EVENT_STOP, .is_hard = true},
  };
  enum { EVENTS = sizeof events / sizeof events[0] };
  for (int is_ordered = 0; is_ordered < 2; is_ordered++) {
    struct ls_coordinator_config config = rig_config(3);
    struct ls_coordinator_choice choice = {.chunking = &single_policy};
    struct ls_bytes words[EVENTS] = {{0}};
    struct rig plain;
    config.retries = 1;
    config.kills_max = 2;
    config.silence_s = 50;
    config.is_exact = false;
    config.choices = &choice;
    config.choices_count = 1;
    if (is_ordered) config.ordering = &backwards;
    rig_open(&plain, &config);
    for (size_t i = 0; i < EVENTS; i++)
      ls_bytes_append_text(&words[i], rig_step(&plain, events[i]));
    rig_close(&plain);
    long failures = 0;
    while (!play_starved(&config, events, EVENTS, words, failures)) failures++;
    assert_true(failures > 30);
    for (size_t i = 0; i < EVENTS; i++) ls_bytes_close(&words[i]);
  }
}

static void creating_without_memory_fails_cleanly(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(3);
  double weights[8] = {1};
  struct ls_plan_chunk chunks[] = {{.worker = 0, .units = 1}};
  const struct ls_plan plan = {.chunks = chunks, .chunks_count = 1};
  config.weights = weights;
  config.plan = &plan;
  struct ls_coordinator_choice choice = {.chunking = &single_policy};
  config.choices = &choice;
  config.choices_count = 1;
  for (long i = 0;; i++) {
    struct ls_coordinator *coordinator = NULL;
    allocations_left = i;
    enum ls_status status = ls_coordinator_create(&config, &coordinator, NULL);
    allocations_left = -1;
    if (status == LS_OK) {
      assert_true(i >= 6);
      ls_coordinator_destroy(coordinator);
      break;
    }
    assert_int_equal(status, LS_ENOMEM);
    assert_null(coordinator);
  }
}

static void restoring_without_memory_can_be_repeated(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(3);
  const struct ls_range done[] = {{0, 1}}, failed[] = {{4, 2}};
  struct ls_coordinator_past past = {
      .done = done, .done_count = 1, .failed = failed, .failed_count = 1};
  struct rig rig;
  rig_open(&rig, &config);
  for (long i = 0; i < 2; i++) {
    allocations_left = i;
    assert_int_equal(ls_coordinator_restore(rig.coordinator, &past, NULL), LS_ENOMEM);
    allocations_left = -1;
  }
  assert_int_equal(ls_coordinator_restore(rig.coordinator, &past, NULL), LS_OK);
  rig_start(&rig, 1, 6);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 0: 1+3");
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_memory_a_step_does_all_or_the_run_is_over),
      cmocka_unit_test(creating_without_memory_fails_cleanly),
      cmocka_unit_test(restoring_without_memory_can_be_repeated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
