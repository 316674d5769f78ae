#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/random.h"
#include "executor_fixture.h"

static const struct ls_executor_kind *const kind = &ls_executor_staged;

enum { UNIT_WAITS = 100, UNIT_STAGES_ILL, UNIT_LARGE, UNIT_STRAITENS, UNIT_STAGES_LONG };

/* Computing of UNIT_WAITS waits until somebody writes into the gate; after UNIT_STRAITENS its child
 * finds no more memory. What is staged is noted by its reader, and what is computed when it begins.
 */
struct program {
  int gate[2], noted[2], begun[2];
};

struct begin {
  uint64_t unit;
  pid_t process;
};

static enum ls_status stage(void *state, const struct ls_work *work, struct ls_bytes *staged,
                            struct ls_error *err) {
  const struct program *program = state;
  char unit = (char)work->units.first;
  (void)!write(program->noted[1], &unit, 1);
  if (work->units.first == UNIT_STAGES_LONG) (void)pause();
  if (work->units.first == UNIT_STAGES_ILL) return ls_fail(err, LS_EIO, "cannot stage");
  if (work->units.first == UNIT_LARGE) {
    for (int i = 0; i < 3000000; i++) ls_bytes_append_char(staged, (char)('a' + i % 26));
  }
  ls_bytes_printf(staged, "%d+%d:%.*s", (int)work->units.first, (int)work->units.count,
                  (int)work->length, (const char *)work->input);
  return LS_OK;
}

static enum ls_status compute(void *state, const struct ls_work *work, struct ls_bytes *output,
                              struct ls_error *err) {
  const struct program *program = state;
  struct begin begin = {work->units.first, getpid()};
  const struct rlimit nothing = {0};
  char byte;
  (void)err;
  (void)!write(program->begun[1], &begin, sizeof begin);
  if (work->units.first == UNIT_WAITS) (void)!read(program->gate[0], &byte, 1);
  ls_bytes_append(output, work->staged, work->staged_length);
  if (work->units.first == UNIT_STRAITENS) (void)setrlimit(RLIMIT_AS, &nothing);
  return LS_OK;
}

static const struct ls_app app = {.name = "app", .stage = stage, .compute = compute};

static struct ls_executor *begin_limited(struct program *program, size_t ahead, double timeout_s) {
  assert_int_equal(pipe(program->gate), 0);
  assert_int_equal(pipe(program->noted), 0);
  assert_int_equal(pipe(program->begun), 0);
  return make_executor(
      kind, (struct ls_executor_setup){
                .app = &app, .state = program, .stage_ahead = ahead, .timeout_s = timeout_s});
}

static struct ls_executor *begin(struct program *program, size_t ahead) {
  return begin_limited(program, ahead, 0);
}

static void finish(struct program *program, struct ls_executor *executor) {
  kind->destroy(executor);
  for (int i = 0; i < 2; i++) {
    (void)close(program->gate[i]);
    (void)close(program->noted[i]);
    (void)close(program->begun[i]);
  }
}

static struct ls_upcoming make_next(uint64_t chunk, uint64_t first, const char *input) {
  struct ls_range units = {first, 1};
  return (struct ls_upcoming){.chunk = chunk,
                              .work = make_work(units, units, input, strlen(input))};
}

static void start(struct ls_executor *executor, struct ls_upcoming next) {
  assert_int_equal(kind->start(executor, &next, NULL), LS_OK);
}

/* The unit that was staged now, while the loop goes on as a worker's does. */
static int await_staged(const struct program *program, struct ls_executor *executor) {
  struct ls_execution execution;
  char unit = 0;
  for (;;) {
    struct pollfd looks[2] = {{.fd = program->noted[0], .events = POLLIN},
                              {.fd = kind->file(executor), .events = POLLIN}};
    assert_true(poll(looks, 2, 60000) > 0);
    if ((looks[0].revents & POLLIN) != 0) break;
    assert_false(kind->finished(executor, &execution));
  }
  assert_int_equal(read(program->noted[0], &unit, 1), 1);
  return unit;
}

static bool is_noted(const struct program *program) {
  struct pollfd look = {.fd = program->noted[0], .events = POLLIN};
  return poll(&look, 1, 0) > 0;
}

