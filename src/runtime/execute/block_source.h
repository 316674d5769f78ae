/* block_source.h: what a file is while blocks of it are computed. */
#ifndef LS_RUNTIME_EXECUTE_BLOCK_SOURCE_H
#define LS_RUNTIME_EXECUTE_BLOCK_SOURCE_H

#include "base/bytes.h"
#include "base/status.h"
#include "protocol/block.h"

/* LS_EIO, or LS_EINVAL: it is no regular file. */
LS_CHECKED enum ls_status ls_block_source_look(int file, const char *path,
                                               struct ls_block_source *source,
                                               struct ls_error *err);
/* LS_EINVAL names the file, what it was and what it is. */
LS_CHECKED enum ls_status ls_block_source_check(int file, const char *path,
                                                const struct ls_block_source *source,
                                                struct ls_error *err);
/* "1024 bytes, changed at 1790000000.123456789, inode 42" */
void ls_block_source_describe(const struct ls_block_source *source, struct ls_bytes *out);

#endif
