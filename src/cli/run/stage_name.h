/* stage_name.h: which name a file of a task has in its sandbox.
 *
 * A relative path keeps it, `a/./b/c` has the part behind the `/./`, other absolute ones their last
 * part; empty parts and single points go.
 */
#ifndef LS_CLI_RUN_STAGE_NAME_H
#define LS_CLI_RUN_STAGE_NAME_H

#include "base/bytes.h"
#include "base/status.h"

/* Appends the name of `path`, which `option` gave. LS_EINVAL: it has none, or leads upwards. */
LS_CHECKED enum ls_status ls_stage_name(const char *path, const char *option, struct ls_bytes *name,
                                        struct ls_error *err);

#endif