static void assert_ended(struct ls_executor *executor, const char *text) {
  struct ls_execution execution = await_end(kind, executor);
  assert_int_equal(execution.outcome, LS_OUTCOME_DONE);
  assert_string_equal(ls_bytes_text(execution.output), text);
}

static void the_next_units_are_staged_while_others_compute(void **state) {
  (void)state;
  struct program program;
  struct ls_executor *executor = begin(&program, 2);
  start(executor, make_next(1, UNIT_WAITS, "a"));
  struct ls_upcoming next[] = {make_next(1, 1, "b"), make_next(2, 2, "c"), make_next(3, 3, "d")};
  struct ls_ahead ahead;
  kind->look_ahead(executor, &ahead);
  assert_int_equal(ahead.room, 2);
  assert_true(ahead.may_divide);
  kind->announce(executor, next, 3);
  kind->look_ahead(executor, &ahead);
  assert_int_equal(ahead.room, 0);
  assert_int_equal(ahead.units, 2);
  assert_int_equal(await_staged(&program, executor), UNIT_WAITS);
  assert_int_equal(await_staged(&program, executor), 1);
  assert_int_equal(await_staged(&program, executor), 2);
  assert_int_equal(write(program.gate[1], "x", 1), 1);
  assert_ended(executor, "100+1:a");
  for (size_t i = 0; i < 3; i++) {
    char text[16];
    (void)snprintf(text, sizeof text, "%d+1:%c", (int)i + 1, (int)('b' + i));
    start(executor, next[i]);
    assert_ended(executor, text);
  }
  /* Once each: but for the third one nobody had announced anything. */
  assert_int_equal(await_staged(&program, executor), 3);
  assert_false(is_noted(&program));
  finish(&program, executor);
}

static void nothing_is_staged_ahead_when_nothing_may_be(void **state) {
  (void)state;
  struct program program;
  struct ls_executor *executor = begin(&program, 0);
  start(executor, make_next(1, UNIT_WAITS, ""));
  struct ls_ahead ahead;
  kind->look_ahead(executor, &ahead);
  assert_int_equal(ahead.room, 0);
  struct ls_upcoming next = make_next(1, 1, "");
  kind->announce(executor, &next, 1);
  assert_int_equal(await_staged(&program, executor), UNIT_WAITS);
  assert_int_equal(write(program.gate[1], "x", 1), 1);
  assert_ended(executor, "100+1:");
  assert_false(is_noted(&program));
  finish(&program, executor);
}

/* The inputs of what is forgotten may be gone: nobody looks at them any more. */
static void what_is_forgotten_is_staged_anew(void **state) {
  (void)state;
  struct program program;
  struct ls_executor *executor = begin(&program, 3);
  char input[] = "old";
  struct ls_upcoming next[] = {make_next(2, 1, input), make_next(2, 2, input),
                               make_next(2, 3, input)};
  start(executor, make_next(1, UNIT_WAITS, ""));
  kind->announce(executor, next, 3);
  assert_int_equal(await_staged(&program, executor), UNIT_WAITS);
  assert_int_equal(await_staged(&program, executor), 1);
  kind->forget(executor);
  memcpy(input, "new", 3);
  struct ls_ahead ahead;
  kind->look_ahead(executor, &ahead);
  assert_int_equal(ahead.units, 0);
  assert_int_equal(ahead.room, 3);
  assert_int_equal(write(program.gate[1], "x", 1), 1);
  assert_ended(executor, "100+1:");
  start(executor, make_next(3, 1, input));
  assert_ended(executor, "1+1:new");
  finish(&program, executor);
}

static void what_is_started_otherwise_than_announced_is_staged_anew(void **state) {
  (void)state;
  struct program program;
  struct ls_executor *executor = begin(&program, 1);
  for (int i = 0; i < 20; i++) {
    start(executor, make_next(1, 1, "a"));
    struct ls_upcoming next = make_next(2, 2, "b");
    kind->announce(executor, &next, 1);
    assert_ended(executor, "1+1:a");
    start(executor, make_next(i % 2 == 0 ? 2 : 3, 2, i % 2 == 0 ? "b" : "c"));
    assert_ended(executor, i % 2 == 0 ? "2+1:b" : "2+1:c");
  }
  finish(&program, executor);
}

