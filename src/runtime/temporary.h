/* temporary.h: files for data too large for memory: private to this process, gone with it. */
#ifndef LS_RUNTIME_TEMPORARY_H
#define LS_RUNTIME_TEMPORARY_H

#include "base/status.h"

/* An unnamed file in the folder that TMPDIR names (else /tmp), open for reading and writing, which
 * the caller closes; -1: `err` (LS_EIO) names the folder and the reason. */
int ls_temporary_file(struct ls_error *err);

#endif
