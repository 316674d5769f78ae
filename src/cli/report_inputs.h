/* report_inputs.h: the inputs of a run's tasks, as its journal has them, for reports. */
#ifndef LS_CLI_REPORT_INPUTS_H
#define LS_CLI_REPORT_INPUTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "runtime/journal/journal.h"

/* Values of one source, each followed by a zero byte. */
struct ls_report_input_source {
  struct ls_bytes text;
  size_t *begins;
  size_t count, capacity;
  bool is_linked; /* goes along with the one before it */
};

/* Starts as {0}. No sources: nothing is known. */
struct ls_report_inputs {
  struct ls_report_input_source *sources;
  size_t count, capacity;
};

/* Of a run whose tasks are made of several inputs in another way than one for each source nothing
 * is known. */
LS_CHECKED enum ls_status ls_report_inputs_read(struct ls_journal *journal,
                                                struct ls_report_inputs *inputs,
                                                struct ls_error *err);
/* Appends the inputs of a task, counted from 1, with blanks between them; nothing where they are
 * not known. */
void ls_report_inputs_write(const struct ls_report_inputs *inputs, uint64_t task,
                            struct ls_bytes *out);
void ls_report_inputs_close(struct ls_report_inputs *inputs);

#endif
