/* Units that are bound to slots, or to workers with labels: nobody else ever has them, whoever
 * comes and goes. */
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
  assert_string_equal(rig_step(&rig, rig_asking(0, 0, 1)), "send worker 0 chunk 0: 0+1");
  rig_step(&rig, rig_asking(0, 1, 3));
  rig_step(&rig, rig_suspended(1, 1, LS_AWAY_CUT));
  rig_step(&rig, (struct ls_event){
                     .kind = LS_EVENT_LOST, .now_s = 2, .worker = 1, .lost = LS_LOSS_SILENT});
  join(&rig, 3, 1);
  assert_string_equal(rig_step(&rig, rig_asking(3, 1, 3)), "send worker 1 chunk 4: 7+1");
  assert_string_equal(rig_step(&rig, rig_asking(3, 1, 3)), "");
  assert_string_equal(end(&rig, 4, 1, 4, 7, LS_OUTCOME_DONE),
                      "settle worker 1 chunk 4: 7+1 done; send worker 1 chunk 5: 4+1");
  assert_string_equal(rig_step(&rig, rig_asking(4, 0, 1)), "send worker 0 chunk 6: 1+1");
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

/* ---- labels ---- */

/* Units 0 .. count - 1 are free, and every third one, from 1 on, needs gpu, from 2 on big. */
enum { NEEDS_MAX = 64 };
static struct ls_event_need needs_of_thirds[NEEDS_MAX];

static size_t make_thirds(uint64_t first, uint64_t units) {
  size_t count = 0;
  for (uint64_t i = first; i < first + units; i++) {
    if (i % 3 == 0) continue;
    assert_true(count < NEEDS_MAX);
    needs_of_thirds[count++] = (struct ls_event_need){{i, 1}, i % 3 == 1 ? "gpu" : "big"};
  }
  return count;
}

static struct ls_coordinator_config needing(uint64_t size) {
  struct ls_coordinator_config config = rig_config(size);
  config.has_needs = true;
  config.retries = 1;
  config.spares_newcomers = true;
  return config;
}

static void join_with(struct rig *rig, double now_s, uint32_t slot, const char *labels) {
  rig_step(
      rig,
      (struct ls_event){
          .kind = LS_EVENT_JOINED, .now_s = now_s, .worker = slot, .joined = {.labels = labels}});
}

static void open_thirds(struct rig *rig, uint64_t units) {
  size_t count = make_thirds(0, units);
  rig_step(rig, (struct ls_event){.kind = LS_EVENT_ITERATION,
                                  .iteration_units = units,
                                  .needs = needs_of_thirds,
                                  .needs_count = count});
}

static void a_unit_waits_for_a_worker_that_has_its_label(void **state) {
  struct rig rig;
  (void)state;
  struct ls_coordinator_config config = needing(1);
  rig_open(&rig, &config);
  open_thirds(&rig, 6);
  join_with(&rig, 0, 0, NULL);
  assert_string_equal(rig_step(&rig, rig_asking(0, 0, 1)), "send worker 0 chunk 0: 0+1");
  end(&rig, 1, 0, 0, 0, LS_OUTCOME_DONE);
  assert_string_equal(rig_step(&rig, rig_asking(1, 0, 1)), "send worker 0 chunk 1: 3+1");
  end(&rig, 2, 0, 1, 3, LS_OUTCOME_DONE);
  assert_string_equal(rig_step(&rig, rig_asking(2, 0, 1)), "");
  uint32_t lane = 0;
  struct ls_coordinator_lack lack;
  assert_true(ls_coordinator_next_lack(rig.coordinator, &lane, &lack));
  assert_true(strcmp(lack.label, "gpu") == 0 && lack.units == 2 && lack.unit == 1);
  assert_true(ls_coordinator_next_lack(rig.coordinator, &lane, &lack));
  assert_true(strcmp(lack.label, "big") == 0 && lack.units == 2 && lack.unit == 2);
  assert_false(ls_coordinator_next_lack(rig.coordinator, &lane, &lack));
  join_with(&rig, 3, 1, "a,big");
  lane = 1;
  assert_false(ls_coordinator_next_lack(rig.coordinator, &lane, &lack));
  assert_string_equal(rig_step(&rig, rig_asking(3, 1, 1)), "send worker 1 chunk 2: 2+1");
  join_with(&rig, 3, 2, "gpu");
  assert_string_equal(rig_step(&rig, rig_asking(3, 2, 1)), "send worker 2 chunk 3: 1+1");
  rig_close(&rig);
}

