/* parameter.h: named parameters of an algorithm, as its list and --help show them. */
#ifndef LS_BASE_PARAMETER_H
#define LS_BASE_PARAMETER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "base/status.h"

enum ls_parameter_kind {
  LS_PARAMETER_REAL,
  LS_PARAMETER_WHOLE,
  LS_PARAMETER_WHOLE_OR_AUTO, /* a whole number >= 0, or "auto": LS_ARGUMENT_AUTO */
  LS_PARAMETER_CHOICE,
  LS_PARAMETER_LIST,    /* of whole numbers, as JSON: [0, 2, 1]; empty by default */
  LS_PARAMETER_NUMBERS, /* of any numbers, as JSON: [7.5, 3]; empty by default */
  LS_PARAMETER_RANGE    /* of numbers: 25-450, as JSON [25, 450]; its list has both ends, or none */
};

struct ls_parameter {
  const char *name;    /* "least_units"; NULL ends a list */
  const char *summary; /* one line, with the unit */
  enum ls_parameter_kind kind;
  double otherwise, least, most; /* default and limits (of a list: of its items); of a choice: index
                                    of the default */
  const char *const *choices;    /* NULL-terminated words of a choice */
};

enum { LS_ARGUMENTS_MAX = 16, LS_ARGUMENT_AUTO = -1 };

/* Values for the parameters of one algorithm, by their position in its list. A copy borrows the
 * lists. */
struct ls_arguments {
  double values[LS_ARGUMENTS_MAX];
  struct ls_argument_list {
    double *items;
    size_t count;
  } lists[LS_ARGUMENTS_MAX];
};

/* The defaults of `parameters` (NULL: none). */
void ls_arguments_init(struct ls_arguments *arguments, const struct ls_parameter *parameters);
/* Frees the lists; needed only where the parameters have one. */
void ls_arguments_close(struct ls_arguments *arguments);
/* Sets NAME to the value in `text`. LS_EINVAL: unknown name (lists the known ones), value out of
 * range. */
LS_CHECKED enum ls_status ls_arguments_set(struct ls_arguments *arguments,
                                           const struct ls_parameter *parameters, const char *name,
                                           const char *text, struct ls_error *err);
/* Sets the value of the member called `name`: a number, a truth value (1 or 0), a word of a
 * choice, "auto", or a list. Refuses as ls_arguments_set, naming the place. */
LS_CHECKED enum ls_status ls_arguments_read(struct ls_arguments *arguments,
                                            const struct ls_parameter *parameters,
                                            const struct ls_json *member, const char *name,
                                            struct ls_error *err);
/* Sets the list called `name`, which must be one of whole numbers (asserted), to a copy of these
 * items, which are within its limits. LS_ENOMEM: nothing has changed. */
LS_CHECKED enum ls_status ls_arguments_set_list(struct ls_arguments *arguments,
                                                const struct ls_parameter *parameters,
                                                const char *name,
                                                const struct ls_argument_list *list,
                                                struct ls_error *err);
/* How long the first piece of a list is that commas separate; those within brackets do not:
 * "sizes=[3, 4],seed=1" has two. */
size_t ls_parameter_piece(const char *text);
/* The value of the parameter called `name`, which must be in the list (asserted). */
double ls_arguments_get(const struct ls_arguments *arguments, const struct ls_parameter *parameters,
                        const char *name);
/* Has a parameter of this kind a list of its own, and no single value? */
bool ls_parameter_has_list(enum ls_parameter_kind kind);
/* The list of the parameter called `name`; borrowed. */
const struct ls_argument_list *ls_arguments_list(const struct ls_arguments *arguments,
                                                 const struct ls_parameter *parameters,
                                                 const char *name);

#endif
