#include "policies/ordering.h"

#include <string.h>

#define LS_ORDERING(id) extern const struct ls_ordering ls_ordering_##id;
#include "policies/ordering/list.h"
#undef LS_ORDERING

#define LS_ORDERING(id) &ls_ordering_##id,
const struct ls_ordering *const ls_orderings[] = {
#include "policies/ordering/list.h"
    NULL};
#undef LS_ORDERING

const struct ls_ordering *ls_ordering_find(const char *name) {
  for (size_t i = 0; ls_orderings[i] != NULL; i++) {
    if (strcmp(ls_orderings[i]->name, name) == 0) return ls_orderings[i];
  }
  return NULL;
}