static void a_unit_that_cannot_be_staged_fails_in_its_turn(void **state) {
  (void)state;
  struct program program;
  struct ls_executor *executor = begin(&program, 4);
  struct ls_upcoming next[] = {make_next(1, 1, ""), make_next(1, UNIT_STAGES_ILL, ""),
                               make_next(1, 2, ""), make_next(1, UNIT_STAGES_ILL, "")};
  start(executor, make_next(1, UNIT_WAITS, ""));
  kind->announce(executor, next, 4);
  for (int i = 0; i < 3; i++) (void)await_staged(&program, executor);
  assert_int_equal(write(program.gate[1], "x", 1), 1);
  assert_ended(executor, "100+1:");
  for (size_t i = 0; i < 4; i++) {
    start(executor, next[i]);
    struct ls_execution execution = await_end(kind, executor);
    bool is_ill = i % 2 == 1;
    assert_int_equal(execution.outcome, is_ill ? LS_OUTCOME_FAILED : LS_OUTCOME_DONE);
    assert_string_equal(ls_bytes_text(execution.error_output), is_ill ? "app: cannot stage\n" : "");
  }
  finish(&program, executor);
}

/* What is started next has the size that was announced, whatever calls last meanwhile. */
static void a_part_that_was_announced_is_what_is_started_next(void **state) {
  (void)state;
  struct program program;
  struct ls_executor *executor = begin(&program, 1);
  struct ls_range packed = {0, 30};
  for (int i = 0; i < 10; i++) {
    struct ls_upcoming first = {.work = make_work((struct ls_range){0, 1}, packed, "", 0)};
    struct ls_upcoming next = {.work = make_work((struct ls_range){1, 3}, packed, "", 0)};
    start(executor, first);
    kind->announce(executor, &next, 1);
    assert_int_equal(kind->units_max(executor), 3);
    assert_ended(executor, "0+1:");
    assert_int_equal(kind->units_max(executor), 3);
    start(executor, next);
    assert_ended(executor, "1+3:");
  }
  assert_true(kind->units_max(executor) > 1);
  finish(&program, executor);
}

static void megabytes_are_staged_ahead(void **state) {
  (void)state;
  struct program program;
  struct ls_executor *executor = begin(&program, 1);
  for (int i = 0; i < 4; i++) {
    start(executor, make_next(1, 1, ""));
    struct ls_upcoming next = make_next(2, UNIT_LARGE, "");
    kind->announce(executor, &next, 1);
    assert_ended(executor, "1+1:");
    start(executor, next);
    struct ls_execution execution = await_end(kind, executor);
    assert_int_equal(execution.outcome, LS_OUTCOME_DONE);
    assert_true(execution.stage_s > 0);
    assert_int_equal(execution.output->length, 3000000 + strlen("102+1:"));
    for (int k = 0; k < 3000000; k++) {
      if (execution.output->data[k] != (char)('a' + k % 26)) fail_msg("byte %d is wrong", k);
    }
  }
  finish(&program, executor);
}

/* All times are on one clock, so the order of what happened tells what is hidden. */
static void what_is_staged_beside_computing_is_hidden(void **state) {
  (void)state;
  struct program program;
  struct ls_executor *executor = begin(&program, 2);
  struct ls_upcoming next[] = {make_next(1, 1, ""), make_next(1, 2, "")};
  start(executor, make_next(1, UNIT_WAITS, ""));
  kind->announce(executor, next, 2);
  for (int i = 0; i < 3; i++) (void)await_staged(&program, executor);
  assert_int_equal(write(program.gate[1], "x", 1), 1);
  struct ls_execution execution = await_end(kind, executor);
  assert_true(execution.stage_s > 0 && execution.lead_s >= execution.stage_s);
  /* Nothing was there to be computed before. */
  assert_true(fabs(execution.exposed_s - execution.stage_s) <= 1e-9);
  /* Unit 2 was begun by the reader while unit 100 was computed, so unit 1 was staged then. */
  start(executor, next[0]);
  execution = await_end(kind, executor);
  assert_true(execution.stage_s > 0 && execution.lead_s >= execution.stage_s);
  assert_true(!(execution.exposed_s > 0));
  finish(&program, executor);
}

