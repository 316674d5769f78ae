/* check_simulate.c: records of kind simulate: a whole run in virtual time. */
#include "lab/check/check.h"
#include "simulate/world.h"

/* Makespan, efficiency and the decisions in their order. */
static json_t *show_run(const struct ls_simulated *result, const struct ls_timeline *timeline) {
  json_t *chunks = json_array();
  for (size_t i = 0; i < timeline->decisions_count; i++) {
    const struct ls_decision *decision = &timeline->decisions[i];
    json_array_append_new(
        chunks, json_pack("[I,f]", (json_int_t)decision->worker, (double)decision->units));
  }
  return json_pack("{s:f,s:f,s:o}", "makespan", result->makespan_s, "efficiency",
                   result->efficiency, "chunks", chunks);
}

static enum ls_status evaluate(const struct ls_check_record *record, json_t **got,
                               struct ls_error *err) {
  struct ls_world world;
  struct ls_simulated result;
  struct ls_timeline timeline;
  if (!record->has_platform)
    return ls_fail(err, LS_EINVAL, "%s has no platform, which kind simulate needs", record->id);
  struct ls_world_request request = {.platform = &record->platform,
                                     .units = (uint64_t)record->load,
                                     .policy = record->algorithm,
                                     .arguments = record->arguments,
                                     .asking = LS_ASKING_ONE};
  enum ls_status status = ls_world_open(&world, &request, err);
  if (status != LS_OK) return status;
  ls_timeline_init(&timeline);
  status = ls_simulate(&world.setup, &result, &timeline, err);
  if (status == LS_OK) {
    *got = show_run(&result, &timeline);
    if (*got == NULL) status = ls_fail(err, LS_ENOMEM, "no memory for the run");
  }
  ls_timeline_close(&timeline);
  ls_world_close(&world);
  return status;
}

const struct ls_check_kind ls_check_kind_simulate = {"simulate", evaluate};
