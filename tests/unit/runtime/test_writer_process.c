/* test_writer_process.c: the process alone, in this one: what it takes from the stream, and when it
 * ends. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/os/temporary.h"
#include "runtime/output/writer_private.h"

/* A stream whose master is gone: the process takes what there is, and ends. */
struct scene {
  struct ls_writer_shared shared;
  struct ls_writer_end end;
  int master; /* the other end of the line */
};

static void open_scene(struct scene *scene, uint64_t origin, uint64_t spill) {
  int line[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, line), 0);
  *scene =
      (struct scene){.shared = {.given = origin, .left = origin, .origin = origin, .spill = spill},
                     .end = {.memory = ls_temporary_file(NULL),
                             .disk = ls_temporary_file(NULL),
                             .files = {ls_temporary_file(NULL), ls_temporary_file(NULL)},
                             .line = line[0]},
                     .master = line[1]};
  assert_int_equal(shutdown(scene->master, SHUT_WR), 0);
}

static void close_scene(struct scene *scene) {
  const int files[] = {scene->end.memory,   scene->end.disk, scene->end.files[0],
                       scene->end.files[1], scene->end.line, scene->master};
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) (void)close(files[i]);
}

/* Appends a record, in memory or on disk, as its place demands. */
static void give(struct scene *scene, uint32_t stream, const char *text) {
  const struct ls_writer_header header = {stream, (uint32_t)strlen(text)};
  uint64_t place = scene->shared.given;
  int file = place < scene->shared.spill ? scene->end.memory : scene->end.disk;
  off_t offset = (off_t)(place - scene->shared.origin);
  assert_int_equal(pwrite(file, &header, sizeof header, offset), sizeof header);
  assert_int_equal(pwrite(file, text, header.length, offset + (off_t)sizeof header), header.length);
  scene->shared.given = place + sizeof header + header.length;
}

static void serve(struct scene *scene) {
  scene->end.shared = &scene->shared;
  ls_writer_serve(&scene->end);
}

static void expect(const struct scene *scene, int stream, const char *expected) {
  char text[64] = "";
  assert_int_equal(pread(scene->end.files[stream], text, sizeof text - 1, 0), strlen(expected));
  assert_string_equal(text, expected);
}

static void records_are_written_until_the_master_is_gone(void **state) {
  struct scene scene;
  (void)state;
  open_scene(&scene, 0, UINT64_MAX);
  give(&scene, 0, "a");
  give(&scene, 0, "b");
  give(&scene, 1, "C");
  give(&scene, 0, "d");
  serve(&scene);
  expect(&scene, 0, "abd");
  expect(&scene, 1, "C");
  assert_int_equal(scene.shared.left, scene.shared.given);
  assert_int_equal(scene.shared.reason, 0);
  close_scene(&scene);
}

/* Memory first, then the disk, both from their origin. */
static void the_stream_goes_on_in_the_other_file(void **state) {
  struct scene scene;
  (void)state;
  open_scene(&scene, 1000, 1000 + sizeof(struct ls_writer_header) + 5);
  give(&scene, 0, "first");
  give(&scene, 0, "second");
  serve(&scene);
  expect(&scene, 0, "firstsecond");
  assert_int_equal(scene.shared.left, scene.shared.given);
  close_scene(&scene);
}

static void a_failure_is_told_and_ends_it(void **state) {
  struct scene scene;
  (void)state;
  open_scene(&scene, 0, UINT64_MAX);
  (void)close(scene.end.files[1]);
  scene.end.files[1] = open("/dev/null", O_RDONLY | O_CLOEXEC);
  give(&scene, 0, "well");
  give(&scene, 1, "ill");
  uint64_t wrong = scene.shared.given;
  give(&scene, 0, "never");
  serve(&scene);
  expect(&scene, 0, "well");
  assert_int_equal(scene.shared.reason, EBADF);
  assert_int_equal(scene.shared.failed_stream, 1);
  assert_true(scene.shared.left < wrong);
  close_scene(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_are_written_until_the_master_is_gone),
      cmocka_unit_test(the_stream_goes_on_in_the_other_file),
      cmocka_unit_test(a_failure_is_told_and_ends_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
