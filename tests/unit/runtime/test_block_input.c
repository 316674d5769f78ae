/* Whatever blocks a task has, its command reads their bytes in order, the header before them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/execute/block_input.h"
#include "runtime/execute/block_source.h"

static char path[] = "/tmp/ls-block-input-XXXXXX";
static struct ls_block_source source;
static const char content[] = "0123456789abcdef";

static int set_up(void **state) {
  (void)state;
  int file = mkstemp(path);
  if (file < 0 || write(file, content, 16) != 16) return -1;
  if (ls_block_source_look(file, path, &source, NULL) != LS_OK) return -1;
  return close(file);
}

static int tear_down(void **state) {
  (void)state;
  return unlink(path);
}

static struct ls_block make_part(uint64_t offset, uint64_t length) {
  return (struct ls_block){
      .name = "", .path = path, .offset = offset, .length = length, .source = source};
}

static void add(struct ls_block_input *input, const struct ls_block *block) {
  struct ls_error err = {0};
  if (ls_block_input_add(input, block, &err) != LS_OK) fail_msg("%s", err.text);
}

static void expect(struct ls_block_input *input, const char *expected) {
  struct ls_error err = {0};
  if (ls_block_input_open(input, &err) != LS_OK) fail_msg("%s", err.text);
  assert_true(input->input > 0);
  assert_int_equal(ls_block_input_file(input), -1);
  char out[100];
  size_t length = 0;
  ssize_t got;
  while ((got = read(input->input, out + length, sizeof out - length)) > 0) length += (size_t)got;
  assert_int_equal(length, strlen(expected));
  assert_memory_equal(out, expected, length);
  assert_int_equal(ls_block_input_leave(input, NULL), LS_OK);
  assert_int_equal(input->input, 0);
}

static void blocks_of_a_task_are_one_input(void **state) {
  (void)state;
  struct ls_block_input input = {0};
  struct ls_block first = make_part(2, 3), second = make_part(5, 1), third = make_part(0, 2);
  first.header = "h\n";
  first.header_length = second.header_length = third.header_length = 2;
  second.header = third.header = "h\n";
  add(&input, &first);
  add(&input, &second);
  add(&input, &third);
  assert_int_equal(input.parts_count, 2);
  expect(&input, "h\n234501");
  /* The same storage for the next task. */
  first.header_length = 0;
  add(&input, &first);
  expect(&input, "234");
  ls_block_input_close(&input);
}

static void bytes_that_came_along_are_read_alike(void **state) {
  (void)state;
  struct ls_block_input input = {0};
  const struct ls_block first = {.name = "",
                                 .path = "",
                                 .header = "H",
                                 .header_length = 1,
                                 .data = "ab",
                                 .length = 2},
                        second = {.name = "", .path = "", .data = "cd", .length = 2};
  add(&input, &first);
  add(&input, &second);
  expect(&input, "Habcd");
  const struct ls_block nothing = {.name = "", .path = ""};
  add(&input, &nothing);
  expect(&input, "");
  ls_block_input_close(&input);
}

/* A command must not see whether its bytes were a file: what it makes of one depends on more than
 * the bytes. */
static void file_of_one_block_is_a_pipe_as_well(void **state) {
  (void)state;
  struct ls_block_input input = {0};
  const struct ls_block whole = {.name = "", .path = path, .length = 16, .is_whole = true};
  add(&input, &whole);
  assert_int_equal(ls_block_input_open(&input, NULL), LS_OK);
  struct stat facts;
  assert_int_equal(fstat(input.input, &facts), 0);
  assert_true(S_ISFIFO(facts.st_mode));
  assert_int_equal(ls_block_input_leave(&input, NULL), LS_OK);
  add(&input, &whole);
  add(&input, &whole);
  expect(&input, "0123456789abcdef0123456789abcdef");
  ls_block_input_close(&input);
}

/* Its block ends where who fills it closes it, whatever the length says. */
static void pipe_of_somebody_else_is_the_input_itself(void **state) {
  (void)state;
  struct ls_block_input input = {0};
  int ends[2];
  char name[40];
  assert_int_equal(pipe(ends), 0);
  snprintf(name, sizeof name, "/proc/self/fd/%d", ends[0]);
  const struct ls_block dealt = {.name = "", .path = name, .is_whole = true};
  add(&input, &dealt);
  assert_int_equal(write(ends[1], "dealt", 5), 5);
  close(ends[1]);
  close(ends[0]);
  expect(&input, "dealt");
  ls_block_input_close(&input);
}

