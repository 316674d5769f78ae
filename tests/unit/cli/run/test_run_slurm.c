/* --slurm before the run: who is reckoned with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/console.h"
#include "cli/run/run_slurm.h"

static char folder[40];
static struct ls_run_options options;
static struct ls_slurm_setup slurm;

static void write_command(const char *name, const char *text) {
  char path[80];
  (void)snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fprintf(out, "#!/bin/sh\n%s\n", text);
  fclose(out);
  assert_int_equal(chmod(path, 0755), 0);
}

static int open_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/run-slurm-XXXXXX");
  options = (struct ls_run_options){.has_slurm = true, .has_no_local = true};
  slurm = (struct ls_slurm_setup){.program = "/bin/true"};
  if (mkdtemp(folder) == NULL) return -1;
  char path[80];
  (void)snprintf(path, sizeof path, "%s:/bin", folder);
  return setenv("PATH", path, 1);
}

static int close_folder(void **state) {
  (void)state;
  char command[80];
  (void)setenv("PATH", "/usr/bin:/bin", 1);
  free(options.elsewhere.speeds);
  (void)snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static enum ls_status prepare(const char *wish, struct ls_error *err) {
  assert_int_equal(ls_slurm_wish_read(wish, &options.slurm, err), LS_OK);
  return ls_run_slurm_prepare(&options, &slurm, err);
}

static void all_nodes_are_reckoned_with(void **state) {
  (void)state;
  struct ls_error err = {0};
  write_command("sbatch", "true");
  assert_int_equal(prepare("nodes=3,workers=4,cpus=2", &err), LS_OK);
  assert_int_equal(ls_run_slurm_workers(&slurm), 12);
  assert_int_equal(options.elsewhere.workers, 12);
  assert_string_equal(options.elsewhere.pools[0].name, "slurm");
}

static void each_processor_has_a_worker(void **state) {
  (void)state;
  struct ls_error err = {0};
  write_command("sbatch", "true");
  assert_int_equal(prepare("nodes=3,cpus=2", &err), LS_OK);
  assert_int_equal(ls_run_slurm_workers(&slurm), 6);
  free(options.elsewhere.speeds);
  options.elsewhere = (struct ls_run_elsewhere){.workers = 0};
  write_command("sinfo", "echo 'p 8'");
  assert_int_equal(prepare("nodes=2,partition=p", &err), LS_OK);
  assert_int_equal(ls_run_slurm_workers(&slurm), 16);
}

static void without_slurm_there_are_no_workers(void **state) {
  (void)state;
  struct ls_error err = {0};
  /* Where Slurm is installed, it is not in this PATH. */
  (void)setenv("PATH", folder, 1);
  assert_int_equal(prepare("nodes=3,workers=4", &err), LS_ENOWORKERS);
  assert_non_null(strstr(err.text, "--slurm: there is no sbatch in PATH"));
  options.has_slurm = false;
  assert_int_equal(ls_run_slurm_prepare(&options, &slurm, &err), LS_OK);
}

static void a_rehearsal_fails_where_sbatch_refuses(void **state) {
  (void)state;
  struct ls_error err = {0};
  write_command("sbatch", "echo 'sbatch: Job 1 to start' >&2");
  assert_int_equal(prepare("nodes=1,workers=1", &err), LS_OK);
  assert_int_equal(ls_run_slurm_rehearse("test", &slurm), LS_EXIT_OK);
  write_command("sbatch", "echo 'sbatch: error: Invalid account' >&2; exit 1");
  assert_int_equal(ls_run_slurm_rehearse("test", &slurm), LS_EXIT_USAGE);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_folder, close_folder)
  const struct CMUnitTest tests[] = {
      TEST(all_nodes_are_reckoned_with), TEST(each_processor_has_a_worker),
      TEST(without_slurm_there_are_no_workers), TEST(a_rehearsal_fails_where_sbatch_refuses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
