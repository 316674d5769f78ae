#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "lab/studies/study.h"

static void every_study_says_what_it_is(void **state) {
  (void)state;
  size_t count = 0;
  for (; ls_studies[count] != NULL; count++) {
    const struct ls_study *study = ls_studies[count];
    assert_int_equal(strspn(study->name, "abcdefghijklmnopqrstuvwxyz0123456789-"),
                     strlen(study->name));
    assert_true(strlen(study->name) > 0 && strlen(study->summary) > 0);
    assert_null(strchr(study->summary, '\n'));
    assert_true(strlen(study->reference) > 0);
    assert_true(study->run != NULL);
  }
  assert_true(count > 0);
}

static void a_study_is_found_by_its_name(void **state) {
  (void)state;
  for (size_t i = 0; ls_studies[i] != NULL; i++)
    assert_ptr_equal(ls_study_find(ls_studies[i]->name), ls_studies[i]); /* so names are unique */
  assert_null(ls_study_find("umr-table"));
  assert_null(ls_study_find(""));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_study_says_what_it_is),
      cmocka_unit_test(a_study_is_found_by_its_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
