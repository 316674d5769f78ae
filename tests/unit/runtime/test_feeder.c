/* Bytes come whole and in order at any pace of the reader, and nobody waits for a reader that does
 * not read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/execute/feeder.h"
#include "runtime/os/temporary.h"

enum { BYTES = 3 << 20 };

static char *data;
static int file;

static int set_up(void **state) {
  (void)state;
  data = malloc(BYTES);
  for (size_t i = 0; i < BYTES; i++) data[i] = (char)(i * 2654435761U >> 24);
  file = ls_temporary_file(NULL);
  return write(file, data, BYTES) == BYTES ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  free(data);
  return close(file);
}

static struct ls_feeder *open_feeder(const struct ls_feed *feed) {
  struct ls_feeder *feeder = NULL;
  struct ls_error err = {0};
  if (ls_feeder_open(feed, &feeder, &err) != LS_OK) fail_msg("%s", err.text);
  return feeder;
}

static size_t read_all(int from, char *out, size_t most) {
  size_t length = 0;
  ssize_t got;
  while ((got = read(from, out + length, most - length)) > 0) length += (size_t)got;
  assert_true(got == 0);
  return length;
}

static void await_done(const struct ls_feeder *feeder) {
  struct pollfd done = {.fd = ls_feeder_file(feeder), .events = POLLIN};
  assert_int_equal(poll(&done, 1, 60000), 1);
}

static void head_and_parts_go_through_a_pipe(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const struct ls_feed_part parts[] = {{file, 10, BYTES - 10}, {file, 0, 10}};
  const struct ls_feed feed = {"head", 4, parts, 2, NULL, ends[1]};
  struct ls_feeder *feeder = open_feeder(&feed);
  char *out = malloc(BYTES + 100);
  assert_int_equal(read_all(ends[0], out, BYTES + 100), BYTES + 4);
  assert_memory_equal(out, "head", 4);
  assert_memory_equal(out + 4, data + 10, BYTES - 10);
  assert_memory_equal(out + 4 + BYTES - 10, data, 10);
  assert_int_equal(ls_feeder_close(feeder).end, LS_FEED_WHOLE);
  close(ends[0]);
  free(out);
}

static void what_a_pipe_has_room_for_is_there_at_once(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  int memory = memfd_create("test", MFD_CLOEXEC);
  assert_int_equal(write(memory, data, PIPE_BUF + 5), PIPE_BUF + 5);
  const struct ls_feed_part part = {memory, 5, PIPE_BUF};
  const struct ls_feed feed = {"head", 4, &part, 1, NULL, ends[1]};
  struct ls_feeder *feeder = open_feeder(&feed);
  struct pollfd done = {.fd = ls_feeder_file(feeder), .events = POLLIN};
  assert_int_equal(poll(&done, 1, 0), 1);
  int waiting = 0;
  assert_int_equal(ioctl(ends[0], FIONREAD, &waiting), 0);
  assert_int_equal(waiting, PIPE_BUF + 4);
  assert_int_equal(ls_feeder_close(feeder).end, LS_FEED_WHOLE);
  char out[PIPE_BUF + 10];
  assert_int_equal(read_all(ends[0], out, sizeof out), PIPE_BUF + 4);
  assert_memory_equal(out + 4, data + 5, PIPE_BUF);
  close(ends[0]);
  close(memory);
}

static void file_is_written_before_it_is_done(void **state) {
  (void)state;
  int target = ls_temporary_file(NULL);
  const struct ls_feed_part part = {file, 5, BYTES - 5};
  const struct ls_feed feed = {"h", 1, &part, 1, NULL, dup(target)};
  struct ls_feeder *feeder = open_feeder(&feed);
  await_done(feeder);
  struct stat facts;
  assert_int_equal(fstat(target, &facts), 0);
  assert_int_equal(facts.st_size, BYTES - 4);
  assert_int_equal(ls_feeder_close(feeder).end, LS_FEED_WHOLE);
  close(target);
}

static void reader_that_goes_has_read_enough(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const struct ls_feed_part part = {file, 0, BYTES};
  const struct ls_feed feed = {NULL, 0, &part, 1, NULL, ends[1]};
  struct ls_feeder *feeder = open_feeder(&feed);
  char some[10];
  assert_int_equal(read(ends[0], some, sizeof some), sizeof some);
  close(ends[0]);
  await_done(feeder);
  assert_int_equal(ls_feeder_close(feeder).end, LS_FEED_ENOUGH);
}

/* The pipe is full, the named pipe has no reader. */
static void whoever_waits_can_be_stopped(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const struct ls_feed_part part = {file, 0, BYTES};
  const struct ls_feed feed = {NULL, 0, &part, 1, NULL, ends[1]};
  assert_int_equal(ls_feeder_close(open_feeder(&feed)).end, LS_FEED_ENOUGH);
  close(ends[0]);
  char fifo[] = "/tmp/ls-feeder-XXXXXX";
  assert_non_null(mkdtemp(fifo));
  char path[64];
  snprintf(path, sizeof path, "%s/f", fifo);
  assert_int_equal(mkfifo(path, 0600), 0);
  const struct ls_feed named = {NULL, 0, &part, 1, path, -1};
  assert_int_equal(ls_feeder_close(open_feeder(&named)).end, LS_FEED_ENOUGH);
  struct ls_feeder *feeder = open_feeder(&named);
  int reader = open(path, O_RDONLY);
  char *out = malloc(BYTES + 1);
  assert_int_equal(read_all(reader, out, BYTES + 1), BYTES);
  assert_memory_equal(out, data, BYTES);
  assert_int_equal(ls_feeder_close(feeder).end, LS_FEED_WHOLE);
  close(reader);
  free(out);
  unlink(path);
  rmdir(fifo);
}

