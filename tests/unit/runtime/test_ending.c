#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <string.h>

#include "runtime/execute/ending.h"

static void a_second_lies_between_term_and_kill(void **state) {
  (void)state;
  struct ls_ending ending = ls_ending_default();
  assert_int_equal(ending.count, 2);
  assert_int_equal(ending.steps[0].signal, SIGTERM);
  assert_true(ending.steps[0].wait_s == 1);
  assert_int_equal(ending.steps[1].signal, SIGKILL);
  assert_true(ls_ending_length_s(&ending) == 1);
}

static void signals_and_milliseconds_alternate(void **state) {
  (void)state;
  struct ls_ending ending;
  assert_int_equal(ls_ending_read("TERM,200,SIGTERM,100,15,50,KILL,25", &ending, NULL), LS_OK);
  assert_int_equal(ending.count, 4);
  for (int i = 0; i < 3; i++) assert_int_equal(ending.steps[i].signal, SIGTERM);
  assert_true(ending.steps[0].wait_s > 0.199 && ending.steps[0].wait_s < 0.201);
  assert_int_equal(ending.steps[3].signal, SIGKILL);
  double length_s = ls_ending_length_s(&ending); /* what stands behind the last one is no wait */
  assert_true(length_s > 0.349 && length_s < 0.351);
}

static void the_last_one_is_always_kill(void **state) {
  (void)state;
  struct ls_ending ending;
  assert_int_equal(ls_ending_read("INT,10", &ending, NULL), LS_OK);
  assert_int_equal(ending.count, 2);
  assert_int_equal(ending.steps[1].signal, SIGKILL);
  assert_int_equal(ls_ending_read("HUP", &ending, NULL), LS_OK);
  assert_int_equal(ending.count, 2);
}

static void what_is_no_sequence_is_refused(void **state) {
  static const char *const wrong[] = {"",      "200",       "TERM,x",    "TERM,,KILL",
                                      "FOO",   "TERM,-1",   "0",         "TERM,200,BAR",
                                      ",TERM", "TERM;KILL", "TERM,1e99", "99999"};
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct ls_error err = {0};
    struct ls_ending ending;
    assert_int_equal(ls_ending_read(wrong[i], &ending, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "expected signals with milliseconds between them"));
  }
  char many[200] = "TERM";
  for (int i = 0; i < 16; i++) strcat(many, ",1,TERM");
  struct ls_ending ending;
  assert_int_equal(ls_ending_read(many, &ending, NULL), LS_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_second_lies_between_term_and_kill),
      cmocka_unit_test(signals_and_milliseconds_alternate),
      cmocka_unit_test(the_last_one_is_always_kill),
      cmocka_unit_test(what_is_no_sequence_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
