/* run_history.h: what the journal of an earlier run tells about tasks and workers.
 */
#ifndef LS_CLI_RUN_HISTORY_H
#define LS_CLI_RUN_HISTORY_H

#include "advise/past_run.h"
#include "base/status.h"

/* LS_EINVAL names the file when it holds no finished unit, or is no journal. The caller closes. */
LS_CHECKED enum ls_status ls_run_history_read(struct ls_run_history *history, const char *path,
                                              struct ls_error *err);

#endif
