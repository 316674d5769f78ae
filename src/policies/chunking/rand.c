/* rand.c: Random chunk sizes (RAND).
 *
 * Reference:  ciorba2018.
 * Assumes:    nothing; a yardstick that every considered policy should beat.
 * Answers:    a uniform whole number within [ceil(N/(100 p)), ceil(N/(2 p))], seeded.
 * Cost:       O(1) per request.
 * Symbols:    N -> units, p -> members.places.
 */
#include <stdbool.h>

#include "base/random.h"
#include "policies/chunking.h"
#include "policies/chunking/members_private.h"
#include "policies/chunking/rounding_private.h"

struct rand_state {
  uint64_t units;
  struct ls_random random;
  struct ls_members members;
  bool is_member[];
};

static size_t state_bytes(const struct ls_chunking_setup *setup) {
  return sizeof(struct rand_state) + setup->workers_max * sizeof(bool);
}

static enum ls_status init_chance(void *memory, const struct ls_chunking_setup *setup,
                                  struct ls_error *err) {
  struct rand_state *state = memory;
  (void)err;
  state->units = setup->units;
  ls_random_init(&state->random, setup->seed, "rand");
  ls_members_init(&state->members, state->is_member, setup);
  return LS_OK;
}

static uint64_t draw_chunk(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct rand_state *state = memory;
  uint64_t workers = state->members.places;
  (void)view;
  (void)worker;
  uint64_t least = ls_units_max(ls_divide_up(state->units, 100 * workers), 1);
  uint64_t most = ls_units_max(ls_divide_up(state->units, 2 * workers), least);
  return least + ls_random_below(&state->random, most - least + 1);
}

static void on_worker(void *memory, const struct ls_chunking_view *view, uint32_t worker,
                      enum ls_chunking_change change, uint64_t units_back) {
  struct rand_state *state = memory;
  (void)view;
  (void)units_back;
  (void)ls_members_change(&state->members, state->is_member, worker, change);
}

const struct ls_chunking ls_chunking_rand = {
    .name = "rand",
    .summary = "random chunk sizes, between N/100p and N/2p",
    .reference = "Ciorba, Iwainsky, Buder 2018",
    .facts = LS_CHUNKING_SEED,
    .state_bytes = state_bytes,
    .init = init_chance,
    .next_units = draw_chunk,
    .on_worker = on_worker,
};