static void nothing_is_hidden_when_nothing_is_staged_ahead(void **state) {
  (void)state;
  struct program program;
  struct ls_executor *executor = begin(&program, 0);
  for (int i = 0; i < 3; i++) {
    start(executor, make_next(1, (uint64_t)i, ""));
    struct ls_execution execution = await_end(kind, executor);
    assert_true(execution.stage_s > 0 && execution.lead_s >= execution.stage_s);
    assert_true(fabs(execution.exposed_s - execution.stage_s) <= 1e-9);
  }
  finish(&program, executor);
}

static void destroying_ends_what_runs_and_what_is_staged(void **state) {
  (void)state;
  struct program program;
  struct ls_executor *executor = begin(&program, 1);
  start(executor, make_next(1, UNIT_WAITS, ""));
  struct ls_upcoming next = make_next(2, 1, "");
  kind->announce(executor, &next, 1);
  finish(&program, executor);
  kind->destroy(NULL);
}

/* ---- the next piece is the computer's before it is started ---- */

static pid_t await_begin(const struct program *program, uint64_t unit) {
  struct pollfd look = {.fd = program->begun[0], .events = POLLIN};
  struct begin begin;
  assert_int_equal(poll(&look, 1, 60000), 1);
  assert_int_equal(read(program->begun[0], &begin, sizeof begin), sizeof begin);
  assert_int_equal(begin.unit, unit);
  return begin.process;
}

static void open_gate(const struct program *program) {
  assert_int_equal(write(program->gate[1], "x", 1), 1);
}

/* Starts one unit, and waits until the computer has another one, too: the reader has the third one
 * only after it has answered about the second. */
static void start_two(const struct program *program, struct ls_executor *executor, uint64_t first,
                      uint64_t second) {
  struct ls_upcoming next[] = {make_next(1, second, ""), make_next(1, 33, "")};
  start(executor, make_next(1, first, ""));
  kind->announce(executor, next, 2);
  assert_int_equal(await_staged(program, executor), first);
  assert_int_equal(await_staged(program, executor), second);
  assert_int_equal(await_staged(program, executor), 33);
}

static void the_next_piece_begins_before_the_end_of_the_first_is_heard(void **state) {
  (void)state;
  struct program program;
  struct ls_executor *executor = begin(&program, 2);
  start_two(&program, executor, UNIT_WAITS, 1);
  pid_t child = await_begin(&program, UNIT_WAITS);
  open_gate(&program);
  assert_int_equal(await_begin(&program, 1), child);
  /* It still counts as staged and not begun: its start is what makes room. */
  struct ls_ahead ahead;
  kind->look_ahead(executor, &ahead);
  assert_int_equal(ahead.room, 0);
  assert_int_equal(ahead.units, 2);
  assert_ended(executor, "100+1:");
  start(executor, make_next(1, 1, ""));
  kind->look_ahead(executor, &ahead);
  assert_int_equal(ahead.room, 1);
  struct ls_execution execution = await_end(kind, executor);
  assert_string_equal(ls_bytes_text(execution.output), "1+1:");
  assert_true(execution.stage_s > 0 && execution.lead_s >= execution.stage_s);
  assert_true(!(execution.exposed_s > 0));
  finish(&program, executor);
}

static void a_piece_that_is_forgotten_is_not_computed(void **state) {
  (void)state;
  struct program program;
  struct ls_executor *executor = begin(&program, 2);
  start_two(&program, executor, UNIT_WAITS, 1);
  pid_t child = await_begin(&program, UNIT_WAITS);
  kind->forget(executor);
  open_gate(&program);
  assert_ended(executor, "100+1:");
  start(executor, make_next(1, 2, ""));
  assert_ended(executor, "2+1:");
  assert_int_equal(await_begin(&program, 2), child);
  finish(&program, executor);
}

