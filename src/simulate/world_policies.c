/* world_policies.c: chooses the policies of a world by "NAME", "NAME:VALUE" or
 * "NAME:VALUE,NAME=VALUE". */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "simulate/world_private.h"

enum { WORDS_BYTES = 256 };

/* "NAME:WORDS", cut in two. */
struct choice {
  const char *kind; /* "policy", for messages */
  char name[WORDS_BYTES];
  char *words; /* behind the name; NULL: none */
};

static enum ls_status cut_name(struct choice *choice, const char *kind, const char *text,
                               struct ls_error *err) {
  if (strlen(text) >= sizeof choice->name)
    return ls_fail(err, LS_EINVAL, "%s \"%.40s...\" is too long, at most %zu characters fit", kind,
                   text, sizeof choice->name - 1);
  choice->kind = kind;
  (void)snprintf(choice->name, sizeof choice->name, "%s", text);
  choice->words = strchr(choice->name, ':');
  if (choice->words) *choice->words++ = '\0';
  return LS_OK;
}

/* Sets NAME=VALUE, or the first parameter to VALUE. */
static enum ls_status set_word(const struct choice *choice, char *word,
                               const struct ls_parameter *parameters,
                               struct ls_arguments *arguments, struct ls_error *err) {
  char *value = strchr(word, '=');
  if (value) {
    *value++ = '\0';
    return ls_arguments_set(arguments, parameters, word, value, err);
  }
  if (!parameters || !parameters[0].name)
    return ls_fail(err, LS_EINVAL, "%s %s takes no argument, but '%s' is given", choice->kind,
                   choice->name, word);
  return ls_arguments_set(arguments, parameters, parameters[0].name, word, err);
}

static enum ls_status set_words(const struct choice *choice, const struct ls_parameter *parameters,
                                struct ls_arguments *arguments, struct ls_error *err) {
  enum ls_status status = LS_OK;
  ls_arguments_init(arguments, parameters);
  for (char *word = choice->words, *next; word && status == LS_OK; word = next) {
    size_t length = ls_parameter_piece(word);
    next = word[length] == ',' ? word + length + 1 : NULL;
    word[length] = '\0';
    status = set_word(choice, word, parameters, arguments, err);
  }
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "%s %s", choice->kind, choice->name);
}

/* Appends the names of a NULL-terminated list whose entries begin with their name. */
static enum ls_status refuse_name(const struct choice *choice, const void *const *entries,
                                  struct ls_error *err) {
  struct ls_bytes names = {0};
  ls_nearest_answer(choice->name, entries, NULL, &names);
  enum ls_status status =
      ls_fail(err, LS_EINVAL, "%s is '%s', %s", choice->kind, choice->name, ls_bytes_text(&names));
  ls_bytes_close(&names);
  return status;
}

enum ls_status ls_world_choose_advised(const char *text, struct ls_coordinator_choice *advised,
                                       struct ls_error *err) {
  struct choice choice;
  enum ls_status status = cut_name(&choice, "policy", text, err);
  if (status != LS_OK) return status;
  advised->chunking = ls_chunking_find(choice.name);
  if (!advised->chunking) return refuse_name(&choice, (const void *const *)ls_chunkings, err);
  return set_words(&choice, advised->chunking->parameters, &advised->arguments, err);
}

enum ls_status ls_world_choose_policy(struct ls_world *world, const char *text,
                                      struct ls_error *err) {
  struct ls_coordinator_config *config = &world->setup.config;
  struct ls_coordinator_choice choice = {.chunking = NULL};
  enum ls_status status = ls_world_choose_advised(text, &choice, err);
  config->chunking = choice.chunking;
  config->arguments = choice.arguments;
  return status;
}

enum ls_status ls_world_choose_order(struct ls_world *world, const char *text,
                                     struct ls_error *err) {
  struct choice choice;
  struct ls_coordinator_config *config = &world->setup.config;
  enum ls_status status = cut_name(&choice, "order", text, err);
  if (status != LS_OK) return status;
  config->ordering = ls_ordering_find(choice.name);
  if (!config->ordering) return refuse_name(&choice, (const void *const *)ls_orderings, err);
  config->ordering_arguments = &world->order_arguments;
  return set_words(&choice, config->ordering->parameters, &world->order_arguments, err);
}

enum ls_status ls_world_choose_sizing(struct ls_world *world, const char *text,
                                      struct ls_error *err) {
  struct choice choice;
  struct ls_coordinator_config *config = &world->setup.config;
  enum ls_status status = cut_name(&choice, "sizing", text, err);
  if (status != LS_OK) return status;
  config->sizing = ls_sizing_find(choice.name);
  if (!config->sizing) return refuse_name(&choice, (const void *const *)ls_sizings, err);
  config->sizing_arguments = &world->sizing_arguments;
  return set_words(&choice, config->sizing->parameters, &world->sizing_arguments, err);
}

enum ls_status ls_world_choose_replication(struct ls_world *world, const char *text,
                                           struct ls_error *err) {
  struct choice choice;
  struct ls_coordinator_config *config = &world->setup.config;
  enum ls_status status = cut_name(&choice, "replication", text, err);
  if (status != LS_OK) return status;
  config->replication = ls_replication_find(choice.name);
  if (!config->replication) return refuse_name(&choice, (const void *const *)ls_replications, err);
  config->replication_arguments = &world->replication_arguments;
  return set_words(&choice, config->replication->parameters, &world->replication_arguments, err);
}

/* A replication that chooses may have up to 3 extra workers. */
void ls_world_keep_extra(struct ls_world *world) {
  struct ls_coordinator_config *config = &world->setup.config;
  size_t workers = world->setup.platform->workers_count;
  if (config->replication == NULL || config->replication->extra == NULL || workers == 0) return;
  config->extra = workers > LS_EXTRA_MOST ? LS_EXTRA_MOST : workers - 1;
}
