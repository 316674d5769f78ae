/* calibrate_check.h: what a platform predicts for a run beside what happened, for people and for
 * machines. */
#ifndef LS_CLI_CALIBRATE_CHECK_H
#define LS_CLI_CALIBRATE_CHECK_H

#include "advise/prediction.h"
#include "base/bytes.h"
#include "model/run_course.h"

/* A table; `path` names the journal. */
void ls_check_write_text(const struct ls_prediction *prediction, const struct ls_run_course *course,
                         const char *path, struct ls_bytes *out);
/* A member of an object, from its opening brace on. */
void ls_check_write_json(const struct ls_prediction *prediction, const struct ls_run_course *course,
                         const char *path, struct ls_bytes *out);

#endif
