/* rand.c: Random chunk sizes (RAND).
 *
 * Reference:  ciorba2018.
 * Assumes:    nothing; a yardstick that every considered policy should beat.
 * Answers:    a uniform whole number within [ceil(N/(100 p)), ceil(N/(2 p))], seeded.
 * Cost:       O(1) per request.
 * Symbols:    N -> units, p -> slots.
 */
#include "base/random.h"
#include "policies/chunking.h"
#include "policies/chunking/rounding.h"

struct rand_state {
  struct ls_random random;
};

static enum ls_status init_chance(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                  void **memory, struct ls_error *err) {
  struct rand_state *state = ls_arena_take(arena, sizeof *state);
  if (state == NULL) return ls_chunking_no_memory(err);
  ls_random_init(&state->random, setup->seed, "rand");
  *memory = state;
  return LS_OK;
}

static uint64_t draw_chunk(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct rand_state *state = memory;
  uint64_t workers = view->slots;
  (void)worker;
  uint64_t least = ls_units_max(ls_divide_up(view->units, 100 * workers), 1);
  uint64_t most = ls_units_max(ls_divide_up(view->units, 2 * workers), least);
  return least + ls_random_below(&state->random, most - least + 1);
}

const struct ls_chunking ls_chunking_rand = {
    .name = "rand",
    .summary = "random chunk sizes, between N/100p and N/2p",
    .reference = "Ciorba, Iwainsky, Buder 2018",
    .facts = LS_CHUNKING_SEED,
    .init = init_chance,
    .next_units = draw_chunk,
};
