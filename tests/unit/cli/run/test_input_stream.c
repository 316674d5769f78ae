#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/input_stream.h"

static int ends[2];
static struct ls_input_stream *stream;

static const struct ls_input_form lines = {0}, zeros = {.stop_length = 1};

static void begin(const struct ls_input_form *form) {
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(ls_input_stream_open(ends[0], form, "queue", &stream, NULL), LS_OK);
}

static void put(const char *text, size_t length) {
  assert_int_equal(write(ends[1], text, length), (ssize_t)length);
}

static const char *read_value(uint64_t index) {
  const char *value = NULL;
  assert_int_equal(ls_input_stream_values(stream, index, &value, NULL), LS_OK);
  return value;
}

static void end(void) {
  ls_input_stream_close(stream);
  if (ends[1] >= 0) close(ends[1]);
}

static void close_writer(void) {
  close(ends[1]);
  ends[1] = -1;
}

static void expect(uint64_t most, uint64_t count) {
  assert_int_equal(ls_input_stream_read(stream, most, NULL), LS_OK);
  assert_int_equal(ls_input_stream_count(stream), count);
}

static void values_are_there_once_their_line_has_ended(void **state) {
  (void)state;
  begin(&lines);
  expect(10, 0);
  assert_int_equal(ls_input_stream_file(stream), ends[0]);
  put("a\nb b\nhal", 9);
  expect(10, 2);
  put("f\n\n", 3);
  expect(10, 4);
  assert_string_equal(read_value(0), "a");
  assert_string_equal(read_value(1), "b b");
  assert_string_equal(read_value(2), "half");
  assert_string_equal(read_value(3), "");
  assert_false(ls_input_stream_is_ended(stream));
  put("last", 4);
  close_writer();
  expect(10, 5);
  assert_string_equal(read_value(4), "last");
  assert_true(ls_input_stream_is_ended(stream));
  expect(10, 5);
  end();
}

static void no_more_are_taken_than_are_wanted(void **state) {
  (void)state;
  begin(&lines);
  put("1\n2\n3\n4\n5", 9);
  close_writer();
  expect(0, 0);
  expect(2, 2);
  assert_int_equal(ls_input_stream_file(stream), -1);
  expect(2, 4);
  assert_false(ls_input_stream_is_ended(stream));
  assert_int_equal(ls_input_stream_file(stream), -1);
  expect(1, 5);
  expect(1, 5);
  assert_true(ls_input_stream_is_ended(stream));
  end();
}

static void a_byte_order_mark_is_no_data(void **state) {
  (void)state;
  static const char *const texts[] = {"\xef\xbb\xbfname\na", "\xef\xbb"};
  static const char *const firsts[] = {"name", "\xef\xbb"};
  for (size_t i = 0; i < 2; i++) {
    begin(&lines);
    for (const char *at = texts[i]; *at != '\0'; at++) {
      put(at, 1);
      expect(9, *at == '\n' || at > texts[i] + 7);
    }
    close_writer();
    expect(9, 2 - i);
    assert_string_equal(read_value(0), firsts[i]);
    end();
  }
}

/* However the bytes are cut, the values are the same. */
static void any_cut_of_the_bytes_gives_the_same_values(void **state) {
  (void)state;
  static const char text[] = "one\n\ntwo words\nthree\n\n\nlast";
  for (size_t step = 1; step <= sizeof text; step++)
    for (uint64_t most = 1; most < 8; most += 3) {
      begin(&lines);
      for (size_t at = 0; at < sizeof text - 1; at += step) {
        size_t left = sizeof text - 1 - at;
        put(text + at, step < left ? step : left);
        assert_int_equal(ls_input_stream_read(stream, most, NULL), LS_OK);
      }
      close_writer();
      for (int i = 0; i < 9; i++) assert_int_equal(ls_input_stream_read(stream, most, NULL), LS_OK);
      assert_true(ls_input_stream_is_ended(stream));
      assert_int_equal(ls_input_stream_count(stream), 7);
      assert_string_equal(read_value(2), "two words");
      assert_string_equal(read_value(5), "");
      assert_string_equal(read_value(6), "last");
      end();
    }
}

