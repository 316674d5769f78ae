/* star_load.c: units of known bytes and known seconds, for runs over links of known rates.
 *
 * Usage: star_load run ... -- [--units N] [--bytes B] [--results B] [--fixed S] [--seconds S]
 * The input of a unit is B bytes that its number tells, its result so many others; a chunk of n
 * units takes (fixed + n * seconds) times STAR_FACTOR of the worker's environment, and twice that
 * from STAR_SLOW seconds behind its first unit on.  A byte that is wrong, a unit that is missing or
 * comes twice fails the run.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "loadstar.h"

struct load {
  uint64_t units;
  size_t bytes, results;
  double fixed_s, seconds;
  unsigned char *is_done; /* by unit */
};

static double read_number(const char *word) {
  char *end;
  double value = strtod(word, &end);
  return *end == '\0' && value >= 0 ? value : -1;
}

static enum ls_status read_words(int argc, char **argv, struct load *load, struct ls_error *err) {
  static const char *const names[] = {"--units", "--bytes", "--results", "--fixed", "--seconds"};
  double values[] = {100, 1000, 0, 0, 0.01};
  for (int i = 1; i < argc; i += 2) {
    size_t at = 0;
    while (at < 5 && strcmp(argv[i], names[at]) != 0) at++;
    if (at == 5 || i + 1 == argc || read_number(argv[i + 1]) < 0)
      return ls_fail(err, LS_EINVAL, "'%s' is no option with a number", argv[i]);
    values[at] = read_number(argv[i + 1]);
  }
  *load = (struct load){.units = (uint64_t)values[0],
                        .bytes = (size_t)values[1],
                        .results = (size_t)values[2],
                        .fixed_s = values[3],
                        .seconds = values[4]};
  return LS_OK;
}

static enum ls_status open_load(int argc, char **argv, void **state, struct ls_error *err) {
  struct load *load = calloc(1, sizeof *load);
  enum ls_status status = LS_ENOMEM;
  if (load != NULL) status = read_words(argc, argv, load, err);
  if (status == LS_OK) load->is_done = calloc(load->units + 1, 1);
  if (status == LS_OK && load->is_done == NULL) status = LS_ENOMEM;
  if (status != LS_OK) {
    free(load);
    return status == LS_ENOMEM ? ls_fail(err, status, "out of memory") : status;
  }
  *state = load;
  return LS_OK;
}

static void close_load(void *state) {
  struct load *load = state;
  free(load->is_done);
  free(load);
}

static enum ls_status units(void *state, uint32_t iteration, uint64_t *count,
                            struct ls_error *err) {
  const struct load *load = state;
  *count = iteration == 0 ? load->units : 0;
  for (uint64_t i = 0; iteration > 0 && i < load->units; i++) {
    if (!load->is_done[i]) return ls_fail(err, LS_ECORRUPT, "unit %" PRIu64 " is missing", i + 1);
  }
  return LS_OK;
}

/* Bytes to copy and compare as fast as memory bears: a master and eight workers share processors.
 */
enum { PATTERN = 8191 };

static const unsigned char *find_pattern(uint64_t unit, size_t at) {
  static unsigned char pattern[2 * PATTERN];
  uint32_t state = 1;
  for (size_t i = 0; pattern[PATTERN] == 0 && i < PATTERN; i++) {
    state = state * 1664525U + 1013904223U;
    pattern[i] = pattern[PATTERN + i] = (unsigned char)(1 + (state >> 16) % 255);
  }
  return pattern + (unit * 31 + at) % PATTERN;
}

static void append_unit(uint64_t unit, size_t length, struct ls_bytes *bytes) {
  for (size_t at = 0; at < length;) {
    size_t count = length - at < PATTERN ? length - at : PATTERN;
    ls_bytes_append(bytes, find_pattern(unit, at), count);
    at += count;
  }
}

