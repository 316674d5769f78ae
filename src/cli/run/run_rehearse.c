#include "cli/run/run_rehearse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cli/run/progress.h"
#include "cli/run/quote.h"
#include "cli/run/task_source.h"
#include "cli/terms_options.h"
#include "model/metrics.h"

/* A job that runs out of time has been for nothing. */
static const double TIME_MARGIN = 1.5;

enum ls_status ls_run_rehearse_read(struct ls_run_options *options, const char *text,
                                    struct ls_error *err) {
  options->is_dry = true;
  options->asks_cost = text != NULL;
  if (text == NULL || strcmp(text, "cost") == 0) return LS_OK;
  return ls_fail(err, LS_EINVAL, "--dry-run is '%.40s', expected cost, or nothing", text);
}

enum ls_status ls_run_rehearse_cost(struct ls_run_account *account, uint64_t units,
                                    struct ls_run_cost *cost, struct ls_error *err) {
  struct ls_run_situation situation = ls_run_account_situation(account, units);
  const struct ls_run_predictable run = {
      .situation = &situation, .config = &account->policy->config, .iterations = 1};
  *cost = (struct ls_run_cost){.is_known = false};
  if (!ls_run_account_is_known(account))
    return ls_fail(err, LS_EINVAL,
                   "--dry-run=cost: nothing is known of how long tasks take, expected --times FILE "
                   "(seconds of each), --history JOURNAL (of an earlier run) or --platform FILE "
                   "(of loadstar calibrate)");
  if (units == 0) return ls_fail(err, LS_EINVAL, "--dry-run=cost: there are no tasks");
  enum ls_status status = ls_run_cost_find(&run, cost, err);
  if (status != LS_OK) return ls_fail_while(err, status, "--dry-run=cost");
  if (cost->is_known) return LS_OK;
  if (units > LS_RUN_PREDICT_UNITS_MAX)
    return ls_fail(err, LS_EINVAL, "--dry-run=cost: %llu tasks, expected at most %d",
                   (unsigned long long)units, (int)LS_RUN_PREDICT_UNITS_MAX);
  return ls_fail(err, LS_EINVAL,
                 "--dry-run=cost: the plan's file has no times, expected --platform FILE");
}

static bool is_option(const char *option, const char *name) {
  size_t length = strlen(name);
  return strncmp(option, name, length) == 0 && (option[length] == '=' || option[length] == '\0');
}

/* Options as they are recorded for a resume, but for the number of workers, and a platform that has
 * fewer; then inputs and words. */
static void add_words(const struct ls_run_account *account, size_t workers, struct ls_bytes *out) {
  bool has_platform = workers <= account->policy->platform.workers_count;
  const struct ls_run_options *options = account->options;
  const char *option = ls_bytes_text(&options->recorded);
  for (size_t i = 0; i < options->recorded_count; i++) {
    size_t length = strlen(option);
    bool is_known =
        is_option(option, "--workers") || (!has_platform && is_option(option, "--platform"));
    if (!is_known) {
      const char *value = strchr(option, '=');
      size_t name = value != NULL ? (size_t)(value - option) + 1 : length;
      ls_bytes_append_char(out, ' ');
      ls_bytes_append(out, option, name);
      if (value != NULL) ls_quote_word(value + 1, out);
    }
    option += length + 1;
  }
  /* The file of --pipe-part is among those that are recorded. */
  for (size_t i = 0; i < options->files_count && !options->blocks.is_part; i++) {
    ls_bytes_append_text(out, " -a ");
    ls_quote_word(options->files[i], out);
  }
  bool is_mark = options->files_count > 0;
  for (size_t i = 0; i < options->words_count; i++) {
    ls_bytes_append_text(out, i == 0 ? " -- " : " ");
    ls_quote_word(options->words[i], out);
    is_mark = is_mark || ls_task_source_is_mark(options->words[i], &options->inputs.marks);
  }
  if (account->runs_commands && !is_mark) ls_bytes_append_text(out, " < INPUTS");
}

/* A journal has everything but data. */
static void add_journal(const struct ls_run_options *options, struct ls_bytes *out) {
  ls_bytes_printf(out, " %s --journal ",
                  options->repeats_failures ? "--resume-failed" : "--resume");
  ls_quote_word(options->journal, out);
  if (options->blocks.is_piped) ls_bytes_append_text(out, " < INPUTS");
}

/* One job on one node: more workers than it has processors are for --slurm. */
static void write_batch(const struct ls_run_account *account, const char *name,
                        const struct ls_run_cost *cost, struct ls_bytes *out) {
  const struct ls_size_advice *size = &cost->size;
  struct ls_bytes command = {0};
  double time_s = cost->most_s;
  size_t workers = cost->workers;
  /* A deadline or a limit of price is of the platform's workers. */
  if (size->is_known && !ls_terms_are_given(&account->options->terms)) {
    workers = size->perfect;
    time_s = size->time_s * fmax(cost->most_s / cost->median_s, 1);
  }
  unsigned long minutes = (unsigned long)fmin(ceil(TIME_MARGIN * time_s / 60), 1e8);
  ls_bytes_printf(&command, "%s --workers=%zu", name, workers);
  if (account->options->is_resumed || account->options->repeats_failures)
    add_journal(account->options, &command);
  else
    add_words(account, workers, &command);
  ls_bytes_printf(out, "sbatch --nodes=1 --ntasks=1 --cpus-per-task=%zu --time=%lu:%02lu:00 ",
                  workers, minutes / 60, minutes % 60);
  ls_bytes_append_text(out, "--wrap=");
  ls_quote_word(ls_bytes_text(&command), out);
  ls_bytes_close(&command);
}

