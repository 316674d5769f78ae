/* A result is accepted once, for units that its worker owes. */
#include "harness.h"

/* Chunk 0 of units 0 .. 9 at worker 0; worker 1 idles. */
static void open_with_ten(struct rig *rig, uint32_t retries) {
  struct ls_coordinator_config config = rig_config(10);
  config.retries = retries;
  rig_open(rig, &config);
  rig_start(rig, 2, 30);
  assert_string_equal(rig_ready(rig, 0), "send worker 0 chunk 0: 0+10");
}

static void parts_of_a_chunk_are_settled_one_by_one(void **state) {
  (void)state;
  struct rig rig;
  open_with_ten(&rig, 0);
  assert_string_equal(rig_done(&rig, 0, 0, 0, 2), "settle worker 0 chunk 0: 0+2 done");
  assert_string_equal(rig_done(&rig, 0, 0, 5, 2), "settle worker 0 chunk 0: 5+2 done");
  assert_string_equal(rig_done(&rig, 0, 0, 9, 1), "settle worker 0 chunk 0: 9+1 done");
  assert_string_equal(rig_done(&rig, 0, 0, 2, 3), "settle worker 0 chunk 0: 2+3 done");
  assert_string_equal(rig_done(&rig, 0, 0, 7, 2), "settle worker 0 chunk 0: 7+2 done");
  assert_int_equal(rig_totals(&rig).sent, 0);
  assert_int_equal(rig_totals(&rig).done, 10);
  assert_int_equal(rig_totals(&rig).results_dropped, 0);
  rig_close(&rig);
}

static void a_second_copy_is_dropped_and_counted(void **state) {
  (void)state;
  struct rig rig;
  open_with_ten(&rig, 0);
  rig_done(&rig, 0, 0, 0, 10);
  assert_string_equal(rig_done(&rig, 0, 0, 0, 10), "");
  assert_true(rig_noted(&rig, LS_NOTE_DROPPED));
  assert_int_equal(rig_totals(&rig).results_dropped, 1);
  assert_int_equal(rig_totals(&rig).done, 10);
  rig_close(&rig);
}

/* The accepted parts around a settled middle; the rest of the result is dropped. */
static void only_the_units_still_owed_are_accepted(void **state) {
  (void)state;
  struct rig rig;
  open_with_ten(&rig, 0);
  rig_done(&rig, 0, 0, 4, 2);
  assert_string_equal(rig_done(&rig, 0, 0, 2, 8),
                      "settle worker 0 chunk 0: 2+2 done; settle worker 0 chunk 0: 6+4 done");
  assert_int_equal(rig_totals(&rig).results_dropped, 1);
  assert_int_equal(rig_totals(&rig).done, 10 - 2);
  assert_string_equal(rig_done(&rig, 0, 0, 0, 30), "settle worker 0 chunk 0: 0+2 done");
  rig_close(&rig);
}

static void nonsense_changes_nothing(void **state) {
  (void)state;
  const struct {
    uint32_t worker;
    uint64_t chunk;
    struct ls_range units;
  } cases[] = {
      {0, 0, {10, 1}},         /* waits */
      {0, 0, {0, 0}},          /* empty */
      {0, 0, {30, 1}},         /* behind the end */
      {0, 0, {29, 2}},         /* over the end */
      {0, 0, {5, UINT64_MAX}}, /* overflows */
      {0, 0, {UINT64_MAX, 2}}, /* overflows */
      {0, 1, {0, 1}},          /* no such chunk */
      {1, 0, {0, 1}},          /* not its chunk */
      {7, 0, {0, 1}},          /* never joined */
  };
  struct rig rig;
  open_with_ten(&rig, 0);
  struct ls_coordinator_totals before = rig_totals(&rig);
  size_t count = sizeof cases / sizeof cases[0];
  for (size_t i = 0; i < count; i++) {
    for (int j = 0; j < LS_OUTCOME_COUNT; j++) {
      enum ls_outcome outcome = (enum ls_outcome)j;
      if (!ls_outcome_is_result(outcome)) continue;
      assert_string_equal(
          rig_result(&rig, cases[i].worker, cases[i].chunk, cases[i].units, outcome), "");
    }
  }
  before.results_dropped = 4 * count; /* done, failed, timed out, cancelled */
  struct ls_coordinator_totals after = rig_totals(&rig);
  assert_same_totals(&before, &after);
  rig_close(&rig);
}

