/* check_application.c: kinds of records that are evaluated by the application they are for. */
#include "lab/check/check.h"

static enum ls_status refuse(const struct ls_check_record *record, const char *application,
                             const char *test, struct ls_error *err) {
  return ls_fail(err, LS_EINVAL,
                 "%s: records of kind '%s' are those of the application %s, whose test evaluates "
                 "them (%s)",
                 record->id, record->kind, application, test);
}

static enum ls_status refuse_matched(const struct ls_check_record *record, json_t **got,
                                     struct ls_error *err) {
  (void)got;
  return refuse(record, "matched-filter", "tests/cli/test-matched", err);
}

static enum ls_status refuse_thinning(const struct ls_check_record *record, json_t **got,
                                      struct ls_error *err) {
  (void)got;
  return refuse(record, "thinning", "tests/cli/test-thinning", err);
}

const struct ls_check_kind ls_check_kind_matched = {"matched", refuse_matched};
const struct ls_check_kind ls_check_kind_thinning = {"thinning", refuse_thinning};
