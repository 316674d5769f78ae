/* policy_name.h: "NAME[:VALUE]" on the command line, for policies, orders, sizings, replications.
 */
#ifndef LS_CLI_POLICY_NAME_H
#define LS_CLI_POLICY_NAME_H

#include <stddef.h>

#include "base/parameter.h"
#include "base/status.h"

enum { LS_POLICY_NAME_BYTES = 64 };

/* Copies the text before the colon (a longer name is cut: no list knows it); returns the text
 * behind it, or NULL. */
const char *ls_policy_name_cut(const char *text, char name[LS_POLICY_NAME_BYTES]);
/* A word of an option that is none of its names. */
struct ls_policy_name {
  const char *option; /* "--policy" */
  const char *word;
  const char *also; /* a name that is in no list, "auto"; NULL: none */
};
/* Refuses the word with the names of a NULL-terminated list, whose entries begin with their name.
 */
LS_CHECKED enum ls_status ls_policy_name_refuse(const struct ls_policy_name *name,
                                                const void *const *entries, struct ls_error *err);
/* The defaults, and the first parameter as `value` says (NULL: nothing). LS_EINVAL names the
 * option. */
LS_CHECKED enum ls_status ls_policy_name_arguments(const char *option, const char *text,
                                                   const struct ls_parameter *parameters,
                                                   struct ls_arguments *arguments,
                                                   struct ls_error *err);

#endif
