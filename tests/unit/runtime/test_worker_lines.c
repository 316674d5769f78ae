/* test_worker_lines.c: what is told of units that run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker_fixture.h"

static char *no_words[] = {NULL};

static struct ls_settings make_showing(enum ls_showing showing) {
  struct ls_settings settings = make_settings(no_words);
  settings.showing = showing;
  return settings;
}

static const struct ls_message *hear_kind(struct master *master, enum ls_message_kind kind) {
  const struct ls_message *message = hear_any(master);
  while (message->kind != kind) message = hear_any(master);
  return message;
}

/* The task waits at a pipe, so its lines come before it has ended. */
static void lines_come_while_a_command_runs(void **state) {
  (void)state;
  char folder[] = "/tmp/test-lines-XXXXXX", pipe_path[64], script[160];
  assert_non_null(mkdtemp(folder));
  snprintf(pipe_path, sizeof pipe_path, "%s/go", folder);
  assert_int_equal(mkfifo(pipe_path, 0600), 0);
  snprintf(script, sizeof script, "echo one; printf two; read x < %s; echo; echo err >&2",
           pipe_path);
  struct master master = make_master(NULL);
  start_thread(&master);
  welcome(&master, make_showing(LS_SHOW_LINES));
  (void)hear_kind(&master, LS_MESSAGE_REQUEST);
  const char *const argv[] = {"sh", "-c", script};
  struct ls_bytes input = {0};
  ls_command_encode(argv, 3, NULL, &input);
  say(&master, (struct ls_message){.kind = LS_MESSAGE_CHUNK,
                                   .chunk = 9,
                                   .ranges = &(struct ls_range){4, 1},
                                   .ranges_count = 1,
                                   .input = {input.data, input.length}});
  const struct ls_message *lines = hear_kind(&master, LS_MESSAGE_LINES);
  assert_true(lines->chunk == 9 && lines->range.first == 4 && lines->output.length == 0);
  lines = hear_kind(&master, LS_MESSAGE_LINES);
  assert_true(lines->chunk == 9 && lines->offset == 0 && lines->stream == LS_STREAM_OUT);
  /* The line that has no end stays behind. */
  assert_int_equal(lines->output.length, 4);
  assert_memory_equal(lines->output.data, "one\n", 4);
  FILE *go = fopen(pipe_path, "w");
  fputs("x\n", go);
  fclose(go);
  const struct ls_message *result = hear_kind(&master, LS_MESSAGE_RESULT);
  assert_int_equal(result->output.length, 8);
  assert_memory_equal(result->output.data, "one\ntwo\n", 8);
  assert_memory_equal(result->error_output.data, "err\n", 4);
  assert_int_equal(release(&master), LS_OK);
  ls_bytes_close(&input);
  unlink(pipe_path);
  rmdir(folder);
}

static void beginnings_alone_tell_no_lines(void **state) {
  (void)state;
  struct master master = make_master(NULL);
  start_thread(&master);
  welcome(&master, make_showing(LS_SHOW_BEGINNINGS));
  (void)hear_kind(&master, LS_MESSAGE_REQUEST);
  const char *const argv[] = {"echo", "x"};
  struct ls_bytes input = {0};
  ls_command_encode(argv, 2, NULL, &input);
  say(&master, (struct ls_message){.kind = LS_MESSAGE_CHUNK,
                                   .chunk = 1,
                                   .ranges = &(struct ls_range){0, 1},
                                   .ranges_count = 1,
                                   .input = {input.data, input.length}});
  size_t told = 0;
  const struct ls_message *message = hear_any(&master);
  for (; message->kind != LS_MESSAGE_RESULT; message = hear_any(&master)) {
    told += message->kind == LS_MESSAGE_LINES;
    if (message->kind == LS_MESSAGE_LINES) assert_int_equal(message->output.length, 0);
  }
  assert_int_equal(told, 1);
  assert_int_equal(release(&master), LS_OK);
  ls_bytes_close(&input);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_come_while_a_command_runs),
      cmocka_unit_test(beginnings_alone_tell_no_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
