/* Results in a planned order: one FETCH at a time, in order, and what a loss takes is not waited
 * for.
 */
#include "harness.h"

static struct ls_plan_chunk chunks[] = {{.worker = 0, .units = 2},
                                        {.worker = 1, .units = 3},
                                        {.worker = 0, .units = 1},
                                        {.worker = 1, .units = 2}};
static size_t order[] = {3, 0, 1};

static struct ls_plan make_plan(size_t *returns, size_t count) {
  return (struct ls_plan){.chunks = chunks,
                          .chunks_count = 4,
                          .has_returns = true,
                          .returns = returns,
                          .returns_count = count};
}

static void open_plan(struct rig *rig, size_t *returns, size_t count) {
  const struct ls_plan plan = make_plan(returns, count);
  struct ls_coordinator_config config = rig_config(0);
  config.chunking = ls_chunking_find("follow-plan");
  config.plan = &plan;
  rig_open(rig, &config);
  rig_start(rig, 2, 8);
}

static const char *set_free(struct rig *rig) {
  return rig_step(rig, (struct ls_event){.kind = LS_EVENT_FREE});
}

static enum ls_result_way find_way(const struct rig *rig) {
  assert_int_equal(rig->actions.items[0].kind, LS_ACTION_SEND);
  return rig->actions.items[0].send.way;
}

static void results_are_fetched_in_the_order_of_the_plan(void **state) {
  struct rig rig;
  (void)state;
  open_plan(&rig, order, 3);
  assert_string_equal(set_free(&rig), "send worker 0 chunk 0: 0+2");
  assert_int_equal(find_way(&rig), LS_RESULT_HELD);
  assert_string_equal(set_free(&rig), "send worker 1 chunk 1: 2+3");
  assert_string_equal(set_free(&rig), "send worker 0 chunk 2: 5+1");
  /* Not in the order: it does not wait, and has no reply. */
  assert_int_equal(find_way(&rig), LS_RESULT_WEIGHTLESS);
  /* The first in order is out now. */
  assert_string_equal(set_free(&rig), "send worker 1 chunk 3: 6+2; fetch worker 1 chunk 3");
  assert_string_equal(rig_done(&rig, 0, 2, 5, 1), "settle worker 0 chunk 2: 5+1 done");
  assert_string_equal(rig_done(&rig, 1, 3, 6, 1), "settle worker 1 chunk 3: 6+1 done");
  assert_string_equal(rig_done(&rig, 1, 3, 7, 1),
                      "settle worker 1 chunk 3: 7+1 done; fetch worker 0 chunk 0");
  assert_string_equal(rig_done(&rig, 0, 0, 0, 2),
                      "settle worker 0 chunk 0: 0+2 done; fetch worker 1 chunk 1");
  assert_string_equal(rig_done(&rig, 1, 1, 2, 3),
                      "settle worker 1 chunk 1: 2+3 done; iteration done 0");
  rig_close(&rig);
}

static void what_a_loss_took_is_not_waited_for(void **state) {
  struct rig rig;
  (void)state;
  open_plan(&rig, order, 3);
  for (int i = 0; i < 4; i++) set_free(&rig);
  /* Chunk 3 was asked for; with its worker it is gone, and so is chunk 1. */
  const char *words = rig_worker(&rig, LS_EVENT_LOST, 1);
  assert_non_null(strstr(words, "fetch worker 0 chunk 0"));
  rig_done(&rig, 0, 0, 0, 2);
  /* The units go out again, in chunks that nobody planned. */
  words = set_free(&rig);
  assert_non_null(strstr(words, "send worker 0 chunk 4"));
  assert_int_equal(find_way(&rig), LS_RESULT_AS_COMPUTED);
  assert_null(strstr(words, "fetch"));
  rig_close(&rig);
}

/* Two of four chunks are out, and the first in the order is not: nobody would ever ask for what the
 * two workers hold. */