/* UNIT_WAITS began before the first of two was known to have ended, and does not end by itself. */
static void a_piece_that_began_and_is_forgotten_is_ended(void **state) {
  (void)state;
  for (int is_heard = 0; is_heard < 2; is_heard++) {
    struct program program;
    struct ls_executor *executor = begin(&program, 3);
    struct ls_upcoming next[] = {make_next(1, 1, ""), make_next(2, UNIT_WAITS, ""),
                                 make_next(3, 3, "")};
    start(executor, make_next(1, UNIT_WAITS, ""));
    kind->announce(executor, next, 3);
    for (int i = 0; i < 4; i++) (void)await_staged(&program, executor);
    open_gate(&program);
    assert_ended(executor, "100+1:");
    (void)await_begin(&program, UNIT_WAITS);
    start(executor, next[0]);
    (void)await_begin(&program, 1);
    (void)await_begin(&program, UNIT_WAITS);
    if (is_heard == 1) assert_ended(executor, "1+1:");
    kind->forget(executor);
    if (is_heard == 0) assert_ended(executor, "1+1:");
    start(executor, make_next(4, 5, ""));
    assert_ended(executor, "5+1:");
    (void)await_begin(&program, 5);
    finish(&program, executor);
  }
}

static void a_killed_computer_costs_the_running_piece_only(void **state) {
  (void)state;
  struct program program;
  struct ls_executor *executor = begin(&program, 2);
  start_two(&program, executor, UNIT_WAITS, 1);
  assert_int_equal(kill(await_begin(&program, UNIT_WAITS), SIGKILL), 0);
  struct ls_execution execution = await_end(kind, executor);
  assert_int_equal(execution.outcome, LS_OUTCOME_FAILED);
  assert_int_equal(execution.signal, SIGKILL);
  assert_string_equal(ls_bytes_text(execution.error_output),
                      "app: ended by signal 9 (Killed) while it computed unit 101\n");
  start(executor, make_next(1, 1, ""));
  assert_ended(executor, "1+1:");
  (void)await_begin(&program, 1);
  /* Nothing was staged anew. */
  assert_false(is_noted(&program));
  finish(&program, executor);
}

static void cancelling_ends_the_running_piece_only(void **state) {
  (void)state;
  struct program program;
  struct ls_executor *executor = begin(&program, 2);
  start_two(&program, executor, UNIT_WAITS, 1);
  kind->cancel(executor);
  assert_int_equal(await_end(kind, executor).outcome, LS_OUTCOME_CANCELLED);
  start(executor, make_next(1, 1, ""));
  assert_ended(executor, "1+1:");
  assert_false(is_noted(&program));
  finish(&program, executor);
}

/* A computer that ends after an answer and before it begins what was handed to it: another one
 * gets that. It finds no memory for what was staged large. */
static void a_piece_that_never_began_is_not_to_blame(void **state) {
  (void)state;
  struct program program;
  struct ls_executor *executor = begin(&program, 3);
  struct ls_upcoming next[] = {make_next(1, UNIT_STRAITENS, ""), make_next(1, UNIT_LARGE, ""),
                               make_next(1, 3, "")};
  start(executor, make_next(1, UNIT_WAITS, ""));
  kind->announce(executor, next, 3);
  for (int i = 0; i < 4; i++) (void)await_staged(&program, executor);
  open_gate(&program);
  assert_ended(executor, "100+1:");
  pid_t child = await_begin(&program, UNIT_WAITS);
  start(executor, next[0]);
  assert_ended(executor, "103+1:");
  assert_int_equal(await_begin(&program, UNIT_STRAITENS), child);
  start(executor, next[1]);
  struct ls_execution execution = await_end(kind, executor);
  assert_int_equal(execution.outcome, LS_OUTCOME_DONE);
  assert_int_equal(execution.output->length, 3000000 + strlen("102+1:"));
  assert_int_not_equal(await_begin(&program, UNIT_LARGE), child);
  assert_false(is_noted(&program));
  finish(&program, executor);
}

