/* admission.c: greetings are checked and answered. */
#include "runtime/master/guests/admission.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "coordinator/side_settings.h"
#include "runtime/execute/settings.h"

void ls_admission_init(struct ls_admission *admission, const struct ls_master_options *options) {
  *admission =
      (struct ls_admission){.options = options, .tells_speeds = ls_admission_tells_speeds(options)};
}

static bool is_text(const char *text, const struct ls_blob *given) {
  return given->length == strlen(text) && memcmp(given->data, text, given->length) == 0;
}

/* What a greeting says; none where it says no list of labels. */
static bool read_labels(const struct ls_message *hello, char labels[LS_LABELS_BYTES]) {
  char text[LS_LABELS_BYTES];
  size_t length = hello->labels.length;
  labels[0] = '\0';
  if (length == 0) return true;
  if (length >= sizeof text || memchr(hello->labels.data, '\0', length) != NULL) return false;
  memcpy(text, hello->labels.data, length);
  text[length] = '\0';
  return ls_labels_read(labels, "labels", text, ',', NULL) == LS_OK;
}

const char *ls_admission_refuse(const struct ls_admission *admission, uint32_t door,
                                const struct ls_message *hello, char *why, size_t why_bytes) {
  const struct ls_site *site = admission->options->site;
  if (hello->version != LS_PROTOCOL_VERSION) {
    (void)snprintf(why, why_bytes, "the master speaks version %d of the protocol, not %u",
                   LS_PROTOCOL_VERSION, hello->version);
    return why;
  }
  const char *program = admission->options->program;
  if (site->doors[door].is_open && program != NULL && !is_text(program, &hello->text)) {
    (void)snprintf(why, why_bytes, "its program is %.*s, the master's is %s",
                   (int)(hello->text.length < 60 ? hello->text.length : 60),
                   (const char *)hello->text.data, program);
    return why;
  }
  char labels[LS_LABELS_BYTES];
  if (!read_labels(hello, labels)) {
    (void)snprintf(why, why_bytes, "its labels are not labels of " LS_LABEL_EXPECTED);
    return why;
  }
  return NULL;
}

/* Of a worker of a pool they are known here. */
static void take_labels(struct ls_admission *admission, uint32_t place,
                        const struct ls_message *hello) {
  const struct ls_master_options *options = admission->options;
  const char *known =
      place >= 1 && place <= options->labels_count ? options->labels[place - 1] : NULL;
  if (place == 0) {
    (void)read_labels(hello, admission->labels);
  } else {
    (void)snprintf(admission->labels, sizeof admission->labels, "%s", known != NULL ? known : "");
  }
}

uint32_t ls_admission_place(struct ls_admission *admission, const struct ls_pools *pools,
                            uint32_t door, const struct ls_message *hello) {
  const struct ls_pool_claim claim = {.name = hello->name.data,
                                      .name_length = hello->name.length,
                                      .place = hello->place.data,
                                      .place_length = hello->place.length,
                                      .pid = hello->process_id,
                                      .is_private = !admission->options->site->doors[door].is_open};
  uint32_t place = ls_pools_slot(pools, &claim);
  const char *needs = admission->options->needs;
  take_labels(admission, place, hello);
  if (needs != NULL && !ls_labels_have(admission->labels, needs)) {
    ++admission->unfit;
    return 0;
  }
  return place > 0 ? place : (uint32_t)pools->slots + ++admission->outside;
}

/* The pattern of the worker's machine, from now on. A random one takes its chance behind those of
 * the places before it, as in a simulation of the same seed. */
static enum ls_status make_load(const struct ls_admission *admission, uint32_t place,
                                struct ls_load_course *load, struct ls_error *err) {
  const struct ls_load_pattern *pattern = admission->options->load_pattern;
  struct ls_random random;
  if (pattern == NULL) return LS_OK;
  ls_random_init(&random, admission->options->job.seed, "load pattern");
  for (uint32_t i = 0; i < place; ++i) {
    free(load->pieces);
    *load = (struct ls_load_course){.pieces = NULL};
    enum ls_status status = ls_load_pattern_make(pattern, i, &random, load, err);
    if (status != LS_OK) return status;
  }
  for (size_t i = 0; i < load->count; ++i) load->pieces[i].from_s -= admission->now_s;
  return LS_OK;
}

/* Are there speeds that somebody wants to learn, and nobody has told? */
static bool are_learnt(const struct ls_coordinator_config *config) {
  bool are_wanted = config->learns_speeds && ls_side_is_learning(config);
  return config->weights_count == 0 && (are_wanted || ls_side_is_weighing(config));
}

