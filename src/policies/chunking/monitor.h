/* monitor.h: the equations of Monitor, for the policy and for what checks them. */
#ifndef LS_POLICIES_CHUNKING_MONITOR_H
#define LS_POLICIES_CHUNKING_MONITOR_H

#include <stddef.h>
#include <stdint.h>

/* Shares `units` so that all workers that get something end together: x_i =
 * max(0, T/t_i - y_i), sum x = units.  `seconds`: t_i > 0 of one unit, NAN for a worker that is not
 * counted (unknown or gone): its share is 0.  `waiting`: y_i >= 0, units that it has already.
 * `shares`: x, `count` entries.  Returns the level T: the seconds until those that get something
 * end; 0 when no worker is counted. */
double ls_monitor_solve(const double *seconds, const double *waiting, size_t count, double units,
                        double *shares);
/* The units of a phase: half of what is left, or all of it when R < 2p. */
uint64_t ls_monitor_quota(uint64_t units_unassigned, size_t workers);

#endif
