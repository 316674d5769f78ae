/* report.h: timeline in, text out: the interface of the formats, one file each. */
#ifndef LS_REPORT_REPORT_H
#define LS_REPORT_REPORT_H

#include "base/bytes.h"
#include "model/account.h"
#include "model/places.h"
#include "model/plan.h"
#include "model/platform.h"
#include "model/sizing_course.h"
#include "model/timeline.h"
#include "model/waits.h"

/* Units of a run that have no result; texts are borrowed. */
struct ls_report_failure {
  uint64_t task, count;     /* the first one, counted from 1 */
  const char *end, *reason; /* how it ended; the first line of its error output, or "" */
};

struct ls_report_fact {
  const char *label, *value;
};

/* What is known of a run beside its timeline. */
struct ls_report_run {
  uint64_t units, done, failed, timed_out, abandoned; /* failed: also those that timed out */
  const struct ls_report_failure *failures;
  size_t failures_count;
  const char *repeat; /* the command that repeats what failed; NULL: none */
  const char *advice; /* lines on what to do next time; NULL: none */
  const struct ls_report_fact *facts;
  size_t facts_count;
  /* Appends the input of a task, if it is known. NULL: none is. */
  void (*describe)(void *context, uint64_t task, struct ls_bytes *out);
  void *context;
};

struct ls_report_options {
  const char *title; /* "" for none */
  bool has_tasks;    /* units are commands, which users call tasks */
  int columns;       /* width of text; 80 when 0 */
  int has_colour;    /* ANSI colours in text */
  int is_ascii;      /* no characters beyond ASCII in text */
  /* Of the tasks as one set: how many workers have the least EER, which numbers are nearly as
   * good.  0: not known. */
  size_t perfect_workers, ideal_from, ideal_to;
  bool is_running;                        /* the timeline ends when it was looked at */
  bool is_iterated;                       /* the tasks are of several sets, one after the other */
  const struct ls_account *account;       /* of the timeline; NULL: not shown */
  const struct ls_waits *waits;           /* of the account, by cause; NULL: not shown */
  const struct ls_report_run *run;        /* NULL: the timeline is of no run */
  const struct ls_comparison *comparison; /* with a prediction; NULL: there was none */
};

struct ls_report_format {
  const char *name, *summary;
  void (*write)(const struct ls_timeline *timeline, const struct ls_report_options *options,
                struct ls_bytes *out);
};

extern const struct ls_report_format ls_report_summary, ls_report_gantt, ls_report_svg,
    ls_report_csv, ls_report_trace, ls_report_html;
extern const struct ls_report_format *const ls_report_formats[]; /* NULL-terminated */

/* A replayed plan as text for people: makespan, certificate, what the algorithm chose, a table of
 * the workers; of a plan that is not applicable why. Its chart is that of ls_replay_timeline. */
void ls_report_plan(const struct ls_plan *plan, const struct ls_platform *platform,
                    const struct ls_report_options *options, struct ls_bytes *out);

/* Where the makespan went; nothing where nobody was there. */
void ls_report_account(const struct ls_account *account, struct ls_bytes *out);
/* Its waits by cause, where inputs travelled for long. */
void ls_report_waits(const struct ls_waits *waits, const struct ls_timeline *timeline,
                     struct ls_bytes *out);
/* How many workers there were, by pool and at moments of the run. The places are sorted. */
void ls_report_places(const struct ls_places *places, struct ls_bytes *out);
/* The workers of each iteration: wanted, granted, at work, and what they made of it; a drawing of
 * the first three. */
void ls_report_sizing(const struct ls_sizing_course *course, struct ls_bytes *out);
void ls_report_sizing_plot(const struct ls_sizing_course *course, const char *title,
                           struct ls_bytes *out);
/* The prediction, and where the difference went; the prediction alone while nothing happened. */
void ls_report_comparison(const struct ls_comparison *comparison, struct ls_bytes *out);

#endif
