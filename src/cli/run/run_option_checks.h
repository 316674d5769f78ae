/* run_option_checks.h: which options of a run need each other, and which exclude each other.
 *
 * Options are read one by one, each for itself; what holds of several is known when all are there.
 * Groups of options that have a file of their own check themselves, and are asked from here.
 */
#ifndef LS_CLI_RUN_OPTION_CHECKS_H
#define LS_CLI_RUN_OPTION_CHECKS_H

#include "base/status.h"
#include "cli/run/run_options.h"

/* Of all options of a command line, which were read one by one. LS_EINVAL names them. */
LS_CHECKED enum ls_status ls_run_options_check(struct ls_run_options *options,
                                               struct ls_error *err);

#endif
