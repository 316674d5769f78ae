/* run_site.h: where a run happens, and what this machine allows it, before it begins. */
#ifndef LS_CLI_RUN_SITE_H
#define LS_CLI_RUN_SITE_H

#include "base/bytes.h"
#include "base/status.h"
#include "cli/run/run_options.h"
#include "runtime/master/site.h"

/* Raises the limit of descriptors. Where it allows fewer workers than are asked for, fewer are
 * started, and `name` says so on standard error; speeds, platforms and plans name their workers, so
 * these are refused (LS_EINVAL). LS_ENOWORKERS: there is room for none. */
LS_CHECKED enum ls_status ls_run_site_limit_workers(struct ls_run_options *options,
                                                    const char *name, struct ls_error *err);

/* The site that the user wishes, with a door for pools that need one. LS_EINVAL: --listen would
 * open the run to others than he says. */
LS_CHECKED enum ls_status ls_run_site_assemble(const struct ls_run_options *options,
                                               struct ls_site *site, struct ls_error *err);
/* "tcp://0.0.0.0:5555, insecure": who may join, in words; nothing: nobody. */
void ls_run_site_describe(const struct ls_run_options *options, struct ls_bytes *out);

#endif
