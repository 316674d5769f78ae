/* subcommands.h: programs with subcommands, and the subcommands of loadstar.
 *
 * A subcommand gets its own words: argv[0] is "loadstar run", as it stands in messages, the rest
 * is what the user wrote behind the name.  `app` is NULL for loadstar itself.  It returns the exit
 * status.
 */
#ifndef LS_CLI_SUBCOMMANDS_H
#define LS_CLI_SUBCOMMANDS_H

#include <stdbool.h>

#include "runtime/application.h"

struct ls_subcommand {
  const char *name;
  const char *summary; /* one line */
  int (*run)(int argc, char **argv, const struct ls_app *app);
  bool is_of_commands; /* applications have no use for it */
};

/* A subcommand that another program has. */
struct ls_elsewhere {
  const char *word, *program;
};

struct ls_program {
  const char *name, *summary, *version;
  const struct ls_subcommand *subcommands; /* in the order of --help, ended by a NULL name */
  const struct ls_elsewhere *elsewhere;    /* ended by a NULL word; NULL: there are none */
  const char *examples;                    /* lines for --help */
  const char *linked; /* the subcommand that a link of its name runs; or NULL */
};

/* Runs the program by its words; `app` NULL for the program itself. Returns the exit status. */
int ls_program_run(const struct ls_program *program, int argc, char **argv,
                   const struct ls_app *app);

/* Those of loadstar and of applications. */
extern const struct ls_subcommand ls_subcommands[];

int ls_run_main(int argc, char **argv, const struct ls_app *app);
/* `run' with all names of options, for another dialect: no summary, and an exit status that is the
 * number of failed tasks, 101 at most, where `*is_counted`. */
int ls_run_dialect_main(int argc, char **argv, bool *is_counted);
int ls_parallel_main(int argc, char **argv, const struct ls_app *app);
int ls_worker_main(int argc, char **argv, const struct ls_app *app);
int ls_report_main(int argc, char **argv, const struct ls_app *app);
int ls_top_main(int argc, char **argv, const struct ls_app *app);
int ls_list_main(int argc, char **argv, const struct ls_app *app);
int ls_plan_main(int argc, char **argv, const struct ls_app *app);
int ls_simulate_main(int argc, char **argv, const struct ls_app *app);
int ls_compare_main(int argc, char **argv, const struct ls_app *app);
int ls_calibrate_main(int argc, char **argv, const struct ls_app *app);
int ls_pack_main(int argc, char **argv, const struct ls_app *app);
int ls_completion_main(int argc, char **argv, const struct ls_app *app);

#endif
