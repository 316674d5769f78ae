/* check_matched.c: records of kind matched, which are evaluated by the application they are for. */
#include "cli/check/check.h"

static enum ls_status refuse(const struct ls_check_record *record, json_t **got,
                             struct ls_error *err) {
  (void)got;
  return ls_fail(err, LS_EINVAL,
                 "%s: records of kind 'matched' are those of the application matched-filter, whose "
                 "test evaluates them (tests/cli/test-matched)",
                 record->id);
}

const struct ls_check_kind ls_check_kind_matched = {"matched", refuse};
