/* course_rows.h: what a journal records of a run's course, row by row, and the course that comes of
 * it.
 *
 * A master hands over what it hears, who came and what ended, as it goes; a reader hands over the
 * same from the rows of a journal.  Both come to the same course, to the last digit.
 */
#ifndef LS_RUNTIME_JOURNAL_PAST_COURSE_ROWS_H
#define LS_RUNTIME_JOURNAL_PAST_COURSE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range.h"
#include "base/status.h"
#include "model/run_course.h"
#include "runtime/journal/journal.h"
#include "runtime/journal/journal_packs.h"
#include "runtime/journal/past/send_times.h"

/* More of a decision than the course keeps. */
struct ls_course_sending {
  uint64_t event; /* that caused it */
  double time_s;
  bool is_pushed;
  bool is_idle; /* its worker had nothing left */
};

/* Starts as {.course.from_s = NAN}. */
struct ls_course_rows {
  struct ls_run_course course;        /* so far; its results are still to be joined */
  struct ls_course_sending *sendings; /* as course.sent */
  size_t sendings_capacity;
  uint64_t *ends; /* the event of each of course.ended */
  size_t ends_capacity;
  bool is_pushed; /* the session of what comes next follows a plan */
  struct ls_send_times times;
  /* For a master: the events that it heard, numbered as its journal does. */
  uint64_t event, next_event;
  struct ls_range result; /* of a RESULT whose row is still to come, taking this long */
  double result_s;
  bool has_result;
};

/* Who was there, before anything of it. LS_ECORRUPT: a number that no worker has; LS_ENOMEM. */
LS_CHECKED enum ls_status ls_course_rows_add_worker(struct ls_course_rows *rows,
                                                    const struct ls_journal_worker *worker);
/* What was sent, and what ended, each in the order of events. LS_ECORRUPT: to or from a worker that
 * never joined; LS_ENOMEM. */
LS_CHECKED enum ls_status ls_course_rows_add_decision(struct ls_course_rows *rows,
                                                      const struct ls_journal_decision *decision);
/* `result->event` 0: of the event that was heard last. */
LS_CHECKED enum ls_status ls_course_rows_add_end(struct ls_course_rows *rows,
                                                 const struct ls_journal_result *result);
/* An input has come to its worker. As above. */
LS_CHECKED enum ls_status ls_course_rows_add_transfer(struct ls_course_rows *rows,
                                                      const struct ls_journal_pack *transfer);
/* From an event of the present session, and the SENDs that it caused, to what sending took; its
 * workers are counted from `first_worker` on. As above. */
LS_CHECKED enum ls_status ls_course_rows_add_sends(struct ls_course_rows *rows,
                                                   uint32_t first_worker,
                                                   const struct ls_event *event,
                                                   const struct ls_actions *actions);
/* For a master: an event with its actions, before what ended by it: decisions and sends. */
LS_CHECKED enum ls_status ls_course_rows_hear(struct ls_course_rows *rows, uint32_t first_worker,
                                              const struct ls_event *event,
                                              const struct ls_actions *actions);
/* The course of all rows so far, which the caller closes; more may come. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_course_rows_copy(const struct ls_course_rows *rows,
                                              struct ls_run_course *course);
/* The same; the rows are closed in any case. */
LS_CHECKED enum ls_status ls_course_rows_finish(struct ls_course_rows *rows,
                                                struct ls_run_course *course);
void ls_course_rows_close(struct ls_course_rows *rows);

#endif
