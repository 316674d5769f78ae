#include "policies/chunking.h"

#include <string.h>

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

uint64_t ls_chunking_report_every(const struct ls_chunking *policy,
                                  const struct ls_arguments *arguments) {
  const struct ls_parameter *parameter = policy->parameters;
  for (; parameter != NULL && parameter->name != NULL; parameter++) {
    if (strcmp(parameter->name, "report_every") == 0)
      return (uint64_t)ls_arguments_get(arguments, policy->parameters, "report_every");
  }
  return 0;
}
