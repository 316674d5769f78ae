/* test_worker_jobs.c: chunks, their inputs, cancelling, asking. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "worker_fixture.h"

static char *no_words[] = {NULL};
static char *print_words[] = {(char[]){"print"}, NULL};

static void start_as(struct master *master, bool is_thread) {
  if (is_thread) {
    start_thread(master);
  } else {
    start_process(master);
  }
}

static void begin(struct master *master, const struct ls_app *app, char **words, bool is_thread) {
  *master = make_master(app);
  start_as(master, is_thread);
  welcome(master, make_settings(words));
  (void)hear(master, LS_MESSAGE_REQUEST);
}

/* The next RESULT; requests on the way are left unanswered. */
static const struct ls_message *hear_result(struct master *master) {
  const struct ls_message *message = hear_any(master);
  while (message->kind == LS_MESSAGE_REQUEST) message = hear_any(master);
  assert_int_equal(message->kind, LS_MESSAGE_RESULT);
  return message;
}

static void assert_output(const struct ls_message *result, const char *text) {
  if (result->output.length != strlen(text) ||
      memcmp(result->output.data, text, strlen(text)) != 0) {
    fail_msg("output is '%.*s', expected '%s'", (int)result->output.length,
             (const char *)result->output.data, text);
  }
}

static void ranges_of_a_chunk_of_commands_get_their_own_commands(void **state) {
  (void)state;
  struct master master;
  begin(&master, NULL, no_words, false);
  struct ls_bytes input = {0};
  static const struct ls_range ranges[] = {{40, 2}, {7, 1}, {90, 3}};
  static const char *const texts[] = {"40", "41", "7", "90", "91", "92"};
  for (size_t i = 0; i < 6; ++i) {
    const char *const argv[] = {"printf", texts[i]};
    ls_command_encode(argv, 2, NULL, &input);
  }
  say(&master, (struct ls_message){.kind = LS_MESSAGE_CHUNK,
                                   .chunk = 5,
                                   .ranges = ranges,
                                   .ranges_count = 3,
                                   .input = {input.data, input.length}});
  for (size_t i = 0; i < 6; ++i) {
    const struct ls_message *result = hear_result(&master);
    assert_int_equal(result->chunk, 5);
    assert_int_equal(result->range.count, 1);
    assert_int_equal(result->range.first, atoi(texts[i]));
    assert_output(result, texts[i]);
  }
  ls_bytes_close(&input);
  assert_int_equal(release(&master), LS_OK);
}

static enum ls_status compute_place(void *state, const struct ls_work *work,
                                    struct ls_bytes *output, struct ls_error *err) {
  (void)state, (void)err;
  ls_bytes_printf(output, "iteration %d, slot %d", (int)work->iteration, (int)work->slot);
  return LS_OK;
}

static void compute_knows_its_iteration_and_its_slot(void **state) {
  (void)state;
  static const struct ls_app app = {.name = "place", .compute = compute_place};
  for (int is_thread = 0; is_thread < 2; ++is_thread) {
    struct master master = make_master(&app);
    start_as(&master, is_thread != 0);
    struct ls_settings settings = make_settings(no_words);
    settings.slot = 3;
    welcome(&master, settings);
    struct ls_range unit = {0, 1};
    for (uint32_t iteration = 7; iteration < 9; ++iteration) {
      char expected[32];
      (void)snprintf(expected, sizeof expected, "iteration %d, slot 3", (int)iteration);
      say(&master, (struct ls_message){.kind = LS_MESSAGE_CHUNK,
                                       .chunk = iteration,
                                       .iteration = iteration,
                                       .ranges = &unit,
                                       .ranges_count = 1});
      assert_output(hear_result(&master), expected);
    }
    assert_int_equal(release(&master), LS_OK);
  }
}

/* ---- what the master tells everybody ---- */

