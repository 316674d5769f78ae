/* Where the units are bound to slots nobody else ever has them, whoever comes and goes. */
#include "harness.h"

#include "base/random.h"
#include "policies/ordering.h"
#include "policies/replication.h"
#include "policies/sizing.h"

static struct ls_coordinator_config config_of(size_t homes) {
  struct ls_coordinator_config config = rig_config(1);
  config.workers = config.homes = homes;
  config.retries = 1;
  config.spares_newcomers = true;
  return config;
}

static void join(struct rig *rig, double now_s, uint32_t slot) {
  rig_at(rig, now_s, LS_EVENT_JOINED, slot);
}

/* Opens a run over slots that are homes, all of them filled. */
static void open_homes(struct rig *rig, uint32_t homes, uint64_t units) {
  struct ls_coordinator_config config = config_of(homes);
  rig_open(rig, &config);
  rig_iteration(rig, units);
  for (uint32_t i = 0; i < homes; i++) join(rig, 0, i);
}

static const char *end(struct rig *rig, double now_s, uint32_t slot, uint64_t chunk, uint64_t unit,
                       enum ls_outcome outcome) {
  return rig_step(
      rig, (struct ls_event){
               .kind = LS_EVENT_RESULT,
               .now_s = now_s,
               .worker = slot,
               .result = {.chunk = chunk, .units = {unit, 1}, .outcome = outcome, .seconds = 1}});
}

static void each_slot_has_its_own_part_in_order(void **state) {
  struct rig rig;
  (void)state;
  open_homes(&rig, 3, 6);
  assert_string_equal(rig_step(&rig, rig_asking(0, 2, 1)), "send worker 2 chunk 0: 4+1");
  assert_string_equal(rig_step(&rig, rig_asking(0, 0, 1)), "send worker 0 chunk 1: 0+1");
  assert_string_equal(rig_step(&rig, rig_asking(0, 1, 1)), "send worker 1 chunk 2: 2+1");
  assert_string_equal(end(&rig, 1, 1, 2, 2, LS_OUTCOME_DONE), "settle worker 1 chunk 2: 2+1 done");
  assert_string_equal(rig_step(&rig, rig_asking(1, 1, 1)), "send worker 1 chunk 3: 3+1");
  end(&rig, 2, 1, 3, 3, LS_OUTCOME_DONE);
  /* What waits is for others. */
  assert_string_equal(rig_step(&rig, rig_asking(2, 1, 1)), "");
  assert_int_equal(rig_totals(&rig).waiting, 2);
  rig_close(&rig);
}

static void what_comes_back_waits_for_its_own_slot(void **state) {
  struct rig rig;
  (void)state;
  open_homes(&rig, 2, 2);
  for (uint32_t i = 0; i < 2; i++) rig_step(&rig, rig_asking(0, i, 1));
  end(&rig, 1, 0, 0, 0, LS_OUTCOME_DONE);
  assert_string_equal(rig_step(&rig, rig_asking(1, 0, 1)), "");
  /* A failure, and then the loss of its worker: the idle one does not get it. */
  end(&rig, 2, 1, 1, 1, LS_OUTCOME_FAILED);
  assert_string_equal(rig_step(&rig, rig_asking(2, 1, 1)), "send worker 1 chunk 2: 1+1");
  rig_step(&rig, (struct ls_event){
                     .kind = LS_EVENT_LOST, .now_s = 3, .worker = 1, .lost = LS_LOSS_RECLAIMED});
  assert_int_equal(rig_totals(&rig).waiting, 1);
  join(&rig, 4, 1);
  assert_string_equal(rig_step(&rig, rig_asking(4, 1, 1)), "send worker 1 chunk 3: 1+1");
  assert_string_equal(end(&rig, 5, 1, 3, 1, LS_OUTCOME_DONE),
                      "settle worker 1 chunk 3: 1+1 done; iteration done 0");
  rig_close(&rig);
}

/* What runs at one that is away is not copied to an idle one, though it has nothing else. */
static void nobody_runs_what_is_at_one_that_is_away(void **state) {
  struct rig rig;
  (void)state;
  open_homes(&rig, 2, 2);
  for (uint32_t i = 0; i < 2; i++) rig_step(&rig, rig_asking(0, i, 1));
  end(&rig, 1, 0, 0, 0, LS_OUTCOME_DONE);
  rig_step(&rig, rig_asking(1, 0, 1));
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_SUSPENDED,
                                   .now_s = 2,
                                   .worker = 1,
                                   .suspended = {.reason = LS_AWAY_CUT}});
  assert_int_equal(rig_totals(&rig).replicas, 0);
  assert_string_equal(rig_step(&rig, rig_asking(3, 0, 1)), "");
  rig_close(&rig);
}

/* It fell silent and is lost; the next worker in its slot gets what it may have, for nobody else
 * could have it: what is in no doubt first, and the rest when it has nothing else. */
static void what_a_lost_worker_may_have_waits_for_the_next_one_there(void **state) {
  struct rig rig;
  (void)state;
  open_homes(&rig, 2, 8);
  rig_step(&rig, rig_asking(0, 1, 3));
  rig_step(&rig, rig_suspended(1, 1, LS_AWAY_CUT));
  rig_step(&rig, (struct ls_event){
                     .kind = LS_EVENT_LOST, .now_s = 2, .worker = 1, .lost = LS_LOSS_SILENT});
  join(&rig, 3, 1);
  assert_string_equal(rig_step(&rig, rig_asking(3, 1, 3)), "send worker 1 chunk 3: 7+1");
  assert_string_equal(rig_step(&rig, rig_asking(3, 1, 3)), "");
  assert_string_equal(end(&rig, 4, 1, 3, 7, LS_OUTCOME_DONE),
                      "settle worker 1 chunk 3: 7+1 done; send worker 1 chunk 4: 4+1");
  assert_string_equal(rig_step(&rig, rig_asking(4, 0, 1)), "send worker 0 chunk 5: 0+1");
  rig_close(&rig);
}

