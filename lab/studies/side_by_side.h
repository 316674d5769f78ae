/* side_by_side.h: figures that a thesis measured, that a simulation leads one to expect, and that
 * real runs gave (`loadstar-lab study NAME --measured FILE`), in one table.
 *
 * FILE is JSON: {"format": "loadstar-measured-1", "NAME": {"W 50 %, 8 workers: efficiency": 0.82,
 * ...}, ...}, with an object for each study, as `bench/pool_runs` writes it.
 */
#ifndef LS_LAB_SIDE_BY_SIDE_H
#define LS_LAB_SIDE_BY_SIDE_H

#include <stddef.h>

#include "base/json.h"
#include "base/status.h"
#include "lab/studies/study.h"

enum { LS_STUDY_BESIDE_NAME_BYTES = 64, LS_STUDY_BESIDE_MOST = 128 /* rows */ };

struct ls_study_beside {
  char name[LS_STUDY_BESIDE_NAME_BYTES]; /* also in the file */
  double printed;                        /* NAN: nothing is */
  double specified, near;                /* where our expectation is to be; NAN: nowhere */
  double expected;                       /* ours */
  double measured;                       /* NAN: nothing was */
  double tolerance; /* absolute, of what was measured about what is expected; NAN: only shown */
};

/* Writes what was measured into the rows; `place` NULL: nothing. LS_EINVAL names what is no number,
 * or of no row. */
LS_CHECKED enum ls_status ls_study_beside_read(const struct ls_json *place,
                                               struct ls_study_beside *rows, size_t count,
                                               struct ls_error *err);
/* Prints the table, and judges what is specified and what was measured; `why_not` (as of
 * ls_study_unjudged) says why what is printed is not judged. */
void ls_study_beside_report(const struct ls_study_beside *rows, size_t count, const char *why_not,
                            struct ls_study_report *report);

#endif