static enum ls_status receive_news(void *state, uint32_t iteration, const struct ls_bytes *bytes,
                                   struct ls_error *err) {
  (void)err;
  (void)snprintf(state, 32, "%d:%.*s", (int)iteration, (int)bytes->length,
                 bytes->length > 0 ? bytes->data : "");
  return LS_OK;
}

static enum ls_status tell_nothing(void *state, uint32_t iteration, struct ls_bytes *bytes,
                                   struct ls_error *err) {
  (void)state, (void)iteration, (void)bytes, (void)err;
  return LS_OK;
}

static enum ls_status open_news(int argc, char **argv, void **state, struct ls_error *err) {
  static _Thread_local char received[32];
  (void)argc, (void)argv, (void)err;
  *state = received;
  return LS_OK;
}

/* Unit 5 waits until it is stopped. */
static enum ls_status compute_news(void *state, const struct ls_work *work, struct ls_bytes *output,
                                   struct ls_error *err) {
  (void)err;
  if (work->units.first == 5) (void)pause();
  ls_bytes_append_text(output, state);
  return LS_OK;
}

static const struct ls_app news_app = {.name = "news",
                                       .open = open_news,
                                       .broadcast = tell_nothing,
                                       .receive = receive_news,
                                       .compute = compute_news};

static void send_news(struct master *master, uint32_t iteration, size_t offset, const char *text,
                      size_t total) {
  say(master, (struct ls_message){.kind = LS_MESSAGE_BROADCAST,
                                  .iteration = iteration,
                                  .offset = offset,
                                  .total = total,
                                  .input = {text, strlen(text)}});
}

static void send_unit(struct master *master, uint64_t chunk, uint32_t iteration, uint64_t unit) {
  struct ls_range range = {unit, 1};
  say(master, (struct ls_message){.kind = LS_MESSAGE_CHUNK,
                                  .chunk = chunk,
                                  .iteration = iteration,
                                  .ranges = &range,
                                  .ranges_count = 1});
}

static void what_is_broadcast_is_received_before_the_units(void **state) {
  (void)state;
  for (int is_thread = 0; is_thread < 2; ++is_thread) {
    struct master master;
    begin(&master, &news_app, no_words, is_thread != 0);
    send_news(&master, 0, 0, "hel", 5);
    send_news(&master, 0, 3, "lo", 5);
    send_unit(&master, 1, 0, 0);
    send_unit(&master, 2, 0, 1);
    assert_output(hear_result(&master), "0:hello");
    assert_output(hear_result(&master), "0:hello");
    send_news(&master, 1, 0, "", 0);
    send_unit(&master, 3, 1, 0);
    assert_output(hear_result(&master), "1:");
    assert_int_equal(release(&master), LS_OK);
  }
}

/* All units of an iteration are settled when the next one opens: what still runs is a replica. */
static void news_of_an_iteration_end_the_units_of_the_one_before(void **state) {
  (void)state;
  struct master master;
  begin(&master, &news_app, no_words, false);
  send_news(&master, 0, 0, "old", 3);
  send_unit(&master, 1, 0, 5);
  send_unit(&master, 2, 0, 6);
  send_news(&master, 1, 0, "new", 3);
  send_unit(&master, 3, 1, 0);
  for (int cancelled = 0; cancelled < 2; ++cancelled) {
    assert_int_equal(hear_result(&master)->outcome, LS_OUTCOME_CANCELLED);
  }
  const struct ls_message *result = hear_result(&master);
  assert_int_equal(result->chunk, 3);
  assert_output(result, "1:new");
  assert_int_equal(release(&master), LS_OK);
}

static void units_without_their_news_are_refused(void **state) {
  (void)state;
  struct master master;
  begin(&master, &news_app, no_words, false);
  send_news(&master, 0, 0, "part", 9);
  send_unit(&master, 1, 0, 0);
  assert_int_equal(finish(&master), LS_ECORRUPT);
}

static enum ls_status stage_units(void *state, const struct ls_work *work, struct ls_bytes *staged,
                                  struct ls_error *err) {
  const struct timespec moment = {.tv_nsec = 2000000};
  (void)state, (void)err;
  (void)nanosleep(&moment, NULL);
  ls_bytes_printf(staged, "%d+%d", (int)work->units.first, (int)work->units.count);
  return LS_OK;
}

