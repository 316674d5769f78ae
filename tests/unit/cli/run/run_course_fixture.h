/* run_course_fixture.h: a run that has ended, as its master kept it. */
#ifndef TESTS_UNIT_CLI_RUN_COURSE_FIXTURE_H
#define TESTS_UNIT_CLI_RUN_COURSE_FIXTURE_H

#include <math.h>
#include <stdio.h>

#include "runtime/journal/past/course_rows.h"

/* `chunks` chunks of 1, 2, 3, 4, 1, ... units in turn at `workers` workers "local-1", ...; of one
 * size if `is_uniform`. */
static inline void make_course(struct ls_course_rows *course, uint32_t workers, uint64_t chunks,
                               bool is_uniform) {
  *course = (struct ls_course_rows){.course.from_s = (double)NAN};
  for (uint32_t i = 0; i < workers; i++) {
    char name[32];
    (void)snprintf(name, sizeof name, "local-%u", i + 1);
    struct ls_journal_worker worker = {.worker = i, .name = name};
    assert_int_equal(ls_course_rows_add_worker(course, &worker), LS_OK);
  }
  for (uint64_t i = 0; i < chunks; i++) {
    uint64_t units = is_uniform ? 2 : 1 + i / workers % 4;
    double seconds = 0.5 + 0.25 * (double)units;
    struct ls_journal_result result = {.units = {10 * i, units},
                                       .outcome = LS_OUTCOME_DONE,
                                       .is_settled = true,
                                       .worker = (uint32_t)(i % workers),
                                       .attempt = 1,
                                       .chunk = i,
                                       .seconds = seconds,
                                       .compute_s = seconds};
    assert_int_equal(ls_course_rows_add_end(course, &result), LS_OK);
  }
}

#endif