static void zero_bytes_end_values_only_where_they_were_told_to(void **state) {
  (void)state;
  struct ls_error err = {0};
  begin(&zeros);
  put("a\nb\0c\0", 6);
  expect(10, 2);
  assert_string_equal(read_value(0), "a\nb");
  end();
  begin(&lines);
  put("a\nb\0c\n", 6);
  assert_int_equal(ls_input_stream_read(stream, 10, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "queue: line 2 holds a zero byte"));
  end();
}

/* Released out of order, far more values than fit into one block. */
static void released_values_go_and_the_others_stay(void **state) {
  (void)state;
  char line[32];
  begin(&lines);
  for (int i = 0; i < 5000; i++) {
    put(line, (size_t)snprintf(line, sizeof line, "%d\n", i));
    if (i % 100 == 99) expect(UINT64_MAX, (uint64_t)i + 1);
  }
  for (uint64_t i = 0; i < 5000; i += 2) ls_input_stream_release(stream, (struct ls_range){i, 1});
  for (uint64_t i = 1; i < 5000; i += 2) {
    assert_int_equal(atoi(read_value(i)), i);
    ls_input_stream_release(stream, (struct ls_range){i, 1});
  }
  put("x\n", 2);
  expect(1, 5001);
  assert_string_equal(read_value(5000), "x");
  end();
}

static void expect_task(uint64_t task, const char *a, const char *b, const char *c) {
  const char *values[3] = {NULL, NULL, NULL}, *expected[3] = {a, b, c};
  assert_int_equal(ls_input_stream_values(stream, task, values, NULL), LS_OK);
  for (int i = 0; i < 3; i++) {
    if (expected[i] == NULL)
      assert_null(values[i]);
    else
      assert_string_equal(values[i], expected[i]);
  }
}

/* A task is there when all of its values are; the last one when nothing more can come. */
static void several_values_make_a_task(void **state) {
  (void)state;
  begin(&lines);
  ls_input_stream_group(stream, 3);
  put("a\nb\n", 4);
  expect(10, 0);
  put("c\nd\n\nf\ng\n", 9);
  expect(1, 1);
  expect(10, 2);
  expect_task(0, "a", "b", "c");
  expect_task(1, "d", "", "f");
  ls_input_stream_release(stream, (struct ls_range){0, 2});
  close_writer();
  expect(10, 3);
  assert_true(ls_input_stream_is_ended(stream));
  expect_task(2, "g", NULL, NULL);
  ls_input_stream_release(stream, (struct ls_range){2, 1});
  end();
}

/* A task's values may lie in two blocks of the store. */
static void tasks_of_many_values_are_released_whole(void **state) {
  (void)state;
  char line[32];
  begin(&lines);
  ls_input_stream_group(stream, 3);
  for (int i = 0; i < 4000; i++) put(line, (size_t)snprintf(line, sizeof line, "%d\n", i));
  expect(UINT64_MAX, 1333);
  for (uint64_t task = 1332; task > 0; task -= 2) {
    const char *values[3];
    assert_int_equal(ls_input_stream_values(stream, task, values, NULL), LS_OK);
    for (uint64_t i = 0; i < 3; i++) assert_int_equal(atoi(values[i]), 3 * task + i);
    ls_input_stream_release(stream, (struct ls_range){task - 1, 2});
  }
  end();
}

static void an_input_that_cannot_be_read_is_named(void **state) {
  (void)state;
  struct ls_error err = {0};
  int folder = open("/tmp", O_RDONLY | O_DIRECTORY);
  assert_int_equal(ls_input_stream_open(folder, &lines, "folder", &stream, NULL), LS_OK);
  assert_int_equal(ls_input_stream_read(stream, 1, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "folder: "));
  ls_input_stream_close(stream);
  ls_input_stream_close(NULL);
}

