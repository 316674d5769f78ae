/* account_json.h: accounts of makespans, and predictions beside what happened, as JSON. */
#ifndef LS_FORMATS_ACCOUNT_JSON_H
#define LS_FORMATS_ACCOUNT_JSON_H

#include "base/bytes.h"
#include "base/status.h"
#include "base/text.h"
#include "model/account.h"

/* {"makespan": 4.5, "workers": 2, "work": 3, ...}: seconds. */
void ls_account_write(const struct ls_account *account, struct ls_bytes *out);
/* {"basis": ..., "account": {...}, "happened": {...}, "difference": {...}}: happened - predicted;
 * without the last two while nothing has happened. */
void ls_comparison_write(const struct ls_comparison *comparison, struct ls_bytes *out);
/* LS_EINVAL names the field and its value, and what was expected. */
LS_CHECKED enum ls_status ls_comparison_read(struct ls_text text, struct ls_comparison *comparison,
                                             struct ls_error *err);

#endif
