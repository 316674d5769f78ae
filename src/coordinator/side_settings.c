#include "coordinator/side_settings.h"

#include <assert.h>

/* As many times as this policy looks back to; at least one where it listens. */
static uint64_t find_history(const struct ls_chunking *chunking,
                             const struct ls_arguments *arguments) {
  if (chunking->on_report == NULL) return 0;
  size_t history = ls_chunking_history(chunking, arguments);
  return history > 0 ? history : 1;
}

/* Of the policy, and of those that advice may change to. */
static uint64_t find_longest_history(const struct ls_coordinator_config *config) {
  uint64_t longest = find_history(config->chunking, &config->arguments);
  for (size_t i = 0; i < config->choices_count; i++) {
    uint64_t history = find_history(config->choices[i].chunking, &config->choices[i].arguments);
    if (history > longest) longest = history;
  }
  return longest;
}

/* Orders, sizings and replications learn the time of each unit. */
static bool is_learning(const struct ls_coordinator_config *config) {
  return (config->ordering != NULL && config->ordering->learns) ||
         (config->sizing != NULL && config->sizing->learns) ||
         (config->replication != NULL && config->replication->learns);
}

struct ls_side_settings ls_side_settings_of(const struct ls_coordinator_config *config) {
  const struct ls_chunking *chunking = config->chunking;
  struct ls_side_settings settings = {.asking = LS_ASKING_ONE};
  if (config->spares_newcomers) settings.asking = LS_ASKING_ROOM;
  if (chunking->is_pushed) settings.asking = LS_ASKING_NOTHING;
  settings.history = is_learning(config) ? UINT64_MAX : find_longest_history(config);
  if (settings.history > 0)
    settings.report_every = config->report_every > 0
                                ? config->report_every
                                : ls_chunking_report_every(chunking, &config->arguments);
  return settings;
}

const char *ls_asking_name(enum ls_asking asking) {
  static const char *const names[LS_ASKING_COUNT] = {"room", "one", "nothing"};
  assert((unsigned)asking < LS_ASKING_COUNT);
  return names[asking];
}
