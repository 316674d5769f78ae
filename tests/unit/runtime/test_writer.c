/* test_writer.c: outputs leave in order, whole, and their reader stops nobody. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/os/temporary.h"
#include "runtime/output/writer.h"

/* A writer to a pipe, which nobody reads so far, and to a file. */
struct scene {
  int reader, file;
  struct ls_writer *writer;
};

static void open_as(struct scene *scene, bool waits_for_readers) {
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  scene->reader = ends[0];
  scene->file = ls_temporary_file(NULL);
  assert_int_equal(
      ls_writer_open((const int[2]){ends[1], scene->file}, waits_for_readers, &scene->writer, NULL),
      LS_OK);
  (void)close(ends[1]);
}

static void open_scene(struct scene *scene) {
  open_as(scene, false);
}

static void close_scene(struct scene *scene) {
  ls_writer_close(scene->writer);
  if (scene->reader >= 0) (void)close(scene->reader);
  (void)close(scene->file);
}

static void add(struct scene *scene, enum ls_writer_stream stream, const char *text) {
  assert_int_equal(ls_writer_add(scene->writer, stream, text, strlen(text), NULL), LS_OK);
}

static void expect_read(struct scene *scene, const char *expected) {
  char text[256] = "";
  size_t length = 0, wanted = strlen(expected);
  while (length < wanted) {
    ssize_t got = read(scene->reader, text + length, wanted - length);
    assert_true(got > 0);
    length += (size_t)got;
  }
  assert_string_equal(text, expected);
}

static void expect_left(const struct scene *scene, uint64_t place) {
  struct pollfd news = {.fd = ls_writer_file(scene->writer), .events = POLLIN};
  while (ls_writer_left(scene->writer) < place) assert_int_equal(poll(&news, 1, 60000), 1);
  assert_int_equal(ls_writer_left(scene->writer), place);
}

/* In a pipe is not read; what follows it to a file has left when all before it has. */
static void what_a_reader_has_not_taken_has_not_left(void **state) {
  struct scene scene;
  struct ls_error err;
  (void)state;
  open_as(&scene, true);
  add(&scene, LS_WRITER_OUTPUT, "one ");
  assert_int_equal(ls_writer_attend(scene.writer, NULL), LS_OK);
  uint64_t one = ls_writer_given(scene.writer);
  expect_read(&scene, "one ");
  expect_left(&scene, one);
  add(&scene, LS_WRITER_OUTPUT, "two ");
  add(&scene, LS_WRITER_ERROR, "err");
  assert_int_equal(ls_writer_attend(scene.writer, NULL), LS_OK);
  struct pollfd there = {.fd = scene.reader, .events = POLLIN};
  assert_int_equal(poll(&there, 1, 60000), 1);
  assert_int_equal(ls_writer_left(scene.writer), one);
  expect_read(&scene, "two ");
  expect_left(&scene, ls_writer_given(scene.writer));
  /* A reader that goes away without it is told. */
  add(&scene, LS_WRITER_OUTPUT, "three");
  uint64_t two = ls_writer_left(scene.writer);
  assert_int_equal(ls_writer_attend(scene.writer, NULL), LS_OK);
  assert_int_equal(poll(&there, 1, 60000), 1);
  (void)close(scene.reader);
  scene.reader = -1;
  assert_int_equal(ls_writer_finish(scene.writer, NULL, &err), LS_ECLOSED);
  assert_int_equal(ls_writer_left(scene.writer), two);
  close_scene(&scene);
}

static void streams_leave_in_order_each_where_it_belongs(void **state) {
  struct scene scene;
  char text[64] = "";
  (void)state;
  open_scene(&scene);
  add(&scene, LS_WRITER_OUTPUT, "one ");
  add(&scene, LS_WRITER_ERROR, "bad ");
  add(&scene, LS_WRITER_OUTPUT, "two ");
  add(&scene, LS_WRITER_OUTPUT, "three");
  add(&scene, LS_WRITER_ERROR, "worse");
  assert_int_equal(ls_writer_finish(scene.writer, NULL, NULL), LS_OK);
  assert_int_equal(ls_writer_left(scene.writer), ls_writer_given(scene.writer));
  expect_read(&scene, "one two three");
  assert_int_equal(pread(scene.file, text, sizeof text - 1, 0), 9);
  assert_string_equal(text, "bad worse");
  close_scene(&scene);
}

/* The number of the n-th 4-byte word of what is written, so that a lost or doubled piece shows. */
static void fill(uint32_t *words, size_t count, uint32_t from) {
  for (size_t i = 0; i < count; ++i) words[i] = from + (uint32_t)i;
}

enum { WORDS = 1 << 18, PIECES = 40 }; /* 40 pieces of 1 MiB: more than waits in memory */

static void expect_words(struct scene *scene, uint32_t *words) {
  for (uint32_t next = 0; next < WORDS * PIECES;) {
    size_t length = 0;
    ssize_t got = 1;
    while (length < WORDS * sizeof *words && got > 0) {
      got = read(scene->reader, (char *)words + length, WORDS * sizeof *words - length);
      assert_true(got > 0);
      length += (size_t)got;
    }
    for (size_t i = 0; i < WORDS; ++i, ++next) {
      if (words[i] != next) fail_msg("word %u is %u", next, words[i]);
    }
  }
}

