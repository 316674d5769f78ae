#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "executor_fixture.h"

static const struct ls_executor_kind *const kind = &ls_executor_child;

enum { UNIT_FAILS = 1000, UNIT_CRASHES, UNIT_EXITS, UNIT_HANGS, UNIT_PRINTS };

enum { LARGE_BYTES = 3 << 20 };

static enum ls_status compute(void *state, const struct ls_work *work, struct ls_bytes *output,
                              struct ls_error *err) {
  (void)state;
  switch (work->units.first) {
    case UNIT_FAILS:
      return ls_fail(err, LS_EINVAL, "unit fails");
    case UNIT_CRASHES:
      (void)kill(getpid(), SIGKILL);
      break;
    case UNIT_EXITS:
      _exit(9);
    case UNIT_HANGS:
      for (;;) (void)pause();
    case UNIT_PRINTS:
      for (size_t i = 0; i < LARGE_BYTES / 8; ++i) ls_bytes_append(output, "12345678", 8);
      return LS_OK;
    default:
      break;
  }
  ls_bytes_printf(output, "%d:%d+%d:%zu:", (int)getpid(),
                  (int)(work->units.first - work->packed.first), (int)work->units.count,
                  work->length);
  ls_bytes_append(output, work->input, work->length);
  return LS_OK;
}

static const struct ls_app app = {.name = "child", .compute = compute};

static struct ls_executor *make_child(double timeout_s) {
  return make_executor(kind, (struct ls_executor_setup){.app = &app, .timeout_s = timeout_s});
}

static struct ls_execution run(struct ls_executor *executor, struct ls_range units,
                               struct ls_range packed, const char *input) {
  struct ls_error err = {0};
  if (start_work(kind, executor, make_work(units, packed, input, strlen(input)), &err) != LS_OK) {
    fail_msg("%s", err.text);
  }
  return await_end(kind, executor);
}

static struct ls_execution run_one(struct ls_executor *executor, uint64_t unit) {
  struct ls_range units = {unit, 1};
  return run(executor, units, units, "");
}

static pid_t get_pid(const struct ls_execution *end) {
  return (pid_t)atoi(ls_bytes_text(end->output));
}

/* The answer of a unit, without the process id in front. */
static const char *get_rest(const struct ls_execution *end) {
  return strchr(ls_bytes_text(end->output), ':');
}

static void units_are_computed_in_one_other_process(void **state) {
  (void)state;
  struct ls_executor *executor = make_child(0);
  struct ls_execution end = run_one(executor, 5);
  pid_t child = get_pid(&end);
  assert_int_equal(end.outcome, LS_OUTCOME_DONE);
  assert_int_not_equal(child, getpid());
  for (uint64_t unit = 0; unit < 50; ++unit) {
    end = run_one(executor, unit);
    assert_int_equal(get_pid(&end), child);
    assert_int_equal(end.units.first, unit);
  }
  kind->destroy(executor);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
  kind->destroy(NULL);
}

/* The input travels once for a range; parts of the range still see all of it. */
static void parts_of_a_range_see_its_whole_input(void **state) {
  (void)state;
  struct ls_executor *executor = make_child(0);
  char input[] = "first input";
  struct ls_range packed = {20, 10};
  struct ls_execution end = run(executor, (struct ls_range){20, 1}, packed, input);
  assert_string_equal(get_rest(&end), ":0+1:11:first input");
  end = run(executor, (struct ls_range){21, 9}, packed, input);
  assert_string_equal(get_rest(&end), ":1+9:11:first input");
  /* Other content at the same address, for the same units (of the next iteration). */
  memcpy(input, "other", 5);
  end = run(executor, (struct ls_range){20, 2}, packed, input);
  assert_string_equal(get_rest(&end), ":0+2:11:other input");
  end = run(executor, (struct ls_range){30, 1}, (struct ls_range){30, 1}, "");
  assert_string_equal(get_rest(&end), ":0+1:0:");
  kind->destroy(executor);
}

