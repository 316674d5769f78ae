/* probe_subject.h: what --probe measures: a command whose size is one of its words, or the units of
 * an application.
 *
 * One measurement at a time runs in each slot.  A command takes from its start to its end as the
 * master sees it; an application's units, in a process of their own, what they take by its own
 * clock: computing, staging, and at the master packing their input.
 */
#ifndef LS_CLI_CALIBRATE_PROBE_SUBJECT_H
#define LS_CLI_CALIBRATE_PROBE_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "base/status.h"
#include "cli/calibrate/calibrate_slots.h"
#include "model/measurement.h"
#include "runtime/application.h"
#include "runtime/execute/executor.h"
#include "runtime/os/process.h"

struct ls_probe_subject_kind;

struct ls_probe_subject {
  const struct ls_probe_subject_kind *kind;
  const char *name; /* for messages */
  double size_most; /* no measurement can be larger; INFINITY: no limit is known */
  size_t slots;
  /* of a command */
  const char *const *words; /* one holds {} */
  size_t words_count;
  int null_file;
  struct ls_process *processes; /* by slot */
  struct ls_process_end *ends;
  /* of an application */
  const struct ls_app *app;
  void *state; /* NULL: it is not open */
  bool is_open;
  const struct ls_executor_kind *executor;
  struct ls_probe_job *jobs; /* by slot */
  struct ls_bytes broadcast;
  struct ls_random random; /* which units */
};

struct ls_probe_subject_kind {
  enum ls_status (*start)(struct ls_probe_subject *subject, struct ls_probe_slot *slot,
                          struct ls_error *err);
  /* Has the measurement in this slot ended? */
  bool (*has_ended)(struct ls_probe_subject *subject, const struct ls_probe_slot *slot);
  /* Readable when it has; -1: ask by time. */
  int (*file)(const struct ls_probe_subject *subject, const struct ls_probe_slot *slot);
  /* Adds what has ended; it fails when that did, with its size and its end in words. */
  enum ls_status (*take)(struct ls_probe_subject *subject, const struct ls_probe_slot *slot,
                         struct ls_measurements *measurements, struct ls_error *err);
  /* Stops what runs there. */
  void (*stop)(struct ls_probe_subject *subject, const struct ls_probe_slot *slot);
  void (*close)(struct ls_probe_subject *subject);
};

/* What to measure, and on how many slots. Borrowed while the subject lives. */
struct ls_probe_target {
  const struct ls_app *app; /* NULL: the words are a command */
  const char *const *words; /* of the application: its own, as behind -- */
  size_t words_count;
  size_t slots;
  uint64_t seed;
};

/* LS_EINVAL: no word of the command has {}; the application refuses its words, has no unit, or its
 * units are commands. The caller closes it when this succeeds. */
LS_CHECKED enum ls_status ls_probe_subject_open(const struct ls_probe_target *target,
                                                struct ls_probe_subject *subject,
                                                struct ls_error *err);
void ls_probe_subject_close(struct ls_probe_subject *subject);

/* probe_command.c and probe_app.c. */
LS_CHECKED enum ls_status ls_probe_command_open(const struct ls_probe_target *target,
                                                struct ls_probe_subject *subject,
                                                struct ls_error *err);
LS_CHECKED enum ls_status ls_probe_app_open(const struct ls_probe_target *target,
                                            struct ls_probe_subject *subject, struct ls_error *err);

#endif
