#include "advise/past_run.h"

#include <stdlib.h>

/* Fewer units say more about themselves than about the worker that did them. */
enum { SLOT_UNITS_LEAST = 5 };

void ls_run_history_close(struct ls_run_history *history) {
  free(history->lessons);
  free(history->slots);
  free(history->shares);
  free(history->hosts);
  *history = (struct ls_run_history){0};
}

bool ls_run_history_tells(const struct ls_run_history *history, size_t slot) {
  if (slot >= history->slots_count) return false;
  const struct ls_run_slot *known = &history->slots[slot];
  return known->units >= SLOT_UNITS_LEAST && known->seconds > 0;
}

double ls_run_history_slot(const struct ls_run_history *history, size_t slot) {
  if (!ls_run_history_tells(history, slot)) return history->mean_seconds;
  return history->slots[slot].seconds / (double)history->slots[slot].units;
}