static bool is_right(const unsigned char *bytes, uint64_t unit, size_t length) {
  for (size_t at = 0; at < length; at += PATTERN) {
    size_t count = length - at < PATTERN ? length - at : PATTERN;
    if (memcmp(bytes + at, find_pattern(unit, at), count) != 0) return false;
  }
  return true;
}

static enum ls_status pack(void *state, struct ls_range range, uint32_t slot,
                           struct ls_bytes *input, struct ls_error *err) {
  const struct load *load = state;
  (void)slot, (void)err;
  for (uint64_t i = 0; i < range.count; i++) append_unit(range.first + i, load->bytes, input);
  return LS_OK;
}

static double read_clock(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void rest_until(double end_s) {
  struct timespec until = {.tv_sec = (time_t)end_s};
  until.tv_nsec = (long)((end_s - (double)until.tv_sec) * 1e9);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) continue;
}

/* Each unit ends by the chunk's begin, so that late awakenings do not add up. */
static void rest(const struct load *load, const struct ls_work *work) {
  static uint64_t next;         /* the unit behind the last one */
  static double end_s, first_s; /* of the last one; when the first began */
  const char *word = getenv("STAR_FACTOR"), *slow = getenv("STAR_SLOW");
  double factor = word != NULL ? atof(word) : 1;
  bool is_first = work->units.first == work->packed.first;
  if (is_first || work->units.first != next) end_s = read_clock();
  double seconds = (is_first ? load->fixed_s : 0) + (double)work->units.count * load->seconds;
  if (!(first_s > 0)) first_s = end_s;
  end_s += seconds * (slow != NULL && end_s - first_s >= atof(slow) ? 2 * factor : factor);
  next = work->units.first + work->units.count;
  rest_until(end_s);
}

static enum ls_status compute(void *state, const struct ls_work *work, struct ls_bytes *output,
                              struct ls_error *err) {
  const struct load *load = state;
  const unsigned char *input = work->input;
  rest(load, work);
  for (uint64_t i = 0; i < work->units.count; i++) {
    uint64_t unit = work->units.first + i;
    size_t offset = (size_t)(unit - work->packed.first) * load->bytes;
    bool is_there = offset + load->bytes <= work->length;
    if (!is_there || !is_right(input + offset, unit, load->bytes))
      return ls_fail(err, LS_ECORRUPT, "the input of unit %" PRIu64 " is wrong", unit + 1);
    append_unit(unit, load->results, output);
  }
  return LS_OK;
}

static enum ls_status merge(void *state, const struct ls_unit_result *result,
                            struct ls_error *err) {
  struct load *load = state;
  if (result->outcome != LS_OUTCOME_DONE)
    return ls_fail(err, LS_EIO, "unit %" PRIu64 " is not done", result->units.first + 1);
  bool is_long = result->output.file >= 0;
  if (!is_long && result->output.length != result->units.count * load->results)
    return ls_fail(err, LS_ECORRUPT, "unit %" PRIu64 " has %zu bytes", result->units.first + 1,
                   result->output.length);
  for (uint64_t i = 0; i < result->units.count; i++) {
    uint64_t unit = result->units.first + i;
    const unsigned char *bytes = result->output.data;
    if (load->is_done[unit]++)
      return ls_fail(err, LS_ECORRUPT, "unit %" PRIu64 " came twice", unit + 1);
    if (is_long || load->results == 0) continue;
    if (!is_right(bytes + i * load->results, unit, load->results))
      return ls_fail(err, LS_ECORRUPT, "the result of unit %" PRIu64 " is wrong", unit + 1);
  }
  return LS_OK;
}

int main(int argc, char **argv) {
  static const struct ls_app app = {.name = "star_load",
                                    .summary = "Units of known bytes and known seconds.",
                                    .usage =
                                        "[--units N] [--bytes B] [--results B] [--fixed S] "
                                        "[--seconds S]",
                                    .open = open_load,
                                    .close = close_load,
                                    .units = units,
                                    .pack = pack,
                                    .compute = compute,
                                    .merge = merge};
  return ls_cli_main(argc, argv, &app);
}
