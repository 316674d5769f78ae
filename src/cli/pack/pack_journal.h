/* pack_journal.h: the commands of a run and their times, from its journal.
 */
#ifndef LS_CLI_PACK_JOURNAL_H
#define LS_CLI_PACK_JOURNAL_H

#include "base/status.h"
#include "formats/task_times_table.h"

/* Commands as the job log writes them; units of another application, and those of a run whose
 * inputs are not recorded, are "unit 1" and so on, those of each iteration measured again.
 * LS_EINVAL names the file. */
LS_CHECKED enum ls_status ls_pack_journal_read(struct ls_task_times *times, const char *path,
                                               struct ls_error *err);

#endif
