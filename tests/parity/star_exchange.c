#include "star_exchange.h"

#include <stdio.h>

void star_write(FILE *out, const struct ls_platform *platform, const struct ls_plan *plan) {
  fprintf(out, "%zu %zu\n", platform->workers_count, plan->chunks_count);
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_worker_model *worker = &platform->workers[i];
    fprintf(out, "%.17g %.17g %.17g %.17g %.17g\n", worker->costs[LS_OPERATION_TRANSFER].latency_s,
            worker->costs[LS_OPERATION_TRANSFER].per_unit_s, worker->delay_s,
            worker->costs[LS_OPERATION_COMPUTE].latency_s,
            worker->costs[LS_OPERATION_COMPUTE].per_unit_s);
  }
  for (size_t i = 0; i < plan->chunks_count; i++) {
    fprintf(out, "%u %.17g\n", plan->chunks[i].worker, plan->chunks[i].units);
  }
}

size_t star_play(const char *player, const char *file, struct star_answer *answers, size_t count) {
  char command[1024];
  snprintf(command, sizeof command, "'%s' < '%s'", player, file);
  FILE *pipe = popen(command, "r");
  if (pipe == NULL) return 0;
  size_t found = 0;
  while (found < count &&
         fscanf(pipe, "%lf %lf", &answers[found].makespan_s, &answers[found].run_s) == 2) {
    found++;
  }
  return pclose(pipe) == 0 ? found : 0;
}
