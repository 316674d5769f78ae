/* lab.h: the program loadstar-lab: what those need who develop Loadstar, and nobody who uses it. */
#ifndef LS_LAB_LAB_H
#define LS_LAB_LAB_H

#include "runtime/application.h"

/* Runs the program; returns the exit status. */
int ls_lab_main(int argc, char **argv);

/* Its subcommands, as cli/subcommands.h has them. */
int ls_check_main(int argc, char **argv, const struct ls_app *app);
int ls_study_main(int argc, char **argv, const struct ls_app *app);

#endif
