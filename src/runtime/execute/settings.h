/* settings.h: the settings that a master gives its workers on joining (text of WELCOME), as JSON.
 */
#ifndef LS_RUNTIME_EXECUTE_SETTINGS_H
#define LS_RUNTIME_EXECUTE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "coordinator/side_settings.h"
#include "model/outcome.h"
#include "protocol/bundle.h"
#include "runtime/execute/command_manners.h"
#include "runtime/files/sandbox.h"
#include "theory/load_pattern.h"

enum { LS_SETTINGS_LOAD_MAX = 100000 };

/* What is seen of a command before it has ended: nothing; that it has begun; whole lines, too; or
 * it writes to the worker's own standard output and error, and the worker keeps nothing; the same,
 * and it is told that it has begun. */
enum ls_showing {
  LS_SHOW_NOTHING,
  LS_SHOW_BEGINNINGS,
  LS_SHOW_LINES,
  LS_SHOW_DIRECTLY,
  LS_SHOW_DIRECTLY_TOLD
};

/* After which end of a unit the run may end: then a worker begins nothing more before the master
 * has judged it. */
enum ls_verdict { LS_VERDICT_NEVER, LS_VERDICT_FAILURE, LS_VERDICT_SUCCESS, LS_VERDICT_ALWAYS };

static inline bool ls_verdict_is_due(enum ls_verdict verdict, enum ls_outcome outcome) {
  if (verdict == LS_VERDICT_FAILURE) return ls_outcome_is_failure(outcome);
  if (verdict == LS_VERDICT_SUCCESS) return outcome == LS_OUTCOME_DONE;
  return verdict == LS_VERDICT_ALWAYS && outcome != LS_OUTCOME_CANCELLED;
}

struct ls_settings {
  char **words; /* of the application (its open gets them), NULL-terminated; owned */
  size_t words_count;
  uint32_t slot;                /* of this worker in its pool: 1, 2, ...; 0: not told */
  char *directory;              /* working directory of commands; owned; NULL: the worker's own */
  bool makes_directory;         /* where it is missing */
  struct ls_side_settings side; /* asking, prefetch, room, report_every, history */
  size_t stage_ahead;           /* calls of an application that are staged and not begun */
  double timeout_s;             /* of one unit; 0: none */
  double heartbeat_s;           /* the worker beats at least so often; the master pulses as often */
  double silence_s; /* after so long the worker connects anew; 0: 3 heartbeats and an answer */
  /* Shares of its speed that are left to the worker, from times on that are counted from its
   * welcome; owned; none: all. At most LS_SETTINGS_LOAD_MAX. */
  struct ls_load_course load;
  double start_up_s; /* that having a worker anew would take; negative: not known */
  /* Units run twice: an output that is of several cannot be divided when one of them has come from
   * elsewhere, so units are computed one by one. */
  bool has_replicas;
  bool computes_in_thread;       /* units of an application: not in a child */
  double speed;                  /* in (0, 1]; 0: the worker knows its own */
  uint64_t benchmark;            /* rounds (benchmark.h), whose time the worker tells; 0: none */
  bool is_synced;                /* what the application keeps is on the disk before it counts */
  enum ls_sandboxing sandboxing; /* of commands */
  bool has_files;                /* commands have inputs, which come from the master */
  struct ls_bundling bundling;   /* of tasks of several units */
  char *ending;                  /* how commands are ended (ending.h); owned; NULL: as ever */
  enum ls_showing showing;       /* what is seen of commands before they end */
  enum ls_verdict verdict;       /* of commands */
  uint64_t cache_bytes;          /* that a machine may keep of them; 0: a share of what is free */
  struct ls_command_manners manners; /* owned */
};

void ls_settings_write(const struct ls_settings *settings, struct ls_bytes *out);
LS_CHECKED enum ls_status ls_settings_read(struct ls_settings *settings, const void *text,
                                           size_t length, struct ls_error *err);
void ls_settings_close(struct ls_settings *settings);

#endif
