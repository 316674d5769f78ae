#include "runtime/execute/executor.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coordinator/books/splitting.h"
#include "coordinator/event.h"
#include "protocol/command.h"
#include "runtime/execute/block_input.h"
#include "runtime/execute/capture.h"
#include "runtime/execute/command_environment.h"
#include "runtime/execute/executor_private.h"
#include "runtime/execute/task_line.h"
#include "runtime/os/clock.h"
#include "runtime/os/process.h"

enum {
  STREAMS = LS_EXECUTOR_STREAMS,
  EXIT_NOT_RUNNABLE = 126,
  EXIT_NOT_FOUND = 127,
  KNOWN_MAX = 64
};

/* Between two looks at a process without a pidfd. */
static const double look_s = 0.005;

/* What survivors of earlier tasks write is taken so often at least, while a task runs. */
static const double survivors_s = 0.1;

/* Between two looks at a task that may ask at the terminal, where there is one. */
static const double terminal_s = 0.5;

/* A machine without room for a process may have some soon: tried again so long, first after so long
 * and then ever more rarely.  One that never had any is more likely under a limit that stays. */
static const double start_patience_s = 30, first_patience_s = 1, retry_first_s = 0.05,
                    retry_last_s = 1;

/* STAGE_FILLS: the file that the command is to read is being written. */
enum stage { STAGE_IDLE, STAGE_FILLS, STAGE_TRIES, STAGE_RUNS, STAGE_RESTS, STAGE_OVER };

struct ls_executor {
  struct ls_executor_setup setup;
  struct ls_command command;
  struct ls_process process;
  char *name, *program; /* the name looked up last, and where it was found; NULL: nowhere sure */
  enum stage stage;
  struct ls_work work;           /* of the last start; its input stays until all of it has ended */
  struct ls_range units;         /* of it, that run */
  struct ls_splitting splitting; /* of units that failed together; none left: nothing is split */
  struct ls_task_line line;
  struct ls_command further; /* of a unit behind the first, for its block */

  enum ls_outcome stop; /* why we end it; LS_OUTCOME_DONE: we do not */
  bool has_ended;       /* the process has, while it runs: the rest of its group is being ended */
  struct ls_ending ending;
  size_t ending_step; /* of the signals, the next */
  double start_s, deadline_s, kill_s, rest_until_s, compute_s;
  double try_until_s, retry_s, retry_after_s; /* while there is no process to be had */
  bool has_terminal, has_asked;               /* there is one; the task was stopped for it */
  bool has_started;                           /* some process of ours */
  struct ls_process_end end;
  bool is_unstartable, is_misfed;
  char unkept[LS_ERROR_TEXT_BYTES]; /* why this machine could not do it; "": it could */
  struct ls_command_environment environment;
  struct ls_command_files place_of_files; /* open from the start of a unit until it has finished */
  struct ls_block_input input;            /* likewise */

  struct ls_capture captures[STREAMS]; /* standard output and standard error of the command */
  pid_t known[KNOWN_MAX];              /* children that the worker was started with */
  size_t known_count;
  bool can_see_orphans;
};

