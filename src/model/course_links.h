/* course_links.h: do the workers of a run share one uplink, or has each a link of its own?
 *
 * Transfers that were on their way together tell it: over separate links each takes as long as
 * alone, over a shared one k take k times as long.  Both are tried on the times of the run: the one
 * counts under which the transfers of each worker, or those of all where they are alike, keep
 * better to one law, latency + rate * units.
 */
#ifndef LS_MODEL_COURSE_LINKS_H
#define LS_MODEL_COURSE_LINKS_H

#include "base/status.h"
#include "model/measurement.h"
#include "model/run_course.h"

struct ls_course_links {
  enum ls_links links;
  size_t overlapping; /* transfers with company worth the name */
  /* Of each transfer; owned. The mean number on their way meanwhile, itself counted; what it would
   * have taken alone, had they shared one uplink fairly. */
  double *company, *alone_s;
};

/* Transfers that had no company but for moments. */
extern const double ls_course_links_alone;

/* The caller closes. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_course_links_find(const struct ls_run_course *course,
                                               struct ls_course_links *links, struct ls_error *err);
void ls_course_links_close(struct ls_course_links *links);

#endif
