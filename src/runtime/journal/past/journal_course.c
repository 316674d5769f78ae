#include "runtime/journal/past/journal_course.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "runtime/journal/past/course_rows.h"

/* The policy that pushes: nobody asks. */
static const char PUSHED[] = "follow-plan";

/* What is read, and the sessions that it is of. */
struct reader {
  struct ls_course_rows rows;
  struct session {
    uint64_t first_event;
    uint32_t first_worker;
    bool is_pushed;
  } * sessions; /* in their order */
  size_t sessions_count, sessions_capacity;
  size_t session; /* the present one */
};

static enum ls_status on_session(void *context, const struct ls_journal_start *start) {
  struct reader *reader = context;
  void *sessions = reader->sessions;
  enum ls_status status = ls_array_reserve(&sessions, &reader->sessions_capacity,
                                           reader->sessions_count + 1, sizeof *reader->sessions);
  reader->sessions = sessions;
  if (status != LS_OK) return status;
  reader->sessions[reader->sessions_count++] =
      (struct session){.first_event = start->first_event,
                       .first_worker = start->first_worker,
                       .is_pushed = strcmp(start->policy, PUSHED) == 0};
  return LS_OK;
}

static enum ls_status on_worker(void *context, const struct ls_journal_worker *worker) {
  struct reader *reader = context;
  return ls_course_rows_add_worker(&reader->rows, worker);
}

static void turn_to(struct reader *reader, size_t session) {
  reader->session = session;
  reader->rows.is_pushed = session < reader->sessions_count && reader->sessions[session].is_pushed;
}

static enum ls_status on_decision(void *context, const struct ls_journal_decision *decision) {
  struct reader *reader = context;
  size_t next = reader->session + 1;
  while (next < reader->sessions_count && reader->sessions[next].first_event <= decision->event)
    next++;
  turn_to(reader, next - 1);
  return ls_course_rows_add_decision(&reader->rows, decision);
}

static enum ls_status on_end(void *context, const struct ls_journal_result *result) {
  struct reader *reader = context;
  return ls_course_rows_add_end(&reader->rows, result);
}

static enum ls_status on_event(void *context, const struct ls_event *event,
                               const struct ls_actions *sends) {
  struct reader *reader = context;
  const struct session *session = &reader->sessions[reader->session];
  return ls_course_rows_add_sends(&reader->rows, session->first_worker, event, sends);
}

static enum ls_status on_transfer(void *context, const struct ls_journal_pack *transfer) {
  struct reader *reader = context;
  return ls_course_rows_add_transfer(&reader->rows, transfer);
}

/* Only where chunks were pushed the events tell more than decisions and results do. */
static enum ls_status read_events(struct ls_journal *journal, struct reader *reader,
                                  struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < reader->sessions_count && status == LS_OK; i++) {
    turn_to(reader, i);
    if (!reader->rows.is_pushed) continue;
    ls_send_times_close(&reader->rows.times);
    reader->rows.times.iteration_first = reader->rows.course.sends_count;
    status = ls_journal_each_event(journal, (uint32_t)i, on_event, reader, err);
  }
  return status;
}

static enum ls_status read_rows(struct ls_journal *journal, struct reader *reader,
                                struct ls_error *err) {
  uint64_t row = 0;
  enum ls_status status = ls_journal_each_session(journal, on_session, reader, err);
  turn_to(reader, 0);
  if (status == LS_OK) status = ls_journal_each_worker(journal, on_worker, reader, err);
  if (status == LS_OK) status = ls_journal_each_timed_decision(journal, on_decision, reader, err);
  if (status == LS_OK) status = ls_journal_each_end(journal, &row, on_end, reader, err);
  if (status == LS_OK) status = ls_journal_each_transfer(journal, on_transfer, reader, err);
  return status == LS_OK ? read_events(journal, reader, err) : status;
}

enum ls_status ls_journal_course(struct ls_journal *journal, struct ls_run_course *course,
                                 struct ls_error *err) {
  struct ls_error failure = {0};
  struct reader reader = {.rows = {.course = {.from_s = (double)NAN}}};
  enum ls_status status = read_rows(journal, &reader, &failure);
  if (status == LS_OK)
    status = ls_course_rows_finish(&reader.rows, course);
  else
    ls_course_rows_close(&reader.rows);
  free(reader.sessions);
  if (status == LS_OK) return LS_OK;
  if (failure.text[0] != '\0') return ls_fail(err, status, "%s", failure.text);
  return ls_fail(
      err, status, "%s: %s", ls_journal_path(journal),
      status == LS_ENOMEM ? "no memory for its results" : "a row is of a worker that never joined");
}

enum ls_status ls_journal_course_read(const char *path, struct ls_run_course *course,
                                      struct ls_error *err) {
  struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_READ};
  struct ls_journal *journal = NULL;
  enum ls_status status = ls_journal_open(&request, &journal, err);
  if (status == LS_OK) status = ls_journal_course(journal, course, err);
  ls_journal_close(journal);
  return status;
}

enum ls_status ls_journal_measure(const char *path, struct ls_measurements *measurements,
                                  uint64_t *failed, struct ls_error *err) {
  struct ls_run_course course;
  size_t before = measurements->count;
  enum ls_status status = ls_journal_course_read(path, &course, err);
  if (status != LS_OK) return status;
  status = ls_run_course_measure(&course, measurements, failed, err);
  ls_run_course_close(&course);
  if (status == LS_OK && measurements->count == before)
    return ls_fail(err, LS_EINVAL, "%s: no chunk of this run was computed without a failure", path);
  return status;
}
