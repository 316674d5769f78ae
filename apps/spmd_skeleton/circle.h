/* circle.h: the core task: one row of a quarter of a circle.
 *
 * A circle of radius R around the origin holds, in the quarter where neither coordinate is
 * negative, so many points with whole coordinates; their number over R squared comes near pi / 4.
 * A unit is a row, its input the row's number, and results are added up: whole numbers, so that
 * neither the order of the sums nor who computed them changes anything.
 */
#ifndef SPMD_SKELETON_CIRCLE_H
#define SPMD_SKELETON_CIRCLE_H

#include <stdint.h>

/* How many points of the row lie within the circle: x^2 + row^2 < radius^2, x from 0. Looks at
 * every x below `radius`, so that each unit costs the same. */
uint64_t circle_count_row(uint64_t radius, uint64_t row);
/* The sum over all rows, 0 to `radius` - 1, by one process. */
uint64_t circle_count(uint64_t radius);

#endif
