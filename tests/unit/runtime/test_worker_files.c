/* A worker whose tasks have inputs, and a master written by hand that has them, or has not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/os/content.h"
#include "worker_fixture.h"

static struct ls_staged_input make_input(const char *name, const char *data) {
  struct ls_staged_input input = {.name = name, .bytes = strlen(data)};
  struct ls_content content;
  ls_content_begin(&content);
  ls_content_add(&content, data, strlen(data));
  ls_content_end(&content, input.content);
  return input;
}

static void send_staged(struct master *master, uint64_t chunk, const char *script,
                        const struct ls_staged_input *input) {
  const char *const argv[] = {"sh", "-c", script};
  const struct ls_staging staging = {.inputs = input, .inputs_count = 1};
  struct ls_bytes bytes = {0};
  ls_command_encode(argv, 3, &(struct ls_command_goods){.staging = &staging}, &bytes);
  send_chunk(master, chunk, (struct ls_range){chunk, 1}, &bytes);
  ls_bytes_close(&bytes);
}

static void open_worker(struct master *master) {
  static char *words[] = {NULL};
  struct ls_settings settings = make_settings(words);
  settings.sandboxing = LS_SANDBOX_REMOVED;
  settings.has_files = true;
  *master = make_master(NULL);
  start_process(master);
  assert_int_equal(hear(master, LS_MESSAGE_HELLO)->version, LS_PROTOCOL_VERSION);
  welcome_as(master, settings, 0, "0123456789abcdef");
  hear(master, LS_MESSAGE_REQUEST);
}

static void answer(struct master *master, const struct ls_staged_input *input, const char *data) {
  say(master, (struct ls_message){.kind = LS_MESSAGE_PIECE,
                                  .content = {input->content, LS_CONTENT_BYTES},
                                  .input = {data, strlen(data)}});
}

/* Skips requests. */
static const struct ls_message *hear_next(struct master *master, enum ls_message_kind kind) {
  const struct ls_message *message = hear_any(master);
  while (message->kind == LS_MESSAGE_REQUEST) message = hear_any(master);
  assert_int_equal(message->kind, kind);
  return message;
}

static void end(struct master *master) {
  say_kind(master, LS_MESSAGE_RELEASE);
  assert_int_equal(finish(master), LS_OK);
}

static void a_task_begins_when_its_input_is_there(void **state) {
  (void)state;
  struct master master;
  struct ls_staged_input input = make_input("d/in", "data\n");
  open_worker(&master);
  send_staged(&master, 1, "cat d/in", &input);
  const struct ls_message *want = hear_next(&master, LS_MESSAGE_WANT);
  assert_memory_equal(want->content.data, input.content, LS_CONTENT_BYTES);
  assert_true(want->offset == 0);
  answer(&master, &input, "data\n");
  const struct ls_message *result = hear_next(&master, LS_MESSAGE_RESULT);
  assert_int_equal(result->outcome, LS_OUTCOME_DONE);
  assert_int_equal(result->output.length, 5);
  /* The next one has it already. */
  send_staged(&master, 2, "cat d/in", &input);
  assert_int_equal(hear_next(&master, LS_MESSAGE_RESULT)->outcome, LS_OUTCOME_DONE);
  end(&master);
}

static void a_task_without_its_input_fails_in_words(void **state) {
  (void)state;
  struct master master;
  struct ls_staged_input input = make_input("in", "data");
  open_worker(&master);
  send_staged(&master, 1, "cat in", &input);
  hear_next(&master, LS_MESSAGE_WANT);
  say(&master, (struct ls_message){.kind = LS_MESSAGE_ABSENT,
                                   .content = {input.content, LS_CONTENT_BYTES},
                                   .text = {"it has changed", 14}});
  const struct ls_message *result = hear_next(&master, LS_MESSAGE_RESULT);
  assert_int_equal(result->outcome, LS_OUTCOME_FAILED);
  assert_memory_equal(result->error_output.data, "loadstar: it has changed\n", 25);
  end(&master);
}

/* The units go elsewhere, and nobody is blamed; its pool hears that the machine is unfit. */
static void a_machine_that_gets_damaged_bytes_leaves(void **state) {
  (void)state;
  struct master master;
  struct ls_staged_input input = make_input("in", "data");
  open_worker(&master);
  send_staged(&master, 1, "cat in", &input);
  for (int i = 0; i < 2; ++i) {
    hear_next(&master, LS_MESSAGE_WANT);
    answer(&master, &input, "lies");
  }
  hear_next(&master, LS_MESSAGE_LEAVING);
  assert_int_equal(hear_next(&master, LS_MESSAGE_RESULT)->outcome, LS_OUTCOME_CANCELLED);
  say(&master, (struct ls_message){.kind = LS_MESSAGE_PULSE, .durable = 1});
  hear_next(&master, LS_MESSAGE_BYE);
  assert_int_equal(finish(&master), LS_EIO);
}

static void what_is_not_wanted_any_more_ends_at_once(void **state) {
  (void)state;
  struct master master;
  struct ls_staged_input input = make_input("in", "data");
  open_worker(&master);
  send_staged(&master, 1, "cat in", &input);
  hear_next(&master, LS_MESSAGE_WANT);
  say(&master, (struct ls_message){.kind = LS_MESSAGE_CANCEL, .chunk = 1});
  assert_int_equal(hear_next(&master, LS_MESSAGE_RESULT)->outcome, LS_OUTCOME_CANCELLED);
  end(&master);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_task_begins_when_its_input_is_there),
      cmocka_unit_test(a_task_without_its_input_fails_in_words),
      cmocka_unit_test(a_machine_that_gets_damaged_bytes_leaves),
      cmocka_unit_test(what_is_not_wanted_any_more_ends_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
