/* output_files.h: the outputs of a unit that are files, at the master, as they arrive. */
#ifndef LS_RUNTIME_OUTPUT_OUTPUT_FILES_H
#define LS_RUNTIME_OUTPUT_OUTPUT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "protocol/message.h"
#include "runtime/output/spool.h"

/* One of them, whole. */
struct ls_output_file {
  int file; /* -1: nothing was written */
  uint32_t mode;
  bool is_there; /* else the task has not made it */
};

/* Where they go. Failures end the run, which can be resumed. */
struct ls_output_target {
  /* A file without a name, beside the place of an output of a unit; -1: `err` says why
   * (LS_ECORRUPT: there is no such unit, or output). */
  int (*open)(void *context, uint64_t unit, size_t index, struct ls_error *err);
  /* The outputs of a unit that is about to be settled, the first `count` of them: they get names,
   * beside their places, so that they survive this process; what an earlier one has left there of
   * the unit goes. Their places are taken when the result is merged. */
  enum ls_status (*keep)(void *context, uint64_t unit, const struct ls_output_file *files,
                         size_t count, struct ls_error *err);
  void *context;
};

/* Those of the unit whose pieces arrive now. Starts as {0}. */
struct ls_output_files {
  struct ls_spool *spools;
  size_t count, capacity;
};

/* A piece of one; it is none that follows (LS_ECORRUPT), or cannot be written (LS_EIO). `err` is
 * not NULL. */
LS_CHECKED enum ls_status ls_output_files_add(struct ls_output_files *files,
                                              const struct ls_output_target *target,
                                              const struct ls_message *piece, struct ls_error *err);
/* Are all there that the result tells of, and no others? */
bool ls_output_files_are_whole(const struct ls_output_files *files,
                               const struct ls_message *result);
/* Those of the result get their names. */
LS_CHECKED enum ls_status ls_output_files_keep(struct ls_output_files *files,
                                               const struct ls_output_target *target,
                                               const struct ls_message *result,
                                               struct ls_error *err);
/* Forgets what has arrived. */
void ls_output_files_drop(struct ls_output_files *files);
void ls_output_files_close(struct ls_output_files *files);

#endif
