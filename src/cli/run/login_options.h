/* login_options.h: the options of `loadstar run` that name machines as GNU parallel does, and where
 * tasks run there. */
#ifndef LS_CLI_RUN_LOGIN_OPTIONS_H
#define LS_CLI_RUN_LOGIN_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { LS_LOGINS_MAX = 128 };

/* Borrowed. */
struct ls_login_option {
  const char *text; /* logins, or the name of their file */
  bool is_file;
};

struct ls_login_options {
  struct ls_login_option items[LS_LOGINS_MAX]; /* --sshlogin, --sshloginfile, as they came */
  size_t count;
  bool is_on_all;      /* each task runs once on every host */
  bool has_no_inputs;  /* ... the command without any: --nonall */
  size_t homes;        /* the hosts then, once they are known; else 0 */
  const char *workdir; /* NULL: not said */
  bool has_own_rooms;  /* --workdir ... */
};

struct ls_run_options;

/* For command lines only; ends in {0}. */
extern const struct argp_option ls_login_options_table[];
/* Of other dialects only. */
extern const struct argp_option ls_login_dialect_table[];

/* Is it a key of that table? */
bool ls_login_options_has(int key);
/* One option; LS_EINVAL. */
LS_CHECKED enum ls_status ls_login_options_read(struct ls_login_options *options, int key,
                                                const char *text, struct ls_error *err);
/* LS_EINVAL: an option needs or excludes another one. */
LS_CHECKED enum ls_status ls_login_options_check(const struct ls_run_options *options,
                                                 struct ls_error *err);
/* Can local workers enter the folder of --workdir, or make it?  LS_EINVAL. */
LS_CHECKED enum ls_status ls_login_options_check_workdir(const struct ls_login_options *options,
                                                         struct ls_error *err);
/* Is one of them standard input? */
bool ls_login_options_take_input(const struct ls_login_options *options);

#endif
