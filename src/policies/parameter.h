/* parameter.h: named parameters of an algorithm, as its list and --help show them. */
#ifndef LS_POLICIES_PARAMETER_H
#define LS_POLICIES_PARAMETER_H

#include <stddef.h>

#include "base/status.h"

enum ls_parameter_kind { LS_PARAMETER_REAL, LS_PARAMETER_WHOLE, LS_PARAMETER_CHOICE };

struct ls_parameter {
  const char *name;    /* "least_units"; NULL ends a list */
  const char *summary; /* one line, with the unit */
  enum ls_parameter_kind kind;
  double otherwise, least, most; /* default and limits; of a choice: index of the default */
  const char *const *choices;    /* NULL-terminated words of a choice */
};

enum { LS_ARGUMENTS_MAX = 16 };

/* Values for the parameters of one algorithm, by their position in its list. */
struct ls_arguments {
  double values[LS_ARGUMENTS_MAX];
};

/* The defaults of `parameters` (NULL: none). */
void ls_arguments_init(struct ls_arguments *arguments, const struct ls_parameter *parameters);
/* Sets NAME to the value in `text`. LS_EINVAL: unknown name (lists the known ones), value out of
 * range. */
LS_CHECKED enum ls_status ls_arguments_set(struct ls_arguments *arguments,
                                           const struct ls_parameter *parameters, const char *name,
                                           const char *text, struct ls_error *err);
/* The value of the parameter called `name`, which must be in the list (asserted). */
double ls_arguments_get(const struct ls_arguments *arguments, const struct ls_parameter *parameters,
                        const char *name);

#endif
