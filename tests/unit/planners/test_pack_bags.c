#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "pack_fixture.h"
#include "planners/pack/pack_bags.h"

/* m^b / (m^b - (m - 1)^b), and the shares (m - 1)^(b - j) m^(j - 1) of it. */
static void sand_has_the_ratio_of_the_paper(void **state) {
  (void)state;
  assert_true(fabs(ls_pack_sand_ratio(2, 2) - 4.0 / 3) < 1e-12);
  assert_true(fabs(ls_pack_sand_ratio(3, 3) - 27.0 / 19) < 1e-12);
  assert_true(fabs(ls_pack_sand_ratio(5, 3) - 243.0 / 211) < 1e-12);
  assert_true(fabs(ls_pack_sand_ratio(4, 1) - 1) < 1e-12);
  assert_true(fabs(ls_pack_sand_ratio(10000, 10000) - exp(1) / (exp(1) - 1)) < 1e-4);
  double shares[5], total = 0;
  ls_pack_sand_shares(5, 3, shares);
  for (int i = 0; i < 5; i++) total += shares[i];
  assert_true(fabs(total - 1) < 1e-12);
  assert_true(fabs(shares[0] - 81.0 / 211) < 1e-12 && fabs(shares[4] - 16.0 / 211) < 1e-12);
  assert_true(fabs(ls_pack_bags_ratio(shares, 5, 3) - 243.0 / 211) < 1e-12);
}

/* The best that any placing of the bags can do, by trying all, beside the load as sand. */
static double worst_of(const double *sizes, size_t bags, const double *speeds, size_t machines) {
  double sorted[SHARDS_MAX], load = 0, speed = 0;
  memcpy(sorted, speeds, machines * sizeof *speeds);
  qsort(sorted, machines, sizeof *sorted, compare_falling);
  for (size_t i = 0; i < bags; i++) load += sizes[i];
  for (size_t i = 0; i < machines; i++) speed += sorted[i];
  const struct ls_pack_problem problem = {sizes, bags, sorted, machines};
  return find_optimum(&problem) / (load / speed);
}

/* Speeds at which the bags attain their ratio: one machine has room for the bags from the worst on
 * together, the others for the worst one each. */
static void choose_worst_speeds(const double *sizes, size_t bags, size_t machines, double *speeds) {
  double larger = 0, most = 0, fast = 0, slow = 0;
  for (size_t i = 0; i < bags; larger += sizes[i++]) {
    if (!(larger + (double)machines * sizes[i] > most)) continue;
    most = larger + (double)machines * sizes[i];
    slow = sizes[i];
    fast = larger + slow;
  }
  for (size_t k = 0; k < machines; k++) speeds[k] = k == 0 ? fast : slow;
}

/* Whatever bags are made, the adversary's speeds force their ratio, and it is never below sand's.
 */
static void the_adversary_attains_the_ratio_of_any_bags(void **state) {
  (void)state;
  struct ls_random random;
  struct case_of drawn;
  ls_random_init(&random, 1, "bags");
  for (int i = 0; i < 200; i++) {
    size_t bags = 1 + ls_random_below(&random, 6), machines = 1 + ls_random_below(&random, 4);
    double speeds[SHARDS_MAX];
    draw_case(&drawn, &random, bags, 1, false);
    if (!(drawn.seconds[0] > 0)) continue;
    double ratio = ls_pack_bags_ratio(drawn.seconds, bags, machines);
    choose_worst_speeds(drawn.seconds, bags, machines, speeds);
    assert_true(ratio >= ls_pack_sand_ratio(bags, machines) * (1 - 1e-9));
    for (size_t k = 0; k < machines; k++) speeds[k] = fmax(speeds[k], 1e-12);
    assert_true(fabs(worst_of(drawn.seconds, bags, speeds, machines) - ratio) < 1e-6 * ratio);
  }
}

static void no_speeds_are_worse(void **state) {
  (void)state;
  struct ls_random random;
  double shares[SHARDS_MAX], speeds[SHARDS_MAX];
  ls_random_init(&random, 2, "bags");
  for (int i = 0; i < 300; i++) {
    size_t bags = 1 + ls_random_below(&random, 6), machines = 1 + ls_random_below(&random, 4);
    ls_pack_sand_shares(bags, machines, shares);
    for (size_t k = 0; k < machines; k++) speeds[k] = 1e-6 + ls_random_real(&random);
    assert_true(worst_of(shares, bags, speeds, machines) <=
                ls_pack_sand_ratio(bags, machines) * (1 + 1e-9));
  }
}

/* Of tasks: each is in one bag, and no speeds are worse than what is promised. */
static void tasks_keep_the_promise(void **state) {
  (void)state;
  struct ls_random random;
  struct case_of drawn;
  struct ls_pack_bags bags;
  ls_random_init(&random, 3, "bags");
  for (int i = 0; i < 60; i++) {
    size_t count = 1 + ls_random_below(&random, 5), machines = 1 + ls_random_below(&random, 3);
    size_t tasks = 1 + ls_random_below(&random, 30);
    double sizes[SHARDS_MAX] = {0}, speeds[SHARDS_MAX];
    draw_case(&drawn, &random, tasks, 1, false);
    if (i % 3 == 0)
      for (size_t k = 0; k < tasks; k++) drawn.seconds[k] = 1;
    if (!(drawn.seconds[0] > 0)) continue;
    assert_int_equal(ls_pack_bags_make(drawn.seconds, tasks, count, machines, &bags), LS_OK);
    for (size_t k = 0; k < tasks; k++) sizes[bags.bag_of[k]] += drawn.seconds[k];
    for (size_t k = 0; k < count; k++) assert_true(fabs(sizes[k] - bags.sizes[k]) < 1e-9);
    for (int turn = 0; turn < 5; turn++) {
      for (size_t k = 0; k < machines; k++) speeds[k] = 0.01 + ls_random_real(&random);
      if (strcmp(bags.made, "alone") != 0)
        assert_true(worst_of(bags.sizes, count, speeds, machines) <=
                    ls_pack_bags_ratio(bags.sizes, count, machines) * (1 + 1e-9));
    }
    assert_true(bags.ratio <= 2 || count < machines || strcmp(bags.made, "alone") != 0);
    ls_pack_bags_close(&bags);
  }
}

/* Many equal tasks are nearly sand; with a bag for each nothing is lost. */
static void bricks_are_nearly_sand(void **state) {
  (void)state;
  double ones[TASKS_MAX];
  struct ls_pack_bags bags;
  for (size_t i = 0; i < TASKS_MAX; i++) ones[i] = 1;
  assert_int_equal(ls_pack_bags_make(ones, TASKS_MAX, 3, 3, &bags), LS_OK);
  assert_string_equal(bags.made, "bricks");
  assert_true(bags.ratio < ls_pack_sand_ratio(3, 3) * 1.03);
  ls_pack_bags_close(&bags);
  assert_int_equal(ls_pack_bags_make(ones, 3, 4, 3, &bags), LS_OK);
  assert_string_equal(bags.made, "alone");
  assert_true(fabs(bags.ratio - 1) <= 0);
  ls_pack_bags_close(&bags);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sand_has_the_ratio_of_the_paper),
      cmocka_unit_test(the_adversary_attains_the_ratio_of_any_bags),
      cmocka_unit_test(no_speeds_are_worse),
      cmocka_unit_test(tasks_keep_the_promise),
      cmocka_unit_test(bricks_are_nearly_sand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
