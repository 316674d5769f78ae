#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/console.h"

static void statuses_mean_the_documented_exits(void **state) {
  (void)state;
  assert_int_equal(ls_console_exit(LS_OK), 0);
  assert_int_equal(ls_console_exit(LS_EINVAL), 2);
  assert_int_equal(ls_console_exit(LS_EMISMATCH), 2);
  assert_int_equal(ls_console_exit(LS_ENOWORKERS), 3);
  assert_int_equal(ls_console_exit(LS_EIO), 3);
  assert_int_equal(ls_console_exit(LS_EINTERRUPTED), 130);
  /* A failure that an application gives no words for is one all the same. */
  const struct ls_error silent = {0};
  assert_int_equal(ls_console_fail("test", &silent), 3);
}

static void whole_numbers_are_read_exactly(void **state) {
  (void)state;
  uint64_t number = 0;
  assert_int_equal(ls_console_whole("x", "0", (struct ls_whole_range){0, 10}, &number, NULL),
                   LS_OK);
  assert_int_equal(number, 0);
  assert_int_equal(ls_console_whole("x", "18446744073709551615",
                                    (struct ls_whole_range){0, UINT64_MAX}, &number, NULL),
                   LS_OK);
  assert_true(number == UINT64_MAX);
}

static void what_is_no_whole_number_is_refused(void **state) {
  (void)state;
  static const char *const bad[] = {
      "", "-1", "+1", " 1", "1 ", "1.5", "1e3", "0x1", "x", "11", "18446744073709551616"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    uint64_t number = 77;
    struct ls_error err = {0};
    assert_int_equal(
        ls_console_whole("--field", bad[i], (struct ls_whole_range){0, 10}, &number, &err),
        LS_EINVAL);
    assert_int_equal(number, 77);
    assert_non_null(strstr(err.text, "--field"));
    assert_non_null(strstr(err.text, "from 0 to 10"));
  }
}

static void what_is_no_number_is_refused(void **state) {
  (void)state;
  static const char *const bad[] = {"", "nan", "inf", "-inf", "1x", " 1", "-0.5", "11", "1e999"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    double number = 77;
    struct ls_error err = {0};
    assert_int_equal(
        ls_console_real("--field", bad[i], (struct ls_real_range){0, 10}, &number, &err),
        LS_EINVAL);
    assert_true(number > 76);
    assert_non_null(strstr(err.text, "--field"));
  }
  double number = 0;
  assert_int_equal(ls_console_real("x", "2.5", (struct ls_real_range){0, DBL_MAX}, &number, NULL),
                   LS_OK);
  assert_true(number > 2.4 && number < 2.6);
}

static void words_with_control_characters_are_shown_on_one_line(void **state) {
  (void)state;
  char shown[32];
  ls_console_show("a\nb\x7f", shown, sizeof shown);
  assert_string_equal(shown, "a\\x0ab\\x7f");
  ls_console_show("0123456789012345678901234567890123456789", shown, sizeof shown);
  assert_true(strlen(shown) < sizeof shown);
  assert_string_equal(shown + strlen(shown) - 3, "...");
  ls_console_show("", shown, sizeof shown);
  assert_string_equal(shown, "");
  ls_console_show(
      "\xc2\x9b"
      "1m\xc3\xa4\xc2\xa9",
      shown, sizeof shown);
  assert_string_equal(shown, "\\xc2\\x9b1m\xc3\xa4\xc2\xa9");
}

static void a_message_keeps_its_lines_and_loses_what_terminals_obey(void **state) {
  (void)state;
  char text[] =
      "a\033[31mb\tc\n\xc2\x9b"
      "1m\x7f\r\xc3\xa4\xc2\xa9\xc2";
  ls_console_tame(text);
  assert_string_equal(text, "a?[31mb\tc\n??1m??\xc3\xa4\xc2\xa9\xc2");
}

