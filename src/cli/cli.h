/* cli.h: the command line, for the program and for applications. */
#ifndef LS_CLI_CLI_H
#define LS_CLI_CLI_H

#include "base/linkage.h"
#include "runtime/application.h"

LS_C_BEGIN

/* Runs the program: `app` NULL for loadstar itself. Returns the exit status (design, section 6). */
int ls_cli_main(int argc, char **argv, const struct ls_app *app);

LS_C_END

#endif
