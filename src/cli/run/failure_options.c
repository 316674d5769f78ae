#include "cli/run/failure_options.h"

#include <stdio.h>
#include <string.h>

#include "cli/console.h"
#include "cli/duration.h"
#include "runtime/execute/ending.h"

/* Behind those of output_options.h. */
enum {
  KEY_RETRIES = 3968,
  KEY_RETRY_DELAY,
  KEY_TIMEOUT,
  KEY_TERMSEQ,
  KEY_SILENCE,
  KEY_PATIENCE,
  KEY_LOSSES,
  KEY_REPLACE,
  KEY_HEARTBEAT,
  KEY_HALT,
  KEY_END
};

const struct argp_option ls_failure_options_table[] = {
    {NULL, 0, NULL, 0, "Failures", 7},
    {"retries", KEY_RETRIES, "N", 0,
     "Try a failed task N times more (default: 0; GNU parallel's --retries N is N tries in all)",
     7},
    {"retry-delay", KEY_RETRY_DELAY, "S", 0,
     "Try a failed task again after S seconds at the earliest, such as 30 or 5m", 7},
    {NULL, 0, NULL, 0, "Workers that are away or lost", 20},
    {"heartbeat", KEY_HEARTBEAT, "S", 0,
     "Workers and master tell each other at least every S seconds that they live (default: 1)", 20},
    {"timeout", KEY_TIMEOUT, "S", 0,
     "End a task after S seconds, such as 90 or 1h30m; or after N% of the median time of those "
     "that "
     "have succeeded, once there are three; it has then failed",
     7},
    {"silence", KEY_SILENCE, "S", 0,
     "A worker that is not heard for S seconds is away (default: a few of its heartbeats)", 20},
    {"patience", KEY_PATIENCE, "S", 0,
     "Wait S seconds for a worker that is away (default: as long as its work is worth)", 20},
    {"replace", KEY_REPLACE, "WHEN", 0,
     "When lost workers are replaced: at-once (default); for studies next-iteration, or never", 20},
    {"losses", KEY_LOSSES, "N", 0, "Give a task up that ended N workers; 0: never (default: 3)", 7},
    {"halt", KEY_HALT, "WHEN", 0,
     "End the run early: never, or soon,fail=N, now,fail=N, soon,success=N, now,done=N%, ...; 0 1 "
     "2 "
     "-1 -2 as GNU parallel has them",
     7},
    {0}};

const struct argp_option ls_failure_dialect_table[] = {{"termseq", KEY_TERMSEQ, "LIST", 0, NULL, 7},
                                                       {0}};

bool ls_failure_options_has(int key) {
  return key >= KEY_RETRIES && key < KEY_END;
}

static enum ls_status read_replace(struct ls_run_options *options, const char *text,
                                   struct ls_error *err) {
  static const char *const names[] = {[LS_REPLACING_AT_ONCE] = "at-once",
                                      [LS_REPLACING_BETWEEN] = "next-iteration",
                                      [LS_REPLACING_NEVER] = "never"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(text, names[i]) != 0) continue;
    options->replacing = (enum ls_replacing)i;
    return LS_OK;
  }
  return ls_fail(err, LS_EINVAL, "--replace is '%.40s', expected at-once, next-iteration or never",
                 text);
}

static enum ls_status read_count(const char *name, const char *text, uint32_t *count,
                                 struct ls_error *err) {
  uint64_t number = 0;
  enum ls_status status =
      ls_console_whole(name, text, (struct ls_whole_range){0, 1000000}, &number, err);
  if (status == LS_OK) *count = (uint32_t)number;
  return status;
}

static enum ls_status read_timeout(struct ls_run_options *options, const char *text,
                                   struct ls_error *err) {
  char number[32];
  size_t length = strlen(text);
  options->timeout_s = options->timeout_percent = 0;
  if (length < 2 || text[length - 1] != '%')
    return ls_duration_read_positive("--timeout", text, &options->timeout_s, err);
  (void)snprintf(number, sizeof number, "%.*s", (int)length - 1, text);
  enum ls_status status = ls_console_real("--timeout", number, (struct ls_real_range){0, 1e9},
                                          &options->timeout_percent, NULL);
  if (status == LS_OK && length < sizeof number && options->timeout_percent > 100) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "--timeout is '%.40s', expected more than 100%% of the median time, such as 200%%",
                 text);
}

static enum ls_status read_ending(struct ls_run_options *options, const char *text,
                                  struct ls_error *err) {
  struct ls_ending ending;
  enum ls_status status = ls_ending_read(text, &ending, err);
  options->ending = text;
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "--termseq");
}

enum ls_status ls_failure_options_read(struct ls_run_options *options, int key, const char *text,
                                       struct ls_error *err) {
  switch (key) {
    case KEY_RETRIES:
      return read_count("--retries", text, &options->retries, err);
    case KEY_RETRY_DELAY:
      return ls_duration_read_positive("--retry-delay", text, &options->retry_delay_s, err);
    case KEY_LOSSES:
      return read_count("--losses", text, &options->losses, err);
    case KEY_HEARTBEAT:
      return ls_duration_read("--heartbeat", text, (struct ls_real_range){0.01, 1e6},
                              &options->heartbeat_s, err);
    case KEY_SILENCE:
      return ls_duration_read_positive("--silence", text, &options->silence_s, err);
    case KEY_PATIENCE:
      return ls_duration_read_positive("--patience", text, &options->patience_s, err);
    case KEY_REPLACE:
      return read_replace(options, text, err);
    case KEY_TERMSEQ:
      return read_ending(options, text, err);
    case KEY_HALT:
      return ls_halt_parse(&options->halt, text, err);
    default:
      return read_timeout(options, text, err);
  }
}

enum ls_status ls_failure_options_check(struct ls_run_options *options, const struct ls_app *app,
                                        struct ls_error *err) {
  bool is_bound = options->timeout_s > 0 || options->timeout_percent > 0;
  bool runs_commands = app == NULL || app->runs_commands;
  if (options->retry_delay_s > 0 && options->retries == 0)
    return ls_fail(err, LS_EINVAL, "--retry-delay needs --retries N");
  /* What waits at a worker would begin though the run is to end, or at once behind what ends. */
  bool is_held_back = options->halt.reason != LS_HALT_NEVER || options->limits.delay_s > 0;
  if (is_held_back && !options->has_prefetch) {
    options->prefetch = 0;
    options->has_prefetch = true;
  }
  if (!runs_commands && options->timeout_percent > 0)
    return ls_fail(err, LS_EINVAL, "--timeout with a percentage is for commands, expected seconds");
  if (!runs_commands && options->ending != NULL)
    return ls_fail(err, LS_EINVAL, "--termseq is for commands, not for units of %s", app->name);
  if (!options->computes_in_thread) return LS_OK;
  if (runs_commands)
    return ls_fail(err, LS_EINVAL,
                   "--executor thread is for applications: each command is a process of its own");
  if (is_bound)
    return ls_fail(err, LS_EINVAL,
                   "--executor thread and --timeout exclude each other: a thread cannot be ended");
  return LS_OK;
}
