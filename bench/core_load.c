/* core_load.c: loads cores as a load pattern says, for experiments with real load.
 *
 * One process a core spins and sleeps by turns, so that a process that computes there all the time
 * gets the share that the pattern leaves it.  Where that is less than a half, one competitor does
 * not do: several take what is to be taken, each no more than its fair share.  Each tells at its
 * end what processor time it wanted and what it got; none outlives the program.
 *
 * Exit status: 0; 2 bad usage; 3 a process could not be started, or not be bound to its core.
 */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/run/run_values.h"
#include "theory/load_pattern.h"

enum { KEY_BUSY = 256, KEY_SLOT, KEY_CORES, KEY_FIRST, KEY_SEED, KEY_SHOW, CORES_MAX = 1024 };

/* So long a spell of spinning and sleeping lasts. */
static const double spell_s = 0.02;

struct options {
  struct ls_load_pattern pattern;
  bool has_pattern, is_shown;
  uint64_t cores, first, seed;
};

static double read_clock(clockid_t clock) {
  struct timespec now;
  (void)clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void sleep_until(double until_s) {
  double whole_s = floor(until_s);
  struct timespec until = {(time_t)whole_s, (long)(1e9 * (until_s - whole_s))};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) continue;
}

/* ---- one core ---- */

static double find_share(const struct ls_load_course *course, double time_s) {
  double share = 1;
  for (size_t i = 0; i < course->count && course->pieces[i].from_s <= time_s; i++)
    share = course->pieces[i].share;
  return share;
}

/* Where a share is left to one that computes all the time, so many competitors are needed. */
static int count_competitors(const struct ls_load_course *course) {
  double least = 1;
  for (size_t i = 0; i < course->count; i++) least = fmin(least, course->pieces[i].share);
  return (int)ceil(1 / least - 1 - 1e-9);
}

/* Spins until it has had `wanted_s` of processor time, or the spell is over. */
static void spin(double wanted_s, double until_s) {
  double until_used_s = read_clock(CLOCK_PROCESS_CPUTIME_ID) + wanted_s;
  while (read_clock(CLOCK_PROCESS_CPUTIME_ID) < until_used_s &&
         read_clock(CLOCK_MONOTONIC) < until_s)
    continue;
}

/* One of `competitors`; the seconds of processor time that it wanted. */
static double compete(const struct ls_load_course *course, double duration_s, int competitors,
                      double origin_s) {
  double wanted_s = 0;
  for (double from_s = 0; from_s < duration_s; from_s += spell_s) {
    double until_s = fmin(from_s + spell_s, duration_s);
    double part_s = (1 - find_share(course, from_s)) * (until_s - from_s) / competitors;
    wanted_s += part_s;
    if (part_s > 0) spin(part_s, origin_s + until_s);
    sleep_until(origin_s + until_s);
  }
  return wanted_s;
}

static void pin(int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((size_t)core, &one);
  if (sched_setaffinity(0, sizeof one, &one) == 0) return;
  fprintf(stderr, "load-pattern: core %d: %s\n", core, strerror(errno));
  exit(3);
}

/* Ends with its parent, also where that is killed. */
static void bind_to_parent(pid_t parent) {
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) exit(3);
}

/* In a process of its own for each competitor. */
static enum ls_status load_core(const struct options *options, int core, size_t worker,
                                const struct ls_load_course *course, double origin_s,
                                struct ls_error *err) {
  int competitors = count_competitors(course);
  pid_t parent = getpid();
  for (int i = 0; i < competitors; i++) {
    pid_t child = fork();
    if (child < 0)
      return ls_fail(err, LS_EIO, "worker %zu, core %d: no process: %s", worker, core,
                     strerror(errno));
    if (child > 0) continue;
    bind_to_parent(parent);
    pin(core);
    double wanted_s = compete(course, options->pattern.duration_s, competitors, origin_s);
    printf("worker %zu, core %d: %.3f s of %.3f s\n", worker, core,
           read_clock(CLOCK_PROCESS_CPUTIME_ID), wanted_s);
    exit(fflush(stdout) == 0 ? 0 : 3);
  }
  return LS_OK;
}

static void show_course(size_t worker, int core, const struct ls_load_course *course) {
  printf("worker %zu, core %d:", worker, core);
  for (size_t i = 0; i < course->count; i++)
    printf("%s %g from %g s", i > 0 ? "," : "", course->pieces[i].share, course->pieces[i].from_s);
  printf("%s\n", course->count == 0 ? " all of the core" : "");
}

/* ---- all of them ---- */