static enum ls_status create_command(const struct ls_executor_setup *setup,
                                     struct ls_executor **out, struct ls_error *err) {
  struct ls_executor *executor = calloc(1, sizeof *executor);
  if (executor == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for the executor");
  executor->setup = *setup;
  executor->ending = setup->ending != NULL ? *setup->ending : ls_ending_default();
  enum ls_status status =
      ls_command_environment_init(&executor->environment, setup->manners, setup->slot, err);
  if (status != LS_OK) {
    free(executor);
    return status;
  }
  executor->process.pidfd = -1;
  executor->place_of_files = ls_command_files_make();
  ls_task_line_init(&executor->line, &setup->bundling,
                    ls_command_environment_of(&executor->environment, 1, 1));
  for (int i = 0; i < STREAMS; ++i) executor->captures[i] = ls_capture_make(setup->inline_max);
  executor->known_count = ls_process_children(executor->known, KNOWN_MAX);
  /* Too many to remember: then orphans cannot be told, and no pipe is used twice. */
  executor->can_see_orphans = ls_process_adopts() && executor->known_count <= KNOWN_MAX;
  int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
  executor->has_terminal = terminal >= 0;
  if (terminal >= 0) (void)close(terminal);
  *out = executor;
  return LS_OK;
}

static void destroy_command(struct ls_executor *executor) {
  if (executor == NULL) return;
  if (executor->stage == STAGE_RUNS) {
    ls_process_signal(&executor->process, SIGKILL);
    if (!executor->has_ended) (void)ls_process_ended(&executor->process, true, &executor->end);
  }
  ls_command_files_close(&executor->place_of_files);
  ls_block_input_close(&executor->input);
  for (int i = 0; i < STREAMS; ++i) ls_capture_close(&executor->captures[i]);
  ls_command_close(&executor->command);
  ls_command_close(&executor->further);
  ls_task_line_close(&executor->line);
  ls_command_environment_close(&executor->environment);
  free(executor->name);
  free(executor->program);
  free(executor);
}

/* A pipe that a survivor of the task still holds must not get the next task's output, nor the next
 * task's pipe the survivor's. */
static enum ls_status prepare_captures(struct ls_executor *executor, struct ls_error *err) {
  bool is_unshared = executor->setup.writes_directly || executor->captures[0].source < 0;
  bool is_alone = is_unshared || (executor->can_see_orphans &&
                                  !ls_process_has_orphans(executor->known, executor->known_count));
  enum ls_status status = LS_OK;
  for (int i = 0; i < STREAMS && status == LS_OK; ++i)
    status = ls_capture_begin(&executor->captures[i], is_alone, err);
  return status;
}

/* Most commands of a run are one program: it is looked for once. */
static const char *find_program(struct ls_executor *executor, const char *name) {
  if (executor->name != NULL && strcmp(executor->name, name) == 0) return executor->program;
  free(executor->name);
  free(executor->program);
  executor->name = strdup(name);
  executor->program = executor->name != NULL ? ls_process_find(name) : NULL;
  return executor->program;
}

static void add_words(struct ls_executor *executor, const char *text) {
  char line[LS_ERROR_TEXT_BYTES + 16];
  int length = snprintf(line, sizeof line, "loadstar: %s\n", text);
  ls_capture_add(&executor->captures[1], line, (size_t)length);
}

/* The reason stands where the command's own complaints would. */
static void note_unstartable(struct ls_executor *executor, int exec_errno,
                             const struct ls_error *reason) {
  executor->is_unstartable = true;
  bool is_absent = exec_errno == ENOENT || exec_errno == ENOTDIR;
  executor->end =
      (struct ls_process_end){.exit_code = is_absent ? EXIT_NOT_FOUND : EXIT_NOT_RUNNABLE};
  add_words(executor, reason->text);
  executor->stage = STAGE_OVER;
}

/* Nor is it the command's fault: another machine may do it. */
static void note_unkept(struct ls_executor *executor, const char *why) {
  if (executor->unkept[0] != '\0') return;
  (void)snprintf(executor->unkept, sizeof executor->unkept, "%s", why);
}

/* LS_EBUSY: there is no room for what it needs. */
static void note_unprepared(struct ls_executor *executor, enum ls_status status,
                            const struct ls_error *reason) {
  if (status == LS_EBUSY) note_unkept(executor, reason->text);
  note_unstartable(executor, 0, reason);
}

/* The time that a unit may take begins with its process. */
static void try_to_start(struct ls_executor *executor) {
  const char *directory = executor->place_of_files.sandbox.path;
  struct ls_process_request request = {
      .argv = executor->command.argv,
      .program = find_program(executor, executor->command.argv[0]),
      .directory = directory != NULL ? directory : executor->setup.directory,
      .environment = ls_command_environment_of(&executor->environment, executor->units.first + 1,
                                               executor->work.attempts_before + 1),
      .niceness = executor->setup.manners != NULL ? executor->setup.manners->niceness : 0,
      .input = executor->input.input,
      .output = executor->setup.writes_directly ? STDOUT_FILENO : executor->captures[0].target,
      .error_output =
          executor->setup.writes_directly ? STDERR_FILENO : executor->captures[1].target,
      .dies_with_us = true};
  double timeout_s = executor->setup.timeout_s;
  int exec_errno = 0;
  struct ls_error reason;
  executor->start_s = ls_clock_s();
  executor->deadline_s = timeout_s > 0 ? executor->start_s + timeout_s : (double)INFINITY;
  enum ls_status status = ls_process_start(&request, &executor->process, &exec_errno, &reason);
  if (status == LS_OK) {
    ls_block_input_pass(&executor->input);
    executor->stage = STAGE_RUNS;
    executor->has_started = true;
  } else if (status == LS_EBUSY && executor->start_s < executor->try_until_s) {
    executor->stage = STAGE_TRIES;
    executor->retry_s = executor->start_s + executor->retry_after_s;
    executor->retry_after_s = fmin(2 * executor->retry_after_s, retry_last_s);
  } else {
    if (status == LS_EBUSY) note_unkept(executor, reason.text);
    note_unstartable(executor, exec_errno, &reason);
  }
}

/* A task whose command line cannot be made fails, and says why. */
static enum ls_status make_line(struct ls_executor *executor, struct ls_range units,
                                struct ls_error *err) {
  struct ls_work work = executor->work;
  work.units = units;
  executor->units = (struct ls_range){units.first, 1};
  return ls_task_line_make(&executor->line, &work, &executor->command, &executor->units.count, err);
}

/* The blocks of all units, one after the other. */
static enum ls_status open_input(struct ls_executor *executor, struct ls_error *err) {
  struct ls_block_input *input = &executor->input;
  if (!executor->command.has_block) return LS_OK;
  enum ls_status status = ls_block_input_add(input, &executor->command.block, err);
  for (uint64_t i = 1; i < executor->units.count && status == LS_OK; ++i) {
    status = ls_task_line_read_on(&executor->line, &executor->work, &executor->further, err);
    if (status == LS_OK) status = ls_block_input_add(input, &executor->further.block, err);
  }
  return status == LS_OK ? ls_block_input_open(input, err) : status;
}

/* The first of these units begin, as many as fit into one command. */
static enum ls_status begin(struct ls_executor *executor, struct ls_range units,
                            struct ls_error *err) {
  struct ls_error reason;
  executor->stop = LS_OUTCOME_DONE;
  executor->is_unstartable = executor->is_misfed = executor->has_ended = executor->has_asked =
      false;
  executor->compute_s = 0;
  executor->unkept[0] = '\0';
  enum ls_status status = prepare_captures(executor, err);
  if (status != LS_OK) return status;
  status = make_line(executor, units, &reason);
  if (status == LS_EINVAL) {
    note_unstartable(executor, E2BIG, &reason);
    return LS_OK;
  }
  if (status != LS_OK) return ls_fail(err, status, "%s", reason.text);
  executor->kill_s = (double)INFINITY;
  executor->try_until_s =
      ls_clock_s() + (executor->has_started ? start_patience_s : first_patience_s);
  executor->retry_after_s = retry_first_s;
  status = ls_command_files_enter(&executor->place_of_files, &executor->setup.rooms,
                                  &executor->command.staging, &reason);
  if (status == LS_OK) status = open_input(executor, &reason);
  if (status != LS_OK) {
    note_unprepared(executor, status, &reason);
    return LS_OK;
  }
  executor->stage = STAGE_FILLS;
  if (ls_block_input_file(&executor->input) < 0) try_to_start(executor);
  return LS_OK;
}

static enum ls_status start_command(struct ls_executor *executor, const struct ls_upcoming *next,
                                    struct ls_error *err) {
  assert(executor->stage == STAGE_IDLE && !ls_splitting_goes_on(&executor->splitting));
  assert(next->work.units.count == 1 || executor->setup.bundling.units_max > 0);
  executor->work = next->work;
  return begin(executor, next->work.units, err);
}

static uint64_t get_taken(const struct ls_executor *executor) {
  return executor->units.count;
}

/* The next run of a task that is halved. What keeps it from beginning fails its units. */
static void begin_part(struct ls_executor *executor) {
  struct ls_error reason = {0};
  struct ls_range units = ls_splitting_next(&executor->splitting);
  if (begin(executor, units, &reason) != LS_OK) note_unstartable(executor, 0, &reason);
  ls_splitting_take(&executor->splitting, executor->units.count);
}

static int get_file(const struct ls_executor *executor) {
  if (executor->stage == STAGE_FILLS) return ls_block_input_file(&executor->input);
  return executor->stage == STAGE_RUNS ? executor->process.pidfd : -1;
}

static size_t get_streams(const struct ls_executor *executor, int files[LS_EXECUTOR_STREAMS]) {
  if (executor->stage != STAGE_RUNS || executor->setup.writes_directly) return 0;
  for (int i = 0; i < STREAMS; ++i) files[i] = executor->captures[i].source;
  return STREAMS;
}

static bool has_survivors(const struct ls_executor *executor) {
  return executor->captures[0].survivors_count + executor->captures[1].survivors_count > 0;
}

static double get_patience_s(const struct ls_executor *executor) {
  double until_s = (double)INFINITY, now_s = ls_clock_s();
  switch (executor->stage) {
    case STAGE_IDLE:
      if (ls_splitting_goes_on(&executor->splitting)) return 0;
      break;
    case STAGE_FILLS:
      break;
    case STAGE_TRIES:
      until_s = executor->retry_s;
      break;
    case STAGE_RUNS:
      until_s = fmin(executor->deadline_s, executor->kill_s);
      if (executor->process.pidfd < 0) until_s = fmin(until_s, now_s + look_s);
      if (executor->has_terminal && !executor->has_asked)
        until_s = fmin(until_s, now_s + terminal_s);
      if (has_survivors(executor)) until_s = fmin(until_s, now_s + survivors_s);
      break;
    case STAGE_RESTS:
      until_s = executor->rest_until_s;
      break;
    case STAGE_OVER:
      return 0;
  }
  return fmax(0, until_s - now_s);
}

/* The next signal, and when the one after it is due. */
static void send_next(struct ls_executor *executor, double now_s) {
  const struct ls_ending *ending = &executor->ending;
  const struct ls_ending_step *step = &ending->steps[executor->ending_step++];
  ls_process_signal(&executor->process, step->signal);
  bool is_last = executor->ending_step == ending->count;
  executor->kill_s = is_last ? (double)INFINITY : now_s + step->wait_s;
}

static void stop_command(struct ls_executor *executor, enum ls_outcome why, double now_s) {
  executor->stop = why;
  executor->deadline_s = (double)INFINITY;
  executor->ending_step = 0;
  send_next(executor, now_s);
  /* A stopped process hears SIGTERM only when it goes on. */
  ls_process_signal(&executor->process, SIGCONT);
}

/* A shell dies of a signal at once; what it has started may save its work until the last one. */
static bool waits_for_group(const struct ls_executor *executor) {
  return executor->stop != LS_OUTCOME_DONE && executor->ending_step < executor->ending.count &&
         ls_process_has_group(&executor->process);
}

/* Tasks run in the background of a terminal, which stops those that ask there: somebody is to know.
 */
static void look_at_terminal(struct ls_executor *executor) {
  if (!executor->has_terminal || executor->has_asked || executor->has_ended) return;
  int signal_number = ls_process_stopped_by(&executor->process);
  executor->has_asked = signal_number == SIGTTIN || signal_number == SIGTTOU;
  if (!executor->has_asked) return;
  (void)fprintf(stderr,
                "loadstar: task %llu ('%s') asks something at the terminal, where no task can be "
                "answered, and stands still; Ctrl-C twice ends the run\n",
                (unsigned long long)executor->units.first + 1, executor->command.argv[0]);
}

static void look_at_process(struct ls_executor *executor, double now_s) {
  executor->has_ended =
      executor->has_ended || ls_process_ended(&executor->process, false, &executor->end);
  look_at_terminal(executor);
  if (executor->has_ended && !waits_for_group(executor)) {
    /* The rest of a group that was to be stopped has had its warnings; in a sandbox it would write
     * into files that are on their way. */
    bool has_sandbox = executor->place_of_files.sandbox.folder >= 0;
    if (executor->stop != LS_OUTCOME_DONE || has_sandbox)
      ls_process_signal(&executor->process, SIGKILL);
    executor->compute_s = now_s - executor->start_s;
    executor->stage = STAGE_OVER;
    double rest_s = ls_computation_rest_s(&executor->setup, executor->start_s, executor->compute_s);
    if (rest_s > 0 && executor->stop == LS_OUTCOME_DONE) {
      executor->rest_until_s = now_s + rest_s;
      executor->stage = STAGE_RESTS;
    }
    return;
  }
  bool is_vain = executor->unkept[0] != '\0' && executor->stop == LS_OUTCOME_DONE;
  if (is_vain) stop_command(executor, LS_OUTCOME_CANCELLED, now_s);
  if (now_s >= executor->deadline_s) stop_command(executor, LS_OUTCOME_TIMED_OUT, now_s);
  if (now_s >= executor->kill_s) send_next(executor, now_s);
}

/* What one output lacks makes all that the task did useless. */
static void look_at_captures(struct ls_executor *executor, bool is_over) {
  for (int i = 0; i < STREAMS; ++i) {
    struct ls_capture *capture = &executor->captures[i];
    if (is_over)
      ls_capture_end(capture);
    else
      ls_capture_drain(capture);
    if (capture->state == LS_CAPTURE_BROKEN) note_unkept(executor, capture->why.text);
  }
}

static enum ls_outcome judge(const struct ls_executor *executor) {
  if (executor->unkept[0] != '\0') return LS_OUTCOME_CANCELLED;
  if (executor->stop != LS_OUTCOME_DONE) return executor->stop;
  bool is_well = executor->end.exit_code == 0 && executor->end.signal == 0;
  bool is_hindered = executor->is_unstartable || executor->is_misfed;
  return is_well && !is_hindered ? LS_OUTCOME_DONE : LS_OUTCOME_FAILED;
}

/* What the unit is worth with the files that it was to make. */
static enum ls_outcome leave_files(struct ls_executor *executor) {
  struct ls_command_end end = {.outcome = judge(executor), .number = executor->units.first + 1};
  ls_command_files_leave(&executor->place_of_files, &executor->command.staging, &end);
  ls_capture_add(&executor->captures[1], end.words.data, end.words.length);
  ls_bytes_close(&end.words);
  return end.outcome;
}

/* A command that did not get what it should read has not done what it should; behind its own
 * complaints stands why. */
static void leave_input(struct ls_executor *executor) {
  struct ls_error reason;
  if (ls_block_input_leave(&executor->input, &reason) == LS_OK) return;
  if (executor->is_unstartable || executor->stop != LS_OUTCOME_DONE) return;
  executor->is_misfed = true;
  if (executor->setup.writes_directly)
    (void)dprintf(STDERR_FILENO, "loadstar: %s\n", reason.text);
  else
    add_words(executor, reason.text);
}

static bool is_filled(const struct ls_executor *executor) {
  struct pollfd written = {.fd = ls_block_input_file(&executor->input), .events = POLLIN};
  return poll(&written, 1, 0) > 0;
}

static void start_filled(struct ls_executor *executor) {
  struct ls_error reason;
  enum ls_status status = ls_block_input_finish(&executor->input, &reason);
  if (status == LS_OK)
    try_to_start(executor);
  else
    note_unprepared(executor, status, &reason);
}

/* Goes on with what runs; true: it has ended. */
static bool look(struct ls_executor *executor) {
  if (executor->stage == STAGE_FILLS && is_filled(executor)) start_filled(executor);
  if (executor->stage == STAGE_TRIES && ls_clock_s() >= executor->retry_s) try_to_start(executor);
  /* On a busy machine a command has ended before its start comes back. */
  double now_s = ls_clock_s();
  if (executor->stage == STAGE_RUNS) {
    if (!executor->setup.writes_directly) look_at_captures(executor, false);
    look_at_process(executor, now_s);
  }
  if (executor->stage == STAGE_RESTS && now_s >= executor->rest_until_s) {
    executor->compute_s = now_s - executor->start_s;
    executor->stage = STAGE_OVER;
  }
  return executor->stage == STAGE_OVER;
}

/* Is the end of what ran also that of its units? Those that failed together are halved, if that is
 * wanted; signals of others say nothing of them. */
static bool settles_units(struct ls_executor *executor, enum ls_outcome outcome) {
  struct ls_splitting *splitting = &executor->splitting;
  bool is_splitting = ls_splitting_goes_on(splitting);
  bool has_failed = outcome == LS_OUTCOME_FAILED || outcome == LS_OUTCOME_TIMED_OUT;
  int signal_number = executor->end.signal;
  bool is_told = outcome == LS_OUTCOME_FAILED &&
                 (signal_number == SIGTERM || signal_number == SIGHUP || signal_number == SIGINT);
  if (is_splitting && (outcome == LS_OUTCOME_CANCELLED || is_told)) {
    executor->units = (struct ls_range){splitting->first, splitting->end - splitting->first};
    *splitting = (struct ls_splitting){.first = 0};
    return true;
  }
  if (is_splitting) return ls_splitting_end(splitting, outcome == LS_OUTCOME_DONE);
  bool may_split = executor->setup.bundling.splits_failed && executor->units.count > 1;
  if (!may_split || !has_failed || is_told || executor->is_unstartable) return true;
  ls_splitting_begin(splitting, executor->units);
  return false;
}

/* A task that this machine could not do took no time of it. */
static void tell_end(struct ls_executor *executor, enum ls_outcome outcome,
                     struct ls_execution *execution) {
  struct ls_capture *captures = executor->captures;
  bool is_unkept = executor->unkept[0] != '\0';
  double compute_s = is_unkept ? 0 : executor->compute_s;
  *execution =
      (struct ls_execution){.outcome = (uint8_t)outcome,
                            .units = executor->units,
                            .compute_s = compute_s,
                            .squares = compute_s * compute_s / (double)executor->units.count,
                            .exit_code = executor->end.exit_code,
                            .signal = executor->end.signal,
                            .usage = executor->end.usage,
                            .output = &captures[0].text,
                            .error_output = &captures[1].text,
                            .output_bytes = captures[0].bytes,
                            .error_bytes = captures[1].bytes,
                            .unkept = is_unkept ? executor->unkept : NULL,
                            .files = executor->place_of_files.outputs,
                            .files_count = executor->place_of_files.outputs_count};
  execution->output_file = ls_capture_take(&captures[0]);
  execution->error_file = ls_capture_take(&captures[1]);
}

static bool has_finished(struct ls_executor *executor, struct ls_execution *execution) {
  if (executor->stage == STAGE_IDLE && ls_splitting_goes_on(&executor->splitting))
    begin_part(executor);
  if (executor->stage == STAGE_IDLE || !look(executor)) return false;
  executor->stage = STAGE_IDLE;
  look_at_captures(executor, true);
  leave_input(executor);
  enum ls_outcome outcome = leave_files(executor);
  look_at_captures(executor, true); /* our own words, too */
  if (executor->unkept[0] != '\0') outcome = LS_OUTCOME_CANCELLED;
  if (!settles_units(executor, outcome)) return false;
  tell_end(executor, outcome, execution);
  return true;
}

static void cancel_command(struct ls_executor *executor) {
  double now_s = ls_clock_s();
  if (executor->stage == STAGE_RESTS) executor->rest_until_s = now_s;
  bool is_between = executor->stage == STAGE_IDLE && ls_splitting_goes_on(&executor->splitting);
  if (executor->stage == STAGE_TRIES || executor->stage == STAGE_FILLS || is_between) {
    executor->end = (struct ls_process_end){0};
    executor->compute_s = 0;
    executor->is_unstartable = true;
    executor->stop = LS_OUTCOME_CANCELLED;
    executor->stage = STAGE_OVER;
  }
  if (executor->stage != STAGE_RUNS || executor->stop != LS_OUTCOME_DONE) return;
  stop_command(executor, LS_OUTCOME_CANCELLED, now_s);
}

static void suspend_command(struct ls_executor *executor) {
  if (executor->stage == STAGE_RUNS) ls_process_signal(&executor->process, SIGSTOP);
}

static void skip(struct ls_executor *executor, double away_s) {
  executor->start_s += away_s;
  executor->deadline_s += away_s;
  executor->kill_s += away_s;
  executor->rest_until_s += away_s;
  executor->try_until_s += away_s;
}

/* A command has a group of its own, and may have gone on. */
static bool has_stood(struct ls_executor *executor, const struct ls_stop *stop) {
  bool runs = executor->stage == STAGE_RUNS && !executor->has_ended;
  /* What came to its limit has had its time, whether or not it has ended since. */
  if (executor->stop == LS_OUTCOME_TIMED_OUT) return false;
  if (runs && !ls_process_has_stood(executor->process.pid)) return false;
  skip(executor, stop->seconds);
  return true;
}

static void resume_command(struct ls_executor *executor, double away_s) {
  skip(executor, away_s);
  if (executor->stage == STAGE_RUNS) ls_process_signal(&executor->process, SIGCONT);
}

static void limit_command(struct ls_executor *executor, double timeout_s) {
  executor->setup.timeout_s = timeout_s;
  bool is_bounded = executor->stage == STAGE_RUNS && executor->stop == LS_OUTCOME_DONE;
  if (is_bounded) executor->deadline_s = executor->start_s + timeout_s;
}

static const struct ls_capture *get_written(const struct ls_executor *executor,
                                            struct ls_range *units) {
  *units = executor->units;
  return executor->stage == STAGE_RUNS ? executor->captures : NULL;
}

static uint64_t get_units_max(const struct ls_executor *executor) {
  uint64_t most = executor->setup.bundling.units_max;
  return most > 0 ? most : 1;
}

const struct ls_executor_kind ls_executor_command = {.name = "command",
                                                     .create = create_command,
                                                     .destroy = destroy_command,
                                                     .start = start_command,
                                                     .taken = get_taken,
                                                     .file = get_file,
                                                     .streams = get_streams,
                                                     .patience_s = get_patience_s,
                                                     .finished = has_finished,
                                                     .cancel = cancel_command,
                                                     .suspend = suspend_command,
                                                     .resume = resume_command,
                                                     .stood = has_stood,
                                                     .written = get_written,
                                                     .limit = limit_command,
                                                     .units_max = get_units_max};
