/* test_labels.c: names of what a worker has, and lists of them. */
#include "base/labels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void a_bad_label_is_refused_with_field_value_and_expectation(void **state) {
  static const char *const bad[] = {"", "a b", "gpu,big", "gpu+big", "\x1bx", "\xc3\xa4", "a/b"};
  char labels[LS_LABELS_BYTES] = "", longest[LS_LABEL_LETTERS_MAX + 2];
  struct ls_error err = {0};
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    assert_int_equal(ls_labels_add(labels, "--label", bad[i], &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "--label is '"));
    assert_non_null(strstr(err.text, LS_LABEL_EXPECTED));
    assert_null(strchr(err.text, '\x1b'));
    assert_string_equal(labels, "");
  }
  memset(longest, 'x', sizeof longest);
  longest[LS_LABEL_LETTERS_MAX] = '\0';
  assert_int_equal(ls_label_check("--label", longest, NULL), LS_OK);
  longest[LS_LABEL_LETTERS_MAX] = 'x';
  longest[LS_LABEL_LETTERS_MAX + 1] = '\0';
  assert_int_equal(ls_label_check("--label", longest, NULL), LS_EINVAL);
}

static void each_label_stands_once_and_whole_names_are_found(void **state) {
  char labels[LS_LABELS_BYTES] = "";
  (void)state;
  assert_int_equal(ls_labels_read(labels, "labels", "gpu+big.mem+gpu", '+', NULL), LS_OK);
  assert_string_equal(labels, "gpu,big.mem");
  assert_true(ls_labels_have(labels, "gpu"));
  assert_true(ls_labels_have(labels, "big.mem"));
  assert_false(ls_labels_have(labels, "big"));
  assert_false(ls_labels_have(labels, "gpux"));
  assert_false(ls_labels_have("", "gpu"));
  assert_false(ls_labels_have(NULL, "gpu"));
}

static void a_text_that_is_no_list_is_refused_and_changes_nothing(void **state) {
  static const char *const bad[] = {"", "+", "gpu+", "gpu++big", "gpu+b g"};
  char labels[LS_LABELS_BYTES] = "kept";
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    assert_int_equal(ls_labels_read(labels, "labels", bad[i], '+', NULL), LS_EINVAL);
    assert_string_equal(labels, "kept");
  }
}

static void too_many_labels_are_refused(void **state) {
  char labels[LS_LABELS_BYTES] = "", label[LS_LABEL_LETTERS_MAX + 1];
  struct ls_error err = {0};
  enum ls_status status = LS_OK;
  (void)state;
  memset(label, 'x', sizeof label - 1);
  label[sizeof label - 1] = '\0';
  for (char first = 'a'; first <= 'z' && status == LS_OK; ++first) {
    label[0] = first;
    status = ls_labels_add(labels, "--label", label, &err);
  }
  assert_int_equal(status, LS_EINVAL);
  assert_non_null(strstr(err.text, "in all"));
  assert_true(strlen(labels) < LS_LABELS_BYTES);
  assert_true(ls_labels_have(labels, (label[0] = 'a', label)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bad_label_is_refused_with_field_value_and_expectation),
      cmocka_unit_test(each_label_stands_once_and_whole_names_are_found),
      cmocka_unit_test(a_text_that_is_no_list_is_refused_and_changes_nothing),
      cmocka_unit_test(too_many_labels_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
