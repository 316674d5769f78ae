#include "cli/run/run_account.h"

#include <stdio.h>
#include <string.h>

#include "cli/run/run_pools.h"
#include "formats/account_json.h"
#include "policies/sizing.h"
#include "runtime/journal_account.h"

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

static struct ls_run_situation describe_situation(const struct ls_run_account *account,
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
      .times = policy->adaptive.times,
      .units = units,
      .workers = workers,
      .weights = policy->weights,
      .prefetch = policy->prefetch,
      .is_remote = ls_run_pools_is_remote(options),
      .seed = options->seed};
}

static void predict(struct ls_run_account *account, uint64_t units, uint32_t iterations) {
  struct ls_error err = {0};
  struct ls_run_situation situation = describe_situation(account, units);
  struct ls_run_predictable run = {
      .situation = &situation, .config = &account->policy->config, .iterations = iterations};
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
    ls_bytes_append_text(&account->excuse,
                         units * iterations > LS_RUN_PREDICT_UNITS_MAX
                             ? "more than 1000000 tasks are not simulated"
                             : "the plan's file has no times (--platform would tell them)");
    return;
  }
  account->comparison.predicted = account->predicted.account;
  account->has_comparison = true;
  describe(account);
}

void ls_run_account_predict(struct ls_run_account *account, uint64_t units) {
  predict(account, units, 1);
}

/* What the session had to do, if the prediction can say it. */
static bool count_done(struct ls_run_account *account, const struct ls_master_report *report,
                       uint64_t units, uint32_t *iterations, uint64_t *in_each) {
  uint64_t settled = report->units_done + report->units_failed + report->units_given_up;
  uint64_t opened = report->wanted_count > 0 ? report->wanted_count : 1;
  bool is_rest = account->is_rest = report->units_before > 0;
  *iterations = (uint32_t)opened;
  *in_each = is_rest || opened == 1 ? settled : units;
  const char *excuse = NULL;
  if (is_rest && opened > 1)
    excuse = "a resumed run of several iterations is not predicted";
  else if (is_rest && (account->options->times != NULL || account->options->plan != NULL))
    excuse = "the rest of a resumed run has other tasks than its plan or times";
  else if (*in_each * opened != settled)
    excuse = "its iterations have different numbers of units";
  if (excuse == NULL) return true;
  ls_bytes_clear(&account->excuse);
  if (ls_run_account_is_known(account)) ls_bytes_append_text(&account->excuse, excuse);
  account->has_comparison = false;
  return false;
}

void ls_run_account_compare(struct ls_run_account *account, const struct ls_master_report *report,
                            uint64_t units) {
  const struct ls_coordinator_totals *totals = &report->totals;
  bool has_ended = report->has_begun && !report->was_stopped && totals->waiting + totals->sent == 0;
  uint32_t iterations;
  uint64_t in_each;
  if (!has_ended) return;
  if (!count_done(account, report, units, &iterations, &in_each)) return;
  if (iterations > 1 || in_each != units || !account->has_comparison)
    predict(account, in_each, iterations);
  account->comparison.happened = report->account;
  account->comparison.has_happened = account->has_comparison;
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
