/* fault_seeds.c: runs seeds of the fault simulation.
 *
 *     fault_seeds FIRST COUNT     runs COUNT seeds from FIRST on; a failing one prints its trace
 *     fault_seeds --file FILE     runs the seeds of FILE, one a line; `plain` behind one: in the
 *                                 plain world; `unwatched`: in one where every worker speaks for
 *                                 itself, and no unit stops it; `#` begins a comment
 *
 * Exit status 0: every invariant held.  A seed on which an assert stops the program is named, too.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "world.h"

static volatile sig_atomic_t is_tracing;
static char running[64]; /* the seed in words, made before it runs */

/* Only what is safe in a signal handler. */
static void on_abort(int signal_number) {
  (void)signal_number;
  if (!is_tracing) {
    ssize_t written = write(STDERR_FILENO, running, strlen(running));
    (void)written;
  }
  signal(SIGABRT, SIG_DFL);
}

static bool run_seed(const struct world_request *wanted, bool is_verbose,
                     struct world_summary *summary) {
  struct world_request request = *wanted;
  uint64_t seed = request.seed;
  char problem[256];
  request.trace = is_verbose ? stderr : NULL;
  snprintf(running, sizeof running, "seed %llu: stopped by an assert\n", (unsigned long long)seed);
  is_tracing = is_verbose;
  if (world_run(&request, problem, summary)) return true;
  if (!is_verbose) {
    struct world_summary again = {0};
    char same[256];
    is_tracing = 1;
    request.trace = stderr;
    (void)world_run(&request, same, &again);
  }
  fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed, problem);
  return false;
}

static bool run_range(uint64_t first, uint64_t count, bool is_verbose) {
  struct world_summary summary = {0};
  uint64_t failed = 0;
  for (uint64_t seed = first; seed < first + count; seed++)
    failed += !run_seed(&(struct world_request){.seed = seed}, is_verbose, &summary);
  printf(
      "%llu seeds, %llu failed: %llu steps, %llu units done, %llu failed, %llu given up, %llu "
      "lost on the way, %llu restarts, %llu slots used again, %llu results fetched (%llu before "
      "their turn), %llu chunks of repeated plans, %llu workers left in order, %llu refused, %llu "
      "times awaited the master, %llu results with single times, %llu late (and %llu failures), "
      "%llu workers called "
      "back (%llu for idle ones), %llu connections cut, %llu units taken up again, %llu chunks of "
      "units that somebody may have, %llu stalls, %llu units added, %llu "
      "stopped "
      "by the end of a lifetime (%llu given up for that)\n",
      (unsigned long long)count, (unsigned long long)failed, (unsigned long long)summary.steps,
      (unsigned long long)summary.done, (unsigned long long)summary.failed,
      (unsigned long long)summary.given_up, (unsigned long long)summary.losses,
      (unsigned long long)summary.restarts, (unsigned long long)summary.reused,
      (unsigned long long)summary.fetched, (unsigned long long)summary.early,
      (unsigned long long)summary.repeated, (unsigned long long)summary.departed,
      (unsigned long long)summary.refused, (unsigned long long)summary.paced,
      (unsigned long long)summary.reported, (unsigned long long)summary.late,
      (unsigned long long)summary.late_failures, (unsigned long long)summary.recalled,
      (unsigned long long)summary.taken_back, (unsigned long long)summary.cuts,
      (unsigned long long)summary.owned_again, (unsigned long long)summary.doubted,
      (unsigned long long)summary.stalls, (unsigned long long)summary.added,
      (unsigned long long)summary.expired, (unsigned long long)summary.outlasted);
  return failed == 0;
}

static bool read_number(const char *text, uint64_t *number) {
  char *end = NULL;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || text[0] == '-') return false;
  *number = value;
  return true;
}

static bool run_file(const char *name) {
  FILE *file = fopen(name, "r");
  if (!file) {
    fprintf(stderr, "%s: %s\n", name, strerror(errno));
    return false;
  }
  char line[256];
  bool is_well = true;
  while (fgets(line, sizeof line, file)) {
    struct world_request request = {0};
    line[strcspn(line, "#\n")] = '\0';
    request.is_plain = strstr(line, " plain") != NULL;
    request.is_unwatched = strstr(line, " unwatched") != NULL;
    line[strcspn(line, " ")] = '\0';
    if (line[0] == '\0') continue;
    struct world_summary summary = {0};
    if (!read_number(line, &request.seed)) {
      fprintf(stderr, "%s: \"%s\" is no seed, expected a whole number\n", name, line);
      is_well = false;
    } else if (!run_seed(&request, false, &summary)) {
      is_well = false;
    }
  }
  fclose(file);
  return is_well;
}

int main(int argc, char **argv) {
  uint64_t first = 0, count = 0;
  signal(SIGABRT, on_abort);
  if (argc == 3 && strcmp(argv[1], "--file") == 0) return run_file(argv[2]) ? 0 : 1;
  bool is_verbose = argc == 4 && strcmp(argv[3], "--trace") == 0;
  if ((argc != 3 && !is_verbose) || !read_number(argv[1], &first) ||
      !read_number(argv[2], &count)) {
    fprintf(stderr, "usage: fault_seeds FIRST COUNT [--trace] | fault_seeds --file FILE\n");
    return 2;
  }
  return run_range(first, count, is_verbose) ? 0 : 1;
}
