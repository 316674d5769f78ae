/* reason.h: why a unit failed, in one line: the first one of its error output that says anything.
 */
#ifndef LS_RUNTIME_MASTER_REASON_H
#define LS_RUNTIME_MASTER_REASON_H

#include "runtime/application.h"

enum { LS_REASON_BYTES = 200 };

/* Any bytes but line ends, cut where they are too many; "": it says nothing. */
void ls_reason_read(const struct ls_output *error_output, char reason[LS_REASON_BYTES]);

#endif
