/* run_site.h: what this machine allows a run, before it begins. */
#ifndef LS_CLI_RUN_SITE_H
#define LS_CLI_RUN_SITE_H

#include "base/status.h"
#include "cli/run/run_options.h"

/* Raises the limit of descriptors. Where it allows fewer workers than are asked for, fewer are
 * started, and `name` says so on standard error; speeds, platforms and plans name their workers, so
 * these are refused (LS_EINVAL). LS_ENOWORKERS: there is room for none. */
LS_CHECKED enum ls_status ls_run_site_limit_workers(struct ls_run_options *options,
                                                    const char *name, struct ls_error *err);

#endif