static void what_an_earlier_session_did_is_not_repeated(void **state) {
  struct rig rig;
  (void)state;
  struct ls_coordinator_config config = config_of(2);
  const struct ls_range done[] = {{0, 1}, {3, 2}};
  const struct ls_coordinator_past past = {.done = done, .done_count = 2};
  rig_open(&rig, &config);
  assert_int_equal(ls_coordinator_restore(rig.coordinator, &past, NULL), LS_OK);
  rig_iteration(&rig, 6);
  for (uint32_t i = 0; i < 2; i++) join(&rig, 0, i);
  assert_string_equal(rig_step(&rig, rig_asking(0, 1, 1)), "send worker 1 chunk 0: 5+1");
  assert_string_equal(rig_step(&rig, rig_asking(0, 0, 1)), "send worker 0 chunk 1: 1+1");
  rig_close(&rig);
}

/* Whatever comes and goes: every unit settles once, at its own slot. */
static void each_unit_is_settled_at_home(void **state) {
  enum { HOMES = 5, PART = 7 };
  (void)state;
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct rig rig;
    struct ls_random chance;
    struct ls_coordinator_config config = config_of(HOMES);
    bool is_there[HOMES] = {false};
    uint64_t chunk_of[HOMES], unit_of[HOMES], seen[HOMES] = {0};
    bool is_busy[HOMES] = {false};
    ls_random_init(&chance, seed, "homes");
    rig_open(&rig, &config);
    rig_iteration(&rig, (uint64_t)HOMES * PART);
    for (int step = 1; rig_totals(&rig).done < (uint64_t)HOMES * PART; step++) {
      uint32_t slot = (uint32_t)ls_random_below(&chance, HOMES);
      assert_true(step < 20000);
      if (!is_there[slot]) {
        join(&rig, step, slot);
        is_there[slot] = true;
      } else if (ls_random_below(&chance, 8) == 0) {
        rig_step(
            &rig,
            (struct ls_event){
                .kind = LS_EVENT_LOST, .now_s = step, .worker = slot, .lost = LS_LOSS_RECLAIMED});
        is_there[slot] = is_busy[slot] = false;
      } else if (is_busy[slot]) {
        end(&rig, step, slot, chunk_of[slot], unit_of[slot], LS_OUTCOME_DONE);
        is_busy[slot] = false;
        seen[slot]++;
      } else {
        rig_step(&rig, rig_asking(step, slot, 1));
      }
      for (size_t i = 0; i < rig.actions.count; i++) {
        const struct ls_action *action = &rig.actions.items[i];
        if (action->kind != LS_ACTION_SEND) continue;
        struct ls_range range = rig.actions.ranges[action->send.first_range];
        assert_int_equal(range.count, 1);
        assert_int_equal(range.first / PART, action->worker);
        chunk_of[action->worker] = action->send.chunk;
        unit_of[action->worker] = range.first;
        is_busy[action->worker] = true;
      }
    }
    for (size_t i = 0; i < HOMES; i++) assert_int_equal(seen[i], PART);
    rig_close(&rig);
  }
}

static void refuse(const struct ls_coordinator_config *config, const char *words) {
  struct ls_coordinator *made = NULL;
  struct ls_error err;
  assert_int_equal(ls_coordinator_create(config, &made, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, words));
}

static void what_moves_units_is_refused(void **state) {
  (void)state;
  struct ls_coordinator_config config = config_of(2);
  config.homes = 3;
  refuse(&config, "homes is 3, must be at most workers (2)");
  config = config_of(2);
  config.recalls = true;
  refuse(&config, "excludes recalls");
  config = config_of(2);
  config.ordering = ls_ordering_find("random");
  refuse(&config, "excludes random");
  config = config_of(2);
  config.replication = ls_replication_find("complete");
  refuse(&config, "excludes complete");
  config = config_of(2);
  /* It wants no more workers than there are units. */
  config.sizing = ls_sizing_find("fixed");
  refuse(&config, "excludes fixed");
}

static void units_that_cannot_be_divided_are_refused(void **state) {
  struct rig rig;
  struct ls_error err;
  (void)state;
  struct ls_coordinator_config config = config_of(2);
  rig_open(&rig, &config);
  struct ls_event event = {.kind = LS_EVENT_ITERATION, .iteration_units = 3};
  assert_int_equal(ls_coordinator_step(rig.coordinator, &event, &rig.actions, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "3 units, must be a multiple of homes (2)"));
  event =
      (struct ls_event){.kind = LS_EVENT_ITERATION, .iteration_units = 4, .is_incomplete = true};
  assert_int_equal(ls_coordinator_step(rig.coordinator, &event, &rig.actions, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "is incomplete"));
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_slot_has_its_own_part_in_order),
      cmocka_unit_test(what_comes_back_waits_for_its_own_slot),
      cmocka_unit_test(nobody_runs_what_is_at_one_that_is_away),
      cmocka_unit_test(what_a_lost_worker_may_have_waits_for_the_next_one_there),
      cmocka_unit_test(what_an_earlier_session_did_is_not_repeated),
      cmocka_unit_test(each_unit_is_settled_at_home),
      cmocka_unit_test(what_moves_units_is_refused),
      cmocka_unit_test(units_that_cannot_be_divided_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
