/* test_task_line.c: the command of a task, of one unit or of several. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "runtime/execute/task_line.h"

/* echo A0 A1 ...: the bundle of so many units. */
static void encode(const char *prefix, uint64_t units, struct ls_bytes *out) {
  const struct ls_bundle_piece pieces[] = {{.literal = {"echo", 4}}, {.column = 0}};
  const struct ls_bundle_group groups[] = {{0, 1, false}, {1, 1, true}};
  const bool is_of_first[] = {false};
  const struct ls_bundle_shape shape = {.groups = groups,
                                        .groups_count = 2,
                                        .pieces = pieces,
                                        .pieces_count = 2,
                                        .is_of_first = is_of_first,
                                        .columns_count = 1};
  ls_bytes_clear(out);
  ls_bundle_encode(&shape, units, out);
  for (uint64_t i = 0; i < units; i++) {
    char text[32];
    (void)snprintf(text, sizeof text, "%s%d", prefix, (int)i);
    ls_bundle_encode_text(text, strlen(text), out);
  }
}

static struct ls_work make_work(struct ls_range units, struct ls_range packed,
                                const struct ls_bytes *input) {
  return (struct ls_work){
      .units = units, .packed = packed, .input = input->data, .length = input->length};
}

static void any_part_of_a_range_has_its_words(void **state) {
  (void)state;
  struct ls_task_line line;
  struct ls_command command = {0};
  struct ls_bytes input = {0};
  uint64_t taken;
  ls_task_line_init(&line, &(struct ls_bundling){.units_max = 4}, environ);
  encode("A", 10, &input);
  struct ls_work work = make_work((struct ls_range){100, 10}, (struct ls_range){100, 10}, &input);
  assert_int_equal(ls_task_line_make(&line, &work, &command, &taken, NULL), LS_OK);
  assert_int_equal(taken, 4); /* units_max */
  assert_int_equal(command.argv_count, 5);
  work.units = (struct ls_range){107, 2};
  assert_int_equal(ls_task_line_make(&line, &work, &command, &taken, NULL), LS_OK);
  assert_int_equal(taken, 2);
  assert_string_equal(command.argv[1], "A7");
  assert_string_equal(command.argv[2], "A8");
  /* The storage of the input is used again: the first unit of a range reads it anew. */
  encode("B", 10, &input);
  work = make_work((struct ls_range){100, 1}, (struct ls_range){100, 10}, &input);
  assert_int_equal(ls_task_line_make(&line, &work, &command, &taken, NULL), LS_OK);
  assert_string_equal(command.argv[1], "B0");
  ls_task_line_close(&line);
  ls_command_close(&command);
  ls_bytes_close(&input);
}

static void a_bundle_of_other_units_is_refused(void **state) {
  (void)state;
  struct ls_task_line line;
  struct ls_command command = {0};
  struct ls_bytes input = {0};
  struct ls_error err = {0};
  uint64_t taken;
  ls_task_line_init(&line, &(struct ls_bundling){.units_max = 4}, environ);
  encode("A", 3, &input);
  struct ls_work work = make_work((struct ls_range){5, 4}, (struct ls_range){5, 4}, &input);
  assert_int_equal(ls_task_line_make(&line, &work, &command, &taken, &err), LS_ECORRUPT);
  assert_non_null(strstr(err.text, "of 3 units, expected 4"));
  ls_task_line_close(&line);
  ls_command_close(&command);
  ls_bytes_close(&input);
}

static void units_of_their_own_have_their_own_commands(void **state) {
  (void)state;
  struct ls_task_line line;
  struct ls_command command = {0};
  struct ls_bytes input = {0};
  uint64_t taken;
  const char *const first[] = {"a"}, *const second[] = {"b", "c"};
  ls_task_line_init(&line, &(struct ls_bundling){.units_max = 0}, environ);
  ls_command_encode(first, 1, NULL, &input);
  ls_command_encode(second, 2, NULL, &input);
  struct ls_work work = make_work((struct ls_range){1, 1}, (struct ls_range){0, 2}, &input);
  assert_int_equal(ls_task_line_make(&line, &work, &command, &taken, NULL), LS_OK);
  assert_int_equal(taken, 1);
  assert_string_equal(command.argv[1], "c");
  ls_task_line_close(&line);
  ls_command_close(&command);
  ls_bytes_close(&input);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_part_of_a_range_has_its_words),
      cmocka_unit_test(a_bundle_of_other_units_is_refused),
      cmocka_unit_test(units_of_their_own_have_their_own_commands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
