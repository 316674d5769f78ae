#include "cli/run/run_account.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/run_pools.h"
#include "formats/account_json.h"
#include "policies/sizing.h"
#include "runtime/journal/journal_account.h"

/* What the prediction was made of, in words: "wf2 on the platform c.json". */
static void describe(struct ls_run_account *account) {
  const struct ls_run_options *options = account->options;
  struct ls_bytes words = {0};
  if (options->plan != NULL)
    ls_bytes_printf(&words, "the plan %s", options->plan);
  else
    ls_run_policy_describe(account->policy, &words);
  if (options->platform != NULL) {
    /* A platform in one line is told by its beginning. */
    bool is_long = strlen(options->platform) > 40;
    ls_bytes_printf(&words, " on %.40s%s", options->platform, is_long ? "..." : "");
  }
  if (options->times != NULL) ls_bytes_printf(&words, ", times of %s", options->times);
  if (options->history != NULL) ls_bytes_printf(&words, ", history %s", options->history);
  if (account->is_rest) ls_bytes_append_text(&words, ", for what earlier sessions left");
  if (account->predicted.draws > 1)
    ls_bytes_printf(&words, ", mean of %zu simulations", account->predicted.draws);
  (void)snprintf(account->comparison.basis, sizeof account->comparison.basis, "%s",
                 ls_bytes_text(&words));
  ls_bytes_close(&words);
}

bool ls_run_account_is_known(const struct ls_run_account *account) {
  const struct ls_run_options *options = account->options;
  return options->platform != NULL || options->plan != NULL || options->times != NULL ||
         options->history != NULL;
}

struct ls_run_situation ls_run_account_situation(const struct ls_run_account *account,
                                                 uint64_t units) {
  const struct ls_run_options *options = account->options;
  const struct ls_run_policy *policy = account->policy;
  size_t workers = policy->config.workers;
  /* A bag of few commands starts no more workers than it has commands. */
  bool is_unsized = policy->adaptive.sizing == NULL && options->plan == NULL;
  if (account->runs_commands && is_unsized && units < workers) workers = (size_t)units;
  return (struct ls_run_situation){
      .platform = policy->platform.workers_count > 0 ? &policy->platform : NULL,
      .history = options->history != NULL ? &policy->history : NULL,
      .times = policy->times_left != NULL ? policy->times_left : policy->adaptive.times,
      .units = units,
      .workers = workers,
      .weights = policy->weights,
      .prefetch = policy->prefetch,
      .is_remote = ls_run_pools_is_remote(options),
      .seed = options->seed};
}

/* `in_each`: of several iterations, the units of each. */
static void predict(struct ls_run_account *account, uint64_t units, uint32_t iterations,
                    const uint64_t *in_each) {
  struct ls_error err = {0};
  struct ls_run_situation situation = ls_run_account_situation(account, units);
  struct ls_run_predictable run = {.situation = &situation,
                                   .config = &account->policy->config,
                                   .iterations = iterations,
                                   .iteration_units = in_each};
  ls_run_predicted_close(&account->predicted);
  ls_bytes_clear(&account->excuse);
  account->has_comparison = false;
  if (!ls_run_account_is_known(account) || units == 0) return;
  enum ls_status status = ls_run_predict(&run, &account->predicted, &err);
  if (status != LS_OK) {
    ls_bytes_append_text(&account->excuse, err.text);
    return;
  }
  if (!account->predicted.is_known) {
    uint64_t tasks = 0;
    for (uint32_t k = 0; k < iterations; k++) tasks += in_each != NULL ? in_each[k] : units;
    ls_bytes_append_text(&account->excuse,
                         tasks > LS_RUN_PREDICT_UNITS_MAX
                             ? "more than 1000000 tasks are not simulated"
                             : "the plan's file has no times (--platform would tell them)");
    return;
  }
  account->comparison.predicted = account->predicted.account;
  account->has_comparison = true;
  describe(account);
}

void ls_run_account_predict(struct ls_run_account *account, uint64_t units) {
  predict(account, units, 1, NULL);
}

/* What the session had to do: iterations that had something to do, their units, and the most of
 * these. */
struct done {
  uint32_t iterations;
  uint64_t *in_each, most;
  bool are_equal;
};

static bool count_iterations(const struct ls_master_report *report, struct done *done) {
  done->are_equal = true;
  done->in_each = calloc(report->wanted_count + 1, sizeof *done->in_each);
  if (done->in_each == NULL) return false;
  for (size_t k = 0; k < report->wanted_count; k++) {
    uint64_t units = report->opened[k];
    if (units == 0) continue; /* all of them were idle */
    done->in_each[done->iterations++] = units;
    done->are_equal = done->are_equal && units == done->in_each[0];
    if (units > done->most) done->most = units;
  }
  return true;
}

/* True: the prediction can say it. */
static bool can_predict(struct ls_run_account *account, const struct done *done) {
  const struct ls_run_options *options = account->options;
  bool has_own = options->times != NULL || options->plan != NULL;
  const char *excuse = NULL;
  if (account->is_rest && done->iterations > 1)
    excuse = "a resumed run of several iterations is not predicted";
  else if (account->is_rest && has_own)
    excuse = "the rest of a resumed run has other tasks than its plan or times";
  else if (!done->are_equal && has_own)
    excuse = "its iterations have other tasks than its plan or times";
  if (excuse == NULL) return true;
  ls_bytes_clear(&account->excuse);
  if (ls_run_account_is_known(account)) ls_bytes_append_text(&account->excuse, excuse);
  account->has_comparison = false;
  return false;
}

void ls_run_account_compare(struct ls_run_account *account, const struct ls_master_report *report,
                            uint64_t units) {
  const struct ls_coordinator_totals *totals = &report->totals;
  uint64_t settled = report->units_done + report->units_failed + report->units_given_up;
  bool has_ended = report->has_begun && !report->was_stopped && totals->waiting + totals->sent == 0;
  struct done done = {0};
  if (!has_ended) return;
  account->is_rest = report->units_before > 0;
  bool is_counted = count_iterations(report, &done);
  /* Units may have been added to a single one. */
  if (done.iterations <= 1) done.most = settled;
  if (is_counted && can_predict(account, &done)) {
    bool has_several = done.iterations > 1;
    if (has_several || done.most != units || !account->has_comparison)
      predict(account, done.most, has_several ? done.iterations : 1,
              has_several ? done.in_each : NULL);
    account->comparison.happened = report->account;
    account->comparison.has_happened = account->has_comparison;
  }
  free(done.in_each);
}

void ls_run_account_record(const struct ls_run_account *account, struct ls_journal *journal) {
  struct ls_bytes text = {0};
  if (!account->has_comparison) return;
  ls_comparison_write(&account->comparison, &text);
  /* A report lacks it then, as that of an older journal. */
  if (!text.failed) ls_journal_account(journal, ls_bytes_text(&text));
  ls_bytes_close(&text);
}

void ls_run_account_close(struct ls_run_account *account) {
  ls_run_predicted_close(&account->predicted);
  ls_bytes_close(&account->excuse);
  *account = (struct ls_run_account){.options = NULL};
}