static void a_reader_that_stops_stops_nobody_and_misses_nothing(void **state) {
  static uint32_t words[WORDS];
  struct scene scene;
  (void)state;
  open_scene(&scene);
  for (uint32_t i = 0; i < PIECES; ++i) {
    fill(words, WORDS, i * WORDS);
    assert_int_equal(ls_writer_add(scene.writer, LS_WRITER_OUTPUT, words, sizeof words, NULL),
                     LS_OK);
  }
  assert_int_equal(ls_writer_attend(scene.writer, NULL), LS_OK);
  assert_true(ls_writer_left(scene.writer) < ls_writer_given(scene.writer));
  expect_words(&scene, words);
  assert_int_equal(ls_writer_finish(scene.writer, NULL, NULL), LS_OK);
  /* And once more, from the beginning of the files. */
  add(&scene, LS_WRITER_OUTPUT, "end");
  assert_int_equal(ls_writer_finish(scene.writer, NULL, NULL), LS_OK);
  expect_read(&scene, "end");
  close_scene(&scene);
}

static void a_part_of_a_file_is_taken(void **state) {
  struct scene scene;
  int file = ls_temporary_file(NULL);
  (void)state;
  open_scene(&scene);
  assert_int_equal(pwrite(file, "0123456789", 10, 0), 10);
  const struct ls_writer_part parts[2] = {{file, 3, 4}, {file, 8, 100}};
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(ls_writer_add_part(scene.writer, LS_WRITER_OUTPUT, &parts[i], NULL), LS_OK);
  }
  assert_int_equal(ls_writer_finish(scene.writer, NULL, NULL), LS_OK);
  expect_read(&scene, "345689");
  (void)close(file);
  close_scene(&scene);
}

/* The file tells: it is readable without end then. */
static enum ls_status wait_for_failure(struct scene *scene, struct ls_error *err) {
  return ls_writer_finish(scene->writer, NULL, err);
}

static void a_reader_that_is_gone_is_told_apart(void **state) {
  struct scene scene;
  struct ls_error err = {0};
  (void)state;
  open_scene(&scene);
  (void)close(scene.reader);
  scene.reader = -1;
  add(&scene, LS_WRITER_OUTPUT, "to nobody");
  assert_int_equal(wait_for_failure(&scene, &err), LS_ECLOSED);
  assert_non_null(strstr(err.text, "standard output"));
  assert_int_equal(ls_writer_add(scene.writer, LS_WRITER_ERROR, "x", 1, &err), LS_ECLOSED);
  assert_int_equal(ls_writer_left(scene.writer), 0);
  close_scene(&scene);
}

static void a_full_disk_is_named(void **state) {
  struct ls_writer *writer;
  struct ls_error err = {0};
  int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  (void)state;
  if (full < 0) skip();
  assert_int_equal(ls_writer_open((const int[2]){full, STDERR_FILENO}, false, &writer, NULL),
                   LS_OK);
  assert_int_equal(ls_writer_add(writer, LS_WRITER_OUTPUT, "x", 1, NULL), LS_OK);
  assert_int_equal(ls_writer_finish(writer, NULL, &err), LS_EIO);
  assert_non_null(strstr(err.text, strerror(ENOSPC)));
  ls_writer_close(writer);
  (void)close(full);
}

static bool is_hurried(void) {
  return true;
}

static void who_is_in_a_hurry_does_not_wait_for_the_reader(void **state) {
  static char large[1 << 20];
  struct scene scene;
  (void)state;
  open_scene(&scene);
  memset(large, 'x', sizeof large);
  assert_int_equal(ls_writer_add(scene.writer, LS_WRITER_OUTPUT, large, sizeof large, NULL), LS_OK);
  assert_int_equal(ls_writer_finish(scene.writer, is_hurried, NULL), LS_EINTERRUPTED);
  close_scene(&scene);
}

static void signals_of_the_terminal_do_not_end_it(void **state) {
  struct scene scene;
  (void)state;
  /* A group of its own, so that the signal reaches the writer and not the whole test run. */
  pid_t child = fork();
  if (child == 0) {
    (void)setpgid(0, 0);
    (void)signal(SIGINT, SIG_IGN);
    open_scene(&scene);
    (void)kill(0, SIGINT);
    add(&scene, LS_WRITER_OUTPUT, "still here");
    bool is_well = ls_writer_finish(scene.writer, NULL, NULL) == LS_OK;
    close_scene(&scene);
    _exit(is_well ? 0 : 1);
  }
  int code = -1;
  assert_int_equal(waitpid(child, &code, 0), child);
  assert_int_equal(code, 0);
}

static void much_that_waits_is_too_much(void **state) {
  static char large[1 << 20];
  struct scene scene;
  size_t pieces = 0;
  (void)state;
  open_scene(&scene);
  while (!ls_writer_is_behind(scene.writer) && pieces < 1000) {
    assert_int_equal(ls_writer_add(scene.writer, LS_WRITER_OUTPUT, large, sizeof large, NULL),
                     LS_OK);
    ++pieces;
  }
  assert_in_range(pieces, LS_WRITER_MEMORY_MAX >> 20, 999);
  close_scene(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(streams_leave_in_order_each_where_it_belongs),
      cmocka_unit_test(a_reader_that_stops_stops_nobody_and_misses_nothing),
      cmocka_unit_test(a_part_of_a_file_is_taken),
      cmocka_unit_test(a_reader_that_is_gone_is_told_apart),
      cmocka_unit_test(a_full_disk_is_named),
      cmocka_unit_test(who_is_in_a_hurry_does_not_wait_for_the_reader),
      cmocka_unit_test(signals_of_the_terminal_do_not_end_it),
      cmocka_unit_test(much_that_waits_is_too_much),
      cmocka_unit_test(what_a_reader_has_not_taken_has_not_left),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