static void large_input_and_output_arrive_whole(void **state) {
  (void)state;
  struct ls_executor *executor = make_child(0);
  char *input = malloc(LARGE_BYTES + 1);
  memset(input, 'y', LARGE_BYTES);
  input[LARGE_BYTES] = '\0';
  struct ls_range units = {0, 1};
  struct ls_execution end = run(executor, units, units, input);
  assert_int_equal(strlen(strchr(get_rest(&end), 'y')), LARGE_BYTES);
  free(input);
  end = run_one(executor, UNIT_PRINTS);
  assert_int_equal(end.output->length, LARGE_BYTES);
  assert_memory_equal(end.output->data + LARGE_BYTES - 8, "12345678", 8);
  kind->destroy(executor);
}

static void failure_keeps_the_child(void **state) {
  (void)state;
  struct ls_executor *executor = make_child(0);
  struct ls_execution end = run_one(executor, 0);
  pid_t child = get_pid(&end);
  end = run_one(executor, UNIT_FAILS);
  assert_int_equal(end.outcome, LS_OUTCOME_FAILED);
  assert_string_equal(ls_bytes_text(end.error_output), "child: unit fails\n");
  assert_int_equal(end.output->length, 0);
  end = run_one(executor, 1);
  assert_int_equal(get_pid(&end), child);
  kind->destroy(executor);
}

static void crash_fails_the_unit_and_the_next_has_a_new_child(void **state) {
  (void)state;
  struct ls_executor *executor = make_child(0);
  struct ls_execution end = run_one(executor, 0);
  pid_t child = get_pid(&end);
  end = run_one(executor, UNIT_CRASHES);
  assert_int_equal(end.outcome, LS_OUTCOME_FAILED);
  assert_int_equal(end.signal, SIGKILL);
  assert_non_null(strstr(ls_bytes_text(end.error_output), "signal 9"));
  end = run_one(executor, 1);
  assert_int_equal(end.outcome, LS_OUTCOME_DONE);
  assert_int_not_equal(get_pid(&end), child);
  end = run_one(executor, UNIT_EXITS);
  assert_int_equal(end.outcome, LS_OUTCOME_FAILED);
  assert_int_equal(end.exit_code, 9);
  assert_non_null(strstr(ls_bytes_text(end.error_output), "status 9"));
  kind->destroy(executor);
}

/* A child that was killed while it was idle costs no unit. */
static void idle_child_that_died_is_replaced(void **state) {
  (void)state;
  struct ls_executor *executor = make_child(0);
  struct ls_execution end = run_one(executor, 0);
  pid_t child = get_pid(&end);
  siginfo_t info;
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
  end = run_one(executor, 1);
  assert_int_equal(end.outcome, LS_OUTCOME_DONE);
  assert_int_not_equal(get_pid(&end), child);
  kind->destroy(executor);
}

static void timeout_ends_the_child(void **state) {
  (void)state;
  struct ls_executor *executor = make_child(0.1);
  struct ls_execution end = run_one(executor, UNIT_HANGS);
  assert_int_equal(end.outcome, LS_OUTCOME_TIMED_OUT);
  assert_true(end.compute_s >= 0.1);
  /* A limit of one unit demands that units run one by one. */
  for (uint64_t unit = 0; unit < 5; ++unit) {
    assert_int_equal(run_one(executor, unit).outcome, LS_OUTCOME_DONE);
  }
  assert_int_equal(kind->units_max(executor), 1);
  kind->destroy(executor);
}