/* It lacks the label that the one before it in its slot had. */
static void what_comes_back_waits_for_the_label(void **state) {
  struct rig rig;
  (void)state;
  struct ls_coordinator_config config = needing(1);
  rig_open(&rig, &config);
  open_thirds(&rig, 2);
  join_with(&rig, 0, 0, "gpu");
  join_with(&rig, 0, 1, NULL);
  assert_string_equal(rig_step(&rig, rig_asking(0, 0, 1)), "send worker 0 chunk 0: 1+1");
  assert_string_equal(rig_step(&rig, rig_asking(0, 1, 1)), "send worker 1 chunk 1: 0+1");
  end(&rig, 1, 1, 1, 0, LS_OUTCOME_DONE);
  rig_step(&rig, rig_asking(1, 1, 1));
  rig_step(&rig, (struct ls_event){
                     .kind = LS_EVENT_LOST, .now_s = 2, .worker = 0, .lost = LS_LOSS_RECLAIMED});
  join_with(&rig, 3, 0, "big");
  assert_string_equal(rig_step(&rig, rig_asking(3, 0, 1)), "");
  rig_step(&rig, (struct ls_event){
                     .kind = LS_EVENT_LOST, .now_s = 4, .worker = 0, .lost = LS_LOSS_RECLAIMED});
  join_with(&rig, 5, 0, "gpu,big");
  assert_string_equal(rig_step(&rig, rig_asking(5, 0, 1)), "send worker 0 chunk 2: 1+1");
  assert_string_equal(end(&rig, 6, 0, 2, 1, LS_OUTCOME_DONE),
                      "settle worker 0 chunk 2: 1+1 done; iteration done 0");
  rig_close(&rig);
}

/* Fewer can do what needs a label: who can does that first. */
static void what_the_fewest_can_do_goes_first(void **state) {
  struct rig rig;
  (void)state;
  struct ls_coordinator_config config = needing(8);
  rig_open(&rig, &config);
  open_thirds(&rig, 6);
  join_with(&rig, 0, 0, "gpu");
  join_with(&rig, 0, 1, "gpu,big");
  assert_string_equal(rig_step(&rig, rig_asking(0, 1, 3)), "send worker 1 chunk 0: 2+1 5+1");
  assert_string_equal(rig_step(&rig, rig_asking(0, 0, 2)), "send worker 0 chunk 1: 1+1 4+1");
  assert_string_equal(rig_step(&rig, rig_asking(0, 1, 1)), "send worker 1 chunk 2: 0+1 3+1");
  rig_close(&rig);
}

/* It reckons with those that can do its units, by numbers without gaps, and with no others. */
static void a_policy_knows_the_workers_of_its_lane_only(void **state) {
  struct rig rig;
  (void)state;
  static const char *const labels[] = {NULL, "gpu", NULL, "gpu"};
  static const double weights[] = {1, 2, 3, 4};
  struct ls_coordinator_config config = needing(1);
  config.workers = 4;
  config.labels = labels;
  config.labels_count = 4;
  config.weights = weights;
  config.weights_count = 4;
  rig_open(&rig, &config);
  const struct ls_event_need need = {{0, 5}, "gpu"};
  rig_step(&rig,
           (struct ls_event){
               .kind = LS_EVENT_ITERATION, .iteration_units = 5, .needs = &need, .needs_count = 1});
  assert_int_equal(hearing.setup.units, 5);
  assert_int_equal(hearing.setup.slots, 2);
  assert_true(hearing.weights[0] > 1.9 && hearing.weights[0] < 2.1);
  assert_true(hearing.weights[1] > 3.9 && hearing.weights[1] < 4.1);
  for (uint32_t i = 0; i < 4; i++) join_with(&rig, 0, i, labels[i]);
  assert_int_equal(hearing.joined, 2);
  rig_step(&rig, rig_asking(0, 3, 1));
  assert_int_equal(hearing.unassigned, 5);
  end(&rig, 1, 3, 0, 0, LS_OUTCOME_DONE);
  rig_step(&rig, rig_asking(1, 3, 1));
  assert_int_equal(hearing.report.worker, 1);
  /* One that comes later has the next number; one that cannot is not heard of. */
  join_with(&rig, 2, 4, NULL);
  join_with(&rig, 2, 5, "gpu");
  assert_int_equal(hearing.joined, 3);
  rig_step(&rig, (struct ls_event){
                     .kind = LS_EVENT_LOST, .now_s = 3, .worker = 3, .lost = LS_LOSS_RECLAIMED});
  assert_int_equal(hearing.lost, 1);
  assert_int_equal(hearing.units_back, 1);
  rig_close(&rig);
}

