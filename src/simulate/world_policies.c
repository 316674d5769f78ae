/* world_policies.c: chooses the policies of a world by "NAME", "NAME:VALUE" or
 * "NAME:VALUE,NAME=VALUE". */
#include <stdio.h>
#include <string.h>

#include "simulate/world_private.h"

/* Sets NAME=VALUE, or the first parameter to VALUE. */
static enum ls_status set_word(const char *kind, const char *name,
                               const struct ls_parameter *parameters, char *word,
                               struct ls_arguments *arguments, struct ls_error *err) {
  char *value = strchr(word, '=');
  if (value) {
    *value++ = '\0';
    return ls_arguments_set(arguments, parameters, word, value, err);
  }
  if (!parameters || !parameters[0].name)
    return ls_fail(err, LS_EINVAL, "%s %s takes no argument, but '%s' is given", kind, name, word);
  return ls_arguments_set(arguments, parameters, parameters[0].name, word, err);
}

/* Cuts "NAME:WORDS" in two; NULL: no words. */
static enum ls_status cut_name(const char *kind, const char *text, char *words, size_t words_bytes,
                               char **rest, struct ls_error *err) {
  if (strlen(text) >= words_bytes)
    return ls_fail(err, LS_EINVAL, "%s \"%.40s...\" is too long, at most %zu characters fit", kind,
                   text, words_bytes - 1);
  (void)snprintf(words, words_bytes, "%s", text);
  *rest = strchr(words, ':');
  if (*rest) *(*rest)++ = '\0';
  return LS_OK;
}

static enum ls_status set_words(const char *kind, const char *name,
                                const struct ls_parameter *parameters, char *rest,
                                struct ls_arguments *arguments, struct ls_error *err) {
  enum ls_status status = LS_OK;
  ls_arguments_init(arguments, parameters);
  while (rest && status == LS_OK) {
    char *next = strchr(rest, ',');
    if (next) *next++ = '\0';
    status = set_word(kind, name, parameters, rest, arguments, err);
    rest = next;
  }
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "%s %s", kind, name);
}

/* Appends the names of a NULL-terminated list whose entries begin with their name. */
static enum ls_status refuse_name(const char *kind, const char *name, const void *const *entries,
                                  struct ls_error *err) {
  struct ls_bytes names = {0};
  for (size_t i = 0; entries[i]; i++)
    ls_bytes_printf(&names, "%s%s", i > 0 ? ", " : "", *(const char *const *)entries[i]);
  enum ls_status status =
      ls_fail(err, LS_EINVAL, "%s is '%s', expected one of: %s", kind, name, ls_bytes_text(&names));
  ls_bytes_close(&names);
  return status;
}

enum { WORDS_BYTES = 256 };

enum ls_status ls_world_choose_policy(struct ls_world *world, const char *text,
                                      struct ls_error *err) {
  char words[WORDS_BYTES], *rest = NULL;
  struct ls_coordinator_config *config = &world->setup.config;
  enum ls_status status = cut_name("policy", text, words, sizeof words, &rest, err);
  if (status != LS_OK) return status;
  config->chunking = ls_chunking_find(words);
  if (!config->chunking)
    return refuse_name("policy", words, (const void *const *)ls_chunkings, err);
  return set_words("policy", words, config->chunking->parameters, rest, &config->arguments, err);
}

enum ls_status ls_world_choose_order(struct ls_world *world, const char *text,
                                     struct ls_error *err) {
  char words[WORDS_BYTES], *rest = NULL;
  struct ls_coordinator_config *config = &world->setup.config;
  enum ls_status status = cut_name("order", text, words, sizeof words, &rest, err);
  if (status != LS_OK) return status;
  config->ordering = ls_ordering_find(words);
  if (!config->ordering) return refuse_name("order", words, (const void *const *)ls_orderings, err);
  config->ordering_arguments = &world->order_arguments;
  return set_words("order", words, config->ordering->parameters, rest, &world->order_arguments,
                   err);
}

enum ls_status ls_world_choose_sizing(struct ls_world *world, const char *text,
                                      struct ls_error *err) {
  char words[WORDS_BYTES], *rest = NULL;
  struct ls_coordinator_config *config = &world->setup.config;
  enum ls_status status = cut_name("sizing", text, words, sizeof words, &rest, err);
  if (status != LS_OK) return status;
  config->sizing = ls_sizing_find(words);
  if (!config->sizing) return refuse_name("sizing", words, (const void *const *)ls_sizings, err);
  config->sizing_arguments = &world->sizing_arguments;
  return set_words("sizing", words, config->sizing->parameters, rest, &world->sizing_arguments,
                   err);
}

enum ls_status ls_world_choose_replication(struct ls_world *world, const char *text,
                                           struct ls_error *err) {
  char words[WORDS_BYTES], *rest = NULL;
  struct ls_coordinator_config *config = &world->setup.config;
  enum ls_status status = cut_name("replication", text, words, sizeof words, &rest, err);
  if (status != LS_OK) return status;
  config->replication = ls_replication_find(words);
  if (!config->replication)
    return refuse_name("replication", words, (const void *const *)ls_replications, err);
  config->replication_arguments = &world->replication_arguments;
  return set_words("replication", words, config->replication->parameters, rest,
                   &world->replication_arguments, err);
}
