/* top_fixture.h: a journal of a run that is over: ten of twelve tasks, one of which failed. */
#ifndef LS_TESTS_UNIT_CLI_TOP_FIXTURE_H
#define LS_TESTS_UNIT_CLI_TOP_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/journal/journal.h"

static char folder[] = "/tmp/top-test-XXXXXX";
static char path[64];

static inline int make_journal(void **state) {
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

static inline int remove_journal(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder);
}

#endif
