/* --dry-run=cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/run/run_rehearse.h"

struct rig {
  struct ls_run_options options;
  struct ls_run_policy policy;
  struct ls_run_account account;
};

static void open_rig(struct rig *rig, uint64_t units) {
  struct ls_error err = {0};
  rig->options.order = "fifo";
  rig->options.policy = "ss";
  rig->options.workers = 2;
  rig->options.prefetch = 1;
  if (ls_run_policy_choose(&rig->policy, &rig->options, units, &err) != LS_OK)
    fail_msg("%s", err.text);
  rig->account = (struct ls_run_account){
      .options = &rig->options, .policy = &rig->policy, .runs_commands = true};
}

static void close_rig(struct rig *rig) {
  ls_run_account_close(&rig->account);
  ls_run_policy_close(&rig->policy);
  ls_bytes_close(&rig->options.recorded);
}

static void the_option_knows_one_word(void **state) {
  struct ls_run_options options = {.is_dry = false};
  struct ls_error err = {0};
  (void)state;
  assert_int_equal(ls_run_rehearse_read(&options, NULL, &err), LS_OK);
  assert_true(options.is_dry && !options.asks_cost);
  assert_int_equal(ls_run_rehearse_read(&options, "cost", &err), LS_OK);
  assert_true(options.is_dry && options.asks_cost);
  assert_int_equal(ls_run_rehearse_read(&options, "costs", &err), LS_EINVAL);
  assert_string_equal(err.text, "--dry-run is 'costs', expected cost, or nothing");
}

/* 100 tasks of 18 s on two workers. */
static void the_lines_say_duration_workers_and_job(void **state) {
  char *words[] = {"./work", "{}", ":::", "a b"};
  struct rig rig = {.options = {.platform = "2x(compute=18x)", .words = words, .words_count = 4}};
  struct ls_run_cost cost;
  struct ls_bytes out = {0};
  struct ls_error err = {0};
  (void)state;
  open_rig(&rig, 100);
  ls_bytes_append(&rig.options.recorded, "--workers=2\0--retries=1", 24);
  rig.options.recorded_count = 2;
  assert_int_equal(ls_run_rehearse_cost(&rig.account, 100, &cost, &err), LS_OK);
  ls_run_rehearse_write(&rig.account, "loadstar run", 100, &cost, &out);
  const char *text = ls_bytes_text(&out);
  assert_non_null(strstr(text, "tasks      100 on 2 workers, by ss\n"));
  assert_non_null(strstr(text, "duration   15 min (900 s; nothing is left to chance)\n"));
  assert_non_null(strstr(text, "core hours 0.5 of work; 0.5 to 0.5 held by all workers\n"));
  assert_non_null(strstr(text, "workers    100 pay most (18 s, efficiency 100 %)"));
  assert_non_null(
      strstr(text, "slurm      sbatch --nodes=1 --ntasks=1 --cpus-per-task=100 --time=0:01:00 "));
  assert_non_null(strstr(text, "loadstar run --workers=100 --retries=1 -- ./work"));
  ls_bytes_clear(&out);
  ls_run_rehearse_write_json(&rig.account, "loadstar run", 100, &cost, &out);
  text = ls_bytes_text(&out);
  assert_non_null(strstr(text, "{\"tasks\": 100, \"workers\": 2, \"policy\": \"ss\""));
  assert_non_null(strstr(text, "\"duration\": {\"p10\": 900, \"p50\": 900, \"p90\": 900"));
  assert_non_null(strstr(text, "\"work\": 1800, \"perfect\": {\"perfect_number\": 100"));
  assert_non_null(strstr(text, "\"slurm\": \"sbatch --nodes=1 --ntasks=1 --cpus-per-task=100"));
  ls_bytes_close(&out);
  ls_run_cost_close(&cost);
  close_rig(&rig);
}

static void what_is_missing_is_said(void **state) {
  struct rig rig = {.options = {.is_dry = true}};
  struct ls_run_cost cost;
  struct ls_error err = {0};
  (void)state;
  open_rig(&rig, 10);
  assert_int_equal(ls_run_rehearse_cost(&rig.account, 10, &cost, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "nothing is known of how long tasks take"));
  assert_non_null(strstr(err.text, "--history JOURNAL"));
  ls_run_cost_close(&cost);
  close_rig(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_option_knows_one_word),
      cmocka_unit_test(the_lines_say_duration_workers_and_job),
      cmocka_unit_test(what_is_missing_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
