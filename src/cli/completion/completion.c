#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/completion/completion_script.h"
#include "cli/console.h"
#include "cli/option_names.h"
#include "cli/subcommands.h"

static const struct shell {
  const char *name;
  void (*write)(const struct ls_completion *completion, struct ls_bytes *out);
} shells[] = {
    {"bash", ls_completion_bash}, {"zsh", ls_completion_zsh}, {"fish", ls_completion_fish}};
enum { SHELLS = sizeof shells / sizeof *shells };

static error_t parse(int key, char *text, struct argp_state *state) {
  const struct shell **shell = state->input;
  if (key == ARGP_KEY_NO_ARGS) argp_error(state, "there is no SHELL, expected bash, zsh or fish");
  if (key != ARGP_KEY_ARG) return ARGP_ERR_UNKNOWN;
  if (*shell != NULL) argp_error(state, "'%.40s' is one SHELL too many", text);
  for (size_t i = 0; i < SHELLS; i++)
    if (strcmp(shells[i].name, text) == 0) *shell = &shells[i];
  if (*shell == NULL) argp_error(state, "SHELL is '%.40s', expected bash, zsh or fish", text);
  return 0;
}

/* A subcommand writes its options and ends its process, as it does for a user. */
static _Noreturn void tell_options(const struct ls_subcommand *item, const char *program, int file,
                                   const struct ls_app *app) {
  char option[] = "--options-json", *title = NULL;
  if (asprintf(&title, "%s %s", program, item->name) < 0 || dup2(file, STDOUT_FILENO) < 0)
    _exit(LS_EXIT_INFRASTRUCTURE);
  char *words[] = {title, option, NULL};
  int result = item->run(2, words, app);
  free(title);
  exit(result);
}

static void read_all(int file, struct ls_bytes *text) {
  char piece[4096];
  ssize_t length = 0;
  do {
    length = read(file, piece, sizeof piece);
    if (length > 0) ls_bytes_append(text, piece, (size_t)length);
  } while (length > 0 || (length < 0 && errno == EINTR));
}

static enum ls_status read_options(const struct ls_subcommand *item, const char *program,
                                   const struct ls_app *app, json_t **table, struct ls_error *err) {
  int ends[2];
  if (pipe(ends) != 0) return ls_fail(err, LS_EIO, "a pipe: %s", strerror(errno));
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    tell_options(item, program, ends[1], app);
  }
  int reason = errno;
  close(ends[1]);
  struct ls_bytes text = {0};
  if (child > 0) read_all(ends[0], &text);
  close(ends[0]);
  while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
  enum ls_status status =
      child < 0 ? ls_fail(err, LS_EIO, "a process: %s", strerror(reason))
                : ls_json_parse((struct ls_text){ls_bytes_text(&text), text.length, item->name},
                                table, err);
  ls_bytes_close(&text);
  return status;
}

/* A script's function may have letters, digits and _ in its name. */
static void clean(char *name) {
  for (; *name != '\0'; name++)
    if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", *name) == NULL)
      *name = '_';
}

static enum ls_status print_script(const struct ls_bytes *script, struct ls_error *err) {
  if (script->failed) return ls_fail(err, LS_ENOMEM, "out of memory");
  if (ls_console_write(STDOUT_FILENO, script->data, script->length)) return LS_OK;
  return ls_fail(err, LS_EIO, "standard output: %s", strerror(errno));
}

static enum ls_status write_script(const struct shell *shell, const char *program,
                                   const struct ls_app *app, struct ls_error *err) {
  struct ls_completion completion = {.program = program, .subcommands = json_array()};
  enum ls_status status = LS_OK;
  for (const struct ls_subcommand *item = ls_subcommands; item->name != NULL && status == LS_OK;
       item++) {
    json_t *table = NULL;
    if (item->is_of_commands && app != NULL) continue;
    status = read_options(item, program, app, &table, err);
    if (status != LS_OK) break;
    (void)json_array_append_new(
        completion.subcommands,
        json_pack("{s:s, s:s, s:o}", "name", item->name, "summary", item->summary, "table", table));
  }
  char *function = strdup(program);
  struct ls_bytes out = {0};
  if (function == NULL) status = ls_fail(err, LS_ENOMEM, "out of memory");
  if (status == LS_OK) {
    clean(function);
    completion.function = function;
    shell->write(&completion, &out);
  }
  if (status == LS_OK) status = print_script(&out, err);
  free(function);
  ls_bytes_close(&out);
  json_decref(completion.subcommands);
  return status;
}

int ls_completion_main(int argc, char **argv, const struct ls_app *app) {
  const struct shell *shell = NULL;
  static const struct argp parser = {
      .parser = parse,
      .args_doc = "SHELL",
      .doc =
          "Prints a script by which a shell (bash, zsh or fish) completes options and their "
          "values. Installed packages have it already."
          "\v"
          "Examples:\n"
          "  source <(loadstar completion bash)\n"
          "  loadstar completion zsh > ~/.zfunc/_loadstar\n"
          "  loadstar completion fish > ~/.config/fish/completions/loadstar.fish"};
  if (ls_option_names_parse(&parser, argc, argv, 0, &shell) != 0) return LS_EXIT_USAGE;
  struct ls_error err = {0};
  const char *space = strrchr(argv[0], ' ');
  char *program = strndup(argv[0], space == NULL ? strlen(argv[0]) : (size_t)(space - argv[0]));
  enum ls_status status = program == NULL ? ls_fail(&err, LS_ENOMEM, "out of memory")
                                          : write_script(shell, program, app, &err);
  free(program);
  return status == LS_OK ? LS_EXIT_OK : ls_console_fail(argv[0], &err);
}
