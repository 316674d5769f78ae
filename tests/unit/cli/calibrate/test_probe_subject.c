#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "cli/calibrate/probe_subject.h"

static enum ls_status one_unit(void *state, uint32_t iteration, uint64_t *units,
                               struct ls_error *err) {
  (void)state;
  (void)iteration;
  (void)err;
  *units = 1;
  return LS_OK;
}

static enum ls_status compute(void *state, const struct ls_work *work, struct ls_bytes *output,
                              struct ls_error *err) {
  (void)state;
  (void)work;
  (void)output;
  (void)err;
  return LS_OK;
}

/* Words mean a command where there is no application, and its own words where there is one. */
static void words_are_a_command_or_an_applications(void **state) {
  (void)state;
  const char *const words[] = {"sleep", "{}"};
  const struct ls_app app = {.name = "one", .units = one_unit, .compute = compute};
  struct ls_probe_target target = {.words = words, .words_count = 2, .slots = 1};
  struct ls_probe_subject subject;
  assert_int_equal(ls_probe_subject_open(&target, &subject, NULL), LS_OK);
  assert_string_equal(subject.name, "sleep");
  assert_true(isinf(subject.size_most));
  ls_probe_subject_close(&subject);
  target.app = &app;
  assert_int_equal(ls_probe_subject_open(&target, &subject, NULL), LS_OK);
  assert_string_equal(subject.name, "one");
  assert_false(subject.size_most > 1);
  ls_probe_subject_close(&subject);
}

static void a_command_without_braces_is_refused(void **state) {
  (void)state;
  const char *const words[] = {"sleep", "1"};
  struct ls_probe_target target = {.words = words, .words_count = 2, .slots = 1};
  struct ls_probe_subject subject;
  struct ls_error err = {0};
  assert_int_equal(ls_probe_subject_open(&target, &subject, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "has no {}"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_are_a_command_or_an_applications),
      cmocka_unit_test(a_command_without_braces_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