/* A worker of this machine is as fast as the master, unless it emulates another one. */
static double find_known_speed(const struct ls_master_options *options, uint32_t place) {
  size_t slots = 0;
  for (size_t i = 0; i < options->site->pools_count; ++i) {
    const struct ls_pool_choice *pool = &options->site->pools[i];
    slots += pool->setup.slots;
    if (place < 1 || place > slots) continue;
    if (!pool->kind->has_lifelines || pool->setup.speeds_count > 0) return 0;
    return place <= options->speeds_count ? options->speeds[place - 1] : 1;
  }
  return 0;
}

bool ls_admission_tells_speeds(const struct ls_master_options *options) {
  if (!are_learnt(&options->config)) return false;
  size_t slots = ls_pools_count_slots(options->site->pools, options->site->pools_count);
  bool differ = ls_admission_needs_benchmark(options);
  for (uint32_t place = 1; place <= slots && !differ; ++place) {
    double speed = find_known_speed(options, place);
    differ = speed < 1 || speed > 1;
  }
  return differ;
}

bool ls_admission_needs_benchmark(const struct ls_master_options *options) {
  if (!are_learnt(&options->config)) return false;
  size_t slots = ls_pools_count_slots(options->site->pools, options->site->pools_count);
  bool is_any_unknown = options->site->doors_count > 1;
  for (uint32_t place = 1; place <= slots && !is_any_unknown; ++place)
    is_any_unknown = !(find_known_speed(options, place) > 0);
  return is_any_unknown;
}

bool ls_admission_asks_speed(const struct ls_admission *admission, uint32_t place) {
  return admission->benchmark > 0 && !(find_known_speed(admission->options, place) > 0);
}

double ls_admission_speed(const struct ls_admission *admission, uint32_t place) {
  return admission->tells_speeds ? find_known_speed(admission->options, place) : 0;
}

/* The settings, which differ in the workers' places and rooms. Nobody knows what it would take to
 * have another one that comes by itself, or a rank of MPI, which nobody replaces. */
static enum ls_status write_settings(struct ls_admission *admission, uint32_t slot, uint32_t place,
                                     struct ls_error *err) {
  const struct ls_master_options *options = admission->options;
  const struct ls_coordinator_config *config = &options->config;
  const struct ls_pool_kind *pool =
      ls_pools_find_kind(options->site->pools, options->site->pools_count, place);
  struct ls_settings settings = {
      .words = (char **)options->words,
      .directory = (char *)options->directory,
      .makes_directory = options->makes_directory,
      .slot = place,
      .side = ls_side_settings_of(config),
      .stage_ahead = options->stage_ahead,
      .timeout_s = admission->limit_s > 0 ? admission->limit_s : options->timeout_s,
      .ending = (char *)options->ending,
      .heartbeat_s = options->heartbeat_s,
      .silence_s = config->silence_s,
      .start_up_s = pool != NULL && !pool->comes_once ? config->grant_s : -1,
      .has_replicas = config->replication != NULL,
      .sandboxing = options->sandboxing,
      .is_synced = options->is_synced,
      .showing = options->showing,
      .verdict = options->verdict,
      .has_files = options->files != NULL,
      .cache_bytes = options->cache_bytes};
  if (options->manners != NULL) settings.manners = *options->manners; /* borrowed */
  settings.computes_in_thread = options->computes_in_thread;
  if (options->app != NULL && options->app->bundling != NULL)
    settings.bundling = *options->app->bundling;
  if (place >= 1 && place <= options->speeds_count) settings.speed = options->speeds[place - 1];
  if (ls_admission_asks_speed(admission, place)) settings.benchmark = admission->benchmark;
  settings.side.prefetch = options->prefetch;
  if (slot < config->rooms_count) settings.side.room = config->rooms[slot].units;
  while (options->words != NULL && options->words[settings.words_count] != NULL) {
    ++settings.words_count;
  }
  ls_bytes_clear(&admission->settings);
  enum ls_status status = make_load(admission, place, &settings.load, err);
  if (status == LS_OK) ls_settings_write(&settings, &admission->settings);
  free(settings.load.pieces);
  if (status != LS_OK || !admission->settings.failed) return status;
  return ls_fail(err, LS_ENOMEM, "out of memory for the settings of worker %u", slot);
}

enum ls_status ls_admission_welcome(struct ls_admission *admission, uint32_t slot, uint32_t place,
                                    struct ls_message *welcome, struct ls_error *err) {
  enum ls_status status = write_settings(admission, slot, place, err);
  if (status != LS_OK) return status;
  *welcome = (struct ls_message){.kind = LS_MESSAGE_WELCOME,
                                 .version = LS_PROTOCOL_VERSION,
                                 .worker = slot,
                                 .text = {admission->settings.data, admission->settings.length}};
  return LS_OK;
}

void ls_admission_close(struct ls_admission *admission) {
  ls_bytes_close(&admission->settings);
  *admission = (struct ls_admission){0};
}
