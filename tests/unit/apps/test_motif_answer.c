#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "motif_case.h"

static void line_is_read_as_it_was_written(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 100; seed++) {
    struct motif_case made;
    struct ls_bytes line = {0};
    struct best read = {0};
    open_any_case(&made, seed);
    struct best best = search_plainly(&made, (struct ls_range){0, made.space.vectors});
    answer_write(&made.space, &best, &line);
    assert_true(answer_read(&made.space, ls_bytes_text(&line), &read));
    assert_same_best(read, best);
    ls_bytes_append_text(&line, "\nmore");
    assert_true(answer_read(&made.space, ls_bytes_text(&line), &read));
    ls_bytes_close(&line);
    close_case(&made);
  }
}

static void other_lines_are_no_answers(void **state) {
  (void)state;
  struct motif_case made;
  struct best best = {0};
  open_case(&made, 1, 3, 8, 10, 4);
  static const char *const lines[] = {"",
                                      "best       score 20 of 24 at 1 2",
                                      "best       score 20 of 24 at 1 2 10",
                                      "best       score 20 of 24 at 1 2 3 4",
                                      "best       score 20 of 24 at 1 2 -3",
                                      "best       score 25 of 24 at 1 2 3",
                                      "best       score 20 of 25 at 1 2 3",
                                      "score 20 of 24 at 1 2 3",
                                      "best       score 20 of 24 at 1  2 3"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    assert_false(answer_read(&made.space, lines[i], &best));
  }
  assert_true(answer_read(&made.space, "best       score 20 of 24 at 1 2 3", &best));
  assert_same_best(best, (struct best){true, 20, 123});
  close_case(&made);
}

static void bytes_are_read_as_they_were_written(void **state) {
  (void)state;
  struct ls_bytes bytes = {0};
  struct best best = {true, 40, 99}, read = {0};
  answer_append(&best, &bytes);
  assert_int_equal(bytes.length, ANSWER_BYTES);
  assert_true(answer_take(bytes.data, bytes.length, 100, &read));
  assert_same_best(read, best);
  assert_false(answer_take(bytes.data, bytes.length, 99, &read));
  assert_false(answer_take(bytes.data, bytes.length - 1, 100, &read));
  assert_false(answer_take(NULL, 0, 100, &read));
  bytes.data[0] = 2;
  assert_false(answer_take(bytes.data, bytes.length, 100, &read));
  ls_bytes_close(&bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(line_is_read_as_it_was_written),
      cmocka_unit_test(other_lines_are_no_answers),
      cmocka_unit_test(bytes_are_read_as_they_were_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
