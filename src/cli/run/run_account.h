/* run_account.h: what a run's knowledge predicts, and what happened beside it.
 */
#ifndef LS_CLI_RUN_ACCOUNT_H
#define LS_CLI_RUN_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "advise/run_predict.h"
#include "base/bytes.h"
#include "cli/run/run_options.h"
#include "cli/run/run_policy.h"
#include "model/account.h"
#include "runtime/journal/journal.h"
#include "runtime/master/master_report.h"

/* Starts as {0}. */
struct ls_run_account {
  const struct ls_run_options *options;
  const struct ls_run_policy *policy;
  bool is_rest;                      /* earlier sessions settled some units */
  bool runs_commands;                /* all units are known, and there is one iteration */
  struct ls_run_predicted predicted; /* before the run, or as many units as have run */
  struct ls_comparison comparison;
  bool has_comparison;    /* there is a prediction */
  struct ls_bytes excuse; /* why there is none though something is known; empty: none is needed */
};

/* Is anything known of the run that a prediction could begin with? */
bool ls_run_account_is_known(const struct ls_run_account *account);
/* What is known of a run of `units`; borrowed from the account's policy and options. */
struct ls_run_situation ls_run_account_situation(const struct ls_run_account *account,
                                                 uint64_t units);
/* Before the run begins: of `units`, in one iteration. It may find that there is no prediction, and
 * then has an excuse or knows nothing; it does not fail. */
void ls_run_account_predict(struct ls_run_account *account, uint64_t units);
/* Behind the run: the prediction for what it really had to do (iterations, units that earlier
 * sessions had left), beside what happened, if the run came to its end. */
void ls_run_account_compare(struct ls_run_account *account, const struct ls_master_report *report,
                            uint64_t units);
/* Puts the prediction, and what happened, into the journal. */
void ls_run_account_record(const struct ls_run_account *account, struct ls_journal *journal);
void ls_run_account_close(struct ls_run_account *account);

#endif
