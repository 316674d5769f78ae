/* task_times_text.h: the times of tasks as others write them, each with its name.
 *
 * Every field of every line is checked; a refusal names file, line (in JSON: the path), field,
 * value and what was expected.  What is read is added to what was there; after a failure a part of
 * it may be.  Each call is one file.
 */
#ifndef LS_FORMATS_TASK_TIMES_TEXT_H
#define LS_FORMATS_TASK_TIMES_TEXT_H

#include "base/linkage.h"
#include "base/status.h"
#include "base/text.h"
#include "formats/task_times_table.h"

LS_C_BEGIN

typedef enum ls_status (*ls_task_times_reader_fn)(struct ls_task_times *times, struct ls_text text,
                                                  struct ls_error *err);

/* Columns by the heading: a name (name, task, test, command or file), perhaps seconds (seconds,
 * time or duration), perhaps size; others are passed over.  Without a heading: name, seconds and
 * perhaps size.  An empty time is none.  Lines that begin with # are comments. */
LS_CHECKED enum ls_status ls_task_times_read_csv(struct ls_task_times *times, struct ls_text text,
                                                 struct ls_error *err);
/* Does the line look like the heading of such a file? */
bool ls_task_times_is_csv(const char *line, size_t length);
/* --joblog of GNU parallel, or of loadstar run: the command is the name. */
LS_CHECKED enum ls_status ls_task_times_read_joblog(struct ls_task_times *times,
                                                    struct ls_text text, struct ls_error *err);
/* sacct --parsable2 with JobName (else JobID) and ElapsedRaw or Elapsed. Lines of steps
 * (1234.batch) say nothing. */
LS_CHECKED enum ls_status ls_task_times_read_sacct(struct ls_task_times *times, struct ls_text text,
                                                   struct ls_error *err);
/* JUnit's XML as pytest, meson and others write it: each testcase. With a file it is called as
 * pytest calls it (tests/test_a.py::Class::name), else classname::name; name alone where there is
 * no classname, or it is that of the suite or the beginning of one. */
LS_CHECKED enum ls_status ls_task_times_read_junit(struct ls_task_times *times, struct ls_text text,
                                                   struct ls_error *err);
/* pytest-split's .test_durations: an object of names and seconds; or, as it was once, a list of
 * pairs. */
LS_CHECKED enum ls_status ls_task_times_read_durations(struct ls_task_times *times,
                                                       struct ls_text text, struct ls_error *err);
/* A name on each line; with `has_sizes` a number, blanks or a tab, and the name, as du and wc write
 * them. Empty lines are passed over. */
LS_CHECKED enum ls_status ls_task_times_read_list(struct ls_task_times *times, struct ls_text text,
                                                  bool has_sizes, struct ls_error *err);

LS_C_END

#endif
