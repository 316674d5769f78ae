#include "runtime/execute/command_environment.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEQUENCE, ATTEMPT, PARALLEL_SEQUENCE, SLOT, PARALLEL_SLOT, CHOSEN_SLOT };

/* Do both assign to the same variable? */
static bool is_same_variable(const char *a, const char *b) {
  size_t length = strcspn(a, "=");
  return strncmp(a, b, length) == 0 && b[length] == '=';
}

static bool is_assigned(const struct ls_command_environment *environment, size_t count,
                        const char *entry) {
  for (size_t i = 0; i < count; i++)
    if (is_same_variable(environment->entries[i], entry)) return true;
  return false;
}

static void write_slot(struct ls_command_environment *environment,
                       const struct ls_command_manners *manners, uint32_t slot) {
  (void)snprintf(environment->own[SLOT], LS_ENVIRONMENT_OWN_BYTES, "LOADSTAR_SLOT=%" PRIu32, slot);
  (void)snprintf(environment->own[PARALLEL_SLOT], LS_ENVIRONMENT_OWN_BYTES,
                 "PARALLEL_JOBSLOT=%" PRIu32, slot);
  if (manners != NULL && manners->slot_variable != NULL)
    (void)snprintf(environment->own[CHOSEN_SLOT], LS_ENVIRONMENT_OWN_BYTES, "%.255s=%" PRIu32,
                   manners->slot_variable, slot > 0 ? slot - 1 : 0);
}

enum ls_status ls_command_environment_init(struct ls_command_environment *environment,
                                           const struct ls_command_manners *manners, uint32_t slot,
                                           struct ls_error *err) {
  size_t count = 0, given = manners != NULL ? manners->assignments_count : 0, inherited = 0;
  while (environ != NULL && environ[inherited] != NULL) inherited++;
  *environment = (struct ls_command_environment){0};
  environment->entries =
      calloc(LS_ENVIRONMENT_OWN + given + inherited + 1, sizeof *environment->entries);
  if (environment->entries == NULL)
    return ls_fail(err, LS_ENOMEM, "out of memory for the environment of commands");
  write_slot(environment, manners, slot);
  (void)ls_command_environment_of(environment, 1, 1);
  for (size_t i = 0; i < LS_ENVIRONMENT_OWN; i++)
    if (environment->own[i][0] != '\0') environment->entries[count++] = environment->own[i];
  for (size_t i = 0; i < given; i++)
    if (!is_assigned(environment, count, manners->assignments[i]))
      environment->entries[count++] = manners->assignments[i];
  size_t ours = count;
  for (size_t i = 0; i < inherited; i++)
    if (!is_assigned(environment, ours, environ[i])) environment->entries[count++] = environ[i];
  return LS_OK;
}

char *const *ls_command_environment_of(struct ls_command_environment *environment,
                                       uint64_t sequence, uint64_t attempt) {
  (void)snprintf(environment->own[SEQUENCE], LS_ENVIRONMENT_OWN_BYTES, "LOADSTAR_SEQ=%" PRIu64,
                 sequence);
  (void)snprintf(environment->own[PARALLEL_SEQUENCE], LS_ENVIRONMENT_OWN_BYTES,
                 "PARALLEL_SEQ=%" PRIu64, sequence);
  (void)snprintf(environment->own[ATTEMPT], LS_ENVIRONMENT_OWN_BYTES, "LOADSTAR_ATTEMPT=%" PRIu64,
                 attempt);
  return environment->entries;
}

void ls_command_environment_close(struct ls_command_environment *environment) {
  free(environment->entries);
  environment->entries = NULL;
}
