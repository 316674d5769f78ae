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

static struct ls_replication_view make_view(const struct ls_replication *replication,
                                            uint64_t units, size_t wanted, size_t present) {
  struct ls_replication_view view = {
      .units = units, .workers_wanted = wanted, .workers_present = present, .loss_rate = 0.01};
  ls_arguments_init(&view.arguments, replication->parameters);
  return view;
}

static void no_more_units_stand_twice_than_there_are(void **state) {
  (void)state;
  const double seconds[12] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 1, 1, 1};
  for (size_t i = 0; ls_replications[i] != NULL; i++) {
    for (uint64_t units = 0; units < 12; units++) {
      for (size_t workers = 0; workers < 12; workers++) {
        struct ls_replication_view view = make_view(ls_replications[i], units, 4, workers);
        assert_true(ls_replications[i]->replicas(&view) <= units);
        view.seconds = seconds;
        assert_true(ls_replications[i]->replicas(&view) <= units);
      }
    }
  }
}

/* A replica displaces another task where no worker is left over. */
static void nothing_stands_twice_without_an_extra_worker(void **state) {
  (void)state;
  const double seconds[12] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 1, 1, 1};
  for (size_t i = 0; ls_replications[i] != NULL; i++) {
    struct ls_replication_view view = make_view(ls_replications[i], 12, 4, 4);
    view.seconds = seconds;
    assert_int_equal(ls_replications[i]->replicas(&view), 0);
    view.workers_present = 3;
    assert_int_equal(ls_replications[i]->replicas(&view), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_replication_is_found_by_its_name),
      cmocka_unit_test(an_unknown_replication_is_not_found),
      cmocka_unit_test(no_more_units_stand_twice_than_there_are),
      cmocka_unit_test(nothing_stands_twice_without_an_extra_worker),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
