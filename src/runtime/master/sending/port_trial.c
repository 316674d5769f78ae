#include "runtime/master/sending/port_trial.h"

#include <math.h>

/* Beside another one, so many times as long as alone: separate below, shared above. */
static const double SEPARATE = 1.25;

/* Where links were found to be shared, the next trial comes after so many transfers. */
enum { PAUSE_TRANSFERS = 32, MOST = 1 << 16 };

static void judge(struct ls_port_trial *trial) {
  double slower = trial->slower / (double)trial->samples;
  size_t most = trial->most > 0 ? trial->most : 1;
  trial->samples = 0;
  trial->slower = 0;
  if (slower <= SEPARATE) {
    if (most < MOST) trial->most = 2 * most;
    return;
  }
  trial->most = most > 1 ? most / 2 : 1;
  trial->pause = PAUSE_TRANSFERS;
}

/* Two are tried at once as soon as two are known alone. */
static void begin(struct ls_port_trial *trial) {
  if (trial->pause > 0) --trial->pause;
  if (trial->pause == 0 && trial->known >= 2 && trial->most < 2) trial->most = 2;
}

void ls_port_trial_end(struct ls_port_trial *trial, struct ls_port_alone *alone,
                       const struct ls_port_alone *transfer, size_t at_once) {
  if (at_once <= 1) {
    trial->known += alone->bytes == 0;
    *alone = *transfer;
  } else if (alone->bytes > 0 && alone->seconds > 0) {
    /* Of much less or more the latency would tell. */
    double more = (double)transfer->bytes / (double)alone->bytes;
    if (more >= 0.5 && more <= 2) {
      trial->slower += transfer->seconds / alone->seconds / more;
      ++trial->samples;
    }
    if (trial->most > 1 && trial->samples >= trial->most) judge(trial);
  }
  begin(trial);
}
