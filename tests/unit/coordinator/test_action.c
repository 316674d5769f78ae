/* Actions are compared as text in every other test, so their words must be exact. */
#include "harness.h"

static const char *write_action(const struct ls_actions *actions, struct ls_action action,
                                struct ls_bytes *out) {
  ls_bytes_clear(out);
  ls_action_write(actions, &action, out);
  return ls_bytes_text(out);
}

static void every_action_has_its_own_words(void **state) {
  (void)state;
  struct ls_range ranges[] = {{7, 7}, {12, 4}, {20, 1}};
  struct ls_actions actions = {.ranges = ranges, .ranges_count = 3, .ranges_capacity = 3};
  struct ls_bytes out = {0};
  const struct {
    struct ls_action action;
    const char *words;
  } cases[] = {
      {{.kind = LS_ACTION_SEND, .send = {.chunk = 3, .first_range = 1, .ranges_count = 1}},
       "send worker 0 chunk 3: 12+4"},
      {{.kind = LS_ACTION_SEND, .worker = 9, .send = {.first_range = 1, .ranges_count = 2}},
       "send worker 9 chunk 0: 12+4 20+1"},
      {{.kind = LS_ACTION_FETCH, .worker = 1, .chunk = 2}, "fetch worker 1 chunk 2"},
      {{.kind = LS_ACTION_CANCEL, .worker = 1, .chunk = 2}, "cancel worker 1 chunk 2"},
      {{.kind = LS_ACTION_RELEASE, .worker = 1}, "release worker 1"},
      {{.kind = LS_ACTION_REQUEST_WORKERS, .workers = 4}, "request workers 4"},
      {{.kind = LS_ACTION_SET_PREFETCH, .prefetch = 2}, "set prefetch 2"},
      {{.kind = LS_ACTION_WAKE_AT, .time_s = 2.5}, "wake at 2.5"},
      {{.kind = LS_ACTION_SETTLE, .worker = 1, .settle = {.chunk = 2, .units = {3, 4}}},
       "settle worker 1 chunk 2: 3+4 done"},
      {{.kind = LS_ACTION_SETTLE, .settle = {.units = {3, 4}, .outcome = LS_OUTCOME_GIVEN_UP}},
       "settle worker 0 chunk 0: 3+4 given up"},
      {{.kind = LS_ACTION_ITERATION_DONE, .iteration_number = 6}, "iteration done 6"},
      {{.kind = LS_ACTION_FINISH}, "finish"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_string_equal(write_action(&actions, cases[i].action, &out), cases[i].words);
  }
  ls_bytes_close(&out);
}

static void names_are_distinct(void **state) {
  (void)state;
  for (int i = 0; i < LS_ACTION_COUNT; i++) {
    for (int j = 0; j < i; j++) {
      assert_string_not_equal(ls_action_name((enum ls_action_kind)i),
                              ls_action_name((enum ls_action_kind)j));
    }
  }
}

static void closing_releases_the_lists_and_keeps_the_wish_for_notes(void **state) {
  (void)state;
  struct ls_actions actions = {.wants_notes = 1};
  actions.items = calloc(1, sizeof *actions.items);
  actions.ranges = calloc(1, sizeof *actions.ranges);
  actions.notes = calloc(1, sizeof *actions.notes);
  actions.capacity = actions.ranges_capacity = actions.notes_capacity = 1;
  ls_actions_close(&actions);
  assert_null(actions.items);
  assert_int_equal(actions.capacity, 0);
  assert_int_equal(actions.wants_notes, 1);
  ls_actions_close(&actions);
}

static void without_the_wish_no_notes_are_made(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  rig_open(&rig, &config);
  rig.actions.wants_notes = 0;
  rig_start(&rig, 1, 1);
  rig_ready(&rig, 0);
  rig_done(&rig, 0, 0, 0, 1);
  assert_int_equal(rig.actions.notes_count, 0);
  assert_int_equal(rig.actions.notes_capacity, 0);
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_action_has_its_own_words),
      cmocka_unit_test(names_are_distinct),
      cmocka_unit_test(closing_releases_the_lists_and_keeps_the_wish_for_notes),
      cmocka_unit_test(without_the_wish_no_notes_are_made),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
