/* Memory is had before anything is decided: whichever allocation of a step fails, the state is as
 * before, and the same event succeeds later with the same actions.
 *
 * The allocator is wrapped by the linker (see meson.build).
 */
#include "harness.h"

static long allocations_left = -1; /* < 0: never fail */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static bool must_fail(void) {
  return allocations_left >= 0 && allocations_left-- == 0;
}

void *__wrap_malloc(size_t size) {
  return must_fail() ? NULL : __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size) {
  return must_fail() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *memory, size_t size) {
  return must_fail() ? NULL : __real_realloc(memory, size);
}

/* Fails the first, second, ... allocation of the step until it needs no more. */
static const char *step_with_failures(struct rig *rig, struct ls_event event, size_t *failures) {
  struct ls_coordinator_totals before = rig_totals(rig);
  for (long i = 0;; i++) {
    struct ls_error err = {0};
    struct hearing heard = hearing;
    allocations_left = i;
    enum ls_status status = rig_try(rig, event, &err);
    bool has_failed = allocations_left < 0;
    allocations_left = -1;
    if (status == LS_OK) {
      assert_false(has_failed);
      break;
    }
    assert_int_equal(status, LS_ENOMEM);
    assert_true(strlen(err.text) > 0);
    struct ls_coordinator_totals after = rig_totals(rig);
    assert_same_totals(&before, &after);
    assert_int_equal(hearing.asked, heard.asked);
    assert_int_equal(hearing.joined, heard.joined);
    assert_true(ls_coordinator_is_sound(rig->coordinator));
    (*failures)++;
  }
  ls_bytes_clear(&rig->text);
  for (size_t i = 0; i < rig->actions.count; i++) {
    if (i > 0) ls_bytes_append_text(&rig->text, "; ");
    ls_action_write(&rig->actions, &rig->actions.items[i], &rig->text);
  }
  return ls_bytes_text(&rig->text);
}

static void a_step_without_memory_changes_nothing(void **state) {
  (void)state;
  const struct ls_event events[] = {
      {.kind = LS_EVENT_JOINED, .worker = 0},
      {.kind = LS_EVENT_READY, .worker = 0},
      {.kind = LS_EVENT_JOINED, .worker = 1},
      {.kind = LS_EVENT_ITERATION, .units.count = 3000},
      {.kind = LS_EVENT_READY, .worker = 0, .units.count = 900},
      {.kind = LS_EVENT_READY, .worker = 1, .units.count = 2900},
      {.kind = LS_EVENT_RESULT, .chunk = 0, .units = {1, 1}, .outcome = LS_OUTCOME_FAILED},
      {.kind = LS_EVENT_RESULT, .chunk = 0, .units = {0, 1}, .outcome = LS_OUTCOME_DONE},
      {.kind = LS_EVENT_READY, .worker = 1},
      {.kind = LS_EVENT_ADVICE, .units = {1, 3}, .count = 1},
      {.kind = LS_EVENT_READY, .worker = 0},
      {.kind = LS_EVENT_SUSPENDED, .worker = 0},
      {.kind = LS_EVENT_LOST, .worker = 1},
      {.kind = LS_EVENT_RESUMED, .worker = 0},
      {.kind = LS_EVENT_READY, .worker = 0, .units.count = 5},
      {.kind = LS_EVENT_TIMER, .now_s = 100},
      {.kind = LS_EVENT_STOP, .is_hard = true},
  };
  for (int is_ordered = 0; is_ordered < 2; is_ordered++) {
    struct ls_coordinator_config config = rig_config(3);
    config.retries = 1;
    config.kills_max = 2;
    config.silence_s = 50;
    config.is_exact = false;
    struct ls_coordinator_choice choice = {.chunking = &single_policy};
    config.choices = &choice;
    config.choices_count = 1;
    if (is_ordered) config.ordering = &backwards;
    struct rig plain, starved;
    rig_open(&plain, &config);
    rig_open(&starved, &config);
    size_t failures = 0;
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
      const char *words = rig_step(&plain, events[i]);
      assert_string_equal(step_with_failures(&starved, events[i], &failures), words);
    }
    assert_true(failures > 10);
    rig_close(&plain);
    rig_close(&starved);
  }
}

static void creating_without_memory_fails_cleanly(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(3);
  double weights[8] = {1};
  const struct ls_planned_chunk plan[] = {{0, 1}};
  config.weights = weights;
  config.plan = plan;
  config.plan_count = 1;
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
      cmocka_unit_test(a_step_without_memory_changes_nothing),
      cmocka_unit_test(creating_without_memory_fails_cleanly),
      cmocka_unit_test(restoring_without_memory_can_be_repeated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
