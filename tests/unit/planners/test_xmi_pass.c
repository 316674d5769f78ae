#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "planners/rounds/umr_theory.h"
#include "planners/rounds/xmi_pass.h"
#include "umr_fixture.h"

enum { SEEDS = 100 };

/* The plan of the messages so far, replayed. */
static void replay_pass(const struct scene *scene, const struct ls_xmi_pass *pass, double x,
                        struct ls_plan *plan) {
  struct ls_error err;
  ls_plan_init(plan, "pass", scene->load);
  ls_xmi_pass_add(pass, pass->messages, x, plan);
  if (ls_replay(plan, &scene->platform, &err) != LS_OK) fail_msg("%s", err.text);
  if (ls_validate_plan(plan, &scene->platform, &err) != LS_OK) {
    fail_msg("seed %llu, %zu messages: %s", (unsigned long long)scene->seed, pass->messages,
             err.text);
  }
}

/* Every number of messages that is called usable is one, also where p has grown by more than all
 * digits: the load is given out, the end is the one foretold, and (unless something was too small
 * to be sent) nobody waits and all end together. */
static void every_usable_number_of_messages_is_what_it_claims(void **state) {
  (void)state;
  size_t usable = 0, beyond_digits = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    struct ls_xmi_pass pass;
    bool goes_on = true;
    open_scene(&scene, seed, 6);
    size_t count = scene.workers.count, most = LS_UMR_ROUNDS_MAX * count;
    assert_int_equal(ls_xmi_pass_init(&pass, &scene.workers, most, scene.load, NULL), LS_OK);
    for (size_t messages = 1; goes_on && messages <= most; messages++) {
      struct ls_plan plan;
      double x;
      goes_on = ls_xmi_pass_extend(&pass, (messages - 1) % count);
      if (!goes_on || !ls_xmi_pass_is_usable(&pass, &x)) continue;
      if (messages > 3 * count && messages % 11 != 0) continue;
      replay_pass(&scene, &pass, x, &plan);
      require_close(&scene, "the end", ls_xmi_pass_end_s(&pass, (messages - 1) % count, x),
                    plan.makespan_s, 1e-9);
      struct waits waits = find_waits(&plan);
      if (plan.chunks_count == messages) {
        assert_true(waits.gap_s <= 1e-9 * plan.makespan_s);
        assert_true(waits.spread_s <= 1e-9 * plan.makespan_s);
        assert_true(plan.makespan_s >= ls_xmi_pass_bound_s(&pass) * (1 - 1e-9));
      }
      usable++;
      beyond_digits += pass.p_largest > 1e16;
      ls_plan_close(&plan);
    }
    ls_xmi_pass_close(&pass);
    close_scene(&scene);
  }
  assert_true(usable > 10 * SEEDS && beyond_digits > 0);
}

/* Worker 0 would end with worker 1 if it got nothing at all: then its message is not sent, and its
 * latencies are nobody's. */
static void a_message_of_no_units_costs_nothing(void **state) {
  (void)state;
  struct ls_star_worker items[] = {
      {.send_latency_s = 1, .send_per_unit_s = 1, .compute_latency_s = 3, .compute_per_unit_s = 1},
      {.send_per_unit_s = 1, .compute_per_unit_s = 1, .number = 1}};
  struct ls_reduced_star workers = {.items = items, .count = 2, .is_exact = true};
  struct ls_xmi_pass pass;
  struct ls_plan plan;
  double x;
  assert_int_equal(ls_xmi_pass_init(&pass, &workers, 2, 1.5, NULL), LS_OK);
  assert_true(ls_xmi_pass_extend(&pass, 0) && ls_xmi_pass_extend(&pass, 1));
  assert_true(ls_xmi_pass_is_usable(&pass, &x));
  assert_true(is_close(ls_xmi_pass_end_s(&pass, 1, x), 3, 1e-15));
  ls_plan_init(&plan, "pass", 1.5);
  ls_xmi_pass_add(&pass, 2, x, &plan);
  assert_int_equal(plan.chunks_count, 1);
  assert_int_equal(plan.chunks[0].worker, 1);
  ls_plan_close(&plan);
  ls_xmi_pass_close(&pass);
}

/* An unusable number really has a negative chunk: the next smaller one plus the plan's own
 * equations cannot hide it. */
static void an_unusable_number_of_messages_has_a_negative_chunk(void **state) {
  (void)state;
  size_t refused = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    struct ls_xmi_pass pass;
    open_scene(&scene, seed, 6);
    size_t count = scene.workers.count, most = 4 * count;
    assert_int_equal(ls_xmi_pass_init(&pass, &scene.workers, most, scene.load, NULL), LS_OK);
    for (size_t messages = 1; messages <= most; messages++) {
      double x, least = HUGE_VAL;
      assert_true(ls_xmi_pass_extend(&pass, (messages - 1) % count));
      if (pass.changes_count > 0 || ls_xmi_pass_is_usable(&pass, &x)) continue;
      x = (scene.load - ls_sum_value(&pass.q_sum)) / ls_sum_value(&pass.p_sum);
      for (size_t r = 0; r < messages; r++) least = fmin(least, pass.p[r] * x + pass.q[r]);
      assert_true(least < 0);
      refused++;
    }
    ls_xmi_pass_close(&pass);
    close_scene(&scene);
  }
  assert_true(refused > 0);
}

static void a_closed_pass_may_be_closed_again(void **state) {
  struct ls_xmi_pass pass = {.messages = 0};
  (void)state;
  ls_xmi_pass_close(&pass);
  ls_xmi_pass_close(&pass);
  assert_null(pass.p);
}

/* Ten thousand rounds of a master that is twice too slow: shares grow until no number holds them.
 */
static void the_pass_ends_where_numbers_end(void **state) {
  struct scene scene;
  struct ls_xmi_pass pass;
  (void)state;
  open_grid(&scene, 4, 2, 0, 0);
  assert_int_equal(ls_xmi_pass_init(&pass, &scene.workers, 40000, scene.load, NULL), LS_OK);
  while (pass.messages < 40000 && ls_xmi_pass_extend(&pass, pass.messages % 4)) continue;
  assert_true(pass.messages > 1000 && pass.messages < 40000);
  ls_xmi_pass_close(&pass);
  close_scene(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_usable_number_of_messages_is_what_it_claims),
      cmocka_unit_test(a_message_of_no_units_costs_nothing),
      cmocka_unit_test(an_unusable_number_of_messages_has_a_negative_chunk),
      cmocka_unit_test(a_closed_pass_may_be_closed_again),
      cmocka_unit_test(the_pass_ends_where_numbers_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
