/* calibrate_probe.h: --probe: measures a command, or an application's units, at sizes of its own
 * choice, on local workers.
 *
 * Sizes first climb from the least on, alone, as far as the time allows; what they take is not
 * counted, since nothing is warm yet.  Then every worker measures sizes that leave the least
 * variance of the law so far, batch after batch, each in random order, until the time is over;
 * nothing is started that would last longer.  The law is learnt anew when there are half as many
 * measurements again, and while nobody is measured.
 */
#ifndef LS_CLI_CALIBRATE_PROBE_H
#define LS_CLI_CALIBRATE_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "calibrate/next_size.h"
#include "model/measurement.h"
#include "runtime/application.h"

struct ls_probe_setup {
  const struct ls_app *app; /* whose units are measured; NULL: the words are a command */
  const char *const *words; /* of the command, one holds {}; or of the application */
  size_t words_count;
  struct ls_size_range sizes;    /* whole */
  double seconds;                /* in all, > 0 */
  size_t workers;                /* at once, >= 1 */
  uint64_t measurements_most;    /* 0: as many as the time allows */
  uint64_t seed;                 /* of the order */
  const _Atomic int *interrupts; /* not 0: stop now; NULL: none */
};

/* Adds measurements of compute by workers local-1, local-2, ...; of an application also of staging,
 * and of packing as the master's prepare. LS_EINVAL: the command has no {}, or what was measured
 * failed (its size and its end are told), or the time is too short for a single measurement;
 * LS_EIO: it cannot be started; LS_EINTERRUPTED. */
LS_CHECKED enum ls_status ls_probe_run(const struct ls_probe_setup *setup,
                                       struct ls_measurements *measurements, struct ls_error *err);

#endif
