/* output_lines.h: lines of tasks that still run.
 *
 * Of each attempt that has written lines it is known how far they were shown, so that its result
 * adds the rest.  Lines of a task whose turn has not come wait in private files.
 */
#ifndef LS_CLI_RUN_OUTPUT_LINES_H
#define LS_CLI_RUN_OUTPUT_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "runtime/application.h"
#include "runtime/output/spool.h"

/* One attempt at a task. */
struct ls_live_attempt {
  struct ls_range units; /* of the task */
  uint64_t chunk;
  uint32_t slot;
  uint64_t shown[2];       /* bytes of each stream that were shown */
  struct ls_spool held[2]; /* behind those, and not shown */
};

/* Starts as {0}. */
struct ls_live_lines {
  struct ls_live_attempt *items;
  size_t count, capacity;
};

/* Shows bytes of an attempt, which are whole lines. */
typedef enum ls_status (*ls_live_show_fn)(void *context, const struct ls_live_attempt *attempt,
                                          uint8_t stream, const struct ls_output *lines,
                                          struct ls_error *err);
struct ls_live_show {
  ls_live_show_fn show;
  void *context;
};

/* A piece: shown, or held where it is not the task's turn. What was had before is skipped, a piece
 * behind a gap is left to the result. Fails as `show` does; LS_EIO, LS_ENOMEM. */
LS_CHECKED enum ls_status ls_live_lines_add(struct ls_live_lines *lines,
                                            const struct ls_unit_lines *piece, bool is_turn,
                                            const struct ls_live_show *show, struct ls_error *err);
/* The turn of a task has come: shows what is held of it. */
LS_CHECKED enum ls_status ls_live_lines_turn(struct ls_live_lines *lines, uint64_t unit,
                                             const struct ls_live_show *show, struct ls_error *err);
/* So many bytes of the attempt were shown. */
uint64_t ls_live_lines_shown(const struct ls_live_lines *lines, struct ls_range units,
                             uint64_t chunk, uint8_t stream);
/* The task has its result: nothing more is shown of its attempts. */
void ls_live_lines_forget(struct ls_live_lines *lines, uint64_t unit);
void ls_live_lines_close(struct ls_live_lines *lines);

#endif
