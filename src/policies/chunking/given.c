/* given.c: chunks of given sizes.
 *
 * Reference:  none; a way for a caller that knows what belongs together (the inputs that fill a
 *             command line, the frames of a scene) to say so.
 * Assumes:    nothing; the sizes are of the units in their order.
 * Answers:    the sizes one after the other, to any worker that asks; after the last one, that one
 *             again; without sizes 1.  What came back, and what a worker had no room or time for,
 *             is served before, in chunks of at most the largest size.
 * Cost:       O(1) per request, 8 bytes a size.
 * Symbols:    none.
 */
#include "policies/chunking.h"
#include "policies/chunking/rounding.h"

static const struct ls_parameter given_parameters[] = {
    {"sizes", "of the chunks in units, in their order; the last one is also that of all others",
     LS_PARAMETER_LIST, 1, 1, 9007199254740992.0, NULL},
    {0}};

struct given_state {
  const uint64_t *sizes;
  size_t count, next; /* of the sizes */
  uint64_t largest;
  uint64_t expected; /* units that wait when all of the last answer was taken */
  uint64_t back;     /* of those that wait, what was handed out before */
  bool has_begun;
};

static enum ls_status init_sizes(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                 void **memory, struct ls_error *err) {
  const struct ls_argument_list *list =
      ls_arguments_list(&setup->arguments, given_parameters, "sizes");
  struct given_state *state = ls_arena_take(arena, sizeof *state);
  uint64_t *sizes = ls_arena_array(arena, NULL, list->count + 1, sizeof *sizes);
  if (state == NULL || sizes == NULL) return ls_chunking_no_memory(err);
  *state = (struct given_state){.sizes = sizes, .count = list->count, .largest = 1};
  sizes[list->count] = list->count > 0 ? ls_units_of(list->items[list->count - 1]) : 1;
  for (size_t i = 0; i < list->count; i++) {
    sizes[i] = ls_units_of(list->items[i]);
    state->largest = ls_units_max(state->largest, sizes[i]);
  }
  *memory = state;
  return LS_OK;
}

/* An answer may be cut, and units may come back without a word: the next view shows both. */
static uint64_t give_next(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct given_state *state = memory;
  uint64_t waiting = view->units_unassigned, units;
  (void)worker;
  if (state->has_begun && waiting > state->expected) state->back += waiting - state->expected;
  state->has_begun = true;
  if (state->back > 0) {
    units = ls_units_min(ls_units_min(state->back, state->largest), waiting);
    state->back -= units;
  } else {
    units = ls_units_min(state->sizes[state->next], waiting);
    if (state->next < state->count) state->next++;
  }
  state->expected = waiting - units;
  return units;
}

const struct ls_chunking ls_chunking_given = {
    .name = "given",
    .summary = "chunks of sizes that are given, one after the other, to any worker that asks",
    .reference = "none",
    .parameters = given_parameters,
    .init = init_sizes,
    .next_units = give_next,
};
