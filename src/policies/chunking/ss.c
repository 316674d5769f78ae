/* ss.c: Self-Scheduling.
 *
 * Reference:  tang1986.
 * Assumes:    that asking is cheap beside a unit.
 * Answers:    1, always.
 * Cost:       O(1) per request, N requests.
 * Symbols:    none.
 */
#include "policies/chunking.h"

static uint64_t give_one(void *state, const struct ls_chunking_view *view, uint32_t worker) {
  (void)state;
  (void)view;
  (void)worker;
  return 1;
}

const struct ls_chunking ls_chunking_ss = {
    .name = "ss",
    .summary = "self-scheduling: one unit for each request",
    .reference = "Tang, Yew 1986",
    .next_units = give_one,
};
