/* shipped.h: the folder of a program that came by ssh, on the machine where it runs.
 *
 * Who runs from it holds it, so that those of dead processes can be told apart, and removed.
 */
#ifndef LS_RUNTIME_POOL_SSH_SHIPPED_H
#define LS_RUNTIME_POOL_SSH_SHIPPED_H

#include "base/status.h"

/* How such folders begin; as many letters follow as those of an agent's folder. */
#define LS_SHIPPED_PREFIX "loadstar-ship-"

/* LS_EINVAL: no absolute path of such a folder. */
LS_CHECKED enum ls_status ls_shipped_check(const char *path, struct ls_error *err);
/* Holds the folder, and removes those beside it that nobody does, of this user. A descriptor; -1:
 * it cannot be held. */
int ls_shipped_hold(const char *path);
/* Removes it, with all below. */
void ls_shipped_remove(const char *path);

#endif
