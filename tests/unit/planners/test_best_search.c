#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>

#include "model/replay.h"
#include "planners/rounds/lp_sequence.h"
#include "planners/search/best.h"
#include "planners/search/best_search.h"
#include "star_fixture.h"

enum { STARS = 60, WORK = 2000 };

static void open_best(struct ls_best *best, const struct ls_planner_setup *setup,
                      struct ls_budget *budget) {
  *best = (struct ls_best){.setup = setup, .makespan_s = (double)INFINITY, .budget = budget};
  ls_plan_init(&best->plan, "best", setup->load);
}

/* The makespan that the search alone finds; INFINITY: none. */
static double search(const struct ls_platform *platform, double load, uint64_t work_max) {
  struct ls_planner_setup setup = {.platform = platform, .load = load};
  struct ls_budget budget = {.work_max = work_max};
  struct ls_best best;
  struct ls_error err;
  open_best(&best, &setup, &budget);
  if (ls_best_search(&best, &err) != LS_OK) fail_msg("%s", err.text);
  assert_true(budget.work <= work_max);
  if (best.makespan_s < (double)INFINITY) {
    double replayed_s;
    assert_int_equal(ls_replay_makespan(&best.plan, platform, &replayed_s, &err), LS_OK);
    assert_true(fabs(replayed_s / best.makespan_s - 1) < 1e-12);
    assert_string_equal(best.winner, "search");
  }
  ls_plan_close(&best.plan);
  return best.makespan_s;
}

/* It starts from the sets of `xmi`, so it ends no worse wherever never idling is possible. */
static void the_search_ends_no_worse_than_it_starts(void **state) {
  struct ls_random random;
  double gains = 0;
  size_t different = 0;
  (void)state;
  ls_random_init(&random, 1, "search");
  for (size_t star = 0; star < STARS; star++) {
    struct ls_platform platform;
    struct ls_plan plan;
    enum star_kind kind = star % 2 ? STAR_DIFFERENT : STAR_IDENTICAL;
    star_open(&platform, &random, kind, 8);
    double load = star_draw(&random, 10, 500), found_s = search(&platform, load, WORK);
    star_plan(&platform, load, "xmi", &plan);
    assert_true(found_s < (double)INFINITY);
    if (kind == STAR_DIFFERENT && platform.workers_count > 1) {
      gains += plan.makespan_s / found_s - 1;
      different++;
    }
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
  assert_true(gains / (double)different > 0.001);
}

/* No law, since the phases share the work; but two hundred times as much of it must not harm. */
static void much_more_work_is_not_worse(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 2, "search");
  for (size_t star = 0; star < 10; star++) {
    struct ls_platform platform;
    star_open(&platform, &random, STAR_DIFFERENT, 6);
    double little_s = search(&platform, 100, 10);
    assert_true(search(&platform, 100, WORK) <= little_s);
    ls_platform_close(&platform);
  }
}

/* The best of the linear programs of all sequences of up to `most` messages. */
static double try_all(const struct ls_platform *platform, double load, size_t most) {
  struct ls_planner_setup setup = {.platform = platform, .load = load};
  double least_s = (double)INFINITY;
  for (size_t count = 1; count <= most; count++) {
    size_t sequences = 1;
    for (size_t i = 0; i < count; i++) sequences *= platform->workers_count;
    for (size_t number = 0; number < sequences; number++) {
      struct ls_message messages[8];
      struct ls_plan plan;
      double makespan_s;
      size_t rest = number;
      for (size_t i = 0; i < count; i++, rest /= platform->workers_count) {
        messages[i] = (struct ls_message){(uint32_t)(rest % platform->workers_count), 0};
      }
      ls_plan_init(&plan, "lp", load);
      assert_int_equal(ls_lp_plan(&setup, messages, count, &plan, NULL), LS_OK);
      assert_int_equal(ls_replay_makespan(&plan, platform, &makespan_s, NULL), LS_OK);
      if (makespan_s < least_s) least_s = makespan_s;
      ls_plan_close(&plan);
    }
  }
  return least_s;
}

/* Against the truth, where that can be had: loads so small that more messages do not pay. */
static void small_cases_come_near_the_best_sequence_of_all(void **state) {
  struct ls_random random;
  double worst = 0;
  (void)state;
  ls_random_init(&random, 3, "search");
  for (size_t star = 0; star < 8; star++) {
    struct ls_platform platform;
    star_open(&platform, &random, STAR_DIFFERENT, 3);
    double gap = search(&platform, 5, WORK) / try_all(&platform, 5, 5) - 1;
    if (!(gap <= worst)) worst = gap;
    ls_platform_close(&platform);
  }
  if (!(worst <= 0.005)) fail_msg("the largest gap is %.3g", worst);
}

static void infinitely_fast_workers_are_left_to_others(void **state) {
  struct ls_random random;
  struct ls_platform platform;
  (void)state;
  ls_random_init(&random, 4, "search");
  star_open(&platform, &random, STAR_DIFFERENT, 5);
  platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s = 0;
  assert_true(isinf(search(&platform, 100, WORK)));
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_search_ends_no_worse_than_it_starts),
      cmocka_unit_test(much_more_work_is_not_worse),
      cmocka_unit_test(small_cases_come_near_the_best_sequence_of_all),
      cmocka_unit_test(infinitely_fast_workers_are_left_to_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
