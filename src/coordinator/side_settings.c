#include "coordinator/side_settings.h"

#include <assert.h>

bool ls_side_is_learning(const struct ls_coordinator_config *config) {
  return (config->ordering != NULL && config->ordering->learns) ||
         (config->sizing != NULL && config->sizing->learns) ||
         (config->replication != NULL && config->replication->learns);
}

bool ls_side_is_weighing(const struct ls_coordinator_config *config) {
  const struct ls_chunking *chunking = config->chunking;
  return config->learns_weights && config->weights == NULL && chunking != NULL &&
         (chunking->facts & LS_CHUNKING_WEIGHTS) != 0 && !chunking->learns;
}

bool ls_side_has_listeners(const struct ls_coordinator_config *config) {
  bool has_listeners = config->chunking->on_report != NULL || ls_side_is_learning(config);
  for (size_t i = 0; i < config->choices_count; i++)
    has_listeners |= config->choices[i].chunking->on_report != NULL;
  return has_listeners;
}

uint64_t ls_side_report_every(const struct ls_coordinator_config *config,
                              const struct ls_coordinator_choice *choice) {
  if (config->report_every > 0) return config->report_every;
  return ls_chunking_report_every(choice->chunking, &choice->arguments);
}

/* What this policy wants, too: the longest history, and the shortest way between reports. */
static void serve(struct ls_side_settings *settings, const struct ls_coordinator_config *config,
                  const struct ls_coordinator_choice *choice) {
  uint64_t history = ls_chunking_history(choice->chunking, &choice->arguments);
  uint64_t every = ls_side_report_every(config, choice);
  if (history > settings->history) settings->history = history;
  if (every > 0 && (settings->report_every == 0 || every < settings->report_every))
    settings->report_every = every;
}

struct ls_side_settings ls_side_settings_of(const struct ls_coordinator_config *config) {
  struct ls_side_settings settings = {.asking = LS_ASKING_ONE};
  struct ls_coordinator_choice first = {config->chunking, config->arguments};
  if (config->spares_newcomers) settings.asking = LS_ASKING_ROOM;
  if (config->chunking->is_pushed) settings.asking = LS_ASKING_NOTHING;
  /* What was asked for also tells which worker to recall from; no policy's own wish does. */
  if (config->recalls) settings.report_every = config->report_every;
  if (!ls_side_has_listeners(config)) return settings;
  serve(&settings, config, &first);
  for (size_t i = 0; i < config->choices_count; i++) serve(&settings, config, &config->choices[i]);
  if (ls_side_is_learning(config)) settings.history = UINT64_MAX;
  return settings;
}

const char *ls_asking_name(enum ls_asking asking) {
  static const char *const names[LS_ASKING_COUNT] = {"room", "one", "nothing"};
  assert((unsigned)asking < LS_ASKING_COUNT);
  return names[asking];
}
