/* fibonacci.c: the smallest application: synthetic units of a chosen duration.
 *
 * It shows the whole interface: the words that both sides open it with, the units of each
 * iteration, the input of a range, computing a part of a range, merging results that each count
 * once.  Unit u computes the Fibonacci number F(u mod 90), again and again until its duration is
 * over, or with --work as many additions as the master makes in that time; with --check every range
 * answers the sum of its numbers, and the master compares the total with its own.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <loadstar.h>

#include "additions.h"
#include "durations.h"

struct fibonacci {
  struct durations durations;
  bool has_units; /* told by words */
  uint64_t iterations;
  bool is_checked, is_asleep, is_work;
  double additions_per_s; /* of the master; 0: not known yet */
  uint64_t sum;           /* of the results merged so far, modulo 2^64 */
  uint64_t merged;        /* units merged so far, in all iterations */
};

static uint64_t number(uint64_t unit) {
  return additions_make(unit % 90);
}

static double now_s(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static enum ls_status read_whole(const char *name, const char *text, uint64_t *value,
                                 struct ls_error *err) {
  char *end;
  errno = 0;
  unsigned long long number_read = strtoull(text, &end, 10);
  if (errno != 0 || end == text || *end != 0 || text[0] == '-') {
    return ls_fail(err, LS_EINVAL, "fibonacci: --%s is '%s', expected a whole number", name, text);
  }
  *value = number_read;
  return LS_OK;
}

static enum ls_status read_real(const char *name, const char *text, double *value,
                                struct ls_error *err) {
  char *end;
  double number_read = strtod(text, &end);
  if (end == text || *end != 0 || !(number_read >= 0) || !isfinite(number_read)) {
    return ls_fail(err, LS_EINVAL, "fibonacci: --%s is '%s', expected a number >= 0", name, text);
  }
  *value = number_read;
  return LS_OK;
}

static enum ls_status read_variation(const char *text, double *value, struct ls_error *err) {
  enum ls_status status = read_real("variation", text, value, err);
  if (status != LS_OK || *value <= 1) return status;
  return ls_fail(err, LS_EINVAL, "fibonacci: --variation is '%s', expected a number from 0 to 1",
                 text);
}

static enum ls_status read_word(void *context, int word, const char *text, struct ls_error *err) {
  struct fibonacci *state = context;
  struct durations *durations = &state->durations;
  switch (word) {
    case 'u':
      state->has_units = true;
      return read_whole("units", text, &durations->units, err);
    case 's':
      return read_real("seconds", text, &durations->seconds, err);
    case 'r':
      return read_real("ramp", text, &durations->ramp, err);
    case 'l':
      return durations_read_workload(text, &durations->workload, err);
    case 'a':
      return durations_read_list(text, durations, err);
    case 'v':
      return read_variation(text, &durations->variation, err);
    case 'e':
      return read_whole("seed", text, &durations->seed, err);
    case 'i':
      return read_whole("iterations", text, &state->iterations, err);
    case 'z':
      state->is_asleep = true;
      return LS_OK;
    case 'w':
      state->is_work = true;
      return LS_OK;
    default:
      state->is_checked = true;
      return LS_OK;
  }
}

static enum ls_status read_words(struct fibonacci *state, int argc, char **argv,
                                 struct ls_error *err) {
  static const struct option options[] = {
      {"units", required_argument, NULL, 'u'}, {"seconds", required_argument, NULL, 's'},
      {"ramp", required_argument, NULL, 'r'},  {"workload", required_argument, NULL, 'l'},
      {"each", required_argument, NULL, 'a'},  {"variation", required_argument, NULL, 'v'},
      {"seed", required_argument, NULL, 'e'},  {"iterations", required_argument, NULL, 'i'},
      {"check", no_argument, NULL, 'c'},       {"sleep", no_argument, NULL, 'z'},
      {"work", no_argument, NULL, 'w'},        {NULL, 0, NULL, 0}};
  struct ls_app_words words = {
      .application = "fibonacci", .options = options, .read = read_word, .context = state};
  enum ls_status status = ls_app_words_read(&words, argc, argv, err);
  if (status != LS_OK) return status;
  const struct durations *durations = &state->durations;
  if (state->is_asleep && state->is_work)
    return ls_fail(err, LS_EINVAL, "fibonacci: --sleep and --work exclude each other");
  bool has_workload = durations->workload.tasks > 0;
  if ((has_workload || durations->is_listed) &&
      (state->has_units || durations->seconds > 0 || durations->ramp > 0))
    return ls_fail(err, LS_EINVAL,
                   "fibonacci: --%s tells what --units, --seconds and --ramp would: give either",
                   has_workload ? "workload" : "each");
  if (has_workload && durations->is_listed)
    return ls_fail(err, LS_EINVAL, "fibonacci: --workload and --each exclude each other");
  return LS_OK;
}

static void close_fibonacci(void *context) {
  struct fibonacci *state = context;
  durations_close(&state->durations);
  free(state);
}

/* argv[0] is the name of the application, as in main. Both sides open it with the same words. */
static enum ls_status open_fibonacci(int argc, char **argv, void **out, struct ls_error *err) {
  struct fibonacci *state = calloc(1, sizeof *state);
  if (state == NULL) return ls_fail(err, LS_ENOMEM, "fibonacci: out of memory");
  state->durations.units = 100;
  state->iterations = 1;
  enum ls_status status = read_words(state, argc, argv, err);
  if (status == LS_OK) status = durations_open(&state->durations, err);
  if (status != LS_OK) {
    close_fibonacci(state);
    return status;
  }
  *out = state;
  return LS_OK;
}

/* Compares what was merged with what a serial program computes. */
static enum ls_status check_sum(const struct fibonacci *state, struct ls_error *err) {
  uint64_t expected = 0, units = state->durations.units;
  for (uint64_t unit = 0; unit < units; ++unit) expected += number(unit);
  expected *= state->iterations;
  if (state->sum != expected || state->merged != units * state->iterations) {
    return ls_fail(err, LS_ECORRUPT,
                   "fibonacci: the sum over %" PRIu64 " units is %" PRIu64 ", expected %" PRIu64,
                   state->merged, state->sum, expected);
  }
  (void)printf("%" PRIu64 " units, sum %" PRIu64 ", as computed serially\n", state->merged,
               state->sum);
  return LS_OK;
}

/* Asked when all units of the previous iteration have been merged. */
static enum ls_status count_units(void *context, uint32_t iteration, uint64_t *units,
                                  struct ls_error *err) {
  struct fibonacci *state = context;
  if (state->is_work && !(state->additions_per_s > 0)) state->additions_per_s = additions_measure();
  *units = iteration < state->iterations ? state->durations.units : 0;
  return *units == 0 && state->is_checked ? check_sum(state, err) : LS_OK;
}

/* How fast the master is: a worker that is slower needs longer for as many additions. */
static enum ls_status broadcast(void *context, uint32_t iteration, struct ls_bytes *bytes,
                                struct ls_error *err) {
  const struct fibonacci *state = context;
  (void)iteration, (void)err;
  ls_bytes_append(bytes, &state->additions_per_s, sizeof state->additions_per_s);
  return LS_OK;
}

static enum ls_status receive(void *context, uint32_t iteration, const struct ls_bytes *bytes,
                              struct ls_error *err) {
  struct fibonacci *state = context;
  (void)iteration;
  if (bytes->length != sizeof state->additions_per_s)
    return ls_fail(err, LS_ECORRUPT, "fibonacci: %zu bytes were broadcast, expected %zu",
                   bytes->length, sizeof state->additions_per_s);
  memcpy(&state->additions_per_s, bytes->data, sizeof state->additions_per_s);
  return LS_OK;
}

static enum ls_status merge(void *context, const struct ls_unit_result *result,
                            struct ls_error *err) {
  struct fibonacci *state = context;
  state->merged += result->units.count;
  if (!state->is_checked || result->outcome != LS_OUTCOME_DONE) return LS_OK;
  /* An output in memory; one of megabytes could stand in result->output.file instead. */
  if (result->output.length != sizeof(uint64_t) || result->output.data == NULL) {
    return ls_fail(err, LS_ECORRUPT, "fibonacci: unit %" PRIu64 " answered %zu bytes, expected %zu",
                   result->units.first + 1, result->output.length, sizeof(uint64_t));
  }
  uint64_t sum;
  memcpy(&sum, result->output.data, sizeof sum);
  state->sum += sum;
  return LS_OK;
}

/* The number is of no use, but must be computed. */
static void keep_busy(uint64_t unit) {
  volatile uint64_t sink = number(unit);
  (void)sink;
}

static void sleep_until(double until_s) {
  double whole_s = floor(until_s);
  struct timespec until = {(time_t)whole_s, (long)(1e9 * (until_s - whole_s))};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) continue;
}

