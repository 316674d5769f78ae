/* test_worker_results.c: what leaves a worker, merged or streamed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker_fixture.h"

static char *no_words[] = {NULL};
static char *print_words[] = {(char[]){"print"}, NULL};

static void begin(struct master *master, const struct ls_app *app, char **words) {
  *master = make_master(app);
  start_thread(master);
  welcome(master, make_settings(words));
  (void)hear(master, LS_MESSAGE_REQUEST);
}

static const struct ls_message *hear_other_than_request(struct master *master) {
  const struct ls_message *message = hear_any(master);
  while (message->kind == LS_MESSAGE_REQUEST) message = hear_any(master);
  return message;
}

/* 100000 units that say nothing fit into a few hundred messages at most (units_max grows). */
static void results_without_output_are_merged(void **state) {
  (void)state;
  struct master master;
  begin(&master, &fixture_app, no_words);
  uint64_t units = 0, messages = 0;
  send_chunk(&master, 1, (struct ls_range){1000, 100000}, NULL);
  while (units < 100000) {
    const struct ls_message *result = hear_other_than_request(&master);
    assert_int_equal(result->kind, LS_MESSAGE_RESULT);
    assert_int_equal(result->range.first, 1000 + units);
    assert_true(result->squares >= 0);
    assert_int_equal(result->latest_count, 0);
    units += result->range.count;
    ++messages;
  }
  assert_true(messages < 1000);
  assert_int_equal(release(&master), LS_OK);
}

static void results_of_different_chunks_stay_apart(void **state) {
  (void)state;
  struct master master;
  begin(&master, &fixture_app, no_words);
  for (uint64_t chunk = 0; chunk < 20; ++chunk) {
    send_chunk(&master, chunk, (struct ls_range){chunk, 1}, NULL);
  }
  for (uint64_t chunk = 0; chunk < 20; ++chunk) {
    const struct ls_message *result = hear_other_than_request(&master);
    assert_int_equal(result->chunk, chunk);
    assert_int_equal(result->range.first, chunk);
    assert_int_equal(result->range.count, 1);
  }
  assert_int_equal(release(&master), LS_OK);
}

static void outputs_of_an_application_are_never_merged(void **state) {
  (void)state;
  struct master master;
  begin(&master, &fixture_app, print_words);
  uint64_t units = 0;
  send_chunk(&master, 1, (struct ls_range){0, 100}, NULL);
  while (units < 100) {
    const struct ls_message *result = hear_other_than_request(&master);
    char text[32];
    int length = snprintf(text, sizeof text, "%d+%d:", (int)units, (int)result->range.count);
    assert_int_equal(result->output.length, length);
    assert_memory_equal(result->output.data, text, (size_t)length);
    units += result->range.count;
  }
  assert_int_equal(release(&master), LS_OK);
}

static void failed_command_reports_status_and_both_outputs(void **state) {
  (void)state;
  struct master master;
  begin(&master, NULL, no_words);
  send_script(&master, 1, "printf 'a\\0b'; echo why >&2; exit 3");
  const struct ls_message *result = hear_other_than_request(&master);
  assert_int_equal(result->kind, LS_MESSAGE_RESULT);
  assert_int_equal(result->outcome, LS_OUTCOME_FAILED);
  assert_int_equal(result->exit_code, 3);
  assert_int_equal(result->output.length, 3);
  assert_memory_equal(result->output.data, "a\0b", 3);
  assert_int_equal(result->error_output.length, 4);
  send_script(&master, 2, "kill -TERM $$");
  result = hear_other_than_request(&master);
  assert_int_equal(result->signal, SIGTERM);
  assert_int_equal(result->outcome, LS_OUTCOME_FAILED);
  assert_int_equal(release(&master), LS_OK);
}

