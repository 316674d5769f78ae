/* removed_options.h: options that `loadstar run' has no more, and what to say in place of each.
 *
 * They are known by name, so that who types one hears of its replacement, and nothing runs.
 */
#ifndef LS_CLI_RUN_REMOVED_OPTIONS_H
#define LS_CLI_RUN_REMOVED_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "base/status.h"

enum { LS_REMOVED_OPTIONS_MAX = 128 };

/* Makes a table for argp, which shows none of them. */
void ls_removed_options_fill(struct argp_option options[LS_REMOVED_OPTIONS_MAX]);
/* Is it a key of that table? */
bool ls_removed_options_has(int key);
/* LS_EINVAL, always: what to say in place of the option. */
LS_CHECKED enum ls_status ls_removed_options_refuse(int key, struct ls_error *err);

#endif
