/* compare_sites.h: `loadstar compare --sites`: does a second site, behind a slow link, pay?
 */
#ifndef LS_CLI_COMPARE_SITES_H
#define LS_CLI_COMPARE_SITES_H

#include <stdbool.h>

#include "base/status.h"
#include "cli/compare_front.h"

/* Prints what the near workers, the far ones and all of them take and cost, each by the best of the
 * request's ways, and whether the far ones pay. `*holds` false: nothing applies to the near workers
 * or to all. LS_EINVAL: no worker is far. */
LS_CHECKED enum ls_status ls_compare_sites(const struct ls_front_request *request, bool *holds,
                                           struct ls_error *err);

#endif