static void a_failed_task_is_tried_again_so_often_and_no_more(void **state) {
  (void)state;
  for (uint32_t retries = 0; retries < 4; retries++) {
    struct ls_coordinator_config config = rig_config(1);
    config.retries = retries;
    struct rig rig;
    rig_open(&rig, &config);
    rig_start(&rig, 1, 2);
    uint64_t chunk = 0;
    for (uint32_t attempt = 0; attempt < retries; attempt++) {
      rig_ready(&rig, 0);
      assert_string_equal(rig_result(&rig, 0, chunk++, (struct ls_range){0, 1},
                                     attempt % 2 == 0 ? LS_OUTCOME_FAILED : LS_OUTCOME_TIMED_OUT),
                          "");
      assert_true(rig_noted(&rig, LS_NOTE_FAILED));
    }
    rig_ready(&rig, 0);
    rig_result(&rig, 0, chunk++, (struct ls_range){0, 1}, LS_OUTCOME_FAILED);
    assert_int_equal(rig.actions.count, 1);
    assert_int_equal(rig.actions.items[0].settle.outcome, LS_OUTCOME_FAILED);
    assert_true(rig_noted(&rig, LS_NOTE_FAILED_FINALLY));
    assert_int_equal(rig_totals(&rig).failed, 1);
    assert_int_equal(rig_totals(&rig).units_retried, retries);
    assert_int_equal(hearing.returned, retries);
    rig_close(&rig);
  }
}

/* Units of one range are counted one by one: those with an earlier failure are out, others not. */
static void each_unit_of_a_failed_range_counts_for_itself(void **state) {
  (void)state;
  struct rig rig;
  open_with_ten(&rig, 1);
  rig_result(&rig, 0, 0, (struct ls_range){3, 2}, LS_OUTCOME_FAILED);
  hearing.size = 2;
  rig_ready(&rig, 0);
  rig_done(&rig, 0, 0, 0, 3);
  rig_done(&rig, 0, 0, 5, 5);
  rig_result(&rig, 0, 1, (struct ls_range){4, 1}, LS_OUTCOME_CANCELLED);
  rig_result(&rig, 0, 1, (struct ls_range){3, 1}, LS_OUTCOME_CANCELLED);
  hearing.size = 4;
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 2: 3+2 10+2");
  assert_string_equal(rig_result(&rig, 0, 2, (struct ls_range){10, 1}, LS_OUTCOME_FAILED), "");
  assert_string_equal(rig_result(&rig, 0, 2, (struct ls_range){3, 2}, LS_OUTCOME_FAILED),
                      "settle worker 0 chunk 2: 3+2 failed");
  assert_int_equal(rig_totals(&rig).units_retried, 3);
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 3: 10+1 12+3");
  rig_close(&rig);
}

static void one_range_may_have_several_fates(void **state) {
  (void)state;
  struct rig rig;
  open_with_ten(&rig, 1);
  rig_result(&rig, 0, 0, (struct ls_range){3, 2}, LS_OUTCOME_FAILED);
  rig_worker(&rig, LS_EVENT_LOST, 0);
  rig_ready(&rig, 1);
  /* Chunk 1 holds 0..9 again, in the order 0 1 2 5 6 7 8 9 3 4: the last loss goes first. */
  assert_string_equal(rig_result(&rig, 1, 1, (struct ls_range){2, 4}, LS_OUTCOME_FAILED),
                      "settle worker 1 chunk 1: 3+2 failed");
  assert_int_equal(rig_totals(&rig).waiting, 22);
  assert_int_equal(rig_totals(&rig).sent, 6);
  rig_close(&rig);
}

static void cancelled_units_go_back_without_blame(void **state) {
  (void)state;
  struct rig rig;
  open_with_ten(&rig, 0);
  assert_string_equal(rig_result(&rig, 0, 0, (struct ls_range){2, 8}, LS_OUTCOME_CANCELLED), "");
  assert_true(rig_noted(&rig, LS_NOTE_BACK));
  assert_int_equal(rig_totals(&rig).units_retried, 0);
  assert_int_equal(rig_totals(&rig).units_returned, 8);
  assert_int_equal(hearing.returned, 8);
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 1: 2+10");
  rig_close(&rig);
}

/* A result of a range that other pieces of the chunk cover in another order is one SETTLE. */
static void adjacent_accepted_units_are_one_action(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(4);
  config.ordering = &backwards;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 4);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 0: 3+1 2+1 1+1 0+1");
  assert_string_equal(rig_done(&rig, 0, 0, 1, 2), "settle worker 0 chunk 0: 1+2 done");
  assert_string_equal(rig_done(&rig, 0, 0, 0, 4),
                      "settle worker 0 chunk 0: 3+1 done; settle worker 0 chunk 0: 0+1 done; "
                      "iteration done 0");
  rig_close(&rig);
}