static void behind_a_stop_only_what_is_out_is_fetched(void **state) {
  struct rig rig;
  (void)state;
  open_plan(&rig, order, 3);
  set_free(&rig);
  assert_string_equal(set_free(&rig), "send worker 1 chunk 1: 2+3");
  assert_string_equal(rig_step(&rig, (struct ls_event){.kind = LS_EVENT_STOP}),
                      "fetch worker 0 chunk 0");
  assert_string_equal(rig_done(&rig, 0, 0, 0, 2),
                      "settle worker 0 chunk 0: 0+2 done; fetch worker 1 chunk 1");
  assert_non_null(strstr(rig_done(&rig, 1, 1, 2, 3), "finish"));
  rig_close(&rig);
}

/* A cancelled chunk lets its results go by itself. */
static void behind_a_stop_at_once_nothing_is_fetched(void **state) {
  struct rig rig;
  (void)state;
  open_plan(&rig, order, 3);
  set_free(&rig);
  set_free(&rig);
  assert_string_equal(rig_step(&rig, (struct ls_event){.kind = LS_EVENT_STOP, .is_hard = true}),
                      "cancel worker 0 chunk 0; cancel worker 1 chunk 1");
  rig_close(&rig);
}

/* As in a resumed run: the last chunks of the plan have no units any more. */
static void chunks_without_units_are_not_waited_for(void **state) {
  struct rig rig;
  (void)state;
  open_plan(&rig, order, 3);
  for (uint64_t i = 0; i < 4; i++) set_free(&rig);
  rig_done(&rig, 0, 2, 5, 1);
  rig_done(&rig, 1, 3, 6, 2);
  rig_done(&rig, 0, 0, 0, 2);
  rig_done(&rig, 1, 1, 2, 3);
  rig_iteration(&rig, 4);
  assert_non_null(strstr(set_free(&rig), "send worker 0 chunk 4: 0+2"));
  assert_string_equal(set_free(&rig), "send worker 1 chunk 5: 2+2; fetch worker 0 chunk 4");
  rig_close(&rig);
}

/* All units are out, so the order goes past chunk 2, which has none; then a loss gives it some.
 * Nobody would ever fetch its result. */
static void a_chunk_that_goes_out_behind_its_turn_is_not_held(void **state) {
  static size_t last_first[] = {2, 0};
  struct rig rig;
  (void)state;
  open_plan(&rig, last_first, 2);
  for (uint64_t i = 0; i < 4; i++) set_free(&rig);
  rig_done(&rig, 1, 1, 2, 3);
  rig_done(&rig, 1, 3, 6, 2);
  rig_done(&rig, 0, 2, 5, 1);
  rig_done(&rig, 0, 0, 0, 2);
  rig_iteration(&rig, 5);
  assert_string_equal(set_free(&rig), "send worker 0 chunk 4: 0+2");
  assert_int_equal(find_way(&rig), LS_RESULT_HELD);
  assert_string_equal(set_free(&rig), "send worker 1 chunk 5: 2+3; fetch worker 0 chunk 4");
  rig_worker(&rig, LS_EVENT_LOST, 1);
  assert_string_equal(set_free(&rig), "send worker 0 chunk 6: 2+1");
  assert_int_equal(find_way(&rig), LS_RESULT_AS_COMPUTED);
  rig_close(&rig);
}

static void the_next_iteration_fetches_from_the_beginning(void **state) {
  struct rig rig;
  static size_t one[] = {0};
  (void)state;
  open_plan(&rig, one, 1);
  for (uint64_t k = 0; k < 2; k++) {
    char fetch[64];
    snprintf(fetch, sizeof fetch, "fetch worker 0 chunk %d", (int)(4 * k));
    assert_non_null(strstr(set_free(&rig), fetch));
    for (int i = 0; i < 3; i++) set_free(&rig);
    uint64_t first = 0;
    for (uint64_t i = 0; i < 4; i++) {
      uint64_t units = (uint64_t)chunks[i].units;
      rig_done(&rig, chunks[i].worker, 4 * k + i, first, units);
      first += units;
    }
    if (k == 0) rig_iteration(&rig, 8);
  }
  rig_close(&rig);
}

