/* subcommands.h: the table of subcommands.
 *
 * A subcommand gets its own words: argv[0] is "loadstar run", as it stands in messages, the rest
 * is what the user wrote behind the name.  `app` is NULL for loadstar itself.  It returns the exit
 * status.
 */
#ifndef LS_CLI_SUBCOMMANDS_H
#define LS_CLI_SUBCOMMANDS_H

#include "runtime/application.h"

struct ls_subcommand {
  const char *name;
  const char *summary; /* one line */
  int (*run)(int argc, char **argv, const struct ls_app *app);
};

/* All subcommands, in the order of --help, ended by a NULL name. */
extern const struct ls_subcommand ls_subcommands[];
/* By name; NULL when there is none. */
const struct ls_subcommand *ls_subcommand_find(const char *name);

int ls_run_main(int argc, char **argv, const struct ls_app *app);
int ls_worker_main(int argc, char **argv, const struct ls_app *app);
int ls_report_main(int argc, char **argv, const struct ls_app *app);
int ls_study_main(int argc, char **argv, const struct ls_app *app);
int ls_list_main(int argc, char **argv, const struct ls_app *app);
int ls_plan_main(int argc, char **argv, const struct ls_app *app);
int ls_simulate_main(int argc, char **argv, const struct ls_app *app);
int ls_compare_main(int argc, char **argv, const struct ls_app *app);
int ls_calibrate_main(int argc, char **argv, const struct ls_app *app);
int ls_pack_main(int argc, char **argv, const struct ls_app *app);
int ls_check_main(int argc, char **argv, const struct ls_app *app);
int ls_completion_main(int argc, char **argv, const struct ls_app *app);

#endif
