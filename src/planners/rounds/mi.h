/* mi.h: the sizes of installments. */
#ifndef LS_PLANNERS_ROUNDS_MI_H
#define LS_PLANNERS_ROUNDS_MI_H

#include <stddef.h>

/* Installments (3.8): sizes of all messages in send order, round-robin over `count` workers, in the
 * first `count * installments` entries of `units`; it has room for `count` more, which are used on
 * the way. `ratio` = S/B >= 0. */
void ls_mi_sizes(double ratio, size_t count, size_t installments, double load, double *units);

#endif