static enum ls_status compute_staged(void *state, const struct ls_work *work,
                                     struct ls_bytes *output, struct ls_error *err) {
  (void)state, (void)err;
  ls_bytes_append(output, work->staged, work->staged_length);
  return LS_OK;
}

/* Whatever the size of a call: what is staged is what is computed, and its seconds are told. */
static void units_are_staged_as_they_are_computed(void **state) {
  (void)state;
  static const struct ls_app app = {
      .name = "staged", .stage = stage_units, .compute = compute_staged};
  for (int is_thread = 0; is_thread < 2; ++is_thread) {
    struct master master = make_master(&app);
    start_as(&master, is_thread != 0);
    struct ls_settings settings = make_settings(no_words);
    settings.stage_ahead = 2;
    settings.side.prefetch = 100;
    welcome(&master, settings);
    send_chunk(&master, 1, (struct ls_range){0, 40}, NULL);
    send_chunk(&master, 2, (struct ls_range){40, 1}, NULL);
    for (uint64_t next = 0; next < 41;) {
      const struct ls_message *result = hear_result(&master);
      char text[48];
      assert_int_equal(result->range.first, next);
      (void)snprintf(text, sizeof text, "%d+%d", (int)next, (int)result->range.count);
      assert_output(result, text);
      assert_true(result->stage_s >= 0.002 && result->lead_s >= 0.002);
      assert_true(result->exposed_s <= result->stage_s);
      if (is_thread != 0) assert_true(result->exposed_s >= 0.002);
      next += result->range.count;
    }
    assert_int_equal(release(&master), LS_OK);
  }
}

static enum ls_status take_moment(void *state, const struct ls_work *work, struct ls_bytes *output,
                                  struct ls_error *err) {
  const struct timespec moment = {.tv_nsec = 2000000};
  (void)state, (void)work, (void)output, (void)err;
  (void)nanosleep(&moment, NULL);
  return LS_OK;
}

/* A rest lasts no less than was asked for, however busy the machine is. */
static void a_load_slows_computing_from_its_time_on(void **state) {
  (void)state;
  static const struct ls_app app = {.name = "moment", .compute = take_moment};
  struct ls_availability pieces[] = {{-1, 0.1}};
  for (int is_thread = 0; is_thread < 2; ++is_thread) {
    struct master master = make_master(&app);
    start_as(&master, is_thread != 0);
    struct ls_settings settings = make_settings(no_words);
    settings.load = (struct ls_load_course){pieces, 1};
    welcome(&master, settings);
    send_chunk(&master, 1, (struct ls_range){0, 1}, NULL);
    assert_true(hear_result(&master)->compute_s >= 0.01999);
    assert_int_equal(release(&master), LS_OK);
  }
}

static enum ls_status open_flag(int argc, char **argv, void **state, struct ls_error *err) {
  (void)argc, (void)argv;
  *state = calloc(1, sizeof(bool));
  return *state != NULL ? LS_OK : ls_fail(err, LS_ENOMEM, "no memory for a flag");
}

static void set_flag(void *state) {
  *(bool *)state = true;
}

static enum ls_status tell_flag(void *state, const struct ls_work *work, struct ls_bytes *output,
                                struct ls_error *err) {
  (void)work, (void)err;
  ls_bytes_append_text(output, *(bool *)state ? "kept on the disk" : "kept");
  return LS_OK;
}

static void an_application_is_told_to_keep_results_on_the_disk(void **state) {
  (void)state;
  static const struct ls_app app = {
      .name = "flag", .open = open_flag, .sync = set_flag, .close = free, .compute = tell_flag};
  for (int way = 0; way < 4; ++way) {
    struct master master = make_master(&app);
    start_as(&master, way % 2 == 0);
    struct ls_settings settings = make_settings(no_words);
    settings.is_synced = way >= 2;
    welcome(&master, settings);
    send_chunk(&master, 1, (struct ls_range){0, 1}, NULL);
    assert_output(hear_result(&master), way >= 2 ? "kept on the disk" : "kept");
    assert_int_equal(release(&master), LS_OK);
  }
}