static void cancelled_units_say_so(void **state) {
  (void)state;
  struct ls_executor *executor = make_child(0);
  struct ls_range units = {UNIT_HANGS, 1};
  kind->cancel(executor);
  assert_int_equal(start_work(kind, executor, make_work(units, units, "", 0), NULL), LS_OK);
  kind->cancel(executor);
  assert_int_equal(await_end(kind, executor).outcome, LS_OUTCOME_CANCELLED);
  /* Also when the answer was on its way: then the child is gone all the same. */
  for (uint64_t unit = 0; unit < 20; ++unit) {
    struct ls_range one = {unit, 1};
    assert_int_equal(start_work(kind, executor, make_work(one, one, "", 0), NULL), LS_OK);
    kind->cancel(executor);
    assert_int_equal(await_end(kind, executor).outcome, LS_OUTCOME_CANCELLED);
    assert_int_equal(run_one(executor, unit).outcome, LS_OUTCOME_DONE);
  }
  kind->destroy(executor);
}

/* The worker is killed while its child computes for ever: nothing may be left. */
static void child_dies_with_its_worker(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t worker = fork();
  if (worker == 0) {
    (void)close(ends[0]);
    struct ls_executor *executor = make_child(0);
    struct ls_range units = {UNIT_HANGS, 1};
    (void)start_work(kind, executor, make_work(units, units, "", 0), NULL);
    (void)!write(ends[1], "x", 1);
    for (;;) (void)pause();
  }
  (void)close(ends[1]);
  char byte;
  assert_int_equal(read(ends[0], &byte, 1), 1);
  assert_int_equal(kill(worker, SIGKILL), 0);
  assert_int_equal(waitpid(worker, NULL, 0), worker);
  /* The child inherited the writing end: the pipe ends with it. */
  assert_int_equal(read(ends[0], &byte, 1), 0);
  (void)close(ends[0]);
}

static void short_calls_get_more_units(void **state) {
  (void)state;
  struct ls_executor *executor = make_child(0);
  uint64_t most = kind->units_max(executor);
  assert_int_equal(most, 1);
  for (int i = 0; i < 30; ++i) {
    struct ls_range units = {0, kind->units_max(executor)};
    assert_int_equal(run(executor, units, units, "").outcome, LS_OUTCOME_DONE);
    if (kind->units_max(executor) > most) most = kind->units_max(executor);
  }
  assert_true(most > 1);
  kind->destroy(executor);
}

enum { AHEAD = 20 };

static size_t count_announced(const struct ls_executor *executor) {
  struct ls_ahead ahead;
  kind->look_ahead(executor, &ahead);
  return (size_t)ahead.units;
}

/* Starts `first` and announces the AHEAD units after it; how many were taken. Only after a quick
 * call does the executor want many, and on a busy machine not every call is quick. */
static size_t announce_after(struct ls_executor *executor, uint64_t first, const char *input) {
  struct ls_ahead ahead;
  for (int i = 0; i < 100000; ++i) {
    struct ls_range units = {first, 1};
    struct ls_upcoming next = {.work = make_work(units, units, input, strlen(input))};
    assert_int_equal(kind->start(executor, &next, NULL), LS_OK);
    kind->look_ahead(executor, &ahead);
    if (ahead.room >= AHEAD) break;
    (void)await_end(kind, executor);
  }
  assert_true(ahead.room >= AHEAD);
  struct ls_upcoming upcoming[AHEAD];
  for (uint64_t i = 0; i < AHEAD; ++i) {
    struct ls_range units = {first + 1 + i, 1};
    upcoming[i] = (struct ls_upcoming){.work = make_work(units, units, input, strlen(input))};
  }
  kind->announce(executor, upcoming, AHEAD);
  return count_announced(executor);
}

static void announced_units_end_in_their_order(void **state) {
  (void)state;
  struct ls_executor *executor = make_child(0);
  assert_int_equal(announce_after(executor, 100, "in"), AHEAD);
  struct ls_execution end = await_end(kind, executor);
  pid_t child = get_pid(&end);
  for (uint64_t i = 1; i <= AHEAD; ++i) {
    end = run(executor, (struct ls_range){100 + i, 1}, (struct ls_range){100 + i, 1}, "in");
    assert_int_equal(end.units.first, 100 + i);
    assert_int_equal(end.outcome, LS_OUTCOME_DONE);
    assert_int_equal(get_pid(&end), child);
    assert_string_equal(get_rest(&end), ":0+1:2:in");
  }
  assert_int_equal(count_announced(executor), 0);
  kind->destroy(executor);
}

