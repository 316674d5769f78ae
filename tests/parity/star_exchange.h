/* star_exchange.h: plans as text for a foreign player (simgrid_player.c), and its answers. */
#ifndef LS_TESTS_PARITY_STAR_EXCHANGE_H
#define LS_TESTS_PARITY_STAR_EXCHANGE_H

#include <stddef.h>
#include <stdio.h>

#include "model/plan.h"
#include "model/platform.h"

struct star_answer {
  double makespan_s; /* simulated */
  double run_s;      /* wall time of the simulation alone */
};

/* Writes one plan. The platform has transfer, delay and compute costs only. */
void star_write(FILE *out, const struct ls_platform *platform, const struct ls_plan *plan);
/* Runs `player` on the text in `file` and reads `count` answers; how many there were. */
size_t star_play(const char *player, const char *file, struct star_answer *answers, size_t count);

#endif