/* A report tells of units of one lane: the others' policies do not take them for theirs. */
static void a_report_goes_to_the_policy_of_its_units(void **state) {
  struct rig rig;
  (void)state;
  struct ls_coordinator_config config = needing(1);
  rig_open(&rig, &config);
  open_thirds(&rig, 2);
  join_with(&rig, 0, 0, "gpu");
  rig_step(&rig, rig_asking(0, 0, 2));
  end(&rig, 1, 0, 0, 1, LS_OUTCOME_DONE);
  assert_int_equal(hearing.reports, 0);
  end(&rig, 2, 0, 1, 0, LS_OUTCOME_DONE);
  assert_int_equal(hearing.reports, 1);
  assert_int_equal(hearing.report.units, 1);
  rig_close(&rig);
}

static void units_that_are_added_have_needs_too(void **state) {
  struct rig rig;
  (void)state;
  struct ls_coordinator_config config = needing(1);
  rig_open(&rig, &config);
  rig_step(&rig, (struct ls_event){
                     .kind = LS_EVENT_ITERATION, .iteration_units = 1, .is_incomplete = true});
  join_with(&rig, 0, 0, NULL);
  join_with(&rig, 0, 1, "gpu");
  rig_step(&rig, rig_asking(0, 0, 1));
  assert_string_equal(rig_step(&rig, rig_asking(0, 1, 1)), "");
  size_t count = make_thirds(1, 3);
  assert_string_equal(rig_step(&rig, (struct ls_event){.kind = LS_EVENT_ADDED,
                                                       .now_s = 1,
                                                       .added = {.units = 3,
                                                                 .is_last = true,
                                                                 .needs = needs_of_thirds,
                                                                 .needs_count = count}}),
                      "send worker 1 chunk 1: 1+1");
  end(&rig, 2, 0, 0, 0, LS_OUTCOME_DONE);
  assert_string_equal(rig_step(&rig, rig_asking(2, 0, 1)), "send worker 0 chunk 2: 3+1");
  join_with(&rig, 3, 2, "big");
  assert_string_equal(rig_step(&rig, rig_asking(3, 2, 1)), "send worker 2 chunk 3: 2+1");
  rig_close(&rig);
}

/* What runs at one that is away is copied to those that can do it, though other units wait. */
static void what_is_at_one_that_is_away_is_copied_to_those_that_can(void **state) {
  struct rig rig;
  (void)state;
  struct ls_coordinator_config config = needing(1);
  rig_open(&rig, &config);
  open_thirds(&rig, 3);
  join_with(&rig, 0, 0, "gpu");
  join_with(&rig, 0, 1, NULL);
  assert_string_equal(rig_step(&rig, rig_asking(0, 0, 1)), "send worker 0 chunk 0: 1+1");
  assert_string_equal(rig_step(&rig, rig_asking(0, 1, 1)), "send worker 1 chunk 1: 0+1");
  end(&rig, 1, 1, 1, 0, LS_OUTCOME_DONE);
  rig_step(&rig, rig_asking(1, 1, 1));
  rig_step(&rig, rig_suspended(2, 0, LS_AWAY_CUT));
  assert_int_equal(rig_totals(&rig).replicas, 0);
  join_with(&rig, 3, 2, "gpu");
  rig_step(&rig, rig_asking(3, 2, 1));
  assert_int_equal(rig_totals(&rig).replicas, 1);
  rig_close(&rig);
}