/* Slots for inputs are used again: many chunks, each with another input. */
static void each_chunk_sees_its_own_input(void **state) {
  (void)state;
  for (int is_thread = 0; is_thread < 2; ++is_thread) {
    struct master master;
    begin(&master, &fixture_app, print_words, is_thread != 0);
    struct ls_bytes input = {0};
    enum { CHUNKS = 40 };
    for (uint64_t chunk = 0; chunk < CHUNKS; ++chunk) {
      ls_bytes_clear(&input);
      ls_bytes_printf(&input, "<%d>", (int)chunk);
      send_chunk(&master, chunk, (struct ls_range){chunk, 1}, &input);
      if (chunk % 3 != 0) (void)hear_result(&master);
    }
    ls_bytes_close(&input);
    char text[32];
    for (uint64_t chunk = CHUNKS - 1; master.message.chunk != chunk;) (void)hear_result(&master);
    (void)snprintf(text, sizeof text, "%d+1:<%d>", CHUNKS - 1, CHUNKS - 1);
    assert_output(&master.message, text);
    assert_int_equal(release(&master), LS_OK);
  }
}

static void every_unit_of_a_chunk_is_answered_once(void **state) {
  (void)state;
  for (int is_thread = 0; is_thread < 2; ++is_thread) {
    struct master master;
    begin(&master, &fixture_app, is_thread != 0 ? no_words : print_words, is_thread != 0);
    uint64_t next = 1000;
    send_chunk(&master, 3, (struct ls_range){1000, 5000}, NULL);
    while (next < 6000) {
      const struct ls_message *result = hear_result(&master);
      assert_int_equal(result->chunk, 3);
      assert_int_equal(result->outcome, LS_OUTCOME_DONE);
      assert_int_equal(result->range.first, next);
      assert_true(result->compute_s >= 0);
      next += result->range.count;
    }
    assert_int_equal(next, 6000);
    assert_int_equal(release(&master), LS_OK);
  }
}

static void input_for_several_ranges_of_an_application_is_refused(void **state) {
  (void)state;
  struct master master;
  begin(&master, &fixture_app, no_words, true);
  static const struct ls_range ranges[] = {{0, 2}, {7, 1}};
  say(&master,
      (struct ls_message){
          .kind = LS_MESSAGE_CHUNK, .ranges = ranges, .ranges_count = 2, .input = {"ab", 2}});
  assert_int_equal(finish(&master), LS_ECORRUPT);
  assert_non_null(strstr(master.err.text, "2 ranges"));
}

static void input_with_too_few_commands_is_refused(void **state) {
  (void)state;
  struct master master;
  begin(&master, NULL, no_words, true);
  const char *const argv[] = {"true"};
  struct ls_bytes input = {0};
  ls_command_encode(argv, 1, NULL, &input);
  static const struct ls_range ranges[] = {{0, 1}, {7, 1}};
  say(&master, (struct ls_message){.kind = LS_MESSAGE_CHUNK,
                                   .ranges = ranges,
                                   .ranges_count = 2,
                                   .input = {input.data, input.length}});
  ls_bytes_close(&input);
  assert_int_equal(finish(&master), LS_ECORRUPT);
}

/* Waiting units never start, running ones are stopped; each unit says once that it was cancelled.
 */
