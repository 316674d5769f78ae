/* fifo.c: First In, First Out.
 *
 * Reference:  none; the order of the input.
 * Assumes:    nothing.
 * Answers:    no permutation at all, so that it costs no memory.
 * Cost:       O(1).
 * Symbols:    none.
 */
#include "policies/ordering.h"

const struct ls_ordering ls_ordering_fifo = {
    .name = "fifo",
    .summary = "tasks in the order in which they were given",
    .reference = "none",
    .arrange = NULL,
};
