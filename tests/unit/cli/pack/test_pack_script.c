#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pack_cli_fixture.h"

static void the_script_runs_each_part_with_its_limit(void **state) {
  (void)state;
  struct tables tables;
  struct ls_pack_options options;
  struct ls_pack_division division;
  struct ls_bytes out = {0};
  OPTIONS(&options, "f", "-k", "2", "--start-cost", "60", "-o", "d", "--slurm", "s", "--", "./a b",
          "{}");
  take_tables(&tables, "a,90\nb,30\n", NULL, NULL);
  assert_int_equal(ls_pack_divide(&options, &tables.tasks, &division, NULL), LS_OK);
  ls_pack_script_write(&options, &tables.tasks, &division, "/home/my own/shard-{}.x", &out);
  expect_text(out.data, "#SBATCH --array=0-1\n");
  /* 150 s and a half more are 225 s. */
  expect_text(out.data, "#SBATCH --time=4\n");
  expect_text(out.data, "part='/home/my own/shard-'\"$SLURM_ARRAY_TASK_ID\".x\n");
  expect_text(out.data, "--arg-file \"$part\" -- './a b' '{}'\n");
  ls_bytes_close(&out);
  ls_pack_division_close(&division);
  ls_pack_options_close(&options);
  close_tables(&tables);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_script_runs_each_part_with_its_limit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