/* What finds no room is asked for when it is started. */
static void no_more_is_announced_than_there_is_room_for(void **state) {
  (void)state;
  enum { MANY = LS_EXECUTOR_AHEAD_MAX + 10, FIRST = 100000 };
  struct ls_executor *executor = make_child(0);
  struct ls_upcoming upcoming[MANY];
  struct ls_ahead ahead;
  (void)announce_after(executor, 100, "");
  (void)await_end(kind, executor);
  for (uint64_t i = 1; i <= AHEAD; ++i) (void)run_one(executor, 100 + i);
  for (uint64_t i = 0; i < MANY; ++i) {
    struct ls_range units = {FIRST + i, 1};
    upcoming[i] = (struct ls_upcoming){.work = make_work(units, units, "", 0)};
  }
  /* On a busy machine not every call is quick. */
  do {
    assert_int_equal(kind->start(executor, &upcoming[0], NULL), LS_OK);
    kind->look_ahead(executor, &ahead);
    if (ahead.room <= 1) (void)await_end(kind, executor);
  } while (ahead.room <= 1);
  kind->announce(executor, upcoming + 1, MANY - 1);
  assert_true(ahead.room < MANY - 1);
  assert_int_equal(count_announced(executor), ahead.room);
  assert_int_equal(await_end(kind, executor).units.first, FIRST);
  for (uint64_t i = 1; i < MANY; ++i) {
    struct ls_execution end = run_one(executor, FIRST + i);
    assert_int_equal(end.units.first, FIRST + i);
    assert_int_equal(end.outcome, LS_OUTCOME_DONE);
  }
  kind->destroy(executor);
}

static void large_inputs_are_not_sent_ahead(void **state) {
  (void)state;
  struct ls_executor *executor = make_child(0);
  char input[4096];
  memset(input, 'i', sizeof input - 1);
  input[sizeof input - 1] = '\0';
  assert_int_equal(announce_after(executor, 100, input), 0);
  (void)await_end(kind, executor);
  kind->destroy(executor);
}

static void what_is_started_otherwise_than_announced_is_computed_anew(void **state) {
  (void)state;
  struct ls_executor *executor = make_child(0);
  (void)announce_after(executor, 100, "in");
  struct ls_execution end = await_end(kind, executor);
  assert_int_equal(end.units.first, 100);
  for (uint64_t unit = 105; unit < 110; ++unit) {
    end = run_one(executor, unit);
    assert_int_equal(end.units.first, unit);
    assert_string_equal(get_rest(&end), ":0+1:0:");
  }
  kind->destroy(executor);
}

/* The units of an iteration have the numbers of the one before, in which a replica of them may have
 * been announced and cancelled. */
static void same_units_of_another_chunk_are_computed_anew(void **state) {
  (void)state;
  struct ls_executor *executor = make_child(0);
  assert_int_equal(announce_after(executor, 100, "old"), AHEAD);
  (void)await_end(kind, executor);
  struct ls_range units = {101, 1};
  struct ls_upcoming next = {.chunk = 1, .work = make_work(units, units, "new", 3)};
  assert_int_equal(kind->start(executor, &next, NULL), LS_OK);
  struct ls_execution end = await_end(kind, executor);
  assert_string_equal(get_rest(&end), ":0+1:3:new");
  kind->destroy(executor);
}

