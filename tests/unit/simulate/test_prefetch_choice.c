/* The prefetch that a simulation finds by itself, beside all fixed ones. */
#include "world_fixture.h"

#include <string.h>

#include "simulate/prefetch_choice.h"

/* Workers of different speed, so far away in units of 1 s. */
struct trial {
  struct ls_platform platform;
  double delay_s;
  size_t time_left; /* simulations */
  size_t drawn;     /* calls of draw */
  bool refuses;
};

static enum ls_status draw_trial(void *context, size_t number, struct ls_simulation *setup,
                                 struct ls_error *err) {
  struct trial *trial = context;
  trial->drawn++;
  if (trial->refuses) return ls_fail(err, LS_EINVAL, "no such draw");
  for (size_t i = 0; i < 4; i++)
    trial->platform.workers[i].delay_s = number == 0 ? trial->delay_s : 0;
  setup->platform = &trial->platform;
  setup->units = 400;
  setup->config.chunking = ls_chunking_find("ss");
  setup->config.mean_seconds = 1;
  return LS_OK;
}

static bool is_over(void *context) {
  struct trial *trial = context;
  if (trial->time_left == 0) return true;
  trial->time_left--;
  return false;
}

static struct ls_prefetch_choice choose(struct trial *trial, size_t draws, bool may_stop) {
  struct ls_prefetch_choice choice;
  struct ls_error err = {0};
  open_platform(&trial->platform, 4);
  for (size_t i = 0; i < 4; i++)
    trial->platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = 1 + 0.1 * (double)i;
  struct ls_prefetch_trial asked = {.context = trial, .draw = draw_trial, .draws = draws};
  if (may_stop) {
    asked.stop = is_over;
    asked.stop_context = trial;
  }
  if (ls_prefetch_choose(&asked, &choice, &err) != LS_OK) fail_msg("%s", err.text);
  ls_platform_close(&trial->platform);
  return choice;
}

static double play(double delay_s, uint64_t prefetch) {
  struct trial trial = {.delay_s = delay_s};
  struct ls_simulation setup = {.prefetch = prefetch};
  struct ls_simulated result;
  open_platform(&trial.platform, 4);
  for (size_t i = 0; i < 4; i++)
    trial.platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = 1 + 0.1 * (double)i;
  assert_int_equal(draw_trial(&trial, 0, &setup, NULL), LS_OK);
  assert_int_equal(ls_simulate(&setup, &result, NULL, NULL), LS_OK);
  ls_platform_close(&trial.platform);
  return result.makespan_s;
}

static void without_a_way_nothing_need_wait(void **state) {
  (void)state;
  struct trial trial = {.delay_s = 0};
  struct ls_prefetch_choice choice = choose(&trial, 1, false);
  assert_int_equal(choice.prefetch, 0);
  assert_int_equal(choice.simulations, 19);
}

/* The least that is within 1 % of the best, whatever the way; the longer the way the more. */
static void it_is_the_least_within_a_percent_of_the_best(void **state) {
  (void)state;
  static const double delays[] = {0.001, 0.1, 0.4, 1.3, 4, 9};
  uint64_t before = 0;
  for (size_t k = 0; k < sizeof delays / sizeof *delays; k++) {
    struct trial trial = {.delay_s = delays[k]};
    struct ls_prefetch_choice choice = choose(&trial, 1, false);
    double best_s = play(delays[k], choice.best);
    assert_near(choice.best_s, best_s, 0);
    assert_near(choice.makespan_s, play(delays[k], choice.prefetch), 0);
    assert_true(choice.makespan_s <= 1.01 * best_s);
    for (uint64_t prefetch = 0; prefetch < choice.prefetch && prefetch <= 8; prefetch++)
      assert_true(play(delays[k], prefetch) > 1.01 * best_s);
    for (uint64_t prefetch = 0; prefetch <= 8; prefetch++)
      assert_true(play(delays[k], prefetch) >= best_s);
    assert_true(choice.prefetch >= before);
    before = choice.prefetch;
  }
  assert_true(before >= 8);
}

