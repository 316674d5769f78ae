/* halt.h: when does a run end before its tasks do?  `--halt WHEN,WHY=VALUE`. */
#ifndef LS_CLI_HALT_H
#define LS_CLI_HALT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "runtime/master/master.h"

enum ls_halt_reason { LS_HALT_NEVER, LS_HALT_FAIL, LS_HALT_SUCCESS, LS_HALT_DONE };

struct ls_halt {
  enum ls_halt_reason reason;
  bool is_hard;   /* "now": stop what runs; "soon": let it finish */
  double percent; /* of all tasks; 0: `count` says it */
  uint64_t count;
};

/* Reads "never", "soon,fail=3", "now,success=1", "soon,fail=10%", "now,done=50%". */
LS_CHECKED enum ls_status ls_halt_parse(struct ls_halt *halt, const char *text,
                                        struct ls_error *err);
/* The rule's answer when of `units` tasks so many succeeded and failed. */
enum ls_master_wish ls_halt_wish(const struct ls_halt *halt, uint64_t units, uint64_t succeeded,
                                 uint64_t failed);
/* Which ends of tasks may change that answer. */
enum ls_verdict ls_halt_verdict(const struct ls_halt *halt);

#endif
