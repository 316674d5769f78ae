/* plan_spmd.h: the parameters of a periodic plan for a program that runs it without deciding.
 *
 * A planner of identical rounds in whole units leaves them in its parameter "spmd"; here they
 * become a JSON object or a C header.
 */
#ifndef LS_CLI_PLAN_SPMD_H
#define LS_CLI_PLAN_SPMD_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/status.h"
#include "model/plan.h"

/* LS_EINVAL: the plan has no such parameters; says why. */
LS_CHECKED enum ls_status ls_plan_write_spmd(const struct ls_plan *plan, bool is_header,
                                             struct ls_bytes *out, struct ls_error *err);

#endif
