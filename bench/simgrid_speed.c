/* simgrid_speed: the replay beside SimGrid, on the same plans.
 *
 * Usage: simgrid_speed PLAYER [PLANS]
 *
 * PLAYER is the program of tests/parity that plays plans in SimGrid; of its time only the
 * simulation itself counts, not its start nor reading the platform.  Plans: `umr` on different
 * workers.  Prints one JSON line: plans, messages, seconds of both, their ratio, the largest
 * relative difference of a makespan.  Exit 1 when the replay is not 100 times faster, or a makespan
 * differs by more than 1e-9.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "model/replay.h"
#include "planners/planner.h"
#include "star_exchange.h"

enum { PLANS_MAX = 1000, PLANS_DEFAULT = 60, WORKERS = 40, REPEATS = 200 };

struct measure {
  struct ls_random random;
  FILE *out;
  double replayed_s[PLANS_MAX];
  double replay_seconds;
  size_t messages;
};

static void require(bool is_good, const char *what) {
  if (is_good) return;
  fprintf(stderr, "simgrid_speed: %s\n", what);
  exit(1);
}

static double read_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void open_platform(struct ls_random *random, struct ls_platform *platform) {
  require(ls_platform_init(platform, WORKERS, NULL) == LS_OK, "no memory");
  for (size_t i = 0; i < WORKERS; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    worker->costs[LS_OPERATION_TRANSFER] = (struct ls_cost){
        0.005 + 0.01 * ls_random_real(random), (0.2 + 0.4 * ls_random_real(random)) / WORKERS};
    worker->delay_s = 0.1 * ls_random_real(random);
    worker->costs[LS_OPERATION_COMPUTE] =
        (struct ls_cost){0.05 * ls_random_real(random), 0.6 + 0.8 * ls_random_real(random)};
  }
}

/* Plans, times the replay (the mean of many), and writes the plan for the player. */
static void measure_plan(struct measure *measure, size_t index) {
  struct ls_platform platform;
  struct ls_plan plan;
  const struct ls_planner *planner;
  struct ls_planner_setup setup = {.platform = &platform, .load = 10000};
  open_platform(&measure->random, &platform);
  require(ls_planner_parse("umr", &planner, &setup, NULL) == LS_OK, "no umr");
  require(ls_planner_run(planner, &setup, NULL, &plan, NULL) == LS_OK && plan.outcome == LS_PLAN_OK,
          "umr does not apply");
  double begin = read_clock();
  for (int i = 0; i < REPEATS; i++) {
    require(ls_replay_makespan(&plan, &platform, &measure->replayed_s[index], NULL) == LS_OK,
            "a plan cannot be replayed");
  }
  measure->replay_seconds += (read_clock() - begin) / REPEATS;
  measure->messages += plan.chunks_count;
  star_write(measure->out, &platform, &plan);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(int count, char **words) {
  static struct measure measure;
  static struct star_answer answers[PLANS_MAX];
  char file[] = "/tmp/loadstar-speed-XXXXXX";
  require(count == 2 || count == 3, "usage: simgrid_speed PLAYER [PLANS]");
  size_t plans = count == 3 ? strtoul(words[2], NULL, 10) : PLANS_DEFAULT;
  require(plans >= 1 && plans <= PLANS_MAX, "PLANS must be 1 to 1000");
  int handle = mkstemp(file);
  require(handle >= 0, "no temporary file");
  measure.out = fdopen(handle, "w");
  require(measure.out != NULL, "no temporary file");
  ls_random_init(&measure.random, 1, "simgrid");
  for (size_t i = 0; i < plans; i++) measure_plan(&measure, i);
  require(fclose(measure.out) == 0, "a temporary file cannot be written");
  size_t found = star_play(words[1], file, answers, plans);
  unlink(file);
  require(found == plans, "the player gave too few answers");
  double seconds = 0, difference = 0;
  for (size_t i = 0; i < plans; i++) {
    seconds += answers[i].run_s;
    difference = fmax(difference, fabs(answers[i].makespan_s / measure.replayed_s[i] - 1));
  }
  double ratio = seconds / measure.replay_seconds;
  printf(
      "{\"plans\": %zu, \"messages\": %zu, \"simgrid_seconds\": %.6g, \"replay_seconds\": %.6g, "
      "\"ratio\": %.6g, \"reach\": 100, \"largest_difference\": %.3g}\n",
      plans, measure.messages, seconds, measure.replay_seconds, ratio, difference);
  return ratio >= 100 && difference <= 1e-9 ? 0 : 1;
}
