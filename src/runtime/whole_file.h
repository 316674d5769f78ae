/* whole_file.h: a file that is there whole, or as it was before.
 *
 * It is written beside its place, under the name PATH.new-PID, and renamed: readers see the old
 * content or the new one, and a failure leaves the old.  A link is followed; the permissions of
 * what stands there are kept.  What stands there and is no ordinary file is never replaced.
 */
#ifndef LS_RUNTIME_WHOLE_FILE_H
#define LS_RUNTIME_WHOLE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/linkage.h"
#include "base/status.h"
#include "base/text.h"

LS_C_BEGIN

/* Whether a file can be put at `path`: better known before the work than behind it.
 * LS_EINVAL with path and reason otherwise; LS_ENOMEM. */
enum ls_status ls_whole_file_check(const char *path, struct ls_error *err);

/* Puts the parts, one behind the other, at `path`; their sources are not used.
 * LS_EIO with path and reason, LS_ENOMEM: then nothing has changed there. */
enum ls_status ls_whole_file_write(const char *path, const struct ls_text *parts, size_t count,
                                   struct ls_error *err);

/* Do both paths name one ordinary file, by whatever links? One that is not there yet is known by
 * its folder and its name. */
bool ls_whole_file_is_same(const char *path, const char *other);

LS_C_END

#endif