/* Units that were over before the crash are not lost with the child, and later ones start anew. */
static void crash_ahead_costs_only_the_unit_that_crashed(void **state) {
  (void)state;
  struct ls_executor *executor = make_child(0);
  enum { FIRST = UNIT_CRASHES - 5 };
  /* UNIT_FAILS stands right before UNIT_CRASHES. */
  (void)announce_after(executor, FIRST, "");
  for (uint64_t unit = FIRST; unit <= FIRST + AHEAD; ++unit) {
    if (unit > UNIT_CRASHES && unit <= UNIT_PRINTS) continue;
    struct ls_execution end = unit == FIRST ? await_end(kind, executor) : run_one(executor, unit);
    assert_int_equal(end.units.first, unit);
    bool is_bad = unit == UNIT_FAILS || unit == UNIT_CRASHES;
    assert_int_equal(end.outcome, is_bad ? LS_OUTCOME_FAILED : LS_OUTCOME_DONE);
    assert_int_equal(end.signal, unit == UNIT_CRASHES ? SIGKILL : 0);
  }
  kind->destroy(executor);
}

static void cancelling_forgets_what_was_announced(void **state) {
  (void)state;
  struct ls_executor *executor = make_child(0);
  (void)announce_after(executor, 100, "");
  kind->cancel(executor);
  assert_int_equal(await_end(kind, executor).outcome, LS_OUTCOME_CANCELLED);
  for (uint64_t unit = 101; unit < 105; ++unit) {
    assert_int_equal(run_one(executor, unit).outcome, LS_OUTCOME_DONE);
  }
  kind->destroy(executor);
}

static void nothing_is_announced_under_a_time_limit(void **state) {
  (void)state;
  struct ls_executor *executor = make_child(60);
  for (uint64_t unit = 0; unit < 20; ++unit) {
    struct ls_range units = {unit, 1};
    struct ls_ahead ahead;
    assert_int_equal(start_work(kind, executor, make_work(units, units, "", 0), NULL), LS_OK);
    kind->look_ahead(executor, &ahead);
    assert_int_equal(ahead.units, 0);
    assert_int_equal(ahead.room, 0);
    (void)await_end(kind, executor);
  }
  kind->destroy(executor);
}

/* ---- one unit ahead of calls that last ---- */

/* From here on units tell that they begin; UNIT_WAITS waits at a gate until somebody writes
 * into it.  After UNIT_STRAITENS the child finds no memory for large inputs. */
enum { UNIT_WAITS = 2000, UNIT_STRAITENS };

struct gate {
  int gate[2], begun[2];
};

struct begin {
  uint64_t unit;
  pid_t process;
};

static enum ls_status compute_at_gate(void *state, const struct ls_work *work,
                                      struct ls_bytes *output, struct ls_error *err) {
  const struct gate *gate = state;
  struct begin begin = {work->units.first, getpid()};
  char byte;
  (void)err;
  (void)!write(gate->begun[1], &begin, sizeof begin);
  if (begin.unit == UNIT_WAITS) (void)!read(gate->gate[0], &byte, 1);
  ls_bytes_printf(output, "%d:", (int)work->units.first);
  ls_bytes_append(output, work->input, work->length);
  const struct rlimit nothing = {0};
  if (begin.unit == UNIT_STRAITENS) (void)setrlimit(RLIMIT_AS, &nothing);
  return LS_OK;
}

static const struct ls_app gate_app = {.name = "gate", .compute = compute_at_gate};

static struct ls_executor *begin_at_gate(struct gate *gate) {
  assert_int_equal(pipe(gate->gate), 0);
  assert_int_equal(pipe(gate->begun), 0);
  return make_executor(kind, (struct ls_executor_setup){.app = &gate_app, .state = gate});
}

static void end_at_gate(struct gate *gate, struct ls_executor *executor) {
  kind->destroy(executor);
  for (int i = 0; i < 2; i++) {
    (void)close(gate->gate[i]);
    (void)close(gate->begun[i]);
  }
}

static void open_gate(const struct gate *gate) {
  assert_int_equal(write(gate->gate[1], "x", 1), 1);
}

static pid_t await_begin(const struct gate *gate, uint64_t unit) {
  struct pollfd look = {.fd = gate->begun[0], .events = POLLIN};
  struct begin begin;
  assert_int_equal(poll(&look, 1, 60000), 1);
  assert_int_equal(read(gate->begun[0], &begin, sizeof begin), sizeof begin);
  assert_int_equal(begin.unit, unit);
  return begin.process;
}

