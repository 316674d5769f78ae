/* What `loadstar top` knows of a run. */
#include <math.h>

#include "cli/top_facts.h"
#include "top_fixture.h"

static void facts_are_those_of_the_journal(void **state) {
  (void)state;
  struct ls_top_facts facts = {.command = ""};
  struct ls_error err = {0};
  /* The second look adds nothing twice. */
  for (int look = 0; look < 2; look++)
    if (ls_top_facts_look(&facts, path, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(facts.units, 12);
  assert_int_equal(facts.done, 9);
  assert_int_equal(facts.failed, 1);
  assert_true(fabs(facts.p90_s - 8) < 1e-9);
  assert_int_equal(facts.workers_count, 1);
  assert_int_equal(facts.workers[0].tasks, 9);
  assert_true(fabs(facts.workers[0].seconds - 17) < 1e-9);
  assert_false(facts.workers[0].is_busy || facts.workers[0].is_there);
  ls_top_facts_close(&facts);
}

static void a_journal_that_is_none_is_named(void **state) {
  (void)state;
  struct ls_top_facts facts = {.command = ""};
  struct ls_error err = {0};
  assert_int_not_equal(ls_top_facts_look(&facts, "/nonexistent/j", &err), LS_OK);
  assert_non_null(strstr(err.text, "/nonexistent/j"));
  ls_top_facts_close(&facts);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(facts_are_those_of_the_journal),
      cmocka_unit_test(a_journal_that_is_none_is_named),
  };
  return cmocka_run_group_tests(tests, make_journal, remove_journal);
}