/* Pieces of both streams come before the result, which then has none of them in it. */
static void large_outputs_come_in_pieces_before_the_result(void **state) {
  (void)state;
  struct master master;
  begin(&master, NULL, no_words);
  enum { BYTES = 1000000 };
  send_script(&master, 4, "head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2; exit 1");
  size_t received[3] = {0, 0, 0};
  const struct ls_message *message = hear_other_than_request(&master);
  while (message->kind == LS_MESSAGE_OUTPUT) {
    assert_int_equal(message->chunk, 4);
    assert_int_equal(message->range.first, 4);
    assert_true(message->stream == LS_STREAM_OUT || message->stream == LS_STREAM_ERR);
    assert_true(message->output.length > 0 && message->output.length <= 256 << 10);
    received[message->stream] += message->output.length;
    message = hear_other_than_request(&master);
  }
  assert_int_equal(received[LS_STREAM_OUT], BYTES);
  assert_int_equal(received[LS_STREAM_ERR], BYTES);
  assert_int_equal(message->kind, LS_MESSAGE_RESULT);
  assert_int_equal(message->exit_code, 1);
  assert_int_equal(message->output.length, 0);
  assert_int_equal(message->error_output.length, 0);
  assert_int_equal(release(&master), LS_OK);
}

static void timed_out_command_says_so(void **state) {
  (void)state;
  struct master master = make_master(NULL);
  struct ls_settings settings = make_settings(no_words);
  settings.timeout_s = 0.1;
  start_thread(&master);
  welcome(&master, settings);
  (void)hear(&master, LS_MESSAGE_REQUEST);
  send_script(&master, 1, "exec sleep 1000");
  const struct ls_message *result = hear_other_than_request(&master);
  assert_int_equal(result->outcome, LS_OUTCOME_TIMED_OUT);
  assert_true(result->compute_s >= 0.1);
  assert_int_equal(release(&master), LS_OK);
}

static enum ls_status compute_much(void *state, const struct ls_work *work, struct ls_bytes *output,
                                   struct ls_error *err) {
  (void)state, (void)work, (void)err;
  static const char block[1 << 20];
  for (int i = 0; i < 65; ++i) ls_bytes_append(output, block, sizeof block);
  return LS_OK;
}

/* A result that no message can carry must not end the worker. */
static void output_beyond_a_message_fails_its_units(void **state) {
  (void)state;
  static const struct ls_app large = {
      .name = "large", .open = fixture_open, .compute = compute_much};
  struct master master;
  begin(&master, &large, no_words);
  send_chunk(&master, 1, (struct ls_range){0, 1}, NULL);
  const struct ls_message *result = hear_other_than_request(&master);
  assert_int_equal(result->outcome, LS_OUTCOME_FAILED);
  assert_int_equal(result->output.length, 0);
  assert_true(result->error_output.length > 0);
  assert_int_equal(release(&master), LS_OK);
}

/* As many as the master wants to know: of a range that ran in one go all alike. */
static void results_tell_their_latest_times(void **state) {
  (void)state;
  struct master master = make_master(&fixture_app);
  struct ls_settings settings = make_settings(no_words);
  settings.side.history = 5;
  start_thread(&master);
  welcome(&master, settings);
  (void)hear(&master, LS_MESSAGE_REQUEST);
  uint64_t units = 0;
  send_chunk(&master, 1, (struct ls_range){0, 1000}, NULL);
  while (units < 1000) {
    const struct ls_message *result = hear_other_than_request(&master);
    uint64_t count = result->range.count;
    double sum = 0;
    assert_int_equal(result->latest_count, count < 5 ? count : 5);
    for (size_t i = 0; i < result->latest_count; i++) sum += result->latest[i];
    assert_true(sum >= 0 && sum <= result->compute_s * (1 + 1e-9));
    units += count;
  }
  assert_int_equal(release(&master), LS_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_without_output_are_merged),
      cmocka_unit_test(results_of_different_chunks_stay_apart),
      cmocka_unit_test(outputs_of_an_application_are_never_merged),
      cmocka_unit_test(failed_command_reports_status_and_both_outputs),
      cmocka_unit_test(large_outputs_come_in_pieces_before_the_result),
      cmocka_unit_test(timed_out_command_says_so),
      cmocka_unit_test(output_beyond_a_message_fails_its_units),
      cmocka_unit_test(results_tell_their_latest_times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