/* Neither is the other's fault. */
static void target_that_takes_no_more_is_told_from_a_file_that_gives_no_more(void **state) {
  (void)state;
  int target = ls_temporary_file(NULL);
  const struct ls_feed_part part = {file, 0, BYTES};
  const struct ls_feed feed = {"h", 1, &part, 1, NULL, dup(target)};
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  const struct rlimit less = {BYTES / 2, before.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
  struct ls_feeder *feeder = open_feeder(&feed);
  await_done(feeder);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  struct ls_feed_result result = ls_feeder_close(feeder);
  assert_int_equal(result.end, LS_FEED_UNWRITTEN);
  assert_int_equal(result.number, EFBIG);
  int folder = open("/", O_RDONLY | O_DIRECTORY);
  const struct ls_feed_part unreadable = {folder, 0, 5};
  const struct ls_feed other = {NULL, 0, &unreadable, 1, NULL, target};
  feeder = open_feeder(&other);
  await_done(feeder);
  result = ls_feeder_close(feeder);
  assert_int_equal(result.end, LS_FEED_BROKEN);
  assert_int_equal(result.number, EISDIR);
  close(folder);
}

static void short_file_is_told_with_its_place(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const struct ls_feed_part parts[] = {{file, 0, 10}, {file, BYTES - 10, 20}};
  const struct ls_feed feed = {NULL, 0, parts, 2, NULL, ends[1]};
  struct ls_feeder *feeder = open_feeder(&feed);
  char out[100];
  assert_int_equal(read_all(ends[0], out, sizeof out), 20);
  struct ls_feed_result result = ls_feeder_close(feeder);
  assert_int_equal(result.end, LS_FEED_SHORT);
  assert_int_equal(result.part, 1);
  assert_int_equal(result.at, BYTES);
  close(ends[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(head_and_parts_go_through_a_pipe),
      cmocka_unit_test(what_a_pipe_has_room_for_is_there_at_once),
      cmocka_unit_test(file_is_written_before_it_is_done),
      cmocka_unit_test(reader_that_goes_has_read_enough),
      cmocka_unit_test(whoever_waits_can_be_stopped),
      cmocka_unit_test(target_that_takes_no_more_is_told_from_a_file_that_gives_no_more),
      cmocka_unit_test(short_file_is_told_with_its_place),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
