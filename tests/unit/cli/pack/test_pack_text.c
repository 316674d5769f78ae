#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pack_cli_fixture.h"

static void write_by(struct ls_bytes *out, const char *second, const char *const *words) {
  struct tables tables;
  struct ls_pack_options options;
  struct ls_pack_division division;
  take_options(&options, words);
  take_tables(&tables, "a,4\nb,3\nc,3\nd,2\n", second, NULL);
  assert_int_equal(ls_pack_divide(&options, &tables.tasks, &division, NULL), LS_OK);
  ls_bytes_clear(out);
  ls_pack_text_write(&options, &tables.tasks, &division, out);
  ls_pack_division_close(&division);
  ls_pack_options_close(&options);
  close_tables(&tables);
}

static void each_mode_says_what_it_found(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  write_by(&out, NULL, (const char *const[]){"f", "-k", "2", NULL});
  expect_text(out.data, "makespan     6 s, proven optimal");
  expect_text(out.data, "no division is below 6 s: gap 0.0000 %");
  expect_text(out.data, "not known how far times vary");
  write_by(&out, "a,5\n", (const char *const[]){"f", "-k", "2", NULL});
  expect_text(out.data, "in 80 % of the runs from ");
  write_by(&out, NULL, (const char *const[]){"f", "--job-seconds", "3", NULL});
  expect_text(out.data, "4 of at most 3 s, proven to be the fewest");
  expect_text(out.data, "1 tasks are longer than a job");
  write_by(&out, NULL, (const char *const[]){"f", "--unknown-speeds", "2", NULL});
  expect_text(out.data, "1.33333 for sand");
  ls_bytes_close(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_mode_says_what_it_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
