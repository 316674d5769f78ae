#include "cli/run/policy_name.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/nearest.h"

const char *ls_policy_name_cut(const char *text, char name[LS_POLICY_NAME_BYTES]) {
  size_t length = strcspn(text, ":");
  size_t kept = length < LS_POLICY_NAME_BYTES ? length : LS_POLICY_NAME_BYTES - 1;
  memcpy(name, text, kept);
  name[kept] = '\0';
  return text[length] == ':' ? text + length + 1 : NULL;
}

enum ls_status ls_policy_name_refuse(const struct ls_policy_name *name, const void *const *entries,
                                     struct ls_error *err) {
  struct ls_bytes names = {0};
  ls_nearest_answer(name->word, entries, name->also, &names);
  enum ls_status status =
      ls_fail(err, LS_EINVAL, "%s is '%s', %s", name->option, name->word, ls_bytes_text(&names));
  ls_bytes_close(&names);
  return status;
}

enum ls_status ls_policy_name_arguments(const char *option, const char *text,
                                        const struct ls_parameter *parameters,
                                        struct ls_arguments *arguments, struct ls_error *err) {
  char name[LS_POLICY_NAME_BYTES];
  const char *value = ls_policy_name_cut(text, name);
  ls_arguments_init(arguments, parameters);
  if (value == NULL) return LS_OK;
  if (parameters == NULL || parameters[0].name == NULL)
    return ls_fail(err, LS_EINVAL, "%s is '%s', but %s has no parameter", option, text, name);
  enum ls_status status = ls_arguments_set(arguments, parameters, parameters[0].name, value, err);
  return status == LS_OK ? LS_OK : ls_fail_while(err, status, "%s %s", option, name);
}
