/* The environment of each launcher, as it was seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/os/launcher.h"

enum { VARIABLES_MAX = 12 };

static char *variables[VARIABLES_MAX + 1];

/* Words such as "PMI_RANK=2", the last NULL. */
static void surround(const char *const *words) {
  size_t count = 0;
  for (; words[count] != NULL; count++) variables[count] = (char *)(uintptr_t)words[count];
  variables[count] = NULL;
  environ = variables;
}

static void check(const char *mpi, uint32_t processes, uint32_t rank) {
  struct ls_launcher found = ls_launcher_find();
  if (mpi == NULL) {
    assert_null(found.mpi);
  } else {
    assert_string_equal(found.mpi, mpi);
  }
  assert_int_equal(found.processes, processes);
  assert_int_equal(found.rank, rank);
}

static void each_launcher_is_known(void **state) {
  (void)state;
  surround(
      (const char *[]){"OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_RANK=3", "PMIX_RANK=3", NULL});
  check("openmpi", 4, 3);
  surround((const char *[]){"PMI_RANK=1", "PMI_FD=5", "PMI_SIZE=6", NULL});
  check("mpich", 6, 1);
  surround((const char *[]){"PMIX_RANK=2", "SLURM_STEP_NUM_TASKS=8", "SLURM_PROCID=2", NULL});
  check("openmpi", 8, 2);
  surround(
      (const char *[]){"PMI_FD=12", "PMI_RANK=0", "PMI_SIZE=3", "SLURM_STEP_NUM_TASKS=3", NULL});
  check("mpich", 3, 0);
}

static void expect_ways(bool is_srun, bool goes_on) {
  struct ls_launcher found = ls_launcher_find();
  assert_non_null(found.mpi);
  assert_int_equal(found.is_srun, is_srun);
  assert_int_equal(found.goes_on, goes_on);
}

/* A rank that dies ends all of them under the first three. */
static void who_goes_on_without_a_rank_is_known(void **state) {
  (void)state;
  surround((const char *[]){"OMPI_COMM_WORLD_SIZE=4", "PMIX_RANK=1", "SLURM_PROCID=0", NULL});
  expect_ways(false, false);
  surround((const char *[]){"PMI_FD=5", "PMI_RANK=1", "HYDI_CONTROL_FD=7", "SLURM_PROCID=0", NULL});
  expect_ways(false, false);
  surround((const char *[]){"PMIX_RANK=2", "SLURM_PROCID=2", NULL});
  expect_ways(true, false);
  surround((const char *[]){"PMI_FD=5", "PMI_RANK=1", "SLURM_PROCID=1", NULL});
  expect_ways(true, true);
  surround((const char *[]){"OMPI_COMM_WORLD_SIZE=4", "OMPI_MCA_orte_enable_recovery=1", NULL});
  expect_ways(false, true);
  surround((const char *[]){"OMPI_COMM_WORLD_SIZE=4", "OMPI_MCA_orte_enable_recovery=0", NULL});
  expect_ways(false, false);
}

static void a_batch_script_is_no_launcher(void **state) {
  (void)state;
  surround((const char *[]){"SLURM_NTASKS=8", "SLURM_PROCID=0", "SLURM_JOB_ID=7", NULL});
  check(NULL, 0, 0);
  assert_false(ls_launcher_find().is_srun);
  surround((const char *[]){"SLURM_PROCID=1", "SLURM_STEP_NUM_TASKS=8", NULL});
  check(NULL, 8, 1);
  assert_true(ls_launcher_find().is_srun);
  surround((const char *[]){"SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=1", NULL});
  assert_false(ls_launcher_find().is_srun);
  surround((const char *[]){NULL});
  check(NULL, 0, 0);
}

static void what_is_no_number_says_nothing(void **state) {
  (void)state;
  surround((const char *[]){"OMPI_COMM_WORLD_SIZE=four", "PMI_SIZE=3x", "PMIX_RANK=", NULL});
  check("openmpi", 0, 0);
}

static void the_user_keeps_what_is_his(void **state) {
  (void)state;
  surround((const char *[]){"OMPI_COMM_WORLD_SIZE=4", "HOME=/root", "OMPI_MCA_btl=self",
                            "OMPI_MCA_orte_x=1", "PMIX_RANK=0", "OMPI_ALLOW_RUN_AS_ROOT=1",
                            "HYDI_CONTROL_FD=3", "MPI_LOCALRANKID=0", "OMPI_MCA_ess=x", "PMI_FD=1",
                            NULL});
  ls_launcher_clean();
  assert_string_equal(environ[0], "HOME=/root");
  assert_string_equal(environ[1], "OMPI_MCA_btl=self");
  assert_string_equal(environ[2], "OMPI_ALLOW_RUN_AS_ROOT=1");
  assert_null(environ[3]);
}

/* Compilers of MPI have such variables. */
static void without_a_launcher_nothing_is_cleaned(void **state) {
  (void)state;
  surround((const char *[]){"OMPI_CC=clang", "HYDRA_IFACE=eth0", NULL});
  ls_launcher_clean();
  assert_string_equal(environ[0], "OMPI_CC=clang");
  assert_string_equal(environ[1], "HYDRA_IFACE=eth0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_launcher_is_known),
      cmocka_unit_test(who_goes_on_without_a_rank_is_known),
      cmocka_unit_test(a_batch_script_is_no_launcher),
      cmocka_unit_test(what_is_no_number_says_nothing),
      cmocka_unit_test(the_user_keeps_what_is_his),
      cmocka_unit_test(without_a_launcher_nothing_is_cleaned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
