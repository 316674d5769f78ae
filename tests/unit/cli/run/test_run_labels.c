/* test_run_labels.c: pools and hosts whose workers lack what the tasks need are not asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/run/run_labels.h"

static struct ls_host_list read_hosts(const char *text) {
  struct ls_host_list hosts = {0};
  const struct ls_text hosts_text = {text, strlen(text), "--ssh"};
  assert_int_equal(ls_host_list_read(hosts_text, &hosts, NULL), LS_OK);
  return hosts;
}

static void without_a_need_everybody_is_asked(void **state) {
  (void)state;
  struct ls_host_list hosts = read_hosts("n1,n2+gpu");
  struct ls_run_options options = {.workers = 3, .has_slurm = true};
  assert_int_equal(ls_run_labels_begin(&options, true, NULL), LS_OK);
  assert_int_equal(ls_run_labels_narrow(&options, &hosts, NULL), LS_OK);
  assert_int_equal(hosts.count, 2);
  assert_int_equal(options.workers, 3);
  assert_true(options.has_slurm);
  assert_false(options.has_no_local);
  ls_host_list_close(&hosts);
}

static void only_those_with_the_label_are_asked(void **state) {
  (void)state;
  struct ls_host_list hosts = read_hosts("n1:2,n2+gpu,n3:4/0.5+big+gpu,n4+gpus");
  struct ls_run_options options = {.workers = 3, .has_slurm = true, .needs = "gpu"};
  assert_int_equal(ls_run_labels_begin(&options, false, NULL), LS_OK);
  assert_int_equal(ls_run_labels_narrow(&options, &hosts, NULL), LS_OK);
  assert_false(options.has_slurm);
  assert_true(options.has_no_local);
  assert_int_equal(options.workers, 0);
  assert_int_equal(hosts.count, 2);
  assert_string_equal(hosts.items[0].name, "n2");
  assert_string_equal(hosts.items[1].name, "n3");
  ls_host_list_close(&hosts);
}

static void who_has_the_label_works_here_and_in_jobs(void **state) {
  (void)state;
  struct ls_host_list hosts = {0};
  struct ls_run_options options = {
      .workers = 3, .has_slurm = true, .needs = "gpu", .labels = "gpu", .slurm.labels = "a,gpu"};
  assert_int_equal(ls_run_labels_begin(&options, true, NULL), LS_OK);
  assert_int_equal(ls_run_labels_narrow(&options, &hosts, NULL), LS_OK);
  assert_true(options.has_slurm);
  assert_false(options.has_no_local);
  assert_int_equal(options.workers, 3);
}

/* They may come, so the number of workers stays. */
static void guests_are_waited_for(void **state) {
  (void)state;
  struct ls_host_list hosts = {0};
  struct ls_run_options options = {.workers = 3, .listen = "tcp://*:*", .needs = "gpu"};
  assert_int_equal(ls_run_labels_narrow(&options, &hosts, NULL), LS_OK);
  assert_true(options.has_no_local);
  assert_int_equal(options.workers, 3);
}

static void a_need_that_nobody_can_meet_is_told(void **state) {
  (void)state;
  struct ls_host_list hosts = read_hosts("n1,n2+cpu");
  struct ls_run_options options = {.workers = 3, .needs = "gpu", .labels = "cpu"};
  struct ls_error err = {0};
  assert_int_equal(ls_run_labels_narrow(&options, &hosts, &err), LS_ENOWORKERS);
  assert_non_null(strstr(err.text, "--needs is 'gpu', and no worker"));
  assert_int_equal(ls_run_labels_begin(&options, true, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "the processes of MPI lack"));
  options.logins.is_on_all = true;
  assert_int_equal(ls_run_labels_begin(&options, false, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--onall"));
  ls_host_list_close(&hosts);
}

/* Its chunks are for workers by number: none may be missing. */
static void a_plan_is_not_for_fewer_workers(void **state) {
  (void)state;
  struct ls_host_list hosts = read_hosts("n1+gpu,n2");
  struct ls_run_options options = {
      .workers = 1, .needs = "gpu", .labels = "gpu", .plan = "plan.json", .has_slurm = true};
  struct ls_error err;
  assert_int_equal(ls_run_labels_begin(&options, false, &err), LS_EINVAL);
  assert_non_null(
      strstr(err.text, "--plan is given with --needs gpu, which those of --slurm lack"));
  assert_int_equal(ls_run_labels_narrow(&options, &hosts, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "which n2 lack"));
  ls_host_list_close(&hosts);
}

static void what_takes_all_tasks_alike_is_refused(void **state) {
  (void)state;
  struct ls_run_options options = {.needs_by_task = "{2}", .has_needs = true};
  struct ls_error err;
  assert_int_equal(ls_run_labels_check(&options, &err), LS_OK);
  options.plan = "plan.json";
  assert_int_equal(ls_run_labels_check(&options, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--plan takes all tasks for tasks of all workers"));
  options = (struct ls_run_options){.has_needs = true, .logins.is_on_all = true};
  assert_int_equal(ls_run_labels_check(&options, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--onall"));
}

static void places_have_the_labels_of_their_pools(void **state) {
  (void)state;
  struct ls_run_labels labels = {0};
  assert_int_equal(ls_run_labels_add(&labels, 0, "none", NULL), LS_OK);
  assert_int_equal(ls_run_labels_add(&labels, 2, "gpu", NULL), LS_OK);
  assert_int_equal(ls_run_labels_add(&labels, 1, "", NULL), LS_OK);
  assert_int_equal(labels.count, 3);
  assert_string_equal(labels.items[1], "gpu");
  assert_string_equal(labels.items[2], "");
  ls_run_labels_close(&labels);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_need_everybody_is_asked),
      cmocka_unit_test(only_those_with_the_label_are_asked),
      cmocka_unit_test(who_has_the_label_works_here_and_in_jobs),
      cmocka_unit_test(guests_are_waited_for),
      cmocka_unit_test(a_need_that_nobody_can_meet_is_told),
      cmocka_unit_test(a_plan_is_not_for_fewer_workers),
      cmocka_unit_test(what_takes_all_tasks_alike_is_refused),
      cmocka_unit_test(places_have_the_labels_of_their_pools),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
