/* task_times_table.h: tasks by name, and how long each took, measured once or more often.
 *
 * Several files may tell of the same tasks: each time is one more measurement.  Within a file the
 * rule of `same_names` says what a name that comes again means.  A task that failed, or that a file
 * names without a time, is there with no measurement.
 */
#ifndef LS_FORMATS_TASK_TIMES_TABLE_H
#define LS_FORMATS_TASK_TIMES_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/linkage.h"
#include "base/status.h"
#include "base/text.h"

LS_C_BEGIN

/* Longer names are a slip. */
enum { LS_TASK_NAME_BYTES_MAX = 1 << 20 };
#define LS_TASK_SECONDS_MAX 1e15

enum ls_same_names {
  LS_SAME_NAMES_REFUSE, /* each name stands once in a file */
  LS_SAME_NAMES_MEAN,   /* more measurements of one task */
  LS_SAME_NAMES_EACH    /* tasks of their own; those of the next file are told apart by order */
};

struct ls_task_time {
  uint64_t digest; /* of the name */
  size_t name;     /* where it begins in `names`; a zero byte ends it */
  uint32_t length; /* bytes of the name */
  uint32_t same;   /* the next task of this name; UINT32_MAX: none */
  uint32_t latest; /* of the first of a name: the task of the name that was told last */
  uint32_t file;   /* that told of it last */
  uint32_t count;  /* measurements */
  double mean_s, squares;
  double size;   /* declared; 0 may be one */
  bool has_size; /* else none was */
};

/* A place of the hash table: the task, and bits of its digest, so that others are passed over here.
 */
struct ls_task_place {
  uint32_t task; /* + 1; 0: empty */
  uint32_t tag;
};

/* Starts as {0}, with `same_names` and `skips_bad`; owns everything. */
struct ls_task_times {
  enum ls_same_names same_names;
  bool skips_bad; /* lines of job logs that are refused are left out */
  struct ls_task_time *items;
  size_t count, capacity;
  struct ls_bytes names;
  struct ls_task_place *places; /* a hash table of the first task of each name */
  size_t places_count, names_count;
  uint32_t files;                /* so far */
  uint64_t failed;               /* tasks whose times said nothing */
  uint64_t skipped;              /* lines that were left out */
  struct ls_error first_skipped; /* why the first of them was */
  uint64_t nameless;             /* testcases without a name, which are left out */
  uint64_t fed;                  /* lines of tasks that were given data, which is not here */
  bool has_sizes;                /* some task has one */
};

/* What a line tells. */
struct ls_task_times_row {
  const char *name; /* borrowed; no zero, no newline within (refused) */
  size_t length;
  double seconds; /* NAN: not known */
  double size;    /* where has_size */
  bool has_size;
  const char *source, *where; /* "line 3", for messages */
};

/* The rows to come are of a further file. */
void ls_task_times_begin_file(struct ls_task_times *times);
/* LS_EINVAL: names source, place, and what is wrong; LS_ENOMEM. */
LS_CHECKED enum ls_status ls_task_times_add(struct ls_task_times *times,
                                            const struct ls_task_times_row *row,
                                            struct ls_error *err);
/* The first task of this name; SIZE_MAX: none. */
size_t ls_task_times_find(const struct ls_task_times *times, const char *name, size_t length);
/* Ended by a zero byte; borrowed until the next row. */
const char *ls_task_times_name(const struct ls_task_times *times, size_t task);
void ls_task_times_close(struct ls_task_times *times);

LS_C_END

#endif
