/* plan_json.h: a plan as JSON (docs/model.md, "Files").
 *
 * Only the chunks are needed to read a plan; all else is recomputed and compared.
 */
#ifndef LS_FORMATS_PLAN_JSON_H
#define LS_FORMATS_PLAN_JSON_H

#include "base/bytes.h"
#include "base/linkage.h"
#include "base/status.h"
#include "base/text.h"
#include "model/plan.h"
#include "model/platform.h"

LS_C_BEGIN

/* Reading needs `chunks` with worker and units; a given time or makespan
 * that differs from the replay on `platform` by more than 1e-9 (relative above 1) is LS_EINVAL
 * naming it. Unknown fields are errors; of "parameters" numbers are kept. */
LS_CHECKED enum ls_status ls_plan_read(struct ls_plan *plan, struct ls_text text,
                                       const struct ls_platform *platform, struct ls_error *err);
/* As ls_plan_read without a platform at hand: the chunks have the times that the text gives, or
 * NAN; worker numbers below `workers_count`. */
LS_CHECKED enum ls_status ls_plan_read_chunks(struct ls_plan *plan, struct ls_text text,
                                              size_t workers_count, struct ls_error *err);
void ls_plan_write(const struct ls_plan *plan, const struct ls_platform *platform,
                   struct ls_bytes *out);

LS_C_END

#endif