/* Seconds that are left decrease; they begin anew with the piece, not when it is handed over. */
static void a_time_limit_counts_from_the_start(void **state) {
  (void)state;
  struct program program;
  struct ls_executor *executor = begin_limited(&program, 2, 100000);
  start_two(&program, executor, UNIT_WAITS, 1);
  (void)await_begin(&program, UNIT_WAITS);
  double left_s = kind->patience_s(executor);
  open_gate(&program);
  assert_ended(executor, "100+1:");
  start(executor, make_next(1, 1, ""));
  /* 0: its answer is here already. */
  double patience_s = kind->patience_s(executor);
  assert_true(patience_s > left_s || !(patience_s > 0));
  assert_ended(executor, "1+1:");
  finish(&program, executor);
}

/* What staging took is told where it came to no more than that. */
static void a_time_limit_ends_staging(void **state) {
  (void)state;
  struct program program;
  struct ls_executor *executor = begin_limited(&program, 2, 0.05);
  start(executor, make_next(1, UNIT_STAGES_LONG, ""));
  struct ls_execution execution = await_end(kind, executor);
  assert_int_equal(execution.outcome, LS_OUTCOME_TIMED_OUT);
  assert_true(execution.stage_s >= 0.05);
  assert_true(fabs(execution.lead_s - execution.stage_s) <= 1e-9);
  assert_true(fabs(execution.exposed_s - execution.stage_s) <= 1e-9);
  finish(&program, executor);
}

/* The output of a piece is read while the next one computes, and shares its own. */
static void outputs_of_megabytes_do_not_mix(void **state) {
  (void)state;
  struct program program;
  struct ls_executor *executor = begin(&program, 3);
  for (int i = 0; i < 3; i++) {
    struct ls_upcoming next[] = {make_next(1, UNIT_LARGE, "a"), make_next(2, UNIT_LARGE, "b"),
                                 make_next(3, 1, "")};
    start(executor, make_next(0, UNIT_WAITS, ""));
    kind->announce(executor, next, 3);
    for (int k = 0; k < 4; k++) (void)await_staged(&program, executor);
    open_gate(&program);
    assert_ended(executor, "100+1:");
    (void)await_begin(&program, UNIT_WAITS);
    for (size_t k = 0; k < 2; k++) {
      start(executor, next[k]);
      struct ls_execution execution = await_end(kind, executor);
      assert_int_equal(execution.outcome, LS_OUTCOME_DONE);
      for (int begun = 0; begun < 2 && k == 0; begun++) (void)await_begin(&program, UNIT_LARGE);
      const struct ls_bytes *output = execution.output;
      assert_int_equal(output->length, 3000000 + strlen("102+1:a"));
      assert_int_equal(output->data[output->length - 1], k == 0 ? 'a' : 'b');
    }
    start(executor, next[2]);
    assert_ended(executor, "1+1:");
    (void)await_begin(&program, 1);
  }
  finish(&program, executor);
}

/* ---- whatever is started, announced, cancelled and forgotten ---- */

enum { PIECES_OF_RUN = 24, RUNS = 15 };

/* What the test knows of a piece. */
struct known {
  bool is_dropped, is_staged;
};

struct sequence {
  struct program program;
  struct ls_executor *executor;
  struct ls_random chance;
  struct known pieces[PIECES_OF_RUN];
  size_t ahead;
  size_t started, announced; /* pieces below `started` have been; below `announced`, told */
  int latest;                /* the piece that was staged last */
  unsigned late, forgotten;  /* pieces staged though dropped; times that some were dropped */
};

/* Takes the reader's notes: in order, so each piece at most once, and none too far ahead. Of what
 * is dropped only the piece that the reader has just been given may still be staged. */
static void take_notes(struct sequence *sequence) {
  while (is_noted(&sequence->program)) {
    char unit = 0;
    assert_int_equal(read(sequence->program.noted[0], &unit, 1), 1);
    assert_in_range(unit, 0, sequence->announced - 1);
    assert_true(unit > sequence->latest);
    assert_true((size_t)unit < sequence->started + sequence->ahead);
    sequence->latest = unit;
    sequence->pieces[(int)unit].is_staged = true;
    if (sequence->pieces[(int)unit].is_dropped) ++sequence->late;
    assert_true(sequence->late <= sequence->forgotten);
  }
}

