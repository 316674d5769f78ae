/* check.h: evaluates records of test vectors: `loadstar-lab check FILE.json`.
 *
 * Each kind of record has one evaluator, one line in check_list.h.  An evaluator computes what the
 * record asks for and writes it as a JSON object; the comparison with `expect` is the same for all:
 * a field is looked for at the top of the object, then in its "parameters".
 */
#ifndef LS_LAB_CHECK_H
#define LS_LAB_CHECK_H

#include <jansson.h>

#include "base/json.h"
#include "base/status.h"
#include "model/platform.h"

/* One record, read as far as all kinds have in common. All of it is borrowed by an evaluator. */
struct ls_check_record {
  const char *id, *kind, *algorithm;
  bool has_platform;
  struct ls_platform platform;
  double load;              /* 0 when absent */
  struct ls_json arguments; /* `.value` NULL: none */
  struct ls_json expect;    /* for evaluators that answer only what is asked */
};

struct ls_check_kind {
  const char *name; /* "plan" */
  /* What was got, as an object that the caller owns. LS_EINVAL: the record asks for something
   * impossible (the reason then stands beside it as unmet). */
  enum ls_status (*evaluate)(const struct ls_check_record *record, json_t **got,
                             struct ls_error *err);
};

/* One per line LS_CHECK_KIND(plan) of check_list.h, whose evaluator defines ls_check_kind_plan. */
#define LS_CHECK_KIND(id) extern const struct ls_check_kind ls_check_kind_##id;
#include "lab/check/check_list.h"
#undef LS_CHECK_KIND

extern const struct ls_check_kind *const ls_check_kinds[]; /* NULL-terminated; check_list.h */

#endif