static void draws_are_averaged(void **state) {
  (void)state;
  struct trial far = {.delay_s = 4}, mixed = {.delay_s = 4}, near = {.delay_s = 0};
  struct ls_prefetch_choice one = choose(&far, 1, false), both = choose(&mixed, 2, false);
  struct ls_prefetch_choice none = choose(&near, 1, false);
  assert_int_equal(mixed.drawn, 2);
  assert_int_equal(both.simulations, 38);
  assert_true(both.best_s < one.best_s && both.best_s > none.best_s);
}

/* The default comes first; a later draw counts as a whole or not at all. */
static void what_there_was_no_time_for_does_not_count(void **state) {
  (void)state;
  struct trial none = {.delay_s = 4}, one = {.delay_s = 4, .time_left = 1};
  struct trial some = {.delay_s = 4, .time_left = 25}, whole = {.delay_s = 4};
  struct ls_bytes text = {0};
  struct ls_prefetch_choice choice = choose(&none, 3, true);
  assert_int_equal(choice.prefetch, 1);
  assert_int_equal(choice.simulations, 0);
  ls_prefetch_explain(&choice, &text);
  assert_non_null(strstr(ls_bytes_text(&text), "1, as there was no time"));
  ls_bytes_close(&text);
  choice = choose(&one, 3, true);
  assert_int_equal(choice.prefetch, 1);
  assert_near(choice.best_s, play(4, 1), 0);
  choice = choose(&some, 3, true);
  assert_near(choice.best_s, choose(&whole, 1, false).best_s, 0);
}

static void a_refused_draw_is_forwarded(void **state) {
  (void)state;
  struct trial trial = {.refuses = true};
  struct ls_prefetch_trial asked = {.context = &trial, .draw = draw_trial, .draws = 1};
  struct ls_prefetch_choice choice = {.prefetch = 77};
  struct ls_error err = {0};
  assert_int_equal(ls_prefetch_choose(&asked, &choice, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "no such draw"));
  assert_int_equal(choice.prefetch, 77);
}

static void the_choice_is_told_in_words(void **state) {
  (void)state;
  struct ls_bytes text = {0};
  struct ls_prefetch_choice choice = {
      .prefetch = 2, .best = 4, .makespan_s = 130.93, .best_s = 130.2, .simulations = 38};
  ls_prefetch_explain(&choice, &text);
  assert_string_equal(
      ls_bytes_text(&text),
      "2: 130.93 s expected in 38 simulations, within 1 % of the best (4: 130.2 s)");
  choice.best = 2;
  ls_bytes_clear(&text);
  ls_prefetch_explain(&choice, &text);
  assert_string_equal(ls_bytes_text(&text), "2: 130.93 s expected in 38 simulations, the best");
  ls_bytes_close(&text);
}

static void a_world_may_find_its_prefetch(void **state) {
  (void)state;
  struct world_fixture automatic, fixed;
  open_world(&automatic, "ss", "{\"prefetch\": \"auto\", \"order\": \"random\"}", 3);
  assert_int_equal(automatic.status, LS_OK);
  assert_true(automatic.world.chooses_prefetch);
  assert_int_equal(automatic.world.setup.prefetch, automatic.world.prefetch.prefetch);
  assert_int_equal(automatic.world.prefetch.simulations, 19);
  double makespan_s = run_simulation(&automatic.world.setup, NULL).makespan_s;
  assert_near(makespan_s, automatic.world.prefetch.makespan_s, 0);
  open_world(&fixed, "ss", "{\"order\": \"random\"}", 3);
  assert_false(fixed.world.chooses_prefetch);
  fixed.world.setup.prefetch = automatic.world.prefetch.prefetch;
  assert_near(run_simulation(&fixed.world.setup, NULL).makespan_s, makespan_s, 0);
  close_world(&automatic);
  close_world(&fixed);
  assert_world_refused("ss", "{\"prefetch\": \"some\"}", "a whole number or \"auto\"");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_way_nothing_need_wait),
      cmocka_unit_test(it_is_the_least_within_a_percent_of_the_best),
      cmocka_unit_test(draws_are_averaged),
      cmocka_unit_test(what_there_was_no_time_for_does_not_count),
      cmocka_unit_test(a_refused_draw_is_forwarded),
      cmocka_unit_test(the_choice_is_told_in_words),
      cmocka_unit_test(a_world_may_find_its_prefetch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
