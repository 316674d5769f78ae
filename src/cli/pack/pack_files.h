/* pack_files.h: the files of a division: the names of each part, and a script for Slurm.
 *
 * Each file is put in its place whole.  A folder that is not there is made with all its files, or
 * not at all.
 */
#ifndef LS_CLI_PACK_FILES_H
#define LS_CLI_PACK_FILES_H

#include "base/bytes.h"
#include "base/status.h"
#include "cli/pack/pack_division.h"

/* The names of a part, a line each. */
void ls_pack_part_write(const struct ls_pack_tasks *tasks, const struct ls_pack_division *division,
                        size_t part, struct ls_bytes *out);
/* Writes `options->output` and, where it is wanted, `options->slurm`. LS_EINVAL: nothing can be
 * written there, or files of an earlier division with more parts stand there; LS_EIO. */
LS_CHECKED enum ls_status ls_pack_files_write(const struct ls_pack_options *options,
                                              const struct ls_pack_tasks *tasks,
                                              const struct ls_pack_division *division,
                                              struct ls_error *err);
/* The script; the parts are called `pattern`, in which {} stands for the number. */
void ls_pack_script_write(const struct ls_pack_options *options, const struct ls_pack_tasks *tasks,
                          const struct ls_pack_division *division, const char *pattern,
                          struct ls_bytes *out);

#endif
