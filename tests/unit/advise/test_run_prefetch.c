/* --prefetch auto before a run: by what is known of workers and tasks, or the default. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "advise/run_prefetch.h"

static struct ls_candidate make_candidate(const char *name) {
  struct ls_candidate candidate = {.chunking = ls_chunking_find(name)};
  ls_arguments_init(&candidate.arguments, candidate.chunking->parameters);
  return candidate;
}

static uint64_t advise(const struct ls_run_situation *situation, const char *policy,
                       const char *words) {
  struct ls_candidate candidate = make_candidate(policy);
  struct ls_bytes reason = {0};
  struct ls_error err = {0};
  uint64_t prefetch = 77;
  if (ls_run_advise_prefetch(situation, &candidate, &prefetch, &reason, &err) != LS_OK)
    fail_msg("%s", err.text);
  if (strstr(ls_bytes_text(&reason), words) == NULL)
    fail_msg("\"%s\" does not contain \"%s\"", ls_bytes_text(&reason), words);
  ls_bytes_close(&reason);
  return prefetch;
}

static void without_knowledge_it_is_the_default_and_says_so(void **state) {
  (void)state;
  struct ls_run_situation situation = {.units = 100, .workers = 4, .prefetch = 1};
  assert_int_equal(advise(&situation, "ss", "1, because nothing is known"), 1);
}

/* Units of a second on workers that are far away. */
static void a_long_way_wants_more_to_wait(void **state) {
  (void)state;
  uint64_t before = 0;
  static const double delays[] = {0, 0.3, 3, 8};
  for (size_t k = 0; k < sizeof delays / sizeof *delays; k++) {
    struct ls_platform platform;
    assert_int_equal(ls_platform_init(&platform, 4, NULL), LS_OK);
    for (size_t i = 0; i < 4; i++) {
      platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = 1;
      platform.workers[i].delay_s = delays[k];
    }
    struct ls_run_situation situation = {
        .platform = &platform, .units = 1000, .workers = 4, .prefetch = 1, .seed = 1};
    uint64_t prefetch = advise(&situation, "ss", "19 simulations");
    if (k == 0) assert_int_equal(prefetch, 0);
    if (k > 0) assert_true(prefetch > before);
    before = prefetch;
    ls_platform_close(&platform);
  }
  assert_true(before >= 8);
}

/* Times that vary are drawn many times. */
static void varying_times_are_drawn_again_and_again(void **state) {
  (void)state;
  enum { LESSONS = 40 };
  double shares[LESSONS];
  for (size_t i = 0; i < LESSONS; i++) shares[i] = i % 2 == 0 ? 0.5 : 1.5;
  struct ls_run_history history = {
      .shares = shares, .shares_count = LESSONS, .units = LESSONS, .mean_seconds = 1};
  struct ls_run_situation situation = {
      .history = &history, .units = 200, .workers = 4, .prefetch = 1, .seed = 1};
  assert_true(advise(&situation, "af", "304 simulations") <= 8);
}

static double pass(void) {
  static double now_s;
  return now_s += 10;
}

static void without_time_it_is_the_default(void **state) {
  (void)state;
  double times[10] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  struct ls_run_situation situation = {
      .times = times, .units = 10, .workers = 2, .prefetch = 1, .clock_s = pass};
  assert_int_equal(advise(&situation, "gss", "no time"), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_knowledge_it_is_the_default_and_says_so),
      cmocka_unit_test(a_long_way_wants_more_to_wait),
      cmocka_unit_test(varying_times_are_drawn_again_and_again),
      cmocka_unit_test(without_time_it_is_the_default),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