static struct ls_upcoming make_next(uint64_t unit, const char *input, size_t length) {
  struct ls_range units = {unit, 1};
  return (struct ls_upcoming){.work = make_work(units, units, input, length)};
}

/* Starts one unit and announces another, which is taken. */
static void start_two(struct ls_executor *executor, uint64_t first, struct ls_upcoming second) {
  struct ls_upcoming next = make_next(first, "", 0);
  struct ls_ahead ahead;
  assert_int_equal(kind->start(executor, &next, NULL), LS_OK);
  kind->look_ahead(executor, &ahead);
  assert_int_equal(ahead.room, 1);
  assert_true(ahead.may_divide);
  kind->announce(executor, &second, 1);
  kind->look_ahead(executor, &ahead);
  assert_int_equal(ahead.room, 0);
  assert_int_equal(ahead.units, 1);
}

static void assert_done(struct ls_executor *executor, const char *text) {
  struct ls_execution end = await_end(kind, executor);
  assert_int_equal(end.outcome, LS_OUTCOME_DONE);
  assert_string_equal(ls_bytes_text(end.output), text);
}

static void run_next(struct ls_executor *executor, struct ls_upcoming next, const char *text) {
  assert_int_equal(kind->start(executor, &next, NULL), LS_OK);
  assert_done(executor, text);
}

static void the_next_unit_begins_before_the_end_of_the_first_is_heard(void **state) {
  (void)state;
  struct gate gate;
  struct ls_executor *executor = begin_at_gate(&gate);
  struct ls_upcoming next = make_next(5, "in", 2);
  start_two(executor, UNIT_WAITS, next);
  pid_t child = await_begin(&gate, UNIT_WAITS);
  open_gate(&gate);
  assert_int_equal(await_begin(&gate, 5), child);
  assert_done(executor, "2000:");
  run_next(executor, next, "5:in");
  end_at_gate(&gate, executor);
}

static void an_announced_unit_that_is_forgotten_does_not_begin(void **state) {
  (void)state;
  struct gate gate;
  struct ls_executor *executor = begin_at_gate(&gate);
  start_two(executor, UNIT_WAITS, make_next(5, "", 0));
  pid_t child = await_begin(&gate, UNIT_WAITS);
  kind->forget(executor);
  assert_int_equal(count_announced(executor), 0);
  open_gate(&gate);
  assert_done(executor, "2000:");
  run_next(executor, make_next(6, "", 0), "6:");
  assert_int_equal(await_begin(&gate, 6), child);
  end_at_gate(&gate, executor);
}

/* The end of the first is heard all the same. */
static void a_unit_that_began_and_is_forgotten_is_ended(void **state) {
  (void)state;
  struct gate gate;
  struct ls_executor *executor = begin_at_gate(&gate);
  start_two(executor, 1, make_next(UNIT_WAITS, "", 0));
  (void)await_begin(&gate, 1);
  (void)await_begin(&gate, UNIT_WAITS);
  kind->forget(executor);
  assert_done(executor, "1:");
  run_next(executor, make_next(6, "", 0), "6:");
  (void)await_begin(&gate, 6);
  end_at_gate(&gate, executor);
  /* Also when it was heard before. */
  executor = begin_at_gate(&gate);
  start_two(executor, 1, make_next(UNIT_WAITS, "", 0));
  assert_done(executor, "1:");
  (void)await_begin(&gate, 1);
  (void)await_begin(&gate, UNIT_WAITS);
  kind->forget(executor);
  run_next(executor, make_next(7, "", 0), "7:");
  end_at_gate(&gate, executor);
}

