#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/output_dress.h"
#include "runtime/os/temporary.h"

static struct ls_output in_memory(const char *text) {
  return (struct ls_output){text, strlen(text), -1};
}

static struct ls_output in_file(const char *text) {
  struct ls_output output = {NULL, strlen(text), ls_temporary_file(NULL)};
  assert_true(output.file >= 0);
  assert_int_equal(write(output.file, text, strlen(text)), strlen(text));
  return output;
}

/* The same from memory and from a file. */
static void expect(const struct ls_dress *dress, const char *text, const char *expected) {
  struct ls_dressed dressed = ls_dressed_make();
  struct ls_output output = in_memory(text), out;
  assert_int_equal(ls_dressed_fill(&dressed, dress, &output, &out, NULL), LS_OK);
  assert_int_equal(out.length, strlen(expected));
  assert_memory_equal(out.data, expected, out.length);
  output = in_file(text);
  char got[256];
  assert_int_equal(ls_dressed_fill(&dressed, dress, &output, &out, NULL), LS_OK);
  assert_int_equal(out.length, strlen(expected));
  if (out.length > 0) assert_int_equal(pread(out.file, got, sizeof got, 0), strlen(expected));
  assert_memory_equal(got, expected, strlen(expected));
  close(output.file);
  ls_dressed_close(&dressed);
}

static void each_line_has_its_tag(void **state) {
  (void)state;
  const struct ls_dress dress = {.tag = "a b"};
  expect(&dress, "x\ny\n", "a b\tx\na b\ty\n");
  expect(&dress, "x\n\ny", "a b\tx\na b\t\na b\ty");
  expect(&dress, "", "");
}

static void the_last_line_gets_an_end_where_lines_are_shown(void **state) {
  (void)state;
  expect(&(struct ls_dress){.ends_lines = true}, "x\ny", "x\ny\n");
  expect(&(struct ls_dress){.ends_lines = true}, "x\n", "x\n");
  expect(&(struct ls_dress){.ends_lines = true, .tag = "t"}, "y", "t\ty\n");
  expect(&(struct ls_dress){.ends_lines = true}, "", "");
}

static void what_was_shown_is_not_shown_again(void **state) {
  (void)state;
  expect(&(struct ls_dress){.from = 2}, "x\ny\n", "y\n");
  expect(&(struct ls_dress){.from = 4, .ends_lines = true}, "x\ny\n", "");
  expect(&(struct ls_dress){.from = 2, .tag = "1"}, "x\ny", "1\ty");
  expect(&(struct ls_dress){.from = 99}, "x\n", "");
}

static void without_a_dress_an_output_is_itself(void **state) {
  (void)state;
  struct ls_dressed dressed = ls_dressed_make();
  struct ls_output output = in_memory("x"), out;
  assert_int_equal(ls_dressed_fill(&dressed, &(struct ls_dress){0}, &output, &out, NULL), LS_OK);
  assert_ptr_equal(out.data, output.data);
  output = (struct ls_output){.file = -1};
  assert_int_equal(ls_dressed_fill(&dressed, &(struct ls_dress){.tag = "t"}, &output, &out, NULL),
                   LS_OK);
  assert_int_equal(out.length, 0);
  ls_dressed_close(&dressed);
}

/* A line may go across the blocks in which a file is read. */
static void long_lines_have_one_tag(void **state) {
  (void)state;
  enum { LENGTH = 200000 };
  char *text = malloc(LENGTH + 1);
  memset(text, 'x', LENGTH);
  text[LENGTH] = '\0';
  text[LENGTH - 1] = '\n';
  struct ls_dressed dressed = ls_dressed_make();
  struct ls_output output = in_file(text), out;
  const struct ls_dress dress = {.tag = "tag"};
  assert_int_equal(ls_dressed_fill(&dressed, &dress, &output, &out, NULL), LS_OK);
  assert_int_equal(out.length, LENGTH + 4);
  close(output.file);
  ls_dressed_close(&dressed);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_line_has_its_tag),
      cmocka_unit_test(the_last_line_gets_an_end_where_lines_are_shown),
      cmocka_unit_test(what_was_shown_is_not_shown_again),
      cmocka_unit_test(without_a_dress_an_output_is_itself),
      cmocka_unit_test(long_lines_have_one_tag),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