static void cancelled_chunk_goes_back_whole(void **state) {
  (void)state;
  struct master master;
  begin(&master, NULL, no_words, false);
  struct ls_bytes input = {0};
  const char *const argv[] = {"sleep", "1000"};
  for (int i = 0; i < 4; ++i) ls_command_encode(argv, 2, NULL, &input);
  send_chunk(&master, 8, (struct ls_range){10, 4}, &input);
  send_script(&master, 9, "echo other");
  say(&master, (struct ls_message){.kind = LS_MESSAGE_CANCEL, .chunk = 8});
  uint64_t cancelled = 0;
  while (cancelled < 4) {
    const struct ls_message *result = hear_result(&master);
    assert_int_equal(result->chunk, 8);
    assert_int_equal(result->outcome, LS_OUTCOME_CANCELLED);
    assert_true(result->range.first >= 10 && result->range.first + result->range.count <= 14);
    cancelled += result->range.count;
  }
  assert_int_equal(cancelled, 4);
  const struct ls_message *result = hear_result(&master);
  assert_int_equal(result->chunk, 9);
  assert_output(result, "other\n");
  ls_bytes_close(&input);
  assert_int_equal(release(&master), LS_OK);
}

/* Waiting units of every chunk come back at once; running ones end as if nothing had been said. */
static void recall_brings_back_what_has_not_begun(void **state) {
  (void)state;
  struct master master;
  begin(&master, NULL, no_words, false);
  struct ls_bytes input = {0};
  char gate[96], script[192];
  (void)snprintf(gate, sizeof gate, "%s/gate", master.folder);
  (void)snprintf(script, sizeof script,
                 "for i in $(seq 2000); do [ -e %s ] && exit; sleep 0.05; done", gate);
  const char *const argv[] = {"sh", "-c", script};
  for (int i = 0; i < 4; ++i) ls_command_encode(argv, 3, NULL, &input);
  send_script(&master, 7, "true");
  send_chunk(&master, 8, (struct ls_range){10, 4}, &input);
  send_chunk(&master, 9, (struct ls_range){30, 4}, &input);
  /* With the end of the first command the next one has begun. */
  assert_int_equal(hear_result(&master)->chunk, 7);
  say(&master, (struct ls_message){.kind = LS_MESSAGE_RECALL});
  const struct ls_message *result = NULL;
  for (uint64_t cancelled = 0; cancelled < 7; cancelled += result->range.count) {
    result = hear_result(&master);
    assert_int_equal(result->outcome, LS_OUTCOME_CANCELLED);
    assert_true(result->range.first > 10);
  }
  (void)close(open(gate, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  result = hear_result(&master);
  assert_int_equal(result->outcome, LS_OUTCOME_DONE);
  assert_true(result->range.first == 10 && result->range.count == 1);
  (void)unlink(gate);
  /* It goes on: what comes after a recall is run. */
  send_script(&master, 10, "echo after");
  result = hear_result(&master);
  assert_int_equal(result->chunk, 10);
  assert_output(result, "after\n");
  ls_bytes_close(&input);
  assert_int_equal(release(&master), LS_OK);
}

/* A chunk of commands that end with these exit codes. */
static void send_exits(struct master *master, uint64_t chunk, const char *const *codes,
                       uint64_t count) {
  struct ls_bytes input = {0};
  for (uint64_t i = 0; i < count; ++i) {
    const char *const argv[] = {"sh", "-c", "exit $0", codes[i]};
    ls_command_encode(argv, 4, NULL, &input);
  }
  send_chunk(master, chunk, (struct ls_range){10 * chunk, count}, &input);
  ls_bytes_close(&input);
}

static void begin_with_verdict(struct master *master, enum ls_verdict verdict) {
  struct ls_settings settings = make_settings(no_words);
  settings.verdict = verdict;
  *master = make_master(NULL);
  start_as(master, false);
  (void)hear(master, LS_MESSAGE_HELLO);
  welcome_as(master, settings, 0, "cookie of a test");
  (void)hear(master, LS_MESSAGE_REQUEST);
}

static void expect_result(struct master *master, uint64_t unit, enum ls_outcome outcome) {
  const struct ls_message *result = hear_result(master);
  assert_int_equal(result->range.first, unit);
  assert_int_equal(result->outcome, outcome);
}

/* Behind an end that may be the last one of the run what waits in a chunk does not begin: it comes
 * back at a recall, and runs once the master has that result. */
static void nothing_begins_before_a_verdict(void **state) {
  static const char *const codes[][3] = {{"0", "3", "0"}, {"3", "0", "3"}, {"3", "3", "3"}};
  static const enum ls_verdict verdicts[] = {LS_VERDICT_FAILURE, LS_VERDICT_SUCCESS,
                                             LS_VERDICT_ALWAYS};
  (void)state;
  for (size_t i = 0; i < 3; ++i) {
    struct master master;
    uint64_t results = 0;
    begin_with_verdict(&master, verdicts[i]);
    for (uint64_t chunk = 1; chunk <= 2; ++chunk) {
      uint64_t at = 10 * chunk, ended = 0, judged = 0;
      bool is_recalled = chunk == 1;
      send_exits(&master, chunk, codes[i], 3);
      for (; ended < 3; ++ended) {
        enum ls_outcome outcome = codes[i][ended][0] == '0' ? LS_OUTCOME_DONE : LS_OUTCOME_FAILED;
        expect_result(&master, at + ended, outcome);
        ++results;
        bool is_due = ls_verdict_is_due(verdicts[i], outcome);
        if (is_due && is_recalled) break;
        if (is_due) say(&master, (struct ls_message){.kind = LS_MESSAGE_PULSE, .durable = results});
      }
      if (!is_recalled) continue;
      judged = results;
      say(&master, (struct ls_message){.kind = LS_MESSAGE_RECALL});
      const struct ls_message *result = NULL;
      for (uint64_t left = 2 - ended; left > 0; left -= result->range.count, ++results) {
        result = hear_result(&master);
        assert_int_equal(result->outcome, LS_OUTCOME_CANCELLED);
        assert_true(result->range.first > at + ended);
      }
      /* What came behind it need not be durable. */
      say(&master, (struct ls_message){.kind = LS_MESSAGE_PULSE, .durable = judged});
    }
    assert_int_equal(release(&master), LS_OK);
  }
}

static void unknown_chunk_is_cancelled_in_silence(void **state) {
  (void)state;
  struct master master;
  begin(&master, NULL, no_words, true);
  say(&master, (struct ls_message){.kind = LS_MESSAGE_CANCEL, .chunk = 77});
  say(&master, (struct ls_message){.kind = LS_MESSAGE_FETCH, .chunk = 77});
  send_script(&master, 1, "true");
  assert_int_equal(hear_result(&master)->chunk, 1);
  assert_int_equal(release(&master), LS_OK);
}

/* What a held chunk gives stays at the worker, however much it is, until the master fetches it. */
static void held_results_leave_when_they_are_fetched(void **state) {
  (void)state;
  struct master master;
  begin(&master, NULL, no_words, false);
  const char *const argv[] = {"sh", "-c", "head -c 600000 /dev/zero | tr '\\000' x"};
  struct ls_bytes input = {0};
  ls_command_encode(argv, 3, NULL, &input);
  struct ls_range range = {5, 1};
  say(&master, (struct ls_message){.kind = LS_MESSAGE_CHUNK,
                                   .chunk = 1,
                                   .ranges = &range,
                                   .ranges_count = 1,
                                   .is_held = 1,
                                   .input = {input.data, input.length}});
  send_script(&master, 2, "echo free");
  assert_int_equal(hear_result(&master)->chunk, 2);
  say(&master, (struct ls_message){.kind = LS_MESSAGE_FETCH, .chunk = 1});
  size_t bytes = 0;
  const struct ls_message *message = hear_any(&master);
  for (; message->kind != LS_MESSAGE_RESULT; message = hear_any(&master)) {
    if (message->kind == LS_MESSAGE_OUTPUT) bytes += message->output.length;
  }
  assert_int_equal(message->chunk, 1);
  assert_int_equal(message->range.first, 5);
  assert_int_equal(bytes, 600000);
  ls_bytes_close(&input);
  assert_int_equal(release(&master), LS_OK);
}

static void worker_asks_for_all_the_room_it_has(void **state) {
  (void)state;
  struct master master = make_master(NULL);
  struct ls_settings settings = make_settings(no_words);
  settings.side.prefetch = 16;
  start_process(&master);
  welcome(&master, settings);
  uint64_t first = hear(&master, LS_MESSAGE_REQUEST)->units;
  assert_true(first >= 16);
  /* A larger prefetch makes room for more. */
  say(&master, (struct ls_message){.kind = LS_MESSAGE_PREFETCH, .units = 64});
  send_script(&master, 1, "exec sleep 1000");
  assert_true(hear(&master, LS_MESSAGE_REQUEST)->units >= 63);
  assert_int_equal(release(&master), LS_OK);
}

static double hear_answer_s(struct master *master) {
  const struct ls_message *message = hear_any(master);
  while (message->kind != LS_MESSAGE_REQUEST) message = hear_any(master);
  return message->answer_s;
}

/* By the worker's own clock: the way there and back, and what the master took. */
static void requests_tell_when_the_one_before_was_answered(void **state) {
  (void)state;
  struct master master;
  begin(&master, &fixture_app, no_words, true);
  double begin_s = ls_clock_s();
  send_chunk(&master, 1, (struct ls_range){0, 500}, NULL);
  double answer_s = hear_answer_s(&master);
  /* It had asked before the first chunk was sent, and cannot have waited since before it began. */
  assert_true(answer_s > 0);
  send_chunk(&master, 2, (struct ls_range){500, 500}, NULL);
  answer_s = hear_answer_s(&master);
  assert_true(answer_s > 0 && answer_s <= ls_clock_s() - begin_s);
  assert_int_equal(release(&master), LS_OK);
}

static void crash_of_the_application_costs_only_its_units(void **state) {
  (void)state;
  struct master master;
  begin(&master, &fixture_app, no_words, false);
  send_chunk(&master, 1, (struct ls_range){666, 1}, NULL);
  const struct ls_message *result = hear_result(&master);
  assert_int_equal(result->outcome, LS_OUTCOME_FAILED);
  assert_int_equal(result->exit_code, 66);
  assert_true(result->error_output.length > 0);
  send_chunk(&master, 2, (struct ls_range){5, 1}, NULL);
  result = hear_result(&master);
  assert_int_equal(result->chunk, 2);
  assert_int_equal(result->outcome, LS_OUTCOME_DONE);
  assert_int_equal(release(&master), LS_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranges_of_a_chunk_of_commands_get_their_own_commands),
      cmocka_unit_test(compute_knows_its_iteration_and_its_slot),
      cmocka_unit_test(units_are_staged_as_they_are_computed),
      cmocka_unit_test(a_load_slows_computing_from_its_time_on),
      cmocka_unit_test(an_application_is_told_to_keep_results_on_the_disk),
      cmocka_unit_test(what_is_broadcast_is_received_before_the_units),
      cmocka_unit_test(news_of_an_iteration_end_the_units_of_the_one_before),
      cmocka_unit_test(units_without_their_news_are_refused),
      cmocka_unit_test(each_chunk_sees_its_own_input),
      cmocka_unit_test(every_unit_of_a_chunk_is_answered_once),
      cmocka_unit_test(input_for_several_ranges_of_an_application_is_refused),
      cmocka_unit_test(input_with_too_few_commands_is_refused),
      cmocka_unit_test(cancelled_chunk_goes_back_whole),
      cmocka_unit_test(recall_brings_back_what_has_not_begun),
      cmocka_unit_test(nothing_begins_before_a_verdict),
      cmocka_unit_test(unknown_chunk_is_cancelled_in_silence),
      cmocka_unit_test(held_results_leave_when_they_are_fetched),
      cmocka_unit_test(worker_asks_for_all_the_room_it_has),
      cmocka_unit_test(requests_tell_when_the_one_before_was_answered),
      cmocka_unit_test(crash_of_the_application_costs_only_its_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