/* Whoever comes and goes, with whatever labels: every unit settles once, where it may. */
static void each_unit_is_settled_by_one_that_has_its_label(void **state) {
  enum { SLOTS = 6, UNITS = 48 };
  static const char *const labels[] = {"", "gpu", "big", "gpu,big"};
  (void)state;
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct rig rig;
    struct ls_random chance;
    struct ls_coordinator_config config = needing(1 + seed % 3);
    const char *has[SLOTS] = {NULL};
    uint64_t held[SLOTS][UNITS], chunk_of[SLOTS][UNITS], settled[UNITS] = {0};
    size_t held_count[SLOTS] = {0};
    ls_random_init(&chance, seed, "needs");
    if (seed % 2 == 0) config.ordering = &backwards;
    rig_open(&rig, &config);
    open_thirds(&rig, UNITS);
    for (int step = 1; rig_totals(&rig).done < UNITS; step++) {
      uint32_t slot = (uint32_t)ls_random_below(&chance, SLOTS);
      assert_true(step < 20000);
      if (has[slot] == NULL) {
        has[slot] = labels[ls_random_below(&chance, 4)];
        join_with(&rig, step, slot, has[slot]);
      } else if (ls_random_below(&chance, 12) == 0) {
        rig_step(
            &rig,
            (struct ls_event){
                .kind = LS_EVENT_LOST, .now_s = step, .worker = slot, .lost = LS_LOSS_RECLAIMED});
        has[slot] = NULL;
        held_count[slot] = 0;
      } else if (held_count[slot] > 0) {
        uint64_t unit = held[slot][0], chunk = chunk_of[slot][0];
        memmove(held[slot], held[slot] + 1, --held_count[slot] * sizeof unit);
        memmove(chunk_of[slot], chunk_of[slot] + 1, held_count[slot] * sizeof chunk);
        end(&rig, step, slot, chunk, unit, LS_OUTCOME_DONE);
        settled[unit]++;
      } else {
        rig_step(&rig, rig_asking(step, slot, 1 + (uint64_t)step % 3));
      }
      for (size_t i = 0; i < rig.actions.count; i++) {
        const struct ls_action *action = &rig.actions.items[i];
        if (action->kind != LS_ACTION_SEND) continue;
        uint32_t to = action->worker;
        for (size_t k = 0; k < action->send.ranges_count; k++) {
          struct ls_range range = rig.actions.ranges[action->send.first_range + k];
          assert_int_equal(range.count, 1);
          const char *need = range.first % 3 == 1 ? "gpu" : "big";
          assert_true(range.first % 3 == 0 || strstr(has[to], need) != NULL);
          held[to][held_count[to]] = range.first;
          chunk_of[to][held_count[to]++] = action->send.chunk;
        }
      }
    }
    for (size_t i = 0; i < UNITS; i++) assert_int_equal(settled[i], 1);
    rig_close(&rig);
  }
}

static void needs_that_are_none_are_refused(void **state) {
  struct rig rig;
  struct ls_error err;
  (void)state;
  struct ls_coordinator_config config = needing(1);
  rig_open(&rig, &config);
  struct ls_event_need need = {{2, 2}, "gpu"};
  struct ls_event event = {
      .kind = LS_EVENT_ITERATION, .iteration_units = 3, .needs = &need, .needs_count = 1};
  assert_int_equal(rig_try(&rig, event, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "need 0 is of 2+2, expected within 0+3"));
  need = (struct ls_event_need){{2, 1}, "no label"};
  assert_int_equal(rig_try(&rig, event, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "unit 3: label is 'no label'"));
  rig_close(&rig);
  config = rig_config(1);
  rig_open(&rig, &config);
  need.label = "gpu";
  assert_int_equal(rig_try(&rig, event, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "has_needs is false"));
  rig_close(&rig);
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
  config = config_of(2);
  config.has_needs = true;
  refuse(&config, "homes is 2, which excludes needs");
  config = needing(1);
  config.recalls = true;
  refuse(&config, "has_needs is true, which excludes recalls");
  config = needing(1);
  config.chunking = &pushing_policy;
  refuse(&config, "has_needs is true, which excludes pushing");
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
      cmocka_unit_test(a_unit_waits_for_a_worker_that_has_its_label),
      cmocka_unit_test(what_comes_back_waits_for_the_label),
      cmocka_unit_test(what_the_fewest_can_do_goes_first),
      cmocka_unit_test(a_policy_knows_the_workers_of_its_lane_only),
      cmocka_unit_test(a_report_goes_to_the_policy_of_its_units),
      cmocka_unit_test(units_that_are_added_have_needs_too),
      cmocka_unit_test(what_is_at_one_that_is_away_is_copied_to_those_that_can),
      cmocka_unit_test(each_unit_is_settled_by_one_that_has_its_label),
      cmocka_unit_test(needs_that_are_none_are_refused),
      cmocka_unit_test(what_moves_units_is_refused),
      cmocka_unit_test(units_that_cannot_be_divided_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
