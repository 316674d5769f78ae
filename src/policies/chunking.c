#include "policies/chunking.h"

#include <math.h>
#include <string.h>

#include "policies/forecast.h"

#define LS_CHUNKING(id) extern const struct ls_chunking ls_chunking_##id;
#include "policies/chunking/list.h"
#undef LS_CHUNKING

#define LS_CHUNKING(id) &ls_chunking_##id,
const struct ls_chunking *const ls_chunkings[] = {
#include "policies/chunking/list.h"
    NULL};
#undef LS_CHUNKING

const struct ls_chunking *ls_chunking_find(const char *name) {
  for (size_t i = 0; ls_chunkings[i] != NULL; i++) {
    if (strcmp(ls_chunkings[i]->name, name) == 0) return ls_chunkings[i];
  }
  return NULL;
}

/* 0: the policy has no such parameter. */
static double get_parameter(const struct ls_chunking *policy, const struct ls_arguments *arguments,
                            const char *name) {
  const struct ls_parameter *parameter = policy->parameters;
  for (; parameter != NULL && parameter->name != NULL; parameter++)
    if (strcmp(parameter->name, name) == 0)
      return ls_arguments_get(arguments, policy->parameters, name);
  return 0;
}

uint64_t ls_chunking_report_every(const struct ls_chunking *policy,
                                  const struct ls_arguments *arguments) {
  double every = get_parameter(policy, arguments, "report_every");
  return every < 0 ? 1 : (uint64_t)every;
}

size_t ls_chunking_history(const struct ls_chunking *policy, const struct ls_arguments *arguments) {
  double history = get_parameter(policy, arguments, "history");
  return history < 0 ? LS_FORECAST_TIMES : (size_t)history;
}

enum ls_status ls_chunking_init(const struct ls_chunking *policy, struct ls_arena *arena,
                                const struct ls_chunking_setup *setup, void **state,
                                struct ls_error *err) {
  *state = NULL;
  return policy->init != NULL ? policy->init(arena, setup, state, err) : LS_OK;
}

enum ls_status ls_chunking_check_weights(const struct ls_chunking_setup *setup,
                                         struct ls_error *err) {
  for (size_t i = 0; setup->weights != NULL && i < setup->slots; i++) {
    if (setup->weights[i] >= 0 && isfinite(setup->weights[i])) continue;
    return ls_fail(err, LS_EINVAL, "worker %zu: weight is %g, expected a finite number >= 0", i,
                   setup->weights[i]);
  }
  return LS_OK;
}

enum ls_status ls_chunking_no_memory(struct ls_error *err) {
  return ls_fail(err, LS_ENOMEM, "no memory for the state of a policy");
}