static void write_workers(const struct ls_size_advice *size, struct ls_bytes *out) {
  if (!size->is_known) {
    ls_bytes_printf(out, "%-10s too many tasks to say how many workers pay\n", "workers");
    return;
  }
  ls_bytes_printf(out, "%-10s %zu pay most (", "workers", size->perfect);
  ls_progress_write_interval(size->time_s, size->time_s, out);
  ls_bytes_printf(out, ", efficiency %.0f %%)", 100 * size->efficiency);
  if (size->ideal_from < size->ideal_to)
    ls_bytes_printf(out, ", %zu to %zu nearly as well", size->ideal_from, size->ideal_to);
  ls_bytes_append_char(out, '\n');
}

static bool has_prices(const struct ls_run_account *account) {
  return account->policy->prices != NULL && ls_platform_has_prices(&account->policy->platform);
}

/* An idle worker is paid, too. */
static double find_price_per_s(const struct ls_run_account *account, size_t workers) {
  double price_per_s = 0;
  for (size_t i = 0; i < workers; i++) price_per_s += account->policy->prices[i];
  return price_per_s;
}

static void write_price(const struct ls_run_account *account, const struct ls_run_cost *cost,
                        struct ls_bytes *out) {
  if (!has_prices(account)) return;
  double price_per_s = find_price_per_s(account, cost->workers);
  ls_bytes_printf(out, "%-10s %.6g to %.6g (cost x seconds up, all workers)\n", "price",
                  price_per_s * cost->least_s, price_per_s * cost->most_s);
}

void ls_run_rehearse_write(const struct ls_run_account *account, const char *name, uint64_t units,
                           const struct ls_run_cost *cost, struct ls_bytes *out) {
  double held = (double)cost->workers;
  ls_bytes_printf(out, "%-10s %llu on %zu worker%s, by ", "tasks", (unsigned long long)units,
                  cost->workers, cost->workers == 1 ? "" : "s");
  ls_run_policy_describe(account->policy, out);
  ls_bytes_printf(out, "\n%-10s ", "duration");
  ls_progress_write_interval(cost->least_s, cost->most_s, out);
  if (cost->draws > 1)
    ls_bytes_printf(out, " (10 to 90 %% of %zu simulations; median %.4g s)\n", cost->draws,
                    cost->median_s);
  else
    ls_bytes_printf(out, " (%.4g s; nothing is left to chance)\n", cost->median_s);
  ls_bytes_printf(out, "%-10s %.3g of work; %.3g to %.3g held by all workers\n", "core hours",
                  cost->work_s / 3600, held * cost->least_s / 3600, held * cost->most_s / 3600);
  write_price(account, cost, out);
  write_workers(&cost->size, out);
  ls_bytes_printf(out, "%-10s ", "slurm");
  write_batch(account, name, cost, out);
  ls_bytes_append_char(out, '\n');
}

void ls_run_rehearse_write_json(const struct ls_run_account *account, const char *name,
                                uint64_t units, const struct ls_run_cost *cost,
                                struct ls_bytes *out) {
  struct ls_bytes text = {0};
  ls_run_policy_describe(account->policy, &text);
  ls_bytes_printf(out,
                  "{\"tasks\": %llu, \"workers\": %zu, \"policy\": ", (unsigned long long)units,
                  cost->workers);
  ls_json_write_string(out, ls_bytes_text(&text));
  ls_bytes_printf(out, ", \"duration\": {\"p10\": ");
  ls_json_write_number(out, cost->least_s);
  ls_bytes_append_text(out, ", \"p50\": ");
  ls_json_write_number(out, cost->median_s);
  ls_bytes_append_text(out, ", \"p90\": ");
  ls_json_write_number(out, cost->most_s);
  ls_bytes_printf(out, ", \"simulations\": %zu}, \"work\": ", cost->draws);
  ls_json_write_number(out, cost->work_s);
  if (has_prices(account)) {
    double price_per_s = find_price_per_s(account, cost->workers);
    ls_bytes_append_text(out, ", \"price\": {\"p10\": ");
    ls_json_write_number(out, price_per_s * cost->least_s);
    ls_bytes_append_text(out, ", \"p90\": ");
    ls_json_write_number(out, price_per_s * cost->most_s);
    ls_bytes_append_char(out, '}');
  }
  if (cost->size.is_known) {
    ls_bytes_append_text(out, ", \"perfect\": ");
    ls_size_advice_write_json(&cost->size, out);
  }
  ls_bytes_clear(&text);
  write_batch(account, name, cost, &text);
  ls_bytes_append_text(out, ", \"slurm\": ");
  ls_json_write_string(out, ls_bytes_text(&text));
  ls_bytes_append_text(out, "}\n");
  ls_bytes_close(&text);
}
