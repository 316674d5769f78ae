/* size_advice.h: how many workers a run should have had, by what its tasks took.
 *
 * Its iterations are played again with 1, 2, ... workers, the fastest first, the largest tasks
 * first.  Every worker comes after the start-up of the run's pools, is lost as often as the run
 * lost workers, and is replaced after another start-up.  The perfect number has the least EER, the
 * ideal set at most 1.1 times of it (theory/eer.h).  Where workers have prices, the crew is told
 * that is cheapest within 1.1 of the best time (crews.h).
 */
#ifndef LS_ADVISE_SIZE_ADVICE_H
#define LS_ADVISE_SIZE_ADVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "model/task_log.h"

/* A slot in which somebody worked. */
struct ls_size_slot {
  uint32_t number;    /* in words */
  double speed;       /* as told; 0: by what its tasks took */
  double price_per_s; /* of a second */
};

struct ls_size_setup {
  const struct ls_task_log *log;
  const struct ls_size_slot *slots; /* as the log's */
  size_t slots_count;
  double start_up_s; /* from a request to its worker */
  double loss_rate;  /* losses per second and worker */
  uint64_t seed;
  uint64_t units_max; /* units that are played in all */
};

struct ls_size_advice {
  bool is_known; /* else there was nothing to play, or it is too much */
  size_t perfect, ideal_from, ideal_to;
  size_t most;                       /* so many were tried */
  double time_s, efficiency;         /* with the perfect number */
  double start_up_s, loss_rate, asp; /* asp: all seconds / the largest ones of the iterations */
  bool has_prices, is_complete;      /* is_complete: all crews were tried */
  uint32_t *cheapest;                /* numbers of slots, ascending; owned */
  size_t cheapest_count;
  double cheapest_time_s, cheapest_price;
};

/* The caller closes, also after a failure. LS_ENOMEM; LS_EINVAL: the simulator's refusal. */
LS_CHECKED enum ls_status ls_size_advise(const struct ls_size_setup *setup,
                                         struct ls_size_advice *advice, struct ls_error *err);
/* "8 workers (2.1 s, efficiency 83 %), ideal 7 to 9; ...": nothing where nothing is known. */
void ls_size_advice_describe(const struct ls_size_advice *advice, struct ls_bytes *out);
/* The same as an object of JSON; null. */
void ls_size_advice_write_json(const struct ls_size_advice *advice, struct ls_bytes *out);
void ls_size_advice_close(struct ls_size_advice *advice);

#endif