static void work_for(const struct fibonacci *state, uint64_t unit, double seconds) {
  double until_s = now_s() + seconds;
  if (state->is_work) {
    (void)additions_make((uint64_t)(seconds * state->additions_per_s));
    return;
  }
  if (state->is_asleep) sleep_until(until_s);
  while (now_s() < until_s) keep_busy(unit);
}

/* Worker: any part of a packed range; the answer belongs to that part. */
static enum ls_status compute(void *context, const struct ls_work *work, struct ls_bytes *output,
                              struct ls_error *err) {
  struct fibonacci *state = context;
  struct ls_range units = work->units;
  (void)err;
  uint64_t sum = 0;
  for (uint64_t unit = units.first; unit < units.first + units.count; ++unit) {
    if (state->is_checked) sum += number(unit);
    double seconds = durations_find(&state->durations, work->iteration, unit);
    if (seconds > 0) work_for(state, unit, seconds);
  }
  if (state->is_checked) ls_bytes_append(output, &sum, sizeof sum);
  return LS_OK;
}

static const struct ls_app fibonacci = {
    .name = "fibonacci",
    .summary = "synthetic units of a chosen duration",
    .usage =
        "[--units N] [--seconds S] [--ramp R] | [--workload T,W,LARGE,SMALL,TOTAL] | [--each "
        "S,S,...], "
        "[--variation D] [--seed N] [--iterations K] [--check] [--sleep | --work]",
    .open = open_fibonacci,
    .close = close_fibonacci,
    .units = count_units,
    .broadcast = broadcast,
    .merge = merge,
    .receive = receive,
    .compute = compute,
};

int main(int argc, char **argv) {
  return ls_cli_main(argc, argv, &fibonacci);
}