static void named_file_is_there_until_the_task_ends(void **state) {
  (void)state;
  struct ls_block_input input = {0};
  char name[64], out[10];
  snprintf(name, sizeof name, "%s.1.1", path);
  struct ls_block block = make_part(1, 5);
  block.form = LS_BLOCK_FILE;
  block.name = name;
  for (int i = 0; i < 2; i++) {
    add(&input, &block);
    assert_int_equal(ls_block_input_open(&input, NULL), LS_OK);
    struct pollfd written = {.fd = ls_block_input_file(&input), .events = POLLIN};
    assert_int_equal(poll(&written, 1, 60000), 1);
    int file = open(name, O_RDONLY);
    assert_int_equal(read(file, out, sizeof out), 5);
    assert_memory_equal(out, "12345", 5);
    close(file);
    assert_int_equal(ls_block_input_leave(&input, NULL), LS_OK);
    assert_int_equal(access(name, F_OK), -1);
  }
  block.form = LS_BLOCK_FIFO;
  add(&input, &block);
  assert_int_equal(ls_block_input_open(&input, NULL), LS_OK);
  int file = open(name, O_RDONLY);
  assert_int_equal(read(file, out, sizeof out), 5);
  close(file);
  assert_int_equal(ls_block_input_leave(&input, NULL), LS_OK);
  assert_int_equal(access(name, F_OK), -1);
  ls_block_input_close(&input);
}

/* No command may take a part of its block for all of it. */
static void file_that_cannot_be_whole_is_told_before_the_command(void **state) {
  (void)state;
  struct ls_block_input input = {0};
  struct ls_error err = {0};
  char name[64], words[128];
  snprintf(name, sizeof name, "%s.1.1", path);
  struct ls_block block = make_part(0, 16);
  block.form = LS_BLOCK_FILE;
  block.name = name;
  add(&input, &block);
  assert_int_equal(ls_block_input_open(&input, NULL), LS_OK);
  assert_int_equal(ls_block_input_finish(&input, NULL), LS_OK);
  assert_int_equal(ls_block_input_file(&input), -1);
  assert_int_equal(ls_block_input_leave(&input, NULL), LS_OK);
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  const struct rlimit less = {5, before.rlim_max};
  add(&input, &block);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
  assert_int_equal(ls_block_input_open(&input, NULL), LS_OK);
  struct pollfd written = {.fd = ls_block_input_file(&input), .events = POLLIN};
  assert_int_equal(poll(&written, 1, 60000), 1);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_int_equal(ls_block_input_finish(&input, &err), LS_EBUSY);
  snprintf(words, sizeof words, "%s: cannot be written: File too large", name);
  assert_string_equal(err.text, words);
  assert_int_equal(ls_block_input_leave(&input, NULL), LS_OK);
  assert_int_equal(access(name, F_OK), -1);
  ls_block_input_close(&input);
}

static void other_file_fails_before_and_behind(void **state) {
  (void)state;
  struct ls_block_input input = {0};
  struct ls_error err = {0};
  struct ls_block block = make_part(0, 16);
  block.source.bytes = 17;
  assert_int_equal(ls_block_input_add(&input, &block, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "it was 17 bytes"));
  assert_int_equal(ls_block_input_leave(&input, NULL), LS_OK);
  block = make_part(0, 16);
  add(&input, &block);
  assert_int_equal(ls_block_input_open(&input, NULL), LS_OK);
  assert_int_equal(truncate(path, 15), 0);
  assert_int_equal(ls_block_input_leave(&input, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "it is 15 bytes"));
  const struct ls_block missing = {.name = "", .path = "/no/such/file", .length = 1};
  assert_int_equal(ls_block_input_add(&input, &missing, &err), LS_EIO);
  assert_non_null(strstr(err.text, "/no/such/file: cannot be opened"));
  const struct ls_block too_long = {
      .name = "", .path = path, .length = 40, .is_whole = true, .header = "h", .header_length = 1};
  assert_int_equal(ls_block_input_leave(&input, NULL), LS_OK);
  add(&input, &too_long);
  assert_int_equal(ls_block_input_open(&input, NULL), LS_OK);
  char out[100];
  while (read(input.input, out, sizeof out) > 0) continue;
  assert_int_equal(ls_block_input_leave(&input, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "ends at byte 15"));
  ls_block_input_close(&input);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_of_a_task_are_one_input),
      cmocka_unit_test(bytes_that_came_along_are_read_alike),
      cmocka_unit_test(file_of_one_block_is_a_pipe_as_well),
      cmocka_unit_test(pipe_of_somebody_else_is_the_input_itself),
      cmocka_unit_test(named_file_is_there_until_the_task_ends),
      cmocka_unit_test(file_that_cannot_be_whole_is_told_before_the_command),
      cmocka_unit_test(other_file_fails_before_and_behind),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
