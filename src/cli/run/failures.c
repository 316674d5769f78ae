#include "cli/run/failures.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/console.h"

static bool is_before(const struct ls_unit_result *result, const struct ls_failure *failure) {
  if (result->iteration != failure->iteration) return result->iteration < failure->iteration;
  return result->units.first + 1 < failure->task;
}

/* The first ones by number are kept, in whatever order they come. NULL: it is none of them. */
static struct ls_failure *make_room(struct ls_failures *failures,
                                    const struct ls_unit_result *result) {
  size_t at = failures->count;
  while (at > 0 && is_before(result, &failures->first[at - 1])) at--;
  if (at == LS_FAILURES_SHOWN) return NULL;
  if (failures->count == LS_FAILURES_SHOWN) free(failures->first[--failures->count].input);
  memmove(&failures->first[at + 1], &failures->first[at],
          (failures->count - at) * sizeof failures->first[0]);
  failures->count++;
  return &failures->first[at];
}

struct ls_failure *ls_failures_note(struct ls_failures *failures,
                                    const struct ls_unit_result *result) {
  if (result->outcome == LS_OUTCOME_DONE) return NULL;
  failures->tasks += result->units.count;
  struct ls_failure *failure = make_room(failures, result);
  if (failure == NULL) return NULL;
  *failure = (struct ls_failure){.iteration = result->iteration,
                                 .task = result->units.first + 1,
                                 .tasks = result->units.count,
                                 .end = {.outcome = result->outcome,
                                         .has_timed_out = result->has_timed_out,
                                         .exit_code = result->exit_code,
                                         .signal = result->signal,
                                         .seconds = result->seconds,
                                         .compute_s = result->compute_s,
                                         .stage_s = result->stage_s}};
  ls_reason_read(&result->error_output, failure->reason);
  return failure;
}

static void write_failure(const struct ls_failure *failure, struct ls_bytes *out) {
  char shown[LS_REASON_BYTES];
  ls_bytes_printf(out, "task %llu", (unsigned long long)failure->task);
  if (failure->tasks > 1)
    ls_bytes_printf(out, " to %llu", (unsigned long long)(failure->task + failure->tasks - 1));
  if (failure->iteration > 0) ls_bytes_printf(out, " of iteration %u", failure->iteration);
  if (failure->input != NULL) {
    ls_console_show(failure->input, shown, 64);
    ls_bytes_printf(out, " (%s)", shown);
  }
  ls_bytes_append_text(out, ": ");
  ls_failure_end_write(&failure->end, out);
  if (failure->reason[0] != '\0') {
    ls_console_show(failure->reason, shown, sizeof shown);
    ls_bytes_printf(out, ": %s", shown);
  }
  ls_bytes_append_char(out, '\n');
}

void ls_failures_write(const struct ls_failures *failures, const char *repeat,
                       struct ls_bytes *out) {
  uint64_t shown = 0;
  for (size_t i = 0; i < failures->count; i++) {
    ls_bytes_append_text(out, i == 0 ? "failed     " : "           ");
    write_failure(&failures->first[i], out);
    shown += failures->first[i].tasks;
  }
  if (failures->tasks > shown)
    ls_bytes_printf(out, "           and %llu more\n",
                    (unsigned long long)(failures->tasks - shown));
  if (failures->tasks > 0 && repeat != NULL && repeat[0] != '\0')
    ls_bytes_printf(out, "repeat     %s\n", repeat);
}

static void write_failure_json(const struct ls_failure *failure, struct ls_bytes *out) {
  ls_bytes_printf(out, "{\"task\": %llu, \"tasks\": %llu, \"iteration\": %u, \"outcome\": ",
                  (unsigned long long)failure->task, (unsigned long long)failure->tasks,
                  failure->iteration);
  ls_json_write_string(out, ls_outcome_name(failure->end.outcome));
  if (failure->input != NULL) {
    ls_bytes_append_text(out, ", \"input\": ");
    ls_json_write_string(out, failure->input);
  }
  ls_bytes_printf(out, ", \"exit_code\": %d, \"signal\": %d, \"timed_out\": %s, \"seconds\": ",
                  failure->end.exit_code, failure->end.signal,
                  failure->end.has_timed_out ? "true" : "false");
  ls_json_write_number(out, failure->end.seconds);
  ls_bytes_append_text(out, ", \"stage_s\": ");
  ls_json_write_number(out, failure->end.stage_s);
  ls_bytes_append_text(out, ", \"reason\": ");
  ls_json_write_string(out, failure->reason);
  ls_bytes_append_char(out, '}');
}

void ls_failures_write_json(const struct ls_failures *failures, struct ls_bytes *out) {
  ls_bytes_append_text(out, ", \"failures\": [");
  for (size_t i = 0; i < failures->count; i++) {
    if (i > 0) ls_bytes_append_text(out, ", ");
    write_failure_json(&failures->first[i], out);
  }
  ls_bytes_append_char(out, ']');
}

void ls_failures_close(struct ls_failures *failures) {
  for (size_t i = 0; i < failures->count; i++) free(failures->first[i].input);
  *failures = (struct ls_failures){0};
}