/* Found by a fuzzer: four characters for the last byte, then the points, were one too many. */
static void nothing_is_written_behind_the_room_for_a_word(void **state) {
  (void)state;
  char word[100], shown[100];
  for (size_t plain = 0; plain < 70; plain++) {
    memset(word, '\x17', sizeof word - 1);
    memset(word, 'a', plain);
    word[sizeof word - 1] = '\0';
    for (size_t room = 16; room < 70; room++) {
      memset(shown, '#', sizeof shown);
      ls_console_show(word, shown, room);
      assert_true(strlen(shown) < room);
      assert_string_equal(shown + strlen(shown) - 3, "...");
      for (size_t i = room; i < sizeof shown; i++) assert_int_equal(shown[i], '#');
    }
  }
}

static void a_file_is_read_as_a_whole(void **state) {
  (void)state;
  char path[] = "/tmp/test-console-XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  static char block[300000];
  memset(block, 'x', sizeof block);
  assert_true(ls_console_write(file, block, sizeof block));
  close(file);
  struct ls_bytes out = {0};
  ls_bytes_append_text(&out, "y");
  assert_int_equal(ls_console_read(path, &out, NULL), LS_OK);
  assert_int_equal(out.length, sizeof block + 1);
  assert_int_equal(out.data[0], 'y');
  ls_bytes_close(&out);
  unlink(path);
}

static void a_file_that_cannot_be_read_is_named(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  struct ls_error err = {0};
  assert_int_equal(ls_console_read("/nonexistent/file", &out, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "/nonexistent/file: No such file"));
  assert_int_equal(ls_console_read("/tmp", &out, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "/tmp"));
  ls_bytes_close(&out);
}

static void a_file_without_an_end_is_named(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  struct ls_error err = {0};
  assert_int_equal(ls_console_read_most("/dev/zero", 100000, &out, &err), LS_EINVAL);
  assert_string_equal(err.text, "/dev/zero: has no end, or more than 100000 bytes");
  assert_true(out.length < 200000);
  ls_bytes_close(&out);
  char path[] = "/tmp/test_console.XXXXXX";
  int file = mkstemp(path);
  assert_int_equal(write(file, "five\n", 5), 5);
  close(file);
  out = (struct ls_bytes){0};
  assert_int_equal(ls_console_read_most(path, 4, &out, &err), LS_OK);
  assert_int_equal(out.length, 5);
  ls_bytes_close(&out);
  unlink(path);
}

static void writing_to_a_closed_descriptor_fails(void **state) {
  (void)state;
  assert_false(ls_console_write(-1, "x", 1));
  assert_true(ls_console_write(-1, "", 0));
}

static void a_file_is_written_whole_or_the_failure_names_it(void **state) {
  (void)state;
  char path[] = "/tmp/console-test-XXXXXX", back[16] = "";
  int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, "something longer", 16), 16);
  close(file);
  struct ls_bytes text = {0};
  struct ls_error err = {0};
  ls_bytes_append_text(&text, "short");
  assert_int_equal(ls_console_write_file(path, &text, &err), LS_OK);
  FILE *again = fopen(path, "r");
  assert_non_null(again);
  assert_int_equal(fread(back, 1, sizeof back, again), 5);
  assert_string_equal(back, "short");
  fclose(again);
  unlink(path);
  assert_int_equal(ls_console_write_file("/nowhere/x", &text, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "/nowhere/x: cannot be written"));
  assert_int_equal(ls_console_write_file("/dev/full", &text, &err), LS_EIO);
  text.failed = true;
  assert_int_equal(ls_console_write_file(path, &text, &err), LS_ENOMEM);
  ls_bytes_close(&text);
}

static void expect_fault(const char *path, bool may_come, const char *fault) {
  struct ls_error err = {0};
  char text[160];
  enum ls_status status = ls_console_check_file(path, may_come, &err);
  (void)snprintf(text, sizeof text, "%.100s: cannot be written: %s", path,
                 fault != NULL ? fault : "");
  if (status != (fault == NULL ? LS_OK : LS_EINVAL)) fail_msg("%s: '%s'", path, err.text);
  if (fault != NULL) assert_memory_equal(err.text, text, strlen(path) > 100 ? 100 : strlen(text));
}

