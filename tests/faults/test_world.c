/* The world itself: it must be lossy enough to prove something, and repeatable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

static void one_seed_is_one_run(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 50; seed++) {
    char *texts[2] = {NULL, NULL};
    size_t lengths[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
      struct world_summary summary = {0};
      char problem[256];
      FILE *trace = open_memstream(&texts[i], &lengths[i]);
      assert_non_null(trace);
      assert_true(
          world_run(&(struct world_request){.seed = seed, .trace = trace}, problem, &summary));
      fclose(trace);
    }
    assert_true(lengths[0] > 0);
    assert_string_equal(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
  }
}

/* A fault simulation in which nothing goes wrong would prove nothing. */
static void every_kind_of_fault_occurs(void **state) {
  (void)state;
  struct world_summary summary = {0};
  static const char *const signs[] = {
      "FREE",      "SUSPENDED",  "RESUMED",      "silent",       "timed out", "anew",     "STOP",
      "cancel",    "abandoned",  "dropped",      "from here on", "fetch",     "prefetch", "LEAVING",
      "REFUSED",   "never came", "reclaimed",    "(left)",       "ADDED",     "recall",   "(cut)",
      "(stopped)", "(silent)",   "did not come", "a replica of"};
  bool is_seen[sizeof signs / sizeof *signs] = {false};
  for (uint64_t seed = 0; seed < 800; seed++) {
    char *text = NULL, problem[256];
    size_t length = 0;
    FILE *trace = open_memstream(&text, &length);
    assert_non_null(trace);
    if (!world_run(&(struct world_request){.seed = seed, .trace = trace}, problem, &summary))
      fail_msg("%s", problem);
    fclose(trace);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
      if (strstr(text, signs[i])) is_seen[i] = true;
    free(text);
  }
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (!is_seen[i]) fail_msg("no run shows \"%s\"", signs[i]);
  assert_true(summary.losses > 0 && summary.failed > 0 && summary.given_up > 0);
  assert_true(summary.restarts > 0 && summary.done > 1000);
  assert_true(summary.replicas > 100 && summary.replicas_won > 10 && summary.left > 0);
  assert_true(summary.released > 10 && summary.reused > 100 && summary.filled > 100);
  assert_true(summary.fetched > 20 && summary.departed > 10 && summary.refused > 10);
  assert_true(summary.late > 20 && summary.recalled > 50 && summary.cuts > 50);
  assert_true(summary.expired > 20 && summary.outlasted > 0);
  assert_true(summary.taken_back > 50 && summary.doubted > 50 && summary.owned_again > 50);
  assert_true(summary.stalls > 50 && summary.added > 1000);
  assert_true(summary.early > 0 && summary.repeated > 10 && summary.paced > 100 &&
              summary.reported > 1000);
  assert_true(summary.whole > 30 && summary.torn > 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_seed_is_one_run),
      cmocka_unit_test(every_kind_of_fault_occurs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
