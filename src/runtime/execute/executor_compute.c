#include "runtime/execute/executor_private.h"

#include <stdint.h>
#include <time.h>

#include "runtime/os/clock.h"
#include "theory/speed.h"

static const double call_short_s = 0.010, call_long_s = 0.040;

enum { UNITS_MAX = 1 << 24 };

static void rest(double seconds) {
  struct timespec left = {.tv_sec = (time_t)seconds};
  left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
  while (nanosleep(&left, &left) != 0) continue;
}

/* What the application did of it, with the reason of a failure in words. */
static enum ls_outcome judge(const struct ls_executor_setup *setup, enum ls_status status,
                             const struct ls_error *err, struct ls_bytes *error_output) {
  if (status == LS_OK) return LS_OUTCOME_DONE;
  const char *reason = err->text[0] != '\0' ? err->text : ls_status_name(status);
  ls_bytes_printf(error_output, "%s: %s\n", setup->app->name, reason);
  return LS_OUTCOME_FAILED;
}

static enum ls_status check_memory(enum ls_status status, struct ls_bytes *output, const char *what,
                                   struct ls_error *err) {
  if (status == LS_OK && output->failed) {
    status = ls_fail(err, LS_ENOMEM, "out of memory for %s", what);
  }
  if (status != LS_OK) ls_bytes_clear(output);
  return status;
}

enum ls_outcome ls_receiving_run(const struct ls_executor_setup *setup, const struct ls_work *work,
                                 struct ls_bytes *error_output) {
  struct ls_error err = {.text = ""};
  /* It is only read. */
  const struct ls_bytes bytes = {.data = (char *)(uintptr_t)work->input, .length = work->length};
  enum ls_status status = setup->app->receive(setup->state, work->iteration, &bytes, &err);
  return judge(setup, status, &err, error_output);
}

enum ls_outcome ls_staging_run(const struct ls_executor_setup *setup, const struct ls_work *work,
                               struct ls_bytes *staged, struct ls_bytes *error_output,
                               double *seconds) {
  struct ls_error err = {.text = ""};
  double start_s = ls_clock_s();
  enum ls_status status = setup->app->stage(setup->state, work, staged, &err);
  status = check_memory(status, staged, "what was staged", &err);
  *seconds = ls_clock_s() - start_s;
  return judge(setup, status, &err, error_output);
}

double ls_computation_rest_s(const struct ls_executor_setup *setup, double start_s, double used_s) {
  struct ls_speed speed = {.factor = setup->speed};
  if (!(used_s > 0)) return 0;
  if (setup->load != NULL) {
    speed.pieces = setup->load->pieces;
    speed.count = setup->load->count;
  }
  if (speed.count == 0) return used_s * (1 / setup->speed - 1);
  double from_s = start_s - setup->load_from_s;
  double rest_s = ls_speed_end(&speed, from_s, used_s) - from_s - used_s;
  return rest_s > 0 ? rest_s : 0;
}

/* A clock that stands while the thread waits for a processor.  Where it has waited between the
 * two readings, they are not of one moment. */
static double read_undelayed_s(void) {
  double now_s = 0, delayed_s = 0, again_s = ls_clock_delayed_s();
  do {
    delayed_s = again_s;
    now_s = ls_clock_s();
    again_s = ls_clock_delayed_s();
  } while (again_s > delayed_s);
  return now_s - delayed_s;
}

enum ls_outcome ls_computation_run(const struct ls_executor_setup *setup,
                                   const struct ls_work *work, struct ls_bytes *output,
                                   struct ls_bytes *error_output, double *seconds) {
  struct ls_error err = {.text = ""};
  bool is_slowed = setup->speed < 1 || setup->load != NULL;
  double undelayed_s = is_slowed ? read_undelayed_s() : 0, start_s = ls_clock_s();
  enum ls_status status = setup->app->compute(setup->state, work, output, &err);
  status = check_memory(status, output, "the output", &err);
  if (is_slowed) {
    /* A slower machine would not wait longer for its processor because others are busy on ours. */
    double used_s = read_undelayed_s() - undelayed_s;
    rest(ls_computation_rest_s(setup, start_s, used_s));
  }
  *seconds = ls_clock_s() - start_s;
  return judge(setup, status, &err, error_output);
}

uint64_t ls_computation_adapt(uint64_t units_max, uint64_t units, double seconds) {
  if (seconds > call_long_s) {
    uint64_t half = (units < units_max ? units : units_max) / 2;
    return half > 1 ? half : 1;
  }
  bool is_telling = units >= units_max && seconds < call_short_s;
  return is_telling && units_max < UNITS_MAX ? 2 * units_max : units_max;
}

/* One call says nothing of its single units: each counts with the mean. */
struct ls_execution ls_computation_report(enum ls_outcome outcome, struct ls_range units,
                                          double seconds) {
  double count = (double)units.count;
  return (struct ls_execution){.outcome = (uint8_t)outcome,
                               .units = units,
                               .compute_s = seconds,
                               .squares = seconds * seconds / count,
                               .output_file = -1,
                               .error_file = -1};
}