static uint64_t settle_first(struct rig *rig, uint64_t chunk, enum ls_outcome outcome) {
  rig_result(rig, 1, chunk, (struct ls_range){0, 1}, outcome);
  assert_int_equal(rig->actions.items[0].kind, LS_ACTION_SETTLE);
  return rig->actions.items[0].settle.attempt;
}

/* A job log says which attempt it was that settled a task; lost workers count as attempts. */
static void a_settled_unit_tells_its_attempt(void **state) {
  (void)state;
  for (int is_failing = 0; is_failing < 2; is_failing++) {
    struct ls_coordinator_config config = rig_config(1);
    config.retries = 1;
    config.kills_max = 5;
    struct rig rig;
    rig_open(&rig, &config);
    rig_start(&rig, 2, 9);
    rig_ready(&rig, 0);
    rig_worker(&rig, LS_EVENT_LOST, 0);
    rig_ready(&rig, 1);
    rig_result(&rig, 1, 1, (struct ls_range){0, 1}, LS_OUTCOME_FAILED);
    rig_ready(&rig, 1);
    assert_int_equal(settle_first(&rig, 2, is_failing ? LS_OUTCOME_FAILED : LS_OUTCOME_DONE), 3);
    rig_close(&rig);
  }
}

/* Unit k of ten took k + 1 seconds; the last `listed` of these are told one by one. */
static const char *finish_ten(struct rig *rig, size_t listed) {
  double times[10], squares = 0;
  for (size_t i = 0; i < 10; i++) {
    times[i] = (double)(i + 1);
    squares += times[i] * times[i];
  }
  return rig_step(rig, (struct ls_event){.kind = LS_EVENT_RESULT,
                                         .worker = 0,
                                         .result = {.units = {0, 10},
                                                    .seconds = 55,
                                                    .squares = squares,
                                                    .latest = times + 10 - listed,
                                                    .latest_count = listed}});
}

/* Where two units were settled before, the policy hears of the other eight, and of their times. */
static void of_a_result_accepted_in_part_its_own_times_are_kept(void **state) {
  static const struct ls_parameter parameters[] = {
      {"history", "units", LS_PARAMETER_WHOLE, 20, 1, 100, NULL}, {0}};
  static const double own[] = {1, 2, 3, 4, 7, 8, 9, 10};
  struct ls_chunking looking_back = hearing_policy;
  struct rig rig;
  (void)state;
  looking_back.parameters = parameters;
  for (size_t listed = 0; listed <= 10; listed++) {
    struct ls_coordinator_config config = rig_config(10);
    config.chunking = &looking_back;
    ls_arguments_init(&config.arguments, parameters);
    rig_open(&rig, &config);
    rig_start(&rig, 2, 30);
    rig_ready(&rig, 0);
    rig_result(&rig, 0, 0, (struct ls_range){4, 2}, LS_OUTCOME_FAILED);
    finish_ten(&rig, listed);
    assert_int_equal(rig_totals(&rig).done, 8);
    assert_int_equal(rig_totals(&rig).results_dropped, 1);
    rig_ready(&rig, 0);
    size_t kept = listed <= 4 ? listed : listed == 5 ? 4 : listed - 2;
    assert_int_equal(hearing.report.units, 8);
    assert_int_equal(hearing.report.latest_count, kept);
    for (size_t i = 0; i < kept; i++)
      assert_true(fabs(hearing.report.latest[i] - own[8 - kept + i]) < 1e-12);
    /* What is not told one by one counts as equal. */
    double others = (double)(10 - listed), others_s = others * (others + 1) / 2, own_s = 0;
    for (size_t i = 8 - kept; i < 8; i++) own_s += own[i];
    if (listed < 10) own_s += others_s / others * (double)(8 - kept);
    assert_true(fabs(hearing.report.seconds - own_s) < 1e-9);
    if (listed == 10) assert_true(fabs(hearing.report.squares - (385 - 25 - 36)) < 1e-9);
    rig_close(&rig);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_settled_unit_tells_its_attempt),
      cmocka_unit_test(parts_of_a_chunk_are_settled_one_by_one),
      cmocka_unit_test(a_second_copy_is_dropped_and_counted),
      cmocka_unit_test(only_the_units_still_owed_are_accepted),
      cmocka_unit_test(nonsense_changes_nothing),
      cmocka_unit_test(a_failed_task_is_tried_again_so_often_and_no_more),
      cmocka_unit_test(each_unit_of_a_failed_range_counts_for_itself),
      cmocka_unit_test(one_range_may_have_several_fates),
      cmocka_unit_test(cancelled_units_go_back_without_blame),
      cmocka_unit_test(adjacent_accepted_units_are_one_action),
      cmocka_unit_test(of_a_result_accepted_in_part_its_own_times_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
