/* dispatch.c: what all programs with subcommands share: help, version, which one is called. */
#include <argp.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/nearest.h"
#include "cli/console.h"
#include "cli/run/quote.h"
#include "cli/subcommands.h"

/* More than any program of ours has. */
enum { SUBCOMMANDS_MAX = 32 };

static const struct ls_subcommand *find(const struct ls_program *program, const char *name,
                                        const struct ls_app *app) {
  for (const struct ls_subcommand *item = program->subcommands; item->name != NULL; item++)
    if (strcmp(item->name, name) == 0) return item->is_of_commands && app != NULL ? NULL : item;
  return NULL;
}

/* `name`: as the user called the program. */
static void print_help(FILE *file, const struct ls_program *program, const char *name,
                       const struct ls_app *app) {
  fprintf(file, "%s: %s\n\n", app == NULL ? program->name : name,
          app == NULL ? program->summary : app->summary);
  fprintf(file, "Usage: %s SUBCOMMAND [OPTION...]\n\n", name);
  for (const struct ls_subcommand *item = program->subcommands; item->name != NULL; item++)
    if (!item->is_of_commands || app == NULL)
      fprintf(file, "  %-10s  %s\n", item->name, item->summary);
  fprintf(file,
          "\n  -?, --help     give this help\n  -V, --version  print the version\n\n"
          "`%s SUBCOMMAND --help' says more about each.\n\nExamples:\n",
          name);
  if (app == NULL)
    fputs(program->examples, file);
  else
    fprintf(file, "  %s run -j2 -- %s\n", name, app->usage == NULL ? "" : app->usage);
}

/* The last part of the program's path: how the user called it. */
static const char *find_name(const char *path, const char *otherwise) {
  if (path == NULL || path[0] == '\0') return otherwise;
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

static bool is_one_of(const char *word, const char *first, const char *second) {
  return strcmp(word, first) == 0 || strcmp(word, second) == 0;
}

static int run_subcommand(const struct ls_subcommand *item, const char *name, int argc, char **argv,
                          const struct ls_app *app) {
  char *title = NULL;
  if (asprintf(&title, "%s %s", name, item->name) < 0) {
    fprintf(stderr, "%s: out of memory\n", name);
    return LS_EXIT_INFRASTRUCTURE;
  }
  char *path = argv[0];
  argv[0] = title;
  int result = item->run(argc, argv, app);
  argv[0] = path;
  free(title);
  return result;
}

/* The link's name is that of the subcommand. */
static int run_linked(const struct ls_program *program, int argc, char **argv) {
  char *path = argv[0];
  argv[0] = strdup(program->linked);
  if (argv[0] == NULL) {
    fprintf(stderr, "%s: out of memory\n", program->linked);
    return LS_EXIT_INFRASTRUCTURE;
  }
  int result = find(program, program->linked, NULL)->run(argc, argv, NULL);
  free(argv[0]);
  argv[0] = path;
  return result;
}

/* An option before any subcommand is one of a run, as GNU parallel has it. */
static void suggest_run(const char *name, char **words, struct ls_bytes *out) {
  enum { SHOWN_BYTES = 400 };
  size_t count = 0;
  while (words[count] != NULL) count++;
  ls_bytes_printf(out, "; did you mean `%s run ", name);
  struct ls_bytes line = {0};
  ls_quote_line((const char *const *)words, count, &line);
  bool is_long = line.length > SHOWN_BYTES;
  ls_bytes_append_text(out, is_long ? "..." : ls_bytes_text(&line));
  ls_bytes_append_text(out, "'?");
  ls_bytes_close(&line);
}

/* The program that has the subcommand that this one has not; NULL: none that we know. */
static const char *find_elsewhere(const struct ls_program *program, const char *word) {
  for (const struct ls_elsewhere *item = program->elsewhere; item != NULL && item->word != NULL;
       item++)
    if (strcmp(item->word, word) == 0) return item->program;
  return NULL;
}

/* Behind a word that is no subcommand: which one is meant, else all. */
static void suggest(const struct ls_program *program, const char *name, char **words,
                    const struct ls_app *app, struct ls_bytes *out) {
  const char *names[SUBCOMMANDS_MAX + 3];
  size_t count = 0;
  for (const struct ls_subcommand *item = program->subcommands; item->name != NULL; item++) {
    assert(count < SUBCOMMANDS_MAX);
    if (!item->is_of_commands || app == NULL) names[count++] = item->name;
  }
  const size_t subcommands = count;
  names[count++] = "help";
  names[count++] = "--help";
  names[count++] = "--version";
  const char *elsewhere = find_elsewhere(program, words[0]);
  const char *nearest = ls_nearest_name(words[0], names, count);
  if (elsewhere != NULL) {
    ls_bytes_printf(out, "; it is `%s %s'", elsewhere, words[0]);
  } else if (nearest != NULL) {
    ls_bytes_printf(out, "; did you mean '%s'?", nearest);
  } else if (words[0][0] == '-' && find(program, "run", NULL) != NULL) {
    suggest_run(name, words, out);
  } else {
    for (size_t i = 0; i < subcommands; i++)
      ls_bytes_printf(out, "%s%s", i == 0 ? "; the subcommands are " : ", ", names[i]);
    ls_bytes_printf(out, " (see %s --help)", name);
  }
}

static int refuse_word(const struct ls_program *program, const char *name, char **words,
                       const struct ls_app *app) {
  char shown[64];
  struct ls_bytes text = {0};
  ls_console_show(words[0], shown, sizeof shown);
  suggest(program, name, words, app, &text);
  fprintf(stderr, "%s: there is no subcommand '%s'%s\n", name, shown, ls_bytes_text(&text));
  ls_bytes_close(&text);
  return LS_EXIT_USAGE;
}

/* `help SUBCOMMAND` is `SUBCOMMAND --help`. */
static int help_with(const struct ls_program *program, const char *name, char **words,
                     const struct ls_app *app) {
  static char option[] = "--help";
  const struct ls_subcommand *item = find(program, words[0], app);
  if (item == NULL) return refuse_word(program, name, words, app);
  char *help[] = {words[0], option, NULL};
  return run_subcommand(item, name, 2, help, app);
}

/* A standard stream that was closed must not become a file of ours, into which outputs would go.
 * Input and output stay as unusable as they were: all that reads or writes them is told so. Who
 * closes standard error wants to hear nothing: that no one is told is no failure. */
static void hold_closed_streams(void) {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    int file = open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
    if (file < 0) return;
  }
}

