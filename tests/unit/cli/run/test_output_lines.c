#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/output_lines.h"

struct shown {
  char text[256];
  size_t length;
};

static enum ls_status show(void *context, const struct ls_live_attempt *attempt, uint8_t stream,
                           const struct ls_output *lines, struct ls_error *err) {
  struct shown *shown = context;
  (void)err;
  shown->length += (size_t)snprintf(shown->text + shown->length, sizeof shown->text - shown->length,
                                    "%d.%d:", (int)attempt->units.first, (int)stream);
  if (lines->data != NULL)
    memcpy(shown->text + shown->length, lines->data, lines->length);
  else
    assert_int_equal(pread(lines->file, shown->text + shown->length, lines->length, 0),
                     lines->length);
  shown->length += lines->length;
  return LS_OK;
}

static struct ls_live_lines lines;
static struct shown shown;
static const struct ls_live_show how = {show, &shown};

static void add(uint64_t unit, uint64_t chunk, uint64_t offset, const char *text, bool is_turn) {
  const struct ls_unit_lines piece = {
      .units = {unit, 1}, .chunk = chunk, .offset = offset, .data = text, .length = strlen(text)};
  assert_int_equal(ls_live_lines_add(&lines, &piece, is_turn, &how, NULL), LS_OK);
}

static void expect(const char *text) {
  assert_int_equal(shown.length, strlen(text));
  assert_memory_equal(shown.text, text, shown.length);
  shown.length = 0;
}

static void pieces_are_shown_once(void **state) {
  (void)state;
  add(0, 5, 0, "a\n", true);
  add(0, 5, 2, "b\n", true);
  add(0, 5, 0, "a\nb\n", true); /* over a new connection, from the beginning */
  add(0, 5, 2, "b\nc\n", true);
  add(0, 5, 40, "z\n", true); /* behind a gap: left to the result */
  expect("0.0:a\n0.0:b\n0.0:c\n");
  assert_int_equal(ls_live_lines_shown(&lines, (struct ls_range){0, 1}, 5, 0), 6);
  assert_int_equal(ls_live_lines_shown(&lines, (struct ls_range){0, 1}, 5, 1), 0);
  assert_int_equal(ls_live_lines_shown(&lines, (struct ls_range){0, 1}, 6, 0), 0);
  ls_live_lines_forget(&lines, 0);
  assert_int_equal(ls_live_lines_shown(&lines, (struct ls_range){0, 1}, 5, 0), 0);
  ls_live_lines_close(&lines);
}

static void what_waits_is_shown_when_its_turn_comes(void **state) {
  (void)state;
  add(1, 7, 0, "x\n", false);
  add(1, 7, 2, "y\n", false);
  add(2, 8, 0, "z\n", false);
  expect("");
  assert_int_equal(ls_live_lines_shown(&lines, (struct ls_range){1, 1}, 7, 0), 0);
  assert_int_equal(ls_live_lines_turn(&lines, 1, &how, NULL), LS_OK);
  expect("1.0:x\ny\n");
  assert_int_equal(ls_live_lines_shown(&lines, (struct ls_range){1, 1}, 7, 0), 4);
  add(1, 7, 4, "w\n", true);
  expect("1.0:w\n");
  /* Its turn comes with a piece. */
  add(2, 8, 2, "u\n", true);
  expect("2.0:z\n2.0:u\n");
  ls_live_lines_close(&lines);
}

static void an_attempt_that_was_lost_is_not_shown_later(void **state) {
  (void)state;
  add(3, 1, 0, "lost\n", false);
  add(3, 2, 0, "kept\n", false);
  assert_int_equal(ls_live_lines_turn(&lines, 3, &how, NULL), LS_OK);
  expect("3.0:kept\n");
  ls_live_lines_close(&lines);
}

/* Each attempt counts for itself: the new one shows all of its lines. */
static void a_second_attempt_begins_anew(void **state) {
  (void)state;
  add(4, 1, 0, "one\n", true);
  add(4, 2, 0, "one\n", true);
  expect("4.0:one\n4.0:one\n");
  assert_int_equal(ls_live_lines_shown(&lines, (struct ls_range){4, 1}, 2, 0), 4);
  ls_live_lines_close(&lines);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_shown_once),
      cmocka_unit_test(what_waits_is_shown_when_its_turn_comes),
      cmocka_unit_test(an_attempt_that_was_lost_is_not_shown_later),
      cmocka_unit_test(a_second_attempt_begins_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
