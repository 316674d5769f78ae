/* failure_options.h: options of `loadstar run` about what fails, is lost or takes too long.
 *
 * They are for command lines and for applications alike; their values stand in the run's options.
 */
#ifndef LS_CLI_RUN_FAILURE_OPTIONS_H
#define LS_CLI_RUN_FAILURE_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "base/status.h"
#include "cli/run/run_options.h"

/* Ends in {0}. */
extern const struct argp_option ls_failure_options_table[];
/* Of other dialects only. */
extern const struct argp_option ls_failure_dialect_table[];

/* Is it one of their keys? */
bool ls_failure_options_has(int key);
/* LS_EINVAL names option, value and what was expected. */
LS_CHECKED enum ls_status ls_failure_options_read(struct ls_run_options *options, int key,
                                                  const char *text, struct ls_error *err);
/* Do they fit the application (NULL: command lines), and what follows from them? LS_EINVAL. */
LS_CHECKED enum ls_status ls_failure_options_check(struct ls_run_options *options,
                                                   const struct ls_app *app, struct ls_error *err);

#endif
