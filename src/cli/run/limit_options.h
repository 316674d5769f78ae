/* limit_options.h: the options of `loadstar run` about what commands find, what they may take of
 * their machine, and how fast one begins behind another.
 */
#ifndef LS_CLI_RUN_LIMIT_OPTIONS_H
#define LS_CLI_RUN_LIMIT_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "base/status.h"
#include "runtime/execute/command_manners.h"

struct ls_limit_options {
  struct ls_command_manners manners; /* owned: ls_limit_options_close */
  bool is_given;                     /* any of these */
  double delay_s;                    /* between two starts; 0: none */
};

/* For command lines only; ends in {0}. */
extern const struct argp_option ls_limit_options_table[];
/* Of other dialects only. */
extern const struct argp_option ls_limit_dialect_table[];

/* Is it a key of that table? */
bool ls_limit_options_has(int key);
/* One option; LS_EINVAL. Values of --env are those of this process's environment. */
LS_CHECKED enum ls_status ls_limit_options_read(struct ls_limit_options *options, int key,
                                                const char *text, struct ls_error *err);
struct ls_run_options;

/* LS_EINVAL: an option excludes another one. */
LS_CHECKED enum ls_status ls_limit_options_check(const struct ls_run_options *run,
                                                 struct ls_error *err);
void ls_limit_options_close(struct ls_limit_options *options);

#endif
