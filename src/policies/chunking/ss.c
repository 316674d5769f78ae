/* ss.c: Self-Scheduling.
 *
 * Reference:  tang1986.
 * Assumes:    that asking is cheap beside a unit.
 * Answers:    1, always.
 * Cost:       O(1) per request, N requests.
 * Symbols:    none.
 */
#include "policies/chunking.h"

static size_t state_bytes(const struct ls_chunking_setup *setup) {
  (void)setup;
  return 0;
}

static enum ls_status init_nothing(void *state, const struct ls_chunking_setup *setup,
                                   struct ls_error *err) {
  (void)state;
  (void)setup;
  (void)err;
  return LS_OK;
}

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
    .state_bytes = state_bytes,
    .init = init_nothing,
    .next_units = give_one,
};
