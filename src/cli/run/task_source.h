/* task_source.h: the inputs of `loadstar run`: values, and how several sources make tasks.
 *
 * A source is a list of values (the words behind `:::`, the lines of a file or of standard input).
 * All values of all sources live in one arena, each followed by a zero byte, found by one 8-byte
 * offset; a combination of values costs no memory.  Sources form groups: the values of linked
 * sources go side by side, groups are combined, the last one varying fastest.
 *
 * What is left out by a choice ({uniq}) is no task and has no number.
 *
 * The values of the first source may be hosts, each of which gets all tasks: commands do not see
 * them.
 *
 * A source that stands alone may be a stream instead: its values become known while the run goes
 * on, and those of tasks that are done are forgotten.
 */
#ifndef LS_CLI_TASK_SOURCE_H
#define LS_CLI_TASK_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/range.h"
#include "base/status.h"
#include "cli/run/input_form.h"
#include "cli/run/input_stream.h"
#include "cli/run/row.h"
#include "cli/run/task_choice.h"
#include "runtime/journal/journal.h"

struct ls_value_list {
  size_t first, count; /* into the offsets */
  bool is_linked;      /* to the source before it, by `:::+` */
  bool has_header;     /* the value before the first one is no input, but the source's name */
};

struct ls_task_source {
  struct ls_bytes arena;
  uint64_t *offsets;
  size_t offsets_count, offsets_capacity;
  struct ls_value_list *lists;
  size_t lists_count, lists_capacity;
  bool has_hosts;                   /* the first source: places, and not for the command */
  bool is_all_linked;               /* --link: one group, shorter sources start again */
  bool has_read_input;              /* standard input can be read once */
  bool has_header;                  /* --header: the first value of each source is its name */
  bool has_ended;                   /* the present source: by --eof */
  const struct ls_input_form *form; /* NULL: lines */
  const struct ls_row_form *rows;   /* NULL: each input is a value */
  struct ls_task_choice choice;
  uint64_t inputs_per_task; /* of each task but the last; 0: tasks have one. Of a stream: given
                               before it is added */
  bool is_open;             /* more inputs may follow: the last ones make no task if they are
                               fewer than it has */
  uint64_t inputs;          /* then: the tasks that there would be with one */
  uint64_t tasks;           /* by ls_task_source_finish; of a stream: so far */
  struct ls_input_stream *stream; /* NULL: all values are known */
};

/* The words before sources; {0}: `:::` and `::::`. Borrowed. */
struct ls_source_marks {
  const char *values, *files;
};

/* Starts as {0}. Adds a source made of words. */
LS_CHECKED enum ls_status ls_task_source_add_words(struct ls_task_source *source,
                                                   char *const *words, size_t count, bool is_linked,
                                                   struct ls_error *err);
/* Adds a value to the last source. */
LS_CHECKED enum ls_status ls_task_source_add_value(struct ls_task_source *source, const char *text,
                                                   struct ls_error *err);
/* Adds a source made of the lines of a file; "-": of standard input. LS_EINVAL: it cannot be read,
 * or a line holds a zero byte (names the line). */
LS_CHECKED enum ls_status ls_task_source_add_file(struct ls_task_source *source, const char *path,
                                                  bool is_linked, struct ls_error *err);
/* Adds the sources that words name: ::: a b :::: file :::+ c d ::::+ file. */
LS_CHECKED enum ls_status ls_task_source_add_marked(struct ls_task_source *source,
                                                    char *const *words, size_t count,
                                                    const struct ls_source_marks *marks,
                                                    struct ls_error *err);
/* Adds values that a journal has kept; of a source behind the last one: also that source. */
LS_CHECKED enum ls_status ls_task_source_add_recorded(struct ls_task_source *source,
                                                      const struct ls_journal_inputs *inputs,
                                                      struct ls_error *err);
/* The only source: values that are read from a descriptor as they come; it is closed in the end,
 * unless it is standard input. `name` stands in messages. */
LS_CHECKED enum ls_status ls_task_source_add_stream(struct ls_task_source *source, int file,
                                                    const char *name, struct ls_error *err);
/* The same with values that the cutter makes of what is read. */
LS_CHECKED enum ls_status ls_task_source_add_cut(struct ls_task_source *source, int file,
                                                 const struct ls_input_cutter *cutter,
                                                 const char *name, struct ls_error *err);
/* Is the word one of the four marks? */
bool ls_task_source_is_mark(const char *word, const struct ls_source_marks *marks);
/* Takes the headers off, chooses, and counts the tasks: LS_EINVAL when there are too many to
 * number. */
LS_CHECKED enum ls_status ls_task_source_finish(struct ls_task_source *source,
                                                struct ls_error *err);
/* Makes tasks of `count` >= 1 inputs each, behind ls_task_source_finish; no stream. */
void ls_task_source_group(struct ls_task_source *source, uint64_t count);
/* How many values a task has. */
size_t ls_task_source_values_count(const struct ls_task_source *source);
/* ... of which it is told to the user: without its host. */
size_t ls_task_source_columns(const struct ls_task_source *source);
/* The values of task `task` < tasks, one per source, into `values`; those of its inputs one after
 * the other, NULL where the last task has fewer;
 * borrowed, of a stream until the next call, which may fail as ls_value_store_read does. */
LS_CHECKED enum ls_status ls_task_source_values(const struct ls_task_source *source, uint64_t task,
                                                const char **values, struct ls_error *err);
/* The values of a combination, of all there are: what is left out has some, too. */
void ls_task_source_combine(const struct ls_task_source *source, uint64_t combination,
                            const char **values);
/* The name of a source, from 0, of those that are shown; NULL: it has none. */
const char *ls_task_source_header(const struct ls_task_source *source, size_t index);
/* How many sources the command sees, and its number of the task, from 1: on each host the same. */
size_t ls_task_source_shown(const struct ls_task_source *source);
uint64_t ls_task_source_tasks(const struct ls_task_source *source); /* of one host */
uint64_t ls_task_source_sequence(const struct ls_task_source *source, uint64_t task);
/* Nobody will ask for the values of these tasks again. */
void ls_task_source_release(struct ls_task_source *source, struct ls_range tasks);
/* 64-bit FNV-1a over all values and how they are combined. No stream has one. */
uint64_t ls_task_source_digest(const struct ls_task_source *source);
void ls_task_source_close(struct ls_task_source *source);

#endif
