#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/platform_source.h"

static char folder[] = "/tmp/platform-test-XXXXXX";
static char path[64], xml_path[64];

static int make_folder(void **state) {
  (void)state;
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(path, sizeof path, "%s/p(1)", folder);
  snprintf(xml_path, sizeof xml_path, "%s/p.xml", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  unlink(path);
  unlink(xml_path);
  return rmdir(folder);
}

static void write_text(const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static enum ls_status read_word(const char *word, struct ls_platform *platform,
                                struct ls_error *err) {
  struct ls_platform_source source = ls_platform_source_default();
  source.text = word;
  return ls_platform_source_read(&source, platform, err);
}

static void the_content_says_what_a_file_is(void **state) {
  (void)state;
  static const char *const texts[] = {
      " \n{\"workers\": [{\"compute\": {\"per_unit\": 1}}]}", "(compute=1x)\n",
      "\xef\xbb\xbf(compute=1x)",
      ("<platform version='4.1'><zone id='z' routing='Full'><host id='a' speed='1Gf'/>"
       "<host id='b' speed='1Gf'/><route src='a' dst='b'/></zone></platform>")};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct ls_platform platform;
    struct ls_error err = {0};
    write_text(texts[i]);
    /* The name of the file holds a bracket: a file that exists is no line. */
    if (read_word(path, &platform, &err) != LS_OK) fail_msg("%s", err.text);
    assert_int_equal(platform.workers_count, 1);
    assert_true(platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s == 1);
    ls_platform_close(&platform);
  }
}

static void a_word_with_a_bracket_that_names_no_file_is_a_line(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_error err = {0};
  assert_int_equal(read_word("7x(compute=1x)", &platform, &err), LS_OK);
  assert_int_equal(platform.workers_count, 7);
  ls_platform_close(&platform);
  assert_int_equal(read_word("7x(compute=1y)", &platform, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--platform: column 13"));
}

static void failures_name_the_source(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_error err = {0};
  assert_int_equal(read_word(NULL, &platform, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--platform is missing"));
  assert_int_equal(read_word("/nowhere/p.json", &platform, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "/nowhere/p.json"));
  write_text("{\"workers\": 3}");
  assert_int_equal(read_word(path, &platform, &err), LS_EINVAL);
  assert_int_equal(strncmp(err.text, path, strlen(path)), 0);
}

static void the_ending_chooses_the_form_that_is_written(void **state) {
  (void)state;
  struct ls_platform platform, again;
  struct ls_error err = {0};
  struct ls_simgrid_unit unit = ls_simgrid_unit_default();
  const char *const paths[] = {path, xml_path};
  const char begins[] = {'{', '<'};
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(read_word("2x(name=a, compute=0.5x)", &platform, &err), LS_OK);
    assert_int_equal(ls_platform_source_write(&platform, &unit, paths[i], &err), LS_OK);
    FILE *file = fopen(paths[i], "r");
    assert_non_null(file);
    assert_int_equal(fgetc(file), begins[i]);
    fclose(file);
    if (read_word(paths[i], &again, &err) != LS_OK) fail_msg("%s", err.text);
    assert_string_equal(again.workers[1].name, "a-1");
    assert_true(again.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s == 0.5);
    ls_platform_close(&again);
    ls_platform_close(&platform);
  }
  assert_int_equal(read_word("(compute=1x)", &platform, &err), LS_OK);
  assert_int_equal(ls_platform_source_write(&platform, &unit, "/nowhere/p.json", &err), LS_EINVAL);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_content_says_what_a_file_is),
      cmocka_unit_test(a_word_with_a_bracket_that_names_no_file_is_a_line),
      cmocka_unit_test(failures_name_the_source),
      cmocka_unit_test(the_ending_chooses_the_form_that_is_written),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