static size_t list_cores(uint64_t most, int cores[CORES_MAX]) {
  cpu_set_t permitted;
  size_t count = 0;
  CPU_ZERO(&permitted);
  (void)sched_getaffinity(0, sizeof permitted, &permitted);
  for (int i = 0; i < CPU_SETSIZE && count < CORES_MAX && count < most; i++)
    if (CPU_ISSET((size_t)i, &permitted)) cores[count++] = i;
  return count;
}

static enum ls_status await_all(struct ls_error *err) {
  int state = 0;
  size_t failed = 0;
  while (wait(&state) > 0) failed += !WIFEXITED(state) || WEXITSTATUS(state) != 0;
  if (failed == 0) return LS_OK;
  return ls_fail(err, LS_EIO, "%zu processes did not end well", failed);
}

static enum ls_status load_all(const struct options *options, struct ls_error *err) {
  int cores[CORES_MAX];
  size_t count = list_cores(options->cores, cores);
  struct ls_random random;
  enum ls_status status = LS_OK;
  double origin_s = read_clock(CLOCK_MONOTONIC);
  ls_random_init(&random, options->seed, "load pattern");
  for (size_t i = 0; i < options->first + count && status == LS_OK; i++) {
    struct ls_load_course course = {.pieces = NULL};
    status = ls_load_pattern_make(&options->pattern, i, &random, &course, err);
    if (status == LS_OK && i >= options->first) {
      int core = cores[i - options->first];
      if (options->is_shown)
        show_course(i, core, &course);
      else
        status = load_core(options, core, i, &course, origin_s, err);
    }
    free(course.pieces);
  }
  /* Who has begun by then ends with us. */
  return status == LS_OK ? await_all(err) : status;
}

static error_t parse(int key, char *text, struct argp_state *state) {
  struct options *options = state->input;
  struct ls_error err = {0};
  enum ls_status status = LS_OK;
  switch (key) {
    case KEY_BUSY:
      status = ls_console_real("--busy", text, (struct ls_real_range){0.05, 1},
                               &options->pattern.busy, &err);
      break;
    case KEY_SLOT:
      status = ls_console_real("--slot", text, (struct ls_real_range){1e-3, 1e6},
                               &options->pattern.slot_s, &err);
      break;
    case KEY_CORES:
      status = ls_console_whole("--cores", text, (struct ls_whole_range){1, CORES_MAX},
                                &options->cores, &err);
      break;
    case KEY_FIRST:
      status = ls_console_whole("--first", text, (struct ls_whole_range){0, 1 << 20},
                                &options->first, &err);
      break;
    case KEY_SEED:
      status = ls_console_whole("--seed", text, (struct ls_whole_range){0, UINT64_MAX},
                                &options->seed, &err);
      break;
    case KEY_SHOW:
      options->is_shown = true;
      break;
    case ARGP_KEY_ARG:
      if (options->has_pattern) argp_error(state, "one pattern is expected, and then '%s'", text);
      options->has_pattern = true;
      status = ls_run_load_pattern_read(text, &options->pattern, &err);
      break;
    case ARGP_KEY_END:
      if (!options->has_pattern) argp_error(state, "a pattern is missing, such as seven:60");
      break;
    default:
      return ARGP_ERR_UNKNOWN;
  }
  if (status != LS_OK) argp_error(state, "%s", err.text);
  return 0;
}

int main(int argc, char **argv) {
  static const struct argp_option table[] = {
      {"busy", KEY_BUSY, "SHARE", 0, "What high load leaves of a core (default: 0.5)", 0},
      {"slot", KEY_SLOT, "SECONDS", 0, "How long random load stays high or low (default: 1)", 0},
      {"cores", KEY_CORES, "N", 0, "Load the first N cores that may be used (default: all)", 0},
      {"first", KEY_FIRST, "I", 0, "The first core has the pattern of worker I (default: 0)", 0},
      {"seed", KEY_SEED, "N", 0, "Seed of random load (default: 1)", 0},
      {"show", KEY_SHOW, NULL, 0, "Print the shares that are left, and load nothing", 0},
      {0}};
  static const struct argp argp = {
      .options = table,
      .parser = parse,
      .args_doc = "PATTERN[:SECONDS]",
      .doc =
          "Loads cores as `loadstar run --load-pattern` slows workers down: a process that "
          "computes there all the time gets what the pattern leaves. Pin each worker to a core.\v"
          "Example:\n  load-pattern seven:60 --cores 8"};
  struct options options = {.pattern = {.busy = 0.5, .slot_s = 1}, .cores = CORES_MAX, .seed = 1};
  struct ls_error err = {0};
  argp_err_exit_status = 2;
  (void)argp_parse(&argp, argc, argv, 0, NULL, &options);
  enum ls_status status = load_all(&options, &err);
  if (status == LS_OK) return 0;
  fprintf(stderr, "load-pattern: %s\n", err.text);
  return status == LS_EIO ? 3 : 2;
}
