/* Questions to Slurm before a run. */
#include "pool_slurm_fixture.h"

static void the_smallest_node_counts(void **state) {
  (void)state;
  uint64_t cpus = 0;
  struct ls_error err = {0};
  write_command("sinfo", "echo 'long 4'; echo 'main* 32+'; echo 'main* 16'");
  assert_int_equal(ls_slurm_count_cpus("", &cpus, &err), LS_OK);
  assert_int_equal(cpus, 16);
  assert_int_equal(ls_slurm_count_cpus("any", &cpus, &err), LS_OK);
  assert_int_equal(cpus, 4);
  write_command("sinfo", "true");
  assert_int_equal(ls_slurm_count_cpus("none", &cpus, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "partition 'none'"));
  write_command("sinfo", "echo 'sinfo: error: no controller' >&2; exit 1");
  assert_int_equal(ls_slurm_count_cpus("", &cpus, &err), LS_EIO);
}

static void a_rehearsal_shows_all_and_asks(void **state) {
  (void)state;
  struct ls_bytes text = {0};
  struct ls_error err = {0};
  write_command("sbatch", "echo \"sbatch: Job 1 to start at noon ($1)\" >&2");
  assert_int_equal(ls_slurm_rehearse(&own, &text, &err), LS_OK);
  assert_non_null(strstr(ls_bytes_text(&text), "sbatch --parsable --array=1-2 "));
  assert_non_null(strstr(ls_bytes_text(&text), "#!/bin/sh\n"));
  assert_non_null(strstr(ls_bytes_text(&text), "Job 1 to start at noon (--test-only)"));
  write_command("sbatch",
                "echo 'allocation failure: Invalid partition name specified' >&2; exit 1");
  assert_int_equal(ls_slurm_rehearse(&own, &text, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "Invalid partition name specified"));
  ls_bytes_close(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {IN_FOLDER(the_smallest_node_counts),
                                     IN_FOLDER(a_rehearsal_shows_all_and_asks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
