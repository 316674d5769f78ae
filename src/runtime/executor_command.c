#include "runtime/executor.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "coordinator/event.h"
#include "coordinator/splitting.h"
#include "protocol/command.h"
#include "runtime/block_input.h"
#include "runtime/clock.h"
#include "runtime/command_environment.h"
#include "runtime/executor_private.h"
#include "runtime/process.h"
#include "runtime/task_line.h"
#include "runtime/temporary.h"

enum { STREAMS = 2, EXIT_NOT_RUNNABLE = 126, EXIT_NOT_FOUND = 127, KNOWN_MAX = 64 };

/* Between two looks at a process without a pidfd. */
static const double look_s = 0.005;

/* A machine without room for a process may have some soon: tried again so long, first after so long
 * and then ever more rarely. */
static const double start_patience_s = 30, retry_first_s = 0.05, retry_last_s = 1;

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
  struct ls_ending ending;
  size_t ending_step; /* of the signals, the next */
  double start_s, deadline_s, kill_s, rest_until_s, compute_s;
  double try_until_s, retry_s, retry_after_s; /* while there is no process to be had */
  struct ls_process_end end;
  bool is_unstartable, is_misfed;
  struct ls_command_environment environment;
  struct ls_command_files place_of_files; /* open from the start of a unit until it has finished */
  struct ls_block_input input;            /* likewise */

  int files[STREAMS]; /* standard output and standard error of the command; -1: not made */
  struct ls_bytes texts[STREAMS];
  pid_t known[KNOWN_MAX]; /* children that the worker was started with */
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
                    ls_command_environment_of(&executor->environment, 1));
  for (int i = 0; i < STREAMS; ++i) executor->files[i] = -1;
  executor->known_count = ls_process_children(executor->known, KNOWN_MAX);
  /* Too many to remember: then orphans cannot be told, and no file is used twice. */
  executor->can_see_orphans = ls_process_adopts() && executor->known_count <= KNOWN_MAX;
  *out = executor;
  return LS_OK;
}

static void close_files(struct ls_executor *executor) {
  for (int i = 0; i < STREAMS; ++i) {
    if (executor->files[i] >= 0) (void)close(executor->files[i]);
    executor->files[i] = -1;
  }
}

static void destroy_command(struct ls_executor *executor) {
  if (executor == NULL) return;
  if (executor->stage == STAGE_RUNS) {
    ls_process_signal(&executor->process, SIGKILL);
    (void)ls_process_ended(&executor->process, true, &executor->end);
  }
  close_files(executor);
  ls_command_files_close(&executor->place_of_files);
  ls_block_input_close(&executor->input);
  for (int i = 0; i < STREAMS; ++i) ls_bytes_close(&executor->texts[i]);
  ls_command_close(&executor->command);
  ls_command_close(&executor->further);
  ls_task_line_close(&executor->line);
  ls_command_environment_close(&executor->environment);
  free(executor->name);
  free(executor->program);
  free(executor);
}

/* A file that a survivor of the task still holds must not get the next task's output, nor the next
 * task's file the survivor's. */
static void renew_files(struct ls_executor *executor) {
  if (executor->files[0] < 0 && executor->files[1] < 0) return;
  bool is_alone =
      executor->can_see_orphans && !ls_process_has_orphans(executor->known, executor->known_count);
  if (!is_alone) {
    close_files(executor);
    return;
  }
  for (int i = 0; i < STREAMS; ++i) {
    int file = executor->files[i];
    if (file < 0) continue;
    struct stat facts;
    bool is_empty = fstat(file, &facts) == 0 && facts.st_size == 0;
    if ((is_empty || ftruncate(file, 0) == 0) && lseek(file, 0, SEEK_SET) == 0) continue;
    (void)close(file);
    executor->files[i] = -1;
  }
}

