#include "policies/sizing.h"

#include <string.h>

#define LS_SIZING(id) extern const struct ls_sizing ls_sizing_##id;
#include "policies/sizing/list.h"
#undef LS_SIZING

#define LS_SIZING(id) &ls_sizing_##id,
const struct ls_sizing *const ls_sizings[] = {
#include "policies/sizing/list.h"
    NULL};
#undef LS_SIZING

const struct ls_sizing *ls_sizing_find(const char *name) {
  for (size_t i = 0; ls_sizings[i] != NULL; i++) {
    if (strcmp(ls_sizings[i]->name, name) == 0) return ls_sizings[i];
  }
  return NULL;
}

size_t ls_sizing_clamp(size_t wanted, uint64_t units, size_t given) {
  if (wanted > units) wanted = (size_t)units;
  if (wanted > given) wanted = given;
  return wanted > 1 ? wanted : 1;
}
