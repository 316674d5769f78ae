/* errand.h: a program of somebody else's that is run for what it says, and waited for by nobody.
 *
 * Its output and error output come through pipes and are kept up to a limit; what hangs is killed
 * after a while.  One value is one program at a time.
 */
#ifndef LS_RUNTIME_OS_ERRAND_H
#define LS_RUNTIME_OS_ERRAND_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/status.h"
#include "runtime/os/process.h"

enum { LS_ERRAND_BYTES_MAX = 4 << 20 };

struct ls_errand {
  bool is_running;
  bool is_late; /* it was killed for that */
  struct ls_process process;
  int pipes[2];             /* of output and error output; -1: closed */
  struct ls_bytes texts[2]; /* kept until the next start; bounded */
  double began_s, until_s;
};

struct ls_errand_end {
  bool is_good; /* exit status 0, and in time */
  bool is_late;
  double began_s, cpu_s;
  struct ls_process_end process;
};

/* Starts as {.pipes = {-1, -1}}. */
#define LS_ERRAND_NONE ((struct ls_errand){.pipes = {-1, -1}})

/* `watch`: an epoll descriptor that becomes readable when there is something to attend to. LS_EIO,
 * LS_EBUSY: it does not run. */
LS_CHECKED enum ls_status ls_errand_start(struct ls_errand *errand, char *const *argv,
                                          double patience_s, int watch, struct ls_error *err);
/* Takes in what it said; true: it has ended, once. Never waits. */
bool ls_errand_attend(struct ls_errand *errand, struct ls_errand_end *end);
/* When to attend to it at the latest; HUGE_VAL: it does not run. */
double ls_errand_until_s(const struct ls_errand *errand);
/* Kills it, if it runs, and forgets what it said. */
void ls_errand_close(struct ls_errand *errand);

#endif
