#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/run/file_options.h"
#include "option_key.h"

static enum ls_status give(struct ls_file_options *options, const char *name, const char *text,
                           struct ls_error *err) {
  int key = find_key(name);
  assert_true(ls_file_options_has(key));
  return ls_file_options_read(options, key, text, err);
}

static void sandboxes_are_removed_unless_they_are_to_be_kept(void **state) {
  (void)state;
  struct ls_file_options options = {0};
  assert_int_equal(ls_file_options_sandboxing(&options), LS_SANDBOX_NONE);
  assert_int_equal(give(&options, "sandbox", NULL, NULL), LS_OK);
  assert_int_equal(ls_file_options_sandboxing(&options), LS_SANDBOX_REMOVED);
  assert_int_equal(give(&options, "keep-sandbox", "failed", NULL), LS_OK);
  assert_int_equal(ls_file_options_sandboxing(&options), LS_SANDBOX_KEPT_FAILED);
  assert_int_equal(give(&options, "keep-sandbox", "all", NULL), LS_OK);
  assert_int_equal(ls_file_options_sandboxing(&options), LS_SANDBOX_KEPT);
  assert_int_equal(ls_file_options_check(&options, NULL), LS_OK);
}

static void what_cannot_be_meant_is_refused(void **state) {
  (void)state;
  struct ls_file_options options = {0};
  struct ls_error err = {0};
  assert_int_equal(give(&options, "keep-sandbox", "some", &err), LS_EINVAL);
  assert_string_equal(err.text, "--keep-sandbox is 'some', expected failed or all");
  assert_int_equal(give(&options, "keep-sandbox", "all", &err), LS_OK);
  assert_int_equal(ls_file_options_check(&options, &err), LS_EINVAL);
  assert_string_equal(err.text, "--keep-sandbox needs --sandbox, or files that are staged");
  assert_false(ls_file_options_has('j'));
}

static void files_bring_a_sandbox_with_them(void **state) {
  (void)state;
  struct ls_file_options options = {0};
  assert_false(ls_file_options_stages(&options));
  assert_int_equal(give(&options, "keep-sandbox", "all", NULL), LS_OK);
  assert_int_equal(give(&options, "stage-in", "{}", NULL), LS_OK);
  assert_int_equal(give(&options, "stage-common", "model", NULL), LS_OK);
  assert_true(ls_file_options_stages(&options));
  assert_int_equal(ls_file_options_sandboxing(&options), LS_SANDBOX_KEPT);
  assert_int_equal(ls_file_options_check(&options, NULL), LS_OK);
  assert_string_equal(options.inputs.items[0], "{}");
  assert_string_equal(options.common.items[0], "model");
  enum ls_status status = LS_OK;
  for (int i = 0; i <= LS_FILE_PATTERNS_MAX && status == LS_OK; i++)
    status = give(&options, "stage-in", "{}", NULL);
  assert_int_equal(status, LS_EINVAL);
}

static void sizes_are_numbers_with_a_letter(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint64_t bytes;
  } sizes[] = {{"1", 1},        {"10k", 10000},  {"10K", 10240},
               {"3m", 3000000}, {"1G", 1 << 30}, {"2t", UINT64_C(2000000000000)}};
  static const char *const bad[] = {"",    "0",    "-1", "x",         "1x",
                                    "1KB", "1.5G", " 1", "99999999T", "1k "};
  struct ls_file_options options = {0};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    assert_int_equal(give(&options, "cache-bytes", sizes[i].text, NULL), LS_OK);
    assert_true(options.cache_bytes == sizes[i].bytes);
  }
  struct ls_error err = {0};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(give(&options, "cache-bytes", bad[i], &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--cache-bytes is '1k ', expected a size"));
  assert_int_equal(ls_file_options_check(&options, &err), LS_EINVAL);
}

static void trc_is_an_input_and_an_output(void **state) {
  (void)state;
  struct ls_file_options options = {0};
  assert_int_equal(give(&options, "trc", "{}.gz", NULL), LS_OK);
  assert_int_equal(give(&options, "trc", "{}.log", NULL), LS_OK);
  assert_int_equal(give(&options, "cleanup", NULL, NULL), LS_OK);
  assert_int_equal(options.inputs.count, 1);
  assert_string_equal(options.inputs.items[0], "{}");
  assert_int_equal(options.outputs.count, 2);
  assert_string_equal(options.outputs.items[1], "{}.log");
  assert_int_equal(ls_file_options_sandboxing(&options), LS_SANDBOX_REMOVED);
  assert_int_equal(give(&options, "trc", "", NULL), LS_EINVAL);
  options = (struct ls_file_options){0};
  assert_int_equal(give(&options, "cleanup", NULL, NULL), LS_OK);
  assert_int_equal(ls_file_options_sandboxing(&options), LS_SANDBOX_NONE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sandboxes_are_removed_unless_they_are_to_be_kept),
      cmocka_unit_test(what_cannot_be_meant_is_refused),
      cmocka_unit_test(files_bring_a_sandbox_with_them),
      cmocka_unit_test(trc_is_an_input_and_an_output),
      cmocka_unit_test(sizes_are_numbers_with_a_letter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
