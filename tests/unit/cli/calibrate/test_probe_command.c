#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <poll.h>
#include <string.h>

#include "cli/calibrate/probe_subject.h"

static struct ls_probe_subject open_subject(const char *const *words, size_t count) {
  struct ls_probe_target target = {.words = words, .words_count = count, .slots = 2};
  struct ls_probe_subject subject;
  struct ls_error err = {0};
  if (ls_probe_subject_open(&target, &subject, &err) != LS_OK) fail_msg("%s", err.text);
  return subject;
}

static void await(struct ls_probe_subject *subject, const struct ls_probe_slot *slot) {
  struct pollfd look = {.fd = subject->kind->file(subject, slot), .events = POLLIN};
  while (!subject->kind->has_ended(subject, slot)) (void)poll(&look, look.fd >= 0 ? 1 : 0, 10);
}

/* Only the size 12 ends well, wherever in the words it stands. */
static void the_size_stands_in_place_of_braces(void **state) {
  (void)state;
  const char *const words[] = {"sh", "-c", "test {}:$1 = 12:a12b12", "sh", "a{}b{}"};
  struct ls_probe_subject subject = open_subject(words, 5);
  struct ls_measurements measurements = {.items = NULL};
  struct ls_probe_slot slot = {.number = 1, .size = 12, .begin_s = 1, .end_s = 3.5};
  assert_true(isinf(subject.size_most));
  assert_int_equal(ls_measurements_worker(&measurements, "a", 1, &slot.worker, NULL), LS_OK);
  assert_int_equal(subject.kind->start(&subject, &slot, NULL), LS_OK);
  await(&subject, &slot);
  assert_int_equal(subject.kind->take(&subject, &slot, &measurements, NULL), LS_OK);
  assert_int_equal(measurements.count, 1);
  assert_int_equal(measurements.items[0].measured, LS_OPERATION_COMPUTE);
  assert_true(fabs(measurements.items[0].seconds - 2.5) <= 0);
  ls_measurements_close(&measurements);
  ls_probe_subject_close(&subject);
}

static void a_failure_is_told_with_its_size(void **state) {
  (void)state;
  const char *const words[] = {"sh", "-c", "exit {}"};
  struct ls_probe_subject subject = open_subject(words, 3);
  struct ls_measurements measurements = {.items = NULL};
  struct ls_error err = {0};
  struct ls_probe_slot slot = {.size = 4};
  assert_int_equal(subject.kind->start(&subject, &slot, NULL), LS_OK);
  await(&subject, &slot);
  assert_int_equal(subject.kind->take(&subject, &slot, &measurements, &err), LS_EINVAL);
  assert_string_equal(err.text, "sh of 4 units ended with exit code 4, expected 0");
  assert_int_equal(measurements.count, 0);
  ls_probe_subject_close(&subject);
}

/* It would last for hours. */
static void what_is_stopped_has_ended(void **state) {
  (void)state;
  const char *const words[] = {"sleep", "{}0000"};
  struct ls_probe_subject subject = open_subject(words, 2);
  struct ls_probe_slot slot = {.size = 4};
  assert_int_equal(subject.kind->start(&subject, &slot, NULL), LS_OK);
  assert_false(subject.kind->has_ended(&subject, &slot));
  subject.kind->stop(&subject, &slot);
  assert_int_equal(subject.ends[0].signal, 9);
  ls_probe_subject_close(&subject);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_size_stands_in_place_of_braces),
      cmocka_unit_test(a_failure_is_told_with_its_size),
      cmocka_unit_test(what_is_stopped_has_ended),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
