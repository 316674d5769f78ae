/* student.h: Student's distribution: how far a mean of few values may be from the truth. */
#ifndef LS_BASE_STUDENT_H
#define LS_BASE_STUDENT_H

#include <stdint.h>

/* The share of Student's law with `freedom` >= 1 degrees of freedom that is below `t`.
 * O(freedom), at most a hundred steps. */
double ls_student_share(double t, uint64_t freedom);
/* Below which `share` of it lies (0 < share < 1): a 90 % interval reaches as many deviations to
 * both sides as the quantile of 0.95 says. */
double ls_student_quantile(double share, uint64_t freedom);

#endif
