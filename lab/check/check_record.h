/* check_record.h: reads a vector file (format loadstar-vectors-1) and judges its records. */
#ifndef LS_LAB_CHECK_RECORD_H
#define LS_LAB_CHECK_RECORD_H

#include <jansson.h>

#include "base/json.h"
#include "base/status.h"

/* Checks the top of a vector file; `*records` is its list. */
LS_CHECKED enum ls_status ls_check_file_open(const struct ls_json *top, struct ls_json *records,
                                             struct ls_error *err);

/* The judgement of a record. Owns its JSON values. */
struct ls_check_result {
  const char *id, *kind, *algorithm; /* borrowed from the record */
  json_t *got;                       /* NULL: nothing was got */
  json_t *faults;                    /* a list of sentences; empty: the record is met */
};

/* Evaluates one record. LS_EINVAL: the record itself is malformed (field and value named). A
 * refusal of its evaluator becomes a fault. */
LS_CHECKED enum ls_status ls_check_record_judge(const struct ls_json *place,
                                                struct ls_check_result *result,
                                                struct ls_error *err);
void ls_check_result_close(struct ls_check_result *result);

#endif