static struct ls_upcoming make_piece(size_t number) {
  return make_next(1, number, "");
}

static void announce_some(struct sequence *sequence) {
  struct ls_upcoming next[PIECES_OF_RUN];
  struct ls_ahead ahead;
  kind->look_ahead(sequence->executor, &ahead);
  assert_int_equal(ahead.room + sequence->announced - sequence->started, sequence->ahead);
  size_t count = 0, left = PIECES_OF_RUN - sequence->announced;
  size_t wanted = ahead.room < left ? ahead.room : left;
  wanted = ls_random_below(&sequence->chance, wanted + 1);
  for (; count < wanted; ++count) next[count] = make_piece(sequence->announced + count);
  sequence->announced += count;
  kind->announce(sequence->executor, next, count);
}

/* Those that were told and not begun go, and never come again. */
static void forget_some(struct sequence *sequence) {
  take_notes(sequence);
  kind->forget(sequence->executor);
  ++sequence->forgotten;
  for (size_t i = sequence->started; i < sequence->announced; ++i) {
    sequence->pieces[i].is_dropped = true;
  }
  sequence->started = sequence->announced;
}

static void run_piece(struct sequence *sequence) {
  size_t number = sequence->started++;
  if (sequence->announced < sequence->started) sequence->announced = sequence->started;
  start(sequence->executor, make_piece(number));
  announce_some(sequence);
  bool is_cancelled = ls_random_below(&sequence->chance, 5) == 0;
  if (is_cancelled) kind->cancel(sequence->executor);
  struct ls_execution execution = await_end(kind, sequence->executor);
  take_notes(sequence);
  assert_int_equal(execution.units.first, number);
  bool is_done = execution.outcome == LS_OUTCOME_DONE;
  assert_true(is_done || (is_cancelled && execution.outcome == LS_OUTCOME_CANCELLED));
  if (is_done) assert_true(sequence->pieces[number].is_staged);
}

/* How often, in which order and how far ahead a reader stages. */
static void each_piece_is_staged_once_in_order_and_not_too_early(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < RUNS; ++seed) {
    struct sequence sequence = {.ahead = seed % 5, .latest = -1};
    ls_random_init(&sequence.chance, seed, "pieces");
    sequence.executor = begin(&sequence.program, sequence.ahead);
    while (sequence.started < PIECES_OF_RUN) {
      run_piece(&sequence);
      if (ls_random_below(&sequence.chance, 6) == 0) forget_some(&sequence);
    }
    take_notes(&sequence);
    finish(&sequence.program, sequence.executor);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_next_units_are_staged_while_others_compute),
      cmocka_unit_test(nothing_is_staged_ahead_when_nothing_may_be),
      cmocka_unit_test(what_is_forgotten_is_staged_anew),
      cmocka_unit_test(what_is_started_otherwise_than_announced_is_staged_anew),
      cmocka_unit_test(a_unit_that_cannot_be_staged_fails_in_its_turn),
      cmocka_unit_test(a_part_that_was_announced_is_what_is_started_next),
      cmocka_unit_test(megabytes_are_staged_ahead),
      cmocka_unit_test(what_is_staged_beside_computing_is_hidden),
      cmocka_unit_test(nothing_is_hidden_when_nothing_is_staged_ahead),
      cmocka_unit_test(destroying_ends_what_runs_and_what_is_staged),
      cmocka_unit_test(the_next_piece_begins_before_the_end_of_the_first_is_heard),
      cmocka_unit_test(a_piece_that_is_forgotten_is_not_computed),
      cmocka_unit_test(a_piece_that_began_and_is_forgotten_is_ended),
      cmocka_unit_test(a_killed_computer_costs_the_running_piece_only),
      cmocka_unit_test(cancelling_ends_the_running_piece_only),
      cmocka_unit_test(a_piece_that_never_began_is_not_to_blame),
      cmocka_unit_test(a_time_limit_counts_from_the_start),
      cmocka_unit_test(a_time_limit_ends_staging),
      cmocka_unit_test(outputs_of_megabytes_do_not_mix),
      cmocka_unit_test(each_piece_is_staged_once_in_order_and_not_too_early),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
