/* calibrate_slots.h: the workers of --probe: whose turn it is, and when what they ran ended.
 *
 * Whoever waits longest begins first. Everything that has ended is noticed in one pass, before and
 * after every start, so a time holds at most one start of somebody else beside the work.
 */
#ifndef LS_CLI_CALIBRATE_SLOTS_H
#define LS_CLI_CALIBRATE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum ls_probe_state { LS_PROBE_IDLE, LS_PROBE_BUSY, LS_PROBE_ENDED };

struct ls_probe_slot {
  enum ls_probe_state state;
  uint64_t turn; /* when it came to its state, among all */
  double size, begin_s, end_s;
  size_t number;   /* of the slot, from 0 */
  uint32_t worker; /* among the names */
};

struct ls_probe_slots {
  struct ls_probe_slot *items;
  size_t count;
  uint64_t turns;
};

/* What the slots are in: processes and a clock, or a test's. */
struct ls_probe_world {
  void *context;
  double (*now_s)(void *context);
  /* Has what it ran ended? */
  bool (*has_ended)(void *context, struct ls_probe_slot *slot);
  /* Starts the next measurement; `*is_started` stays false where there is none now. */
  enum ls_status (*start)(void *context, struct ls_probe_slot *slot, bool *is_started,
                          struct ls_error *err);
};

LS_CHECKED enum ls_status ls_probe_slots_open(struct ls_probe_slots *slots, size_t count,
                                              struct ls_error *err);
void ls_probe_slots_close(struct ls_probe_slots *slots);
size_t ls_probe_slots_in(const struct ls_probe_slots *slots, enum ls_probe_state state);
/* Notices all that have ended. */
void ls_probe_slots_reap(struct ls_probe_slots *slots, const struct ls_probe_world *world);
/* Lets idle ones begin as long as there is something to start. Forwards what `start` fails with. */
LS_CHECKED enum ls_status ls_probe_slots_fill(struct ls_probe_slots *slots,
                                              const struct ls_probe_world *world,
                                              struct ls_error *err);
/* The one that ended first, which is idle then; NULL: there is none. */
struct ls_probe_slot *ls_probe_slots_take(struct ls_probe_slots *slots);

#endif