static enum ls_status prepare_files(struct ls_executor *executor, struct ls_error *err) {
  if (executor->setup.writes_directly) return LS_OK;
  renew_files(executor);
  for (int i = 0; i < STREAMS; ++i) {
    if (executor->files[i] < 0) executor->files[i] = ls_temporary_file(err);
    if (executor->files[i] < 0) return LS_EIO;
  }
  return LS_OK;
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

/* The reason stands where the command's own complaints would. */
static void note_unstartable(struct ls_executor *executor, int exec_errno,
                             const struct ls_error *reason) {
  executor->is_unstartable = true;
  bool is_absent = exec_errno == ENOENT || exec_errno == ENOTDIR;
  executor->end =
      (struct ls_process_end){.exit_code = is_absent ? EXIT_NOT_FOUND : EXIT_NOT_RUNNABLE};
  ls_bytes_printf(&executor->texts[1], "loadstar: %s\n", reason->text);
  executor->stage = STAGE_OVER;
}

/* The time that a unit may take begins with its process. */
static void try_to_start(struct ls_executor *executor) {
  const char *directory = executor->place_of_files.sandbox.path;
  struct ls_process_request request = {
      .argv = executor->command.argv,
      .program = find_program(executor, executor->command.argv[0]),
      .directory = directory != NULL ? directory : executor->setup.directory,
      .environment = ls_command_environment_of(&executor->environment, executor->units.first + 1),
      .niceness = executor->setup.manners != NULL ? executor->setup.manners->niceness : 0,
      .input = executor->input.input,
      .output = executor->setup.writes_directly ? STDOUT_FILENO : executor->files[0],
      .error_output = executor->setup.writes_directly ? STDERR_FILENO : executor->files[1],
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
  } else if (status == LS_EBUSY && executor->start_s < executor->try_until_s) {
    executor->stage = STAGE_TRIES;
    executor->retry_s = executor->start_s + executor->retry_after_s;
    executor->retry_after_s = fmin(2 * executor->retry_after_s, retry_last_s);
  } else {
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
  executor->is_unstartable = executor->is_misfed = false;
  executor->compute_s = 0;
  for (int i = 0; i < STREAMS; ++i) ls_bytes_clear(&executor->texts[i]);
  enum ls_status status = make_line(executor, units, &reason);
  if (status == LS_EINVAL) {
    note_unstartable(executor, E2BIG, &reason);
    return LS_OK;
  }
  if (status != LS_OK) return ls_fail(err, status, "%s", reason.text);
  status = prepare_files(executor, err);
  if (status != LS_OK) return status;
  executor->kill_s = (double)INFINITY;
  executor->try_until_s = ls_clock_s() + start_patience_s;
  executor->retry_after_s = retry_first_s;
  if (ls_command_files_enter(&executor->place_of_files, &executor->setup.rooms,
                             &executor->command.staging, &reason) != LS_OK ||
      open_input(executor, &reason) != LS_OK) {
    note_unstartable(executor, 0, &reason);
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

static void look_at_process(struct ls_executor *executor, double now_s) {
  if (ls_process_ended(&executor->process, false, &executor->end)) {
    /* The rest of a group that was to be stopped has had its warning; in a sandbox it would write
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
  if (now_s >= executor->deadline_s) stop_command(executor, LS_OUTCOME_TIMED_OUT, now_s);
  if (now_s >= executor->kill_s) send_next(executor, now_s);
}

/* Small outputs are read into memory; a large one stays in its file. Returns its size there. */
static uint64_t collect_output(struct ls_executor *executor, int stream) {
  struct stat facts;
  int file = executor->files[stream];
  if (file < 0 || fstat(file, &facts) != 0 || facts.st_size <= 0) return 0;
  uint64_t bytes = (uint64_t)facts.st_size;
  if (bytes > executor->setup.inline_max) return bytes;
  char block[4096];
  off_t offset = 0;
  for (;;) {
    ssize_t length = pread(file, block, sizeof block, offset);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) break;
    ls_bytes_append(&executor->texts[stream], block, (size_t)length);
    offset += length;
    if ((uint64_t)offset >= bytes) break;
  }
  return 0;
}

static enum ls_outcome judge(const struct ls_executor *executor) {
  if (executor->stop != LS_OUTCOME_DONE) return executor->stop;
  bool is_well = executor->end.exit_code == 0 && executor->end.signal == 0;
  bool is_hindered = executor->is_unstartable || executor->is_misfed;
  return is_well && !is_hindered ? LS_OUTCOME_DONE : LS_OUTCOME_FAILED;
}

/* What the unit is worth with the files that it was to make. */
static enum ls_outcome leave_files(struct ls_executor *executor, bool has_texts) {
  struct ls_command_end end = {.outcome = judge(executor), .number = executor->units.first + 1};
  ls_command_files_leave(&executor->place_of_files, &executor->command.staging, &end);
  /* A large error output stands in its file alone. */
  if (has_texts && end.words.length > 0)
    ls_bytes_append(&executor->texts[1], end.words.data, end.words.length);
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
  int file = executor->setup.writes_directly ? STDERR_FILENO : executor->files[1];
  (void)dprintf(file, "loadstar: %s\n", reason.text);
}

static bool is_filled(const struct ls_executor *executor) {
  struct pollfd written = {.fd = ls_block_input_file(&executor->input), .events = POLLIN};
  return poll(&written, 1, 0) > 0;
}

static void start_filled(struct ls_executor *executor) {
  struct ls_error reason;
  if (ls_block_input_finish(&executor->input, &reason) == LS_OK)
    try_to_start(executor);
  else
    note_unstartable(executor, 0, &reason);
}

/* Goes on with what runs; true: it has ended. */
static bool look(struct ls_executor *executor) {
  if (executor->stage == STAGE_FILLS && is_filled(executor)) start_filled(executor);
  if (executor->stage == STAGE_TRIES && ls_clock_s() >= executor->retry_s) try_to_start(executor);
  /* On a busy machine a command has ended before its start comes back. */
  double now_s = ls_clock_s();
  if (executor->stage == STAGE_RUNS) look_at_process(executor, now_s);
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

static bool has_finished(struct ls_executor *executor, struct ls_execution *execution) {
  if (executor->stage == STAGE_IDLE && ls_splitting_goes_on(&executor->splitting))
    begin_part(executor);
  if (executor->stage == STAGE_IDLE || !look(executor)) return false;
  executor->stage = STAGE_IDLE;
  leave_input(executor);
  uint64_t bytes[STREAMS] = {0, 0};
  if (!executor->is_unstartable) {
    for (int i = 0; i < STREAMS; ++i) bytes[i] = collect_output(executor, i);
  }
  double compute_s = executor->compute_s;
  enum ls_outcome outcome = leave_files(executor, bytes[1] == 0);
  if (!settles_units(executor, outcome)) return false;
  *execution =
      (struct ls_execution){.outcome = (uint8_t)outcome,
                            .units = executor->units,
                            .compute_s = compute_s,
                            .squares = compute_s * compute_s / (double)executor->units.count,
                            .exit_code = executor->end.exit_code,
                            .signal = executor->end.signal,
                            .usage = executor->end.usage,
                            .output = &executor->texts[0],
                            .error_output = &executor->texts[1],
                            .output_file = bytes[0] > 0 ? executor->files[0] : -1,
                            .error_file = bytes[1] > 0 ? executor->files[1] : -1,
                            .output_bytes = bytes[0],
                            .error_bytes = bytes[1],
                            .files = executor->place_of_files.outputs,
                            .files_count = executor->place_of_files.outputs_count};
  for (int i = 0; i < STREAMS; ++i) {
    if (bytes[i] > 0) executor->files[i] = -1; /* the caller's from now on */
  }
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
  if (executor->stage == STAGE_RUNS && !ls_process_has_stood(executor->process.pid)) return false;
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

static bool get_written(const struct ls_executor *executor, int files[2], struct ls_range *units) {
  for (int i = 0; i < STREAMS; ++i) files[i] = executor->files[i];
  *units = executor->units;
  return executor->stage == STAGE_RUNS && files[0] >= 0 && files[1] >= 0;
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
                                                     .patience_s = get_patience_s,
                                                     .finished = has_finished,
                                                     .cancel = cancel_command,
                                                     .suspend = suspend_command,
                                                     .resume = resume_command,
                                                     .stood = has_stood,
                                                     .written = get_written,
                                                     .limit = limit_command,
                                                     .units_max = get_units_max};
