/* run_size.h: how many workers a run should have had, by what its tasks took.
 */
#ifndef LS_CLI_RUN_SIZE_H
#define LS_CLI_RUN_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "advise/size_advice.h"
#include "model/task_log.h"
#include "runtime/journal/journal.h"
#include "runtime/master/master_report.h"

/* Starts as {0}. */
struct ls_run_size {
  struct ls_task_log tasks; /* for the master to fill in */
  struct ls_size_advice advice;
};

struct ls_run_size_facts {
  bool are_alike; /* all workers are of this machine, and nobody told their speeds apart */
  uint64_t seed;
};

/* Behind a run that came to its end, and lasted for a second at least; of others nothing is said.
 * It costs about a hundredth of the run's time, and does not fail. */
void ls_run_size_make(struct ls_run_size *size, const struct ls_master_report *report,
                      const struct ls_run_size_facts *facts);
/* Puts it into the journal, with what the next run may know of the pools. */
void ls_run_size_record(const struct ls_run_size *size, const struct ls_master_report *report,
                        struct ls_journal *journal);
void ls_run_size_close(struct ls_run_size *size);

#endif
