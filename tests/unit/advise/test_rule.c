/* The fixed rule: which situation asks for which policy. */
#include "world_fixture.h"

static const char *apply(double latency, double variation, uint64_t prefetch, bool is_static,
                         bool knows_speeds) {
  struct ls_situation situation = {latency, variation, prefetch, is_static, knows_speeds};
  struct ls_bytes why = {0};
  const struct ls_chunking *chunking = ls_advise_by_rule(&situation, &why);
  assert_non_null(chunking);
  assert_int_equal(strncmp(ls_bytes_text(&why), chunking->name, strlen(chunking->name)), 0);
  ls_bytes_close(&why);
  return chunking->name;
}

static void free_or_hidden_requests_ask_for_single_units(void **state) {
  (void)state;
  assert_string_equal(apply(0, 1, 0, false, false), "ss");
  assert_string_equal(apply((double)NAN, (double)NAN, 1, false, false), "ss");
  assert_string_equal(apply(0.1, 1, 1, false, true), "ss");
  assert_string_equal(apply(0.1, 1, 2, true, true), "ss");
}

static void latency_asks_for_weights_or_for_learning(void **state) {
  (void)state;
  assert_string_equal(apply(0.1, 1, 0, false, true), "wf2");
  assert_string_equal(apply(0.1, 1, 16, false, true), "wf2");
  assert_string_equal(apply(1, 1, 1, true, true), "wf2");
  assert_string_equal(apply(1, 1, 1, true, false), "af");
}

static void what_never_varies_is_divided_at_once(void **state) {
  (void)state;
  assert_string_equal(apply(1, 0, 1, true, true), "sc");
  assert_string_equal(apply(1, 0, 1, false, true), "wf2");
  assert_string_equal(apply(1, (double)NAN, 1, true, true), "wf2");
  assert_string_equal(apply(1, 0, 1, true, false), "af");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_or_hidden_requests_ask_for_single_units),
      cmocka_unit_test(latency_asks_for_weights_or_for_learning),
      cmocka_unit_test(what_never_varies_is_divided_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
