#include "policies/replication.h"

#include <string.h>

#define LS_REPLICATION(id) extern const struct ls_replication ls_replication_##id;
#include "policies/replication/list.h"
#undef LS_REPLICATION

#define LS_REPLICATION(id) &ls_replication_##id,
const struct ls_replication *const ls_replications[] = {
#include "policies/replication/list.h"
    NULL};
#undef LS_REPLICATION

const struct ls_replication *ls_replication_find(const char *name) {
  for (size_t i = 0; ls_replications[i] != NULL; i++) {
    if (strcmp(ls_replications[i]->name, name) == 0) return ls_replications[i];
  }
  return NULL;
}

uint64_t ls_replicate_nothing(const struct ls_replication_view *view) {
  (void)view;
  return 0;
}
