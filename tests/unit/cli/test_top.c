/* `loadstar top` of a run that is over: facts and their picture. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture.h"
#include "cli/top_facts.h"
#include "runtime/journal/journal.h"

static struct capture capture;
static char folder[] = "/tmp/top-test-XXXXXX";
static char path[64];

#define TOP(...) CAPTURE(&capture, "", (char *)"top", __VA_ARGS__)

static int make_journal(void **state) {
  (void)state;
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(path, sizeof path, "%s/j", folder);
  setenv("LC_ALL", "C.UTF-8", 1);
  struct ls_journal_job job = {
      .application = "run", .command = "work", .directory = "/", .units = 12, .policy = "ss"};
  struct ls_journal_request request = {.path = path, .job = &job};
  struct ls_journal *journal = NULL;
  if (ls_journal_open(&request, &journal, NULL) != LS_OK) return -1;
  ls_journal_worker(journal,
                    &(struct ls_journal_worker){.slot = 1, .name = "a\033b", .left_s = 20});
  for (uint64_t unit = 0; unit < 10; unit++)
    ls_journal_result(journal, &(struct ls_journal_result){
                                   .units = {unit, 1},
                                   .outcome = unit == 4 ? LS_OUTCOME_FAILED : LS_OUTCOME_DONE,
                                   .start_s = (double)unit,
                                   .seconds = unit == 9 ? 8 : 1});
  ls_journal_end(journal, "stopped", 20);
  enum ls_status status = ls_journal_commit(journal, NULL);
  ls_journal_close(journal);
  return status == LS_OK ? 0 : -1;
}

static int remove_journal(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder);
}

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

static void a_run_that_is_over_is_told_once(void **state) {
  (void)state;
  TOP(path);
  assert_int_equal(capture.exit_status, 0);
  assert_string_equal(capture.output,
                      "20.0 s: stopped, 9 of 12 done, 1 failed, 2 left, 0 of 0 workers busy\n");
  TOP(path, "--once");
  assert_non_null(strstr(capture.output, "work  (stopped, 20.0 s)\n"));
  /* What a journal says reaches no terminal raw. */
  assert_null(strchr(capture.output, '\033'));
}

static void mistakes_are_named(void **state) {
  (void)state;
  TOP("/nonexistent/j");
  assert_int_not_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.error, "/nonexistent/j"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(facts_are_those_of_the_journal),
      cmocka_unit_test(a_run_that_is_over_is_told_once),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, make_journal, remove_journal);
}