static const char *come_back(struct rig *rig, uint32_t worker, const struct ls_event_held *held,
                             size_t count) {
  return rig_step(rig, (struct ls_event){.kind = LS_EVENT_RESUMED,
                                         .worker = worker,
                                         .resumed = {held, count, .is_told = true}});
}

/* The connection is a new one before anybody noticed the end of the old one, and with it of the
 * FETCH: nobody else would ask, and the worker waits for it. */
static void what_was_asked_for_before_a_cut_is_asked_for_again(void **state) {
  static const struct ls_event_held held[] = {{1, {2, 3}}, {3, {6, 2}}};
  struct rig rig;
  (void)state;
  open_plan(&rig, order, 3);
  for (int i = 0; i < 3; i++) set_free(&rig);
  assert_string_equal(set_free(&rig), "send worker 1 chunk 3: 6+2; fetch worker 1 chunk 3");
  assert_string_equal(come_back(&rig, 1, held, 2), "fetch worker 1 chunk 3");
  /* Nothing was asked of the other one. */
  static const struct ls_event_held others[] = {{0, {0, 2}}, {2, {5, 1}}};
  assert_string_equal(come_back(&rig, 0, others, 2), "");
  assert_string_equal(rig_done(&rig, 1, 3, 6, 2),
                      "settle worker 1 chunk 3: 6+2 done; fetch worker 0 chunk 0");
  rig_close(&rig);
}

/* Nobody tells what it has computed and holds, so all that it was sent is its own. */
static void what_never_reached_one_that_leaves_goes_out_again(void **state) {
  static const struct ls_event_held held[] = {{1, {2, 1}}};
  struct rig rig;
  (void)state;
  open_plan(&rig, order, 3);
  for (int i = 0; i < 4; i++) set_free(&rig);
  rig_worker(&rig, LS_EVENT_LEAVING, 1);
  assert_int_equal(rig_totals(&rig).waiting, 0);
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_RESUMED,
                                   .worker = 1,
                                   .resumed = {.held = held, .held_count = 1, .is_told = true}});
  /* Of chunk 1 two units, and the whole of chunk 3. */
  assert_int_equal(rig_totals(&rig).waiting, 4);
  rig_close(&rig);
}

/* Something that it runs stops the worker, and it goes on; what the master says to the first. */
static const char *stop(struct rig *rig, uint32_t worker) {
  static char words[256];
  snprintf(words, sizeof words, "%s",
           rig_step(rig, rig_suspended(rig->now_s, worker, LS_AWAY_STOPPED)));
  rig_worker(rig, LS_EVENT_RESUMED, worker);
  return words;
}

/* Worker 0 runs chunk 0, which is asked for, and holds chunk 2 behind it; worker 1 has no chunk of
 * the order, and loses all that it gets, again and again. */
static void open_in_vain(struct rig *rig) {
  static size_t of_one[] = {0, 2};
  open_plan(rig, of_one, 2);
  assert_string_equal(set_free(rig), "send worker 0 chunk 0: 0+2; fetch worker 0 chunk 0");
  for (int i = 0; i < 3; i++) set_free(rig);
  assert_string_equal(stop(rig, 1), "cancel worker 1 chunk 1; cancel worker 1 chunk 3");
  assert_string_equal(set_free(rig), "send worker 1 chunk 4: 2+2");
  assert_string_equal(stop(rig, 1), "cancel worker 1 chunk 4");
  assert_string_equal(set_free(rig), "send worker 1 chunk 5: 2+2");
}

