/* input_stream.h: input values that are read while the run goes on.
 *
 * Nothing waits: what has arrived is taken, up to a number of values that the caller bounds.
 * Each value is a task, or so many together are one, the last of which may have fewer; tasks are
 * numbered from 0.  Memory is bounded as value_store.h says, not by the length of the input.  With
 * a journal each value is there before it is handed out, and the first ones of a run that is
 * resumed must be those that it has.
 */
#ifndef LS_CLI_INPUT_STREAM_H
#define LS_CLI_INPUT_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/range.h"
#include "base/status.h"
#include "cli/run/input_form.h"
#include "runtime/journal/journal.h"

struct ls_input_stream;

/* How many bytes at the beginning of what has arrived are used, and the value that they make, which
 * is appended ("": none); 0 bytes: more are needed, or with `is_end` none are left. */
struct ls_input_cut {
  bool is_end; /* nothing more will arrive */
  size_t used;
  struct ls_bytes *value;
};

/* Makes values of what arrives in another way than line by line. */
struct ls_input_cutter {
  void *context;
  enum ls_status (*cut)(void *context, const struct ls_bytes *arrived, struct ls_input_cut *cut,
                        struct ls_error *err);
};

/* Reads from the descriptor, and closes it in the end, unless it is standard input; on failure,
 * too. The form (borrowed) says where values end, the last one may lack that. `name` (copied)
 * stands in messages.
 */
LS_CHECKED enum ls_status ls_input_stream_open(int file, const struct ls_input_form *form,
                                               const char *name, struct ls_input_stream **out,
                                               struct ls_error *err);
/* The same with values that the cutter (copied) makes. The journal has no more than the values, so
 * all that it knows are read again, and compared, as soon as it is there. */
LS_CHECKED enum ls_status ls_input_stream_open_cut(int file, const struct ls_input_cutter *cutter,
                                                   const char *name, struct ls_input_stream **out,
                                                   struct ls_error *err);
/* So many values make a task from here on: before any is read. */
void ls_input_stream_group(struct ls_input_stream *stream, uint64_t count);
/* Keeps the values in the journal from here on, those that came before, too; the journal is used
 * as long as values are asked for. When it has values they are the first ones: those that come are
 * compared with them. LS_EMISMATCH says which task differs, here or when it comes: also one that
 * had fewer values when the input ended. */
LS_CHECKED enum ls_status ls_input_stream_record(struct ls_input_stream *stream,
                                                 struct ls_journal *journal, struct ls_error *err);
/* Takes what has arrived, until `most` more values have come or the input has ended. LS_EINVAL: it
 * cannot be read, is a file that has shrunk since it was opened, or a value is too long, or holds a
 * zero byte and does not end with one (names the line). LS_EMISMATCH: a journal has other values,
 * or more. */
LS_CHECKED enum ls_status ls_input_stream_read(struct ls_input_stream *stream, uint64_t most,
                                               struct ls_error *err);
/* The same, and waits for more as long as `most` and the time allow. */
LS_CHECKED enum ls_status ls_input_stream_wait(struct ls_input_stream *stream, uint64_t most,
                                               double seconds, struct ls_error *err);
/* Tasks so far; those of the journal count before they have come. */
uint64_t ls_input_stream_count(const struct ls_input_stream *stream);
/* Have all that the journal had at first come, and are values kept there? */
bool ls_input_stream_is_known(const struct ls_input_stream *stream);
bool ls_input_stream_is_recorded(const struct ls_input_stream *stream);
/* No value will follow. */
bool ls_input_stream_is_ended(const struct ls_input_stream *stream);
/* Readable when there is more to read; -1: something has arrived that was not taken so far. */
int ls_input_stream_file(const struct ls_input_stream *stream);
/* The values of a task that was not released, NULL where the last one has fewer. Borrowed until the
 * next call. */
LS_CHECKED enum ls_status ls_input_stream_values(struct ls_input_stream *stream, uint64_t task,
                                                 const char **values, struct ls_error *err);
/* Tasks that nobody will ask for again; each once. */
void ls_input_stream_release(struct ls_input_stream *stream, struct ls_range tasks);
void ls_input_stream_close(struct ls_input_stream *stream); /* NULL is fine */

#endif
