/* option_names.h: options that do not exist, and which ones were meant.
 */
#ifndef LS_CLI_OPTION_NAMES_H
#define LS_CLI_OPTION_NAMES_H

#include <argp.h>

#include "base/status.h"

/* Is every long option of the command line one of argp's, or the beginning of one? Where it is one
 * but for the dashes within it, as --groupby, a word with them takes its place in `argv`, which
 * lives as long as the program. LS_EINVAL names the one that is near; those that are near to none
 * are left to argp. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_option_names_check(const struct argp *argp, int argc, char **argv,
                                                unsigned flags, struct ls_error *err);
/* argp_parse, after that check, whose failure ends the program as argp's own do; -h prints the
 * short help and ends it, unless an option has that letter; --options-json prints option_table.h's
 * JSON and ends it. */
error_t ls_option_names_parse(const struct argp *argp, int argc, char **argv, unsigned flags,
                              void *input);

#endif
