/* admission.c: greetings are checked and answered. */
#include "runtime/admission.h"

#include <stdio.h>
#include <string.h>

#include "runtime/settings.h"

void ls_admission_init(struct ls_admission *admission, const struct ls_master_options *options) {
  *admission = (struct ls_admission){.options = options};
}

/* Takes as long for a wrong token as for a right one. */
static bool is_token(const char *token, const struct ls_blob *given) {
  size_t length = strlen(token);
  unsigned difference = given->length != length;
  for (size_t i = 0; i < length && i < given->length; ++i) {
    difference |= (unsigned)(((const unsigned char *)given->data)[i] ^ (unsigned char)token[i]);
  }
  return difference == 0;
}

const char *ls_admission_refuse(const struct ls_admission *admission, uint32_t door,
                                const struct ls_message *hello, char *why, size_t why_bytes) {
  const struct ls_site *site = admission->options->site;
  if (hello->version != LS_PROTOCOL_VERSION) {
    (void)snprintf(why, why_bytes, "the master speaks version %d of the protocol, not %u",
                   LS_PROTOCOL_VERSION, hello->version);
    return why;
  }
  if (site->doors[door].is_open && !is_token(site->token, &hello->text)) {
    (void)snprintf(why, why_bytes, "the token is not the one of this run (LOADSTAR_TOKEN)");
    return why;
  }
  return NULL;
}

/* A process id from another machine may equal one of ours: the name must be the pool's, too. */
uint32_t ls_admission_place(struct ls_admission *admission, const struct ls_pool *pool,
                            const struct ls_message *hello) {
  const struct ls_master_options *options = admission->options;
  if (pool != NULL) {
    uint32_t place = options->pool->slot(pool, (pid_t)hello->process_id);
    char name[32];
    int length = snprintf(name, sizeof name, "local-%u", place);
    if (place > 0 && hello->name.length == (size_t)length &&
        memcmp(hello->name.data, name, (size_t)length) == 0) {
      return place;
    }
  }
  return (uint32_t)options->pool_setup.slots + ++admission->outside;
}

/* The settings, which differ in the workers' places and rooms. */
static void write_settings(struct ls_admission *admission, uint32_t slot, uint32_t place) {
  const struct ls_master_options *options = admission->options;
  const struct ls_coordinator_config *config = &options->config;
  struct ls_settings settings = {.words = (char **)options->words,
                                 .directory = (char *)options->directory,
                                 .slot = place,
                                 .side = ls_side_settings_of(config),
                                 .stage_ahead = options->stage_ahead,
                                 .timeout_s = options->timeout_s,
                                 .heartbeat_s = options->heartbeat_s,
                                 .silence_s = config->silence_s,
                                 .has_replicas = config->replication != NULL};
  settings.side.prefetch = options->prefetch;
  if (slot < config->rooms_count) settings.side.room = config->rooms[slot].units;
  while (options->words != NULL && options->words[settings.words_count] != NULL) {
    ++settings.words_count;
  }
  ls_bytes_clear(&admission->settings);
  ls_settings_write(&settings, &admission->settings);
}

enum ls_status ls_admission_welcome(struct ls_admission *admission, uint32_t slot, uint32_t place,
                                    struct ls_message *welcome, struct ls_error *err) {
  write_settings(admission, slot, place);
  if (admission->settings.failed) {
    return ls_fail(err, LS_ENOMEM, "out of memory for the settings of worker %u", slot);
  }
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
