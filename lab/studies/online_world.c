#include "lab/studies/online_world.h"

#include <math.h>
#include <stdio.h>

#include "simulate/world.h"

static enum ls_status make_platform(struct ls_platform *platform, uint64_t seed,
                                    struct ls_error *err) {
  struct ls_random random;
  enum ls_status status = ls_platform_init(platform, LS_ONLINE_WORKERS, err);
  if (status != LS_OK) return status;
  ls_random_init(&random, seed, "speeds");
  platform->prepare.latency_s = 0.01;
  for (size_t i = 0; i < LS_ONLINE_WORKERS; i++) {
    platform->workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s =
        1 / (0.7 + 0.6 * ls_random_real(&random));
    platform->workers[i].delay_s = 0.1;
  }
  return LS_OK;
}

/* NULL: no memory. */
static json_t *make_arguments(const struct ls_online_case *played, double bound_s) {
  json_t *arguments = json_pack("{s:s}", "weights", "nominal");
  json_t *prefetch =
      played->prefetch < 0 ? json_string("auto") : json_integer((json_int_t)played->prefetch);
  int failures = json_object_set_new(arguments, "prefetch", prefetch);
  if (played->is_dynamic)
    failures += json_object_set_new(
        arguments, "load_pattern",
        json_pack("{s:s,s:i,s:f,s:f}", "kind", "seven", "first", (int)(played->seed % 7),
                  "duration", 1.3 * bound_s, "slot", fmax(0.5, bound_s / 64)));
  if (played->variation > 0)
    failures +=
        json_object_set_new(arguments, "task_times",
                            json_pack("{s:s,s:f}", "law", "gamma", "variation", played->variation));
  if (failures == 0) return arguments;
  json_decref(arguments);
  return NULL;
}

static enum ls_status simulate(const struct ls_world_request *request,
                               struct ls_online_result *result, struct ls_error *err) {
  struct ls_world world;
  struct ls_simulated simulated;
  enum ls_status status = ls_world_open(&world, request, err);
  if (status != LS_OK) return status;
  status = ls_simulate(&world.setup, &simulated, NULL, err);
  if (status == LS_OK)
    *result = (struct ls_online_result){.to_bound = simulated.makespan_s / ls_world_bound(&world),
                                        .prefetch = (double)world.setup.prefetch};
  ls_world_close(&world);
  return status;
}

enum ls_status ls_online_play(const struct ls_online_case *played, struct ls_online_result *result,
                              struct ls_error *err) {
  struct ls_platform platform;
  double speed = 0;
  enum ls_status status = make_platform(&platform, played->seed, err);
  if (status != LS_OK) return status;
  for (size_t i = 0; i < LS_ONLINE_WORKERS; i++)
    speed += 1 / platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s;
  json_t *arguments = make_arguments(played, LS_ONLINE_UNITS / speed);
  struct ls_world_request request = {.platform = &platform,
                                     .units = LS_ONLINE_UNITS,
                                     .policy = played->policy,
                                     .arguments = ls_json_top(arguments, "study"),
                                     .has_seed = true,
                                     .seed = played->seed,
                                     .asking = LS_ASKING_ONE};
  status = arguments == NULL ? ls_fail(err, LS_ENOMEM, "no memory for a world")
                             : simulate(&request, result, err);
  json_decref(arguments);
  ls_platform_close(&platform);
  return status;
}

enum { NAME_BYTES = 128 };

static void name_figure(bool is_dynamic, const char *what, char name[NAME_BYTES]) {
  (void)snprintf(name, NAME_BYTES, "%s: %s", is_dynamic ? "dynamic" : "static", what);
}

void ls_online_compare(struct ls_study_report *report, bool is_dynamic, const char *what,
                       struct ls_study_expected expected, double ours) {
  char name[NAME_BYTES];
  name_figure(is_dynamic, what, name);
  ls_study_compare(report, name, expected, ours);
}

void ls_online_show(struct ls_study_report *report, bool is_dynamic, const char *what,
                    double ours) {
  char name[NAME_BYTES];
  name_figure(is_dynamic, what, name);
  ls_study_show(report, name, ours);
}
