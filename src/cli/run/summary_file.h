/* summary_file.h: the file that a run's summary goes to, opened before the run begins.
 *
 * So a file that cannot be had is told before hours of work and not behind them.  The content of
 * the file stays until the summary takes its place; a summary is there whole or not at all, and a
 * file that was made for one that never came is removed.
 */
#ifndef LS_CLI_SUMMARY_FILE_H
#define LS_CLI_SUMMARY_FILE_H

#include "base/bytes.h"
#include "base/status.h"

struct ls_summary_file;

/* `path` NULL or "-": standard output. LS_EINVAL names the file that cannot be opened. */
LS_CHECKED enum ls_status ls_summary_file_open(const char *path, struct ls_summary_file **out,
                                               struct ls_error *err);
/* Once. LS_EIO names the file, which then holds nothing; LS_ENOMEM: the text has failed. */
LS_CHECKED enum ls_status ls_summary_file_write(struct ls_summary_file *file,
                                                const struct ls_bytes *text, struct ls_error *err);
void ls_summary_file_close(struct ls_summary_file *file); /* NULL is fine */

#endif
