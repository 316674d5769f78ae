/* sites.h: which workers of a platform are far: at a second site, behind slower links.
 *
 * The delay of a worker is what one unit costs there beside computing: it is sent, is on its way,
 * arrives, and is answered.  In the order of their delays, the workers are parted where the next
 * delay is the largest multiple of the one before; those behind are far if it is at least 8.  What
 * is shorter than a thousandth of computing one unit, where that is fastest, counts as so long.
 */
#ifndef LS_ADVISE_SITES_H
#define LS_ADVISE_SITES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/status.h"
#include "model/platform.h"

/* Seconds. */
double ls_worker_unit_delay(const struct ls_worker_model *worker);
/* `is_far`: one for each worker. `*far`: how many are; 0 where all are at one site. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_sites_find(const struct ls_platform *platform, bool *is_far,
                                        size_t *far, struct ls_error *err);
/* Do far workers shorten the run by more than half a percent?  Seconds that it takes without them
 * and with them; INFINITY: it cannot be. */
bool ls_sites_pay(double near_s, double all_s);
/* "the 4 far workers pay: 21.7 s with them, 36.9 s without" */
void ls_sites_describe(size_t far, double near_s, double all_s, struct ls_bytes *out);

#endif
