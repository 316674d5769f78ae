#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "policies/replication.h"

static void every_replication_is_found_by_its_name(void **state) {
  (void)state;
  size_t count = 0;
  for (; ls_replications[count] != NULL; count++) {
    assert_ptr_equal(ls_replication_find(ls_replications[count]->name), ls_replications[count]);
    assert_true(strlen(ls_replications[count]->summary) > 0);
    assert_true(strlen(ls_replications[count]->reference) > 0);
  }
  assert_true(count >= 1);
}

static void an_unknown_replication_is_not_found(void **state) {
  (void)state;
  assert_null(ls_replication_find("triple"));
  assert_null(ls_replication_find(""));
}

static void no_more_units_stand_twice_than_there_are(void **state) {
  (void)state;
  for (size_t i = 0; ls_replications[i] != NULL; i++) {
    for (uint64_t units = 0; units < 12; units++) {
      for (size_t workers = 1; workers < 12; workers++) {
        assert_true(ls_replications[i]->replicas(units, workers, workers) <= units);
        assert_true(ls_replications[i]->replicas(units, workers, 0) <= units);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_replication_is_found_by_its_name),
      cmocka_unit_test(an_unknown_replication_is_not_found),
      cmocka_unit_test(no_more_units_stand_twice_than_there_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
