/* list.h: all studies, one line each; read several times. */
#include "lab/studies/study.h"

#include <string.h>

#define LS_STUDY(id) extern const struct ls_study ls_study_##id;
#include "lab/studies/list.h"
#undef LS_STUDY

#define LS_STUDY(id) &ls_study_##id,
const struct ls_study *const ls_studies[] = {
#include "lab/studies/list.h"
    NULL};
#undef LS_STUDY

const struct ls_study *ls_study_find(const char *name) {
  for (size_t i = 0; ls_studies[i] != NULL; i++) {
    if (strcmp(ls_studies[i]->name, name) == 0) return ls_studies[i];
  }
  return NULL;
}