/* What it had is lacking; what it gets meanwhile is read. */
static void a_file_that_shrinks_is_refused(void **state) {
  (void)state;
  for (int is_shorter = 0; is_shorter < 2; is_shorter++) {
    char path[] = "/tmp/ls-input-stream-XXXXXX";
    struct ls_input_stream *input = NULL;
    struct ls_error err = {0};
    int file = mkstemp(path);
    assert_int_equal(write(file, "a\nb\nc\n", 6), 6);
    assert_int_equal(lseek(file, 0, SEEK_SET), 0);
    assert_int_equal(ls_input_stream_open(file, &lines, path, &input, NULL), LS_OK);
    if (is_shorter)
      assert_int_equal(truncate(path, 4), 0);
    else
      assert_int_equal(pwrite(file, "d\n", 2, 6), 2);
    assert_int_equal(ls_input_stream_read(input, 100, &err), is_shorter ? LS_EINVAL : LS_OK);
    if (is_shorter)
      assert_non_null(
          strstr(err.text, "has shrunk while it was read: it had 6 bytes, and ends at 4 now"));
    else
      assert_int_equal(ls_input_stream_count(input), 4);
    ls_input_stream_close(input);
    assert_int_equal(unlink(path), 0);
  }
}

static void waiting_ends_with_the_input_or_the_time(void **state) {
  (void)state;
  begin(&lines);
  put("a\n", 2);
  assert_int_equal(ls_input_stream_wait(stream, 5, 0.01, NULL), LS_OK);
  assert_int_equal(ls_input_stream_count(stream), 1);
  put("b\nc\n", 4);
  assert_int_equal(ls_input_stream_wait(stream, 2, 1e6, NULL), LS_OK);
  assert_int_equal(ls_input_stream_count(stream), 3);
  close_writer();
  assert_int_equal(ls_input_stream_wait(stream, 5, 1e6, NULL), LS_OK);
  assert_true(ls_input_stream_is_ended(stream));
  end();
}

/* A value is each pair of bytes; a dot makes none. */
static enum ls_status cut_pair(void *context, const struct ls_bytes *arrived,
                               struct ls_input_cut *cut, struct ls_error *err) {
  (void)err;
  size_t *calls = context;
  ++*calls;
  bool is_dot = arrived->length > 0 && arrived->data[0] == '.';
  cut->used = is_dot ? 1 : arrived->length >= 2 ? 2 : cut->is_end ? arrived->length : 0;
  if (!is_dot) ls_bytes_append(cut->value, arrived->data, cut->used);
  return LS_OK;
}

static void cutter_makes_the_values(void **state) {
  (void)state;
  size_t calls = 0;
  const struct ls_input_cutter cutter = {&calls, cut_pair};
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(ls_input_stream_open_cut(ends[0], &cutter, "data", &stream, NULL), LS_OK);
  put(".ab", 3);
  expect(10, 1);
  assert_int_equal(ls_input_stream_file(stream), ends[0]);
  put("cde", 3);
  expect(1, 2);
  assert_int_equal(ls_input_stream_file(stream), -1);
  expect(10, 2);
  assert_false(ls_input_stream_is_ended(stream));
  close_writer();
  expect(10, 3);
  assert_true(ls_input_stream_is_ended(stream));
  assert_string_equal(read_value(0), "ab");
  assert_string_equal(read_value(1), "cd");
  assert_string_equal(read_value(2), "e");
  end();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_byte_order_mark_is_no_data),
      cmocka_unit_test(cutter_makes_the_values),
      cmocka_unit_test(values_are_there_once_their_line_has_ended),
      cmocka_unit_test(no_more_are_taken_than_are_wanted),
      cmocka_unit_test(any_cut_of_the_bytes_gives_the_same_values),
      cmocka_unit_test(zero_bytes_end_values_only_where_they_were_told_to),
      cmocka_unit_test(released_values_go_and_the_others_stay),
      cmocka_unit_test(several_values_make_a_task),
      cmocka_unit_test(tasks_of_many_values_are_released_whole),
      cmocka_unit_test(an_input_that_cannot_be_read_is_named),
      cmocka_unit_test(a_file_that_shrinks_is_refused),
      cmocka_unit_test(waiting_ends_with_the_input_or_the_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
