#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/run/run_option_checks.h"
#include "cli/terms_options.h"

/* As the parser leaves them when nothing is given. */
static struct ls_run_options nothing_given(void) {
  return (struct ls_run_options){.prefetch = 1, .order = "fifo", .terms = ls_terms_none()};
}

static void refuse(struct ls_run_options *options, const char *words) {
  struct ls_error err = {0};
  assert_int_equal(ls_run_options_check(options, &err), LS_EINVAL);
  if (strstr(err.text, words) == NULL) fail_msg("'%s' lacks '%s'", err.text, words);
}

static void accept(struct ls_run_options *options) {
  struct ls_error err = {0};
  if (ls_run_options_check(options, &err) != LS_OK) fail_msg("%s", err.text);
}

static void nothing_is_refused_where_nothing_is_given(void **state) {
  (void)state;
  struct ls_run_options options = nothing_given();
  accept(&options);
}

static void what_goes_on_needs_a_journal(void **state) {
  (void)state;
  struct ls_run_options options = nothing_given();
  options.is_resumed = true;
  refuse(&options, "--resume needs --journal FILE, or --joblog FILE");
  options.journal = "j";
  accept(&options);
  options.repeats_failures = true;
  refuse(&options, "--resume and --resume-failed");
  options = nothing_given();
  options.repeats_failures = true;
  refuse(&options, "--resume-failed needs --journal FILE");
  options = nothing_given();
  options.is_synced = true;
  refuse(&options, "--sync needs --journal FILE");
  options = nothing_given();
  options.drawing = "chart.svg";
  refuse(&options, "--svg needs --journal FILE, of which chart.svg is drawn");
  options.journal = "j";
  accept(&options);
  options.drawing = "-";
  refuse(&options, "--svg is '-'");
}

static void a_plan_is_a_policy(void **state) {
  (void)state;
  struct ls_run_options options = nothing_given();
  options.plan = "p";
  accept(&options);
  options.policy = "ss";
  refuse(&options, "--policy ss");
  options.policy = "follow-plan";
  accept(&options);
}

static void places_need_a_way_to_them(void **state) {
  (void)state;
  struct ls_run_options options = nothing_given();
  options.advertise = "a";
  refuse(&options, "--advertise needs --listen ADDRESS, --ssh or --slurm");
  options = nothing_given();
  options.has_no_local = true;
  refuse(&options, "--no-local needs");
  options.listen = "tcp://127.0.0.1:*";
  accept(&options);
  options.key = "k";
  accept(&options);
  options.is_insecure = true;
  refuse(&options, "--key k and --insecure exclude each other");
  options = nothing_given();
  options.ssh_command = "ssh -v";
  refuse(&options, "--ssh-command needs --ssh HOSTS");
  options = nothing_given();
  options.ships = true;
  refuse(&options, "--ship needs --ssh HOSTS");
  options.keeps_cache = true;
  options.ships = false;
  refuse(&options, "--keep-cache needs --ssh HOSTS");
  options = nothing_given();
  options.slurm_extra = "--qos=x";
  refuse(&options, "--slurm-extra needs --slurm");
}

static void speeds_fit_the_workers(void **state) {
  (void)state;
  double speeds[] = {1, 0.5};
  struct ls_run_options options = nothing_given();
  options.workers = 1;
  options.speeds = speeds;
  options.speeds_count = 2;
  refuse(&options, "--speeds has 2 values for 1 workers");
  options.workers = 2;
  accept(&options);
}

static void a_load_pattern_has_room_for_its_slots(void **state) {
  (void)state;
  struct ls_run_options options = nothing_given();
  options.load_pattern.busy = 0.5;
  refuse(&options, "--busy needs --load-pattern NAME");
  options = nothing_given();
  options.load_pattern.slot_s = 2;
  refuse(&options, "--slot needs --load-pattern NAME");
  options.has_load_pattern = true;
  options.load_pattern.duration_s = 100;
  accept(&options);
  options.load_pattern.duration_s = 1e7;
  refuse(&options, "--slot is 2, expected at least");
}

static void words_and_silence_exclude_each_other(void **state) {
  (void)state;
  struct ls_run_options options = nothing_given();
  options.is_quiet = options.is_verbose = true;
  refuse(&options, "--quiet and --verbose");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_refused_where_nothing_is_given),
      cmocka_unit_test(what_goes_on_needs_a_journal),
      cmocka_unit_test(a_plan_is_a_policy),
      cmocka_unit_test(places_need_a_way_to_them),
      cmocka_unit_test(speeds_fit_the_workers),
      cmocka_unit_test(a_load_pattern_has_room_for_its_slots),
      cmocka_unit_test(words_and_silence_exclude_each_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
