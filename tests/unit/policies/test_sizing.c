#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "policies/sizing.h"

static void every_sizing_is_found_by_its_name(void **state) {
  (void)state;
  size_t count = 0;
  for (; ls_sizings[count] != NULL; count++) {
    assert_ptr_equal(ls_sizing_find(ls_sizings[count]->name), ls_sizings[count]);
    assert_true(strlen(ls_sizings[count]->summary) > 0);
    assert_true(strlen(ls_sizings[count]->reference) > 0);
  }
  assert_true(count >= 1);
}

static void an_unknown_sizing_is_not_found(void **state) {
  (void)state;
  assert_null(ls_sizing_find("flexible"));
  assert_null(ls_sizing_find(""));
}

static void every_sizing_wants_one_worker_to_all_units(void **state) {
  (void)state;
  for (size_t i = 0; ls_sizings[i] != NULL; i++) {
    for (uint64_t units = 0; units < 20; units++) {
      for (size_t given = 0; given < 30; given++) {
        struct ls_sizing_memory memory = {0};
        struct ls_sizing_view view = {.is_start = 1, .units = units, .memory = &memory};
        ls_arguments_init(&view.arguments, ls_sizings[i]->parameters);
        size_t wanted = ls_sizings[i]->wanted(&view, given);
        assert_true(wanted >= 1 && wanted <= (units > 1 ? units : 1));
        assert_true(wanted <= (given > 1 ? given : 1));
      }
    }
  }
}

/* Whatever an iteration was like, one worker to as many as were given or there are units. */
static void every_sizing_obeys_its_limits_afterwards(void **state) {
  const double seconds[] = {50, 3, 3, 2, 1};
  struct ls_task_facts facts;
  (void)state;
  assert_int_equal(ls_task_facts(seconds, 5, &facts, NULL), LS_OK);
  for (size_t i = 0; ls_sizings[i] != NULL; i++) {
    struct ls_sizing_memory memory = {0};
    for (uint32_t trial = 0; trial < 400; trial++) {
      size_t given = 1 + trial % 9;
      struct ls_sizing_view view = {.iteration = trial % 3,
                                    .units = 1 + trial % 7,
                                    .wanted = 1 + trial % 11,
                                    .current = trial % 13,
                                    .iteration_seconds = trial % 17,
                                    .efficiency = (trial % 10) / 10.0,
                                    .was_changed = trial % 5 == 0,
                                    .memory = &memory};
      if (trial % 4 > 0) view.tasks = facts;
      ls_arguments_init(&view.arguments, ls_sizings[i]->parameters);
      size_t wanted = ls_sizings[i]->wanted(&view, given);
      assert_true(wanted >= 1 && wanted <= view.units && wanted <= given);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_sizing_is_found_by_its_name),
      cmocka_unit_test(an_unknown_sizing_is_not_found),
      cmocka_unit_test(every_sizing_wants_one_worker_to_all_units),
      cmocka_unit_test(every_sizing_obeys_its_limits_afterwards),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
