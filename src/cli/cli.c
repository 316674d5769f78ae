#include "cli/cli.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/subcommands.h"

const struct ls_subcommand ls_subcommands[] = {
    {"run", "run tasks: command lines, or an application's units", ls_run_main},
    {"worker", "join a run as a worker", ls_worker_main},
    {"plan", "compute a plan", ls_plan_main},
    {"simulate", "play a plan or policies in virtual time", ls_simulate_main},
    {"compare", "rank planners or policies on one platform", ls_compare_main},
    {"calibrate", "fit a platform to measurements or runs", ls_calibrate_main},
    {"report", "show a run: text, chart, SVG, CSV, trace", ls_report_main},
    {"study", "reproduce a published experiment", ls_study_main},
    {"list", "the planners, policies, orders: name, parameters, one line, source", ls_list_main},
    {"pack", "shards and jobs of the right size from measured times", ls_pack_main},
    {"check", "evaluate test vectors", ls_check_main},
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
    fprintf(file, "  %-9s  %s\n", item->name, item->summary);
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

/* A standard stream that was closed must not become a file of ours, into which outputs would go. It
 * stays as unusable as it was: all that reads or writes it is told so. */
static void hold_closed_streams(void) {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    int file = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
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
  char shown[64];
  ls_console_show(word, shown, sizeof shown);
  fprintf(stderr, "%s: there is no subcommand '%s'; the subcommands are", name, shown);
  for (item = ls_subcommands; item->name != NULL; item++)
    fprintf(stderr, "%s %s", item == ls_subcommands ? "" : ",", item->name);
  fprintf(stderr, " (see %s --help)\n", name);
  return LS_EXIT_USAGE;
}
