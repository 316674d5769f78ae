/* fibonacci.c: the smallest application: synthetic units of a chosen duration.
 *
 * It shows the whole interface: the words that both sides open it with, the units of each
 * iteration, the input of a range, computing a part of a range, merging results that each count
 * once.  Unit u computes the Fibonacci number F(u mod 90), again and again until its duration is
 * over; with --check every range answers the sum of its numbers, and the master compares the total
 * with its own.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <loadstar.h>

struct fibonacci {
  uint64_t units;
  double seconds; /* of a unit */
  double ramp;    /* the last unit takes (1 + ramp) times the first */
  uint64_t iterations;
  bool is_checked, is_asleep;
  uint64_t sum;    /* of the results merged so far, modulo 2^64 */
  uint64_t merged; /* units merged so far, in all iterations */
};

static uint64_t number(uint64_t unit) {
  uint64_t first = 0, second = 1;
  for (uint64_t i = unit % 90; i > 0; --i) {
    uint64_t next = first + second;
    first = second;
    second = next;
  }
  return first;
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

static enum ls_status read_word(void *context, int word, const char *text, struct ls_error *err) {
  struct fibonacci *state = context;
  switch (word) {
    case 'u':
      return read_whole("units", text, &state->units, err);
    case 's':
      return read_real("seconds", text, &state->seconds, err);
    case 'r':
      return read_real("ramp", text, &state->ramp, err);
    case 'i':
      return read_whole("iterations", text, &state->iterations, err);
    case 'z':
      state->is_asleep = true;
      return LS_OK;
    default:
      state->is_checked = true;
      return LS_OK;
  }
}

static enum ls_status read_words(struct fibonacci *state, int argc, char **argv,
                                 struct ls_error *err) {
  static const struct option options[] = {{"units", required_argument, NULL, 'u'},
                                          {"seconds", required_argument, NULL, 's'},
                                          {"ramp", required_argument, NULL, 'r'},
                                          {"iterations", required_argument, NULL, 'i'},
                                          {"check", no_argument, NULL, 'c'},
                                          {"sleep", no_argument, NULL, 'z'},
                                          {NULL, 0, NULL, 0}};
  struct ls_app_words words = {
      .application = "fibonacci", .options = options, .read = read_word, .context = state};
  return ls_app_words_read(&words, argc, argv, err);
}

/* argv[0] is the name of the application, as in main. Both sides open it with the same words. */
static enum ls_status open_fibonacci(int argc, char **argv, void **out, struct ls_error *err) {
  struct fibonacci *state = calloc(1, sizeof *state);
  if (state == NULL) return ls_fail(err, LS_ENOMEM, "fibonacci: out of memory");
  state->units = 100;
  state->iterations = 1;
  enum ls_status status = read_words(state, argc, argv, err);
  if (status != LS_OK) {
    free(state);
    return status;
  }
  *out = state;
  return LS_OK;
}

static void close_fibonacci(void *context) {
  free(context);
}

/* Compares what was merged with what a serial program computes. */
static enum ls_status check_sum(const struct fibonacci *state, struct ls_error *err) {
  uint64_t expected = 0;
  for (uint64_t unit = 0; unit < state->units; ++unit) expected += number(unit);
  expected *= state->iterations;
  if (state->sum != expected || state->merged != state->units * state->iterations) {
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
  *units = iteration < state->iterations ? state->units : 0;
  return *units == 0 && state->is_checked ? check_sum(state, err) : LS_OK;
}

static enum ls_status merge(void *context, const struct ls_unit_result *result,
                            struct ls_error *err) {
  struct fibonacci *state = context;
  state->merged += result->units.count;
  if (!state->is_checked || result->outcome != LS_OUTCOME_DONE) return LS_OK;
  /* An output in memory; one of megabytes could stand in result->output.file instead. */
  if (result->output.length != sizeof(uint64_t) || result->output.data == NULL) {
    return ls_fail(err, LS_ECORRUPT, "fibonacci: unit %" PRIu64 " answered %zu bytes, expected %zu",
                   result->units.first, result->output.length, sizeof(uint64_t));
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

/* Worker: any part of a packed range; the answer belongs to that part. */
static enum ls_status compute(void *context, const struct ls_work *work, struct ls_bytes *output,
                              struct ls_error *err) {
  const struct fibonacci *state = context;
  struct ls_range units = work->units;
  (void)err;
  uint64_t sum = 0;
  for (uint64_t unit = units.first; unit < units.first + units.count; ++unit) {
    if (state->is_checked) sum += number(unit);
    if (!(state->seconds > 0)) continue;
    double share = state->units > 1 ? (double)unit / (double)(state->units - 1) : 0;
    double until_s = now_s() + state->seconds * (1 + state->ramp * share);
    if (state->is_asleep) sleep_until(until_s);
    while (now_s() < until_s) keep_busy(unit);
  }
  if (state->is_checked) ls_bytes_append(output, &sum, sizeof sum);
  return LS_OK;
}

static const struct ls_app fibonacci = {
    .name = "fibonacci",
    .summary = "synthetic units of a chosen duration",
    .usage = "[--units N] [--seconds S] [--ramp R] [--iterations K] [--check] [--sleep]",
    .open = open_fibonacci,
    .close = close_fibonacci,
    .units = count_units,
    .merge = merge,
    .compute = compute,
};

int main(int argc, char **argv) {
  return ls_cli_main(argc, argv, &fibonacci);
}