static void a_child_that_is_killed_costs_the_running_unit_only(void **state) {
  (void)state;
  struct gate gate;
  struct ls_executor *executor = begin_at_gate(&gate);
  struct ls_upcoming next = make_next(5, "", 0);
  start_two(executor, UNIT_WAITS, next);
  assert_int_equal(kill(await_begin(&gate, UNIT_WAITS), SIGKILL), 0);
  struct ls_execution end = await_end(kind, executor);
  assert_int_equal(end.outcome, LS_OUTCOME_FAILED);
  assert_int_equal(end.units.first, UNIT_WAITS);
  assert_int_equal(end.signal, SIGKILL);
  run_next(executor, next, "5:");
  (void)await_begin(&gate, 5);
  end_at_gate(&gate, executor);
}

static void cancelling_ends_the_running_unit_only(void **state) {
  (void)state;
  struct gate gate;
  struct ls_executor *executor = begin_at_gate(&gate);
  struct ls_upcoming next = make_next(5, "", 0);
  start_two(executor, UNIT_WAITS, next);
  kind->cancel(executor);
  assert_int_equal(await_end(kind, executor).outcome, LS_OUTCOME_CANCELLED);
  run_next(executor, next, "5:");
  end_at_gate(&gate, executor);
}

/* A child that ends after an answer and before it begins what it was asked ahead: another one is
 * asked.  Large inputs and outputs ahead are those of their units. */
static void a_unit_that_never_began_is_not_to_blame(void **state) {
  (void)state;
  struct gate gate;
  struct ls_executor *executor = begin_at_gate(&gate);
  char *input = malloc(LARGE_BYTES);
  assert_non_null(input);
  memset(input, 'i', LARGE_BYTES);
  struct ls_upcoming next = make_next(5, input, LARGE_BYTES);
  start_two(executor, UNIT_STRAITENS, next);
  assert_done(executor, "2001:");
  pid_t child = await_begin(&gate, UNIT_STRAITENS);
  assert_int_equal(kind->start(executor, &next, NULL), LS_OK);
  struct ls_execution end = await_end(kind, executor);
  assert_int_equal(end.outcome, LS_OUTCOME_DONE);
  assert_int_equal(end.output->length, 2 + LARGE_BYTES);
  assert_memory_equal(end.output->data + 2, input, LARGE_BYTES);
  assert_int_not_equal(await_begin(&gate, 5), child);
  end_at_gate(&gate, executor);
  free(input);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_are_computed_in_one_other_process),
      cmocka_unit_test(parts_of_a_range_see_its_whole_input),
      cmocka_unit_test(large_input_and_output_arrive_whole),
      cmocka_unit_test(failure_keeps_the_child),
      cmocka_unit_test(crash_fails_the_unit_and_the_next_has_a_new_child),
      cmocka_unit_test(idle_child_that_died_is_replaced),
      cmocka_unit_test(timeout_ends_the_child),
      cmocka_unit_test(cancelled_units_say_so),
      cmocka_unit_test(child_dies_with_its_worker),
      cmocka_unit_test(short_calls_get_more_units),
      cmocka_unit_test(announced_units_end_in_their_order),
      cmocka_unit_test(no_more_is_announced_than_there_is_room_for),
      cmocka_unit_test(large_inputs_are_not_sent_ahead),
      cmocka_unit_test(what_is_started_otherwise_than_announced_is_computed_anew),
      cmocka_unit_test(same_units_of_another_chunk_are_computed_anew),
      cmocka_unit_test(crash_ahead_costs_only_the_unit_that_crashed),
      cmocka_unit_test(cancelling_forgets_what_was_announced),
      cmocka_unit_test(nothing_is_announced_under_a_time_limit),
      cmocka_unit_test(the_next_unit_begins_before_the_end_of_the_first_is_heard),
      cmocka_unit_test(an_announced_unit_that_is_forgotten_does_not_begin),
      cmocka_unit_test(a_unit_that_began_and_is_forgotten_is_ended),
      cmocka_unit_test(a_child_that_is_killed_costs_the_running_unit_only),
      cmocka_unit_test(cancelling_ends_the_running_unit_only),
      cmocka_unit_test(a_unit_that_never_began_is_not_to_blame),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