/* Without making anything. */
static void a_file_that_could_not_be_written_is_known_before(void **state) {
  static const struct {
    const char *path;
    bool may_come;
    const char *fault; /* NULL: none */
  } cases[] = {
      {"-", false, NULL},
      {"/tmp/loadstar-test-fresh", false, NULL},
      {"/dev/null", false, NULL},
      {"/", false, "Is a directory"},
      {"/tmp", true, "Is a directory"},
      {"/tmp/new/", true, "Is a directory"},
      {"", true, "No such file or directory"},
      {"/nowhere/x", false, "No such file or directory"},
      {"/nowhere/x", true, NULL},
      {"/dev/null/x", true, "Not a directory"},
  };
  char name[300] = {0};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    expect_fault(cases[i].path, cases[i].may_come, cases[i].fault);
  memset(name, 'x', sizeof name - 1);
  expect_fault(name, true, "File name too long");
  assert_int_equal(access("/tmp/loadstar-test-fresh", F_OK), -1);
}

/* Where rights count: not for root. */
static void rights_and_links_tell_what_can_be_written(void **state) {
  char folder[] = "/tmp/loadstar-test-XXXXXX", closed[64], made[64], link[64], pipe[64];
  (void)state;
  assert_non_null(mkdtemp(folder));
  (void)snprintf(closed, sizeof closed, "%s/closed", folder);
  (void)snprintf(made, sizeof made, "%s/closed/new", folder);
  (void)snprintf(link, sizeof link, "%s/link", folder);
  (void)snprintf(pipe, sizeof pipe, "%s/pipe", folder);
  assert_int_equal(mkdir(closed, 0500), 0);
  assert_int_equal(symlink("elsewhere/new", link), 0);
  assert_int_equal(mkfifo(pipe, 0600), 0);
  /* Nobody reads there yet. */
  expect_fault(pipe, false, NULL);
  expect_fault(link, false, NULL);
  if (access(closed, W_OK) != 0) {
    expect_fault(made, false, "Permission denied");
    expect_fault(made, true, "Permission denied");
    assert_int_equal(chmod(pipe, 0400), 0);
    expect_fault(pipe, false, "Permission denied");
  }
  assert_int_equal(unlink(link), 0);
  assert_int_equal(symlink("link", link), 0);
  expect_fault(link, true, "Too many levels of symbolic links");
  assert_int_equal(unlink(link) | unlink(pipe) | rmdir(closed) | rmdir(folder), 0);
}

static void a_document_is_read_or_the_failure_names_its_file(void **state) {
  char path[] = "/tmp/test-console-XXXXXX";
  struct ls_error err = {0};
  json_t *document = NULL;
  (void)state;
  int file = mkstemp(path);
  assert_true(file >= 0);
  assert_true(ls_console_write(file, "{\"a\": 3}", 8));
  assert_int_equal(ls_console_read_json(path, &document, &err), LS_OK);
  assert_int_equal(json_integer_value(json_object_get(document, "a")), 3);
  json_decref(document);
  document = NULL;
  assert_true(ls_console_write(file, "}", 1));
  assert_int_equal(ls_console_read_json(path, &document, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, path));
  assert_null(document);
  assert_int_equal(ls_console_read_json("/nonexistent/file", &document, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "/nonexistent/file"));
  assert_int_equal(close(file), 0);
  assert_int_equal(unlink(path), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_is_written_whole_or_the_failure_names_it),
      cmocka_unit_test(a_file_that_could_not_be_written_is_known_before),
      cmocka_unit_test(rights_and_links_tell_what_can_be_written),
      cmocka_unit_test(a_document_is_read_or_the_failure_names_its_file),
      cmocka_unit_test(statuses_mean_the_documented_exits),
      cmocka_unit_test(whole_numbers_are_read_exactly),
      cmocka_unit_test(what_is_no_whole_number_is_refused),
      cmocka_unit_test(what_is_no_number_is_refused),
      cmocka_unit_test(words_with_control_characters_are_shown_on_one_line),
      cmocka_unit_test(a_message_keeps_its_lines_and_loses_what_terminals_obey),
      cmocka_unit_test(nothing_is_written_behind_the_room_for_a_word),
      cmocka_unit_test(a_file_is_read_as_a_whole),
      cmocka_unit_test(a_file_that_cannot_be_read_is_named),
      cmocka_unit_test(a_file_without_an_end_is_named),
      cmocka_unit_test(writing_to_a_closed_descriptor_fails)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