/* Of the process, for its exit: argp ends it in --help without coming back. */
static char program_name[64];

/* What was to be read and could not be written is no success. */
static void flush_output(void) {
  errno = 0;
  if (fflush(stdout) == 0 && ferror(stdout) == 0) return;
  int reason = errno;
  /* The reason of an earlier failure is not kept: one byte more fails for the same one. */
  if (reason == 0 && fputc('\n', stdout) != EOF && fflush(stdout) != 0) reason = errno;
  /* An application has files of its own. */
  (void)fflush(NULL);
  if (reason == EPIPE) _exit(LS_EXIT_UNREAD);
  fprintf(stderr, "%s: standard output: %s\n", program_name,
          reason != 0 ? strerror(reason) : "cannot be written");
  _exit(LS_EXIT_INFRASTRUCTURE);
}

/* What an application has to tell, and does not; NULL: nothing is missing. */
static const char *find_missing(const struct ls_app *app) {
  if (app->name == NULL) return "name";
  if (app->units == NULL) return "units";
  return app->compute == NULL && !app->runs_commands ? "compute" : NULL;
}

int ls_program_run(const struct ls_program *program, int argc, char **argv,
                   const struct ls_app *app) {
  hold_closed_streams();
  const char *missing = app == NULL ? NULL : find_missing(app);
  if (missing != NULL) {
    fprintf(stderr, "%s: its struct ls_app has no %s\n", argc > 0 ? argv[0] : "", missing);
    return LS_EXIT_USAGE;
  }
  const char *name = find_name(argc > 0 ? argv[0] : NULL, app == NULL ? program->name : app->name);
  (void)snprintf(program_name, sizeof program_name, "%s", name);
  if (atexit(flush_output) != 0) {
    fprintf(stderr, "%s: out of memory\n", name);
    return LS_EXIT_INFRASTRUCTURE;
  }
  argp_err_exit_status = LS_EXIT_USAGE;
  argp_program_version = program->version;
  if (app == NULL && program->linked != NULL && strcmp(name, program->linked) == 0)
    return run_linked(program, argc, argv);
  if (argc < 2) {
    print_help(stderr, program, name, app);
    return LS_EXIT_USAGE;
  }
  const char *word = argv[1];
  if (argc > 2 && strcmp(word, "help") == 0) return help_with(program, name, argv + 2, app);
  if (is_one_of(word, "--help", "-?") || is_one_of(word, "help", "-h")) {
    print_help(stdout, program, name, app);
    return LS_EXIT_OK;
  }
  if (is_one_of(word, "--version", "-V")) {
    printf("%s\n", argp_program_version);
    return LS_EXIT_OK;
  }
  const struct ls_subcommand *item = find(program, word, app);
  if (item != NULL) return run_subcommand(item, name, argc - 1, argv + 1, app);
  return refuse_word(program, name, argv + 1, app);
}
