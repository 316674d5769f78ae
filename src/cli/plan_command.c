#include "cli/plan_command.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/console.h"
#include "formats/plan_json.h"
#include "formats/platform_json.h"
#include "model/validate.h"
#include "runtime/os/process.h"
#include "runtime/os/temporary.h"

/* A plan of a million chunks has 200 MB. */
enum { PLAN_BYTES_MAX = 1 << 30, BLOCK_BYTES = 1 << 16, LOAD_BYTES = 40 };

/* What the shell has in place of the words. */
static const struct place {
  const char *word, *argument;
} places[] = {{"{platform}", "\"$1\""}, {"{load}", "\"$2\""}};
enum { PLACES = sizeof places / sizeof *places };

enum ls_status ls_plan_command_check(const char *command, struct ls_error *err) {
  if (strstr(command, places[0].word) != NULL) return LS_OK;
  char shown[80];
  ls_console_show(command, shown, sizeof shown);
  return ls_fail(err, LS_EINVAL,
                 "--command is '%s', expected a command with %s, which stands for the platform's "
                 "file",
                 shown, places[0].word);
}

/* The place whose word begins here; NULL: none does. */
static const struct place *find_place(const char *text) {
  for (size_t i = 0; i < PLACES; i++)
    if (strncmp(text, places[i].word, strlen(places[i].word)) == 0) return &places[i];
  return NULL;
}

void ls_plan_command_name(const char *command, struct ls_bytes *out) {
  size_t before = out->length;
  while (*command != '\0') {
    const struct place *place = find_place(command);
    bool is_blank = *command == ' ' || *command == '\t' || *command == '\n';
    /* One blank between words is enough. */
    bool is_first = out->length == before || out->data[out->length - 1] == ' ';
    if (place == NULL && !(is_blank && is_first))
      ls_bytes_append_char(out, is_blank ? ' ' : *command);
    command += place != NULL ? strlen(place->word) : 1;
  }
  while (out->length > before && out->data[out->length - 1] == ' ') out->data[--out->length] = '\0';
}

static void write_script(const char *command, struct ls_bytes *out) {
  while (*command != '\0') {
    const struct place *place = find_place(command);
    if (place != NULL)
      ls_bytes_append_text(out, place->argument);
    else
      ls_bytes_append_char(out, *command);
    command += place != NULL ? strlen(place->word) : 1;
  }
}

/* Writes the file of the platform, whose name the caller frees. */
static enum ls_status write_platform(const struct ls_platform *platform, char **path,
                                     struct ls_error *err) {
  struct ls_bytes text = {0};
  *path = NULL;
  if (asprintf(path, "%s/loadstar-platform-XXXXXX.json", ls_temporary_parent()) < 0)
    return ls_fail(err, LS_ENOMEM, "no memory for the name of a file");
  int file = mkstemps(*path, (int)strlen(".json"));
  if (file < 0) {
    enum ls_status status = ls_temporary_fail("the platform of --command", err);
    free(*path);
    return status;
  }
  ls_platform_write(platform, &text);
  bool is_written = !text.failed && ls_console_write(file, ls_bytes_text(&text), text.length);
  enum ls_status status = is_written ? LS_OK : ls_temporary_fail("the platform of --command", err);
  (void)close(file);
  if (!is_written) {
    (void)unlink(*path);
    free(*path);
  }
  ls_bytes_close(&text);
  return status;
}

static enum ls_status read_back(int file, struct ls_bytes *out, struct ls_error *err) {
  char block[BLOCK_BYTES];
  while (out->length <= PLAN_BYTES_MAX) {
    ssize_t length = pread(file, block, sizeof block, (off_t)out->length);
    if (length < 0) return ls_temporary_fail("what --command printed", err);
    ls_bytes_append(out, block, (size_t)length);
    if (out->failed) return ls_fail(err, LS_ENOMEM, "no memory for what --command printed");
    if (length == 0) return LS_OK;
  }
  return ls_fail(err, LS_EINVAL, "the command printed more than %d bytes", PLAN_BYTES_MAX);
}

/* Runs the shell on the platform's file; what it prints is appended to `out`. */
static enum ls_status run_shell(const char *command, char *path, double load, struct ls_bytes *out,
                                struct ls_error *err) {
  struct ls_bytes script = {0};
  char shell[] = "/bin/sh", option[] = "-c", units[LOAD_BYTES];
  struct ls_process process;
  struct ls_process_end end = {0};
  int file = ls_temporary_file(err);
  if (file < 0) return LS_EIO;
  write_script(command, &script);
  (void)snprintf(units, sizeof units, "%.17g", load);
  char *argv[] = {shell, option, script.data, shell, path, units, NULL};
  struct ls_process_request request = {
      .argv = argv, .output = file, .error_output = STDERR_FILENO, .dies_with_us = true};
  enum ls_status status = script.failed ? ls_fail(err, LS_ENOMEM, "no memory for a command")
                                        : ls_process_start(&request, &process, NULL, err);
  if (status == LS_OK) {
    (void)ls_process_ended(&process, true, &end);
    if (end.signal != 0)
      status = ls_fail(err, LS_EINVAL, "the command was killed by signal %d", end.signal);
    else if (end.exit_code != 0)
      status =
          ls_fail(err, LS_EINVAL, "the command ended with exit code %d, expected 0", end.exit_code);
    else
      status = read_back(file, out, err);
  }
  (void)close(file);
  ls_bytes_close(&script);
  return status;
}

/* What is read is the plan of another load, perhaps, or breaks a limit of a worker. */
static enum ls_status check_plan(const struct ls_plan *plan, const struct ls_platform *platform,
                                 double load, struct ls_error *err) {
  if (plan->outcome != LS_PLAN_OK) return LS_OK;
  if (!(fabs(plan->load - load) <= 1e-9 * load))
    return ls_fail(err, LS_EINVAL, "its plan is for %.10g units, expected %.10g", plan->load, load);
  return ls_validate_plan(plan, platform, err);
}

enum ls_status ls_plan_command_run(const char *command, const struct ls_platform *platform,
                                   double load, struct ls_plan *plan, struct ls_error *err) {
  char *path = NULL;
  struct ls_bytes text = {0};
  enum ls_status status = write_platform(platform, &path, err);
  if (status != LS_OK) return status;
  status = run_shell(command, path, load, &text, err);
  if (status == LS_OK)
    status =
        ls_plan_read(plan, (struct ls_text){ls_bytes_text(&text), text.length, "what it printed"},
                     platform, err);
  if (status == LS_OK) {
    status = check_plan(plan, platform, load, err);
    if (status != LS_OK) ls_plan_close(plan);
  }
  if (status == LS_OK)
    (void)unlink(path);
  else
    status = ls_fail_while(err, status, "--command (its platform is kept in %s)", path);
  ls_bytes_close(&text);
  free(path);
  return status;
}
