#include "cli/cli.h"

#include <argp.h>
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

const struct ls_subcommand ls_subcommands[] = {
    {"run", "run tasks: command lines, or an application's units", ls_run_main},
    {"worker", "join a run as a worker", ls_worker_main},
    {"plan", "compute a plan", ls_plan_main},
    {"simulate", "play a plan or policies in virtual time", ls_simulate_main},
    {"compare", "rank planners and policies on one platform, or on a grid", ls_compare_main},
    {"calibrate", "fit a platform to measurements or runs", ls_calibrate_main},
    {"report", "show a run: text, chart, SVG, CSV, trace", ls_report_main},
    {"study", "reproduce a published experiment", ls_study_main},
    {"list", "the planners, policies, orders: name, parameters, one line, source", ls_list_main},
    {"pack", "shards and jobs of the right size from measured times", ls_pack_main},
    {"check", "evaluate test vectors", ls_check_main},
    {"completion", "print a script that completes this in bash, zsh or fish", ls_completion_main},
    {NULL, NULL, NULL}};

const struct ls_subcommand *ls_subcommand_find(const char *name) {
  for (const struct ls_subcommand *item = ls_subcommands; item->name != NULL; item++)
    if (strcmp(item->name, name) == 0) return item;
  return NULL;
}

/* `name`: of the program. */
static void print_help(FILE *file, const char *name, const struct ls_app *app) {
  if (app == NULL)
    fprintf(file, "loadstar: divides work among unequal workers so that all finish together\n\n");
  else
    fprintf(file, "%s: %s\n\n", name, app->summary);
  fprintf(file, "Usage: %s SUBCOMMAND [OPTION...]\n\n", name);
  for (const struct ls_subcommand *item = ls_subcommands; item->name != NULL; item++)
    fprintf(file, "  %-10s  %s\n", item->name, item->summary);
  fprintf(file,
          "\n  -?, --help     give this help\n  -V, --version  print the version\n\n"
          "`%s SUBCOMMAND --help' says more about each.\n\nExamples:\n",
          name);
  if (app == NULL)
    fprintf(file,
            "  loadstar run -- gzip -k {} ::: *.txt\n"
            "  loadstar run -j4 --journal work.db -- ./step {} < inputs\n"
            "  loadstar report work.db\n"
            "  loadstar compare -p '10x(compute=0.1+1x, transfer=0.1+0.06x)' -l 1000\n");
  else
    fprintf(file, "  %s run -j2 -- %s\n", name, app->usage == NULL ? "" : app->usage);
}

/* The last part of the program's path: how the user called it. */
static const char *find_name(const char *path, const struct ls_app *app) {
  if (path == NULL || path[0] == '\0') return app == NULL ? "loadstar" : app->name;
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

/* Behind a word that is no subcommand: which one is meant, else all. */
static void suggest(const char *name, char **words, struct ls_bytes *out) {
  const char *names[sizeof ls_subcommands / sizeof *ls_subcommands + 2];
  size_t count = 0;
  for (const struct ls_subcommand *item = ls_subcommands; item->name != NULL; item++)
    names[count++] = item->name;
  const size_t subcommands = count;
  names[count++] = "help";
  names[count++] = "--help";
  names[count++] = "--version";
  const char *nearest = ls_nearest_name(words[0], names, count);
  if (nearest != NULL) {
    ls_bytes_printf(out, "; did you mean '%s'?", nearest);
  } else if (words[0][0] == '-') {
    suggest_run(name, words, out);
  } else {
    for (size_t i = 0; i < subcommands; i++)
      ls_bytes_printf(out, "%s%s", i == 0 ? "; the subcommands are " : ", ", names[i]);
    ls_bytes_printf(out, " (see %s --help)", name);
  }
}

static int refuse_word(const char *name, char **words) {
  char shown[64];
  struct ls_bytes text = {0};
  ls_console_show(words[0], shown, sizeof shown);
  suggest(name, words, &text);
  fprintf(stderr, "%s: there is no subcommand '%s'%s\n", name, shown, ls_bytes_text(&text));
  ls_bytes_close(&text);
  return LS_EXIT_USAGE;
}

/* `help SUBCOMMAND` is `SUBCOMMAND --help`. */
static int help_with(const char *name, char **words, const struct ls_app *app) {
  static char option[] = "--help";
  const struct ls_subcommand *item = ls_subcommand_find(words[0]);
  if (item == NULL) return refuse_word(name, words);
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

int ls_cli_main(int argc, char **argv, const struct ls_app *app) {
  hold_closed_streams();
  const char *missing = app == NULL ? NULL : find_missing(app);
  if (missing != NULL) {
    fprintf(stderr, "%s: its struct ls_app has no %s\n", argc > 0 ? argv[0] : "", missing);
    return LS_EXIT_USAGE;
  }
  const char *name = find_name(argc > 0 ? argv[0] : NULL, app);
  (void)snprintf(program_name, sizeof program_name, "%s", name);
  if (atexit(flush_output) != 0) {
    fprintf(stderr, "%s: out of memory\n", name);
    return LS_EXIT_INFRASTRUCTURE;
  }
  argp_err_exit_status = LS_EXIT_USAGE;
  argp_program_version = "loadstar " LS_VERSION;
  if (argc < 2) {
    print_help(stderr, name, app);
    return LS_EXIT_USAGE;
  }
  const char *word = argv[1];
  if (argc > 2 && strcmp(word, "help") == 0) return help_with(name, argv + 2, app);
  if (is_one_of(word, "--help", "-?") || is_one_of(word, "help", "-h")) {
    print_help(stdout, name, app);
    return LS_EXIT_OK;
  }
  if (is_one_of(word, "--version", "-V")) {
    printf("%s\n", argp_program_version);
    return LS_EXIT_OK;
  }
  const struct ls_subcommand *item = ls_subcommand_find(word);
  if (item != NULL) return run_subcommand(item, name, argc - 1, argv + 1, app);
  return refuse_word(name, argv + 1);
}