/* What stops its workers would be cancelled each time, and never come to its end. */
static void who_stops_its_workers_again_and_again_ends_the_order(void **state) {
  struct rig rig;
  (void)state;
  open_in_vain(&rig);
  /* As often as there are workers may be chance. */
  assert_string_equal(stop(&rig, 1), "cancel worker 1 chunk 5; fetch worker 0 chunk 2");
  assert_string_equal(set_free(&rig), "send worker 1 chunk 6: 2+2");
  assert_int_equal(find_way(&rig), LS_RESULT_AS_COMPUTED);
  /* It goes on with that, and how it ends counts. */
  assert_null(strstr(stop(&rig, 1), "cancel"));
  assert_string_equal(rig_result(&rig, 1, 6, (struct ls_range){2, 1}, LS_OUTCOME_TIMED_OUT),
                      "settle worker 1 chunk 6: 2+1 failed");
  rig_done(&rig, 0, 0, 0, 2);
  rig_done(&rig, 0, 2, 5, 1);
  /* The next iteration has its order again. */
  while (rig_totals(&rig).waiting > 0) set_free(&rig);
  for (uint64_t unit = 3; unit < 8; unit++)
    for (uint64_t chunk = 6; chunk <= 10; chunk++) rig_done(&rig, 1, chunk, unit, 1);
  assert_int_equal(rig_totals(&rig).done, 7);
  rig_iteration(&rig, 8);
  assert_non_null(strstr(set_free(&rig), "fetch worker 0"));
  assert_int_equal(find_way(&rig), LS_RESULT_HELD);
  rig_close(&rig);
}

static void while_units_are_settled_the_order_is_kept(void **state) {
  struct rig rig;
  (void)state;
  open_in_vain(&rig);
  assert_string_equal(rig_done(&rig, 1, 5, 2, 1), "settle worker 1 chunk 5: 2+1 done");
  assert_string_equal(stop(&rig, 1), "cancel worker 1 chunk 5");
  /* Who has nothing loses nothing, and what somebody took with the machine stopped nobody. */
  assert_string_equal(stop(&rig, 1), "");
  for (int i = 0; i < 3; i++) {
    rig_vacate(&rig, 1);
    rig_worker(&rig, LS_EVENT_RESUMED, 1);
    set_free(&rig);
  }
  assert_null(strstr(stop(&rig, 1), "fetch"));
  set_free(&rig);
  assert_non_null(strstr(stop(&rig, 1), "fetch worker 0 chunk 2"));
  rig_close(&rig);
}

/* An empty order is one: no result has a reply. */
static void a_plan_without_returns_waits_for_none(void **state) {
  struct rig rig;
  (void)state;
  open_plan(&rig, NULL, 0);
  for (int i = 0; i < 4; i++) {
    assert_null(strstr(set_free(&rig), "fetch"));
    assert_int_equal(find_way(&rig), LS_RESULT_WEIGHTLESS);
  }
  rig_close(&rig);
}

static void a_wrong_order_is_refused(void **state) {
  static size_t far[] = {4}, twice[] = {1, 1};
  struct ls_coordinator_config config = rig_config(0);
  struct ls_coordinator *coordinator = NULL;
  struct ls_error err = {0};
  (void)state;
  config.chunking = ls_chunking_find("follow-plan");
  struct ls_plan plan = make_plan(far, 1);
  config.plan = &plan;
  assert_int_equal(ls_coordinator_create(&config, &coordinator, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "returns[0] is 4, must be below 4"));
  plan = make_plan(twice, 2);
  assert_int_equal(ls_coordinator_create(&config, &coordinator, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "returns[1]: chunk 1 is listed twice"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_are_fetched_in_the_order_of_the_plan),
      cmocka_unit_test(what_a_loss_took_is_not_waited_for),
      cmocka_unit_test(behind_a_stop_only_what_is_out_is_fetched),
      cmocka_unit_test(behind_a_stop_at_once_nothing_is_fetched),
      cmocka_unit_test(chunks_without_units_are_not_waited_for),
      cmocka_unit_test(a_chunk_that_goes_out_behind_its_turn_is_not_held),
      cmocka_unit_test(what_was_asked_for_before_a_cut_is_asked_for_again),
      cmocka_unit_test(the_next_iteration_fetches_from_the_beginning),
      cmocka_unit_test(what_never_reached_one_that_leaves_goes_out_again),
      cmocka_unit_test(a_plan_without_returns_waits_for_none),
      cmocka_unit_test(who_stops_its_workers_again_and_again_ends_the_order),
      cmocka_unit_test(while_units_are_settled_the_order_is_kept),
      cmocka_unit_test(a_wrong_order_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
