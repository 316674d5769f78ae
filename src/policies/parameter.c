#include "policies/parameter.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/* The position of the parameter called `name`, or that of the end of the list. */
static size_t find_parameter(const struct ls_parameter *parameters, const char *name) {
  size_t position = 0;
  if (parameters == NULL) return 0;
  while (parameters[position].name != NULL && strcmp(parameters[position].name, name) != 0) {
    position++;
  }
  assert(position <= LS_ARGUMENTS_MAX);
  return position;
}

static enum ls_status refuse_name(const struct ls_parameter *parameters, const char *name,
                                  struct ls_error *err) {
  struct ls_bytes known = {0};
  for (size_t i = 0; parameters != NULL && parameters[i].name != NULL; i++) {
    ls_bytes_printf(&known, "%s%s", i > 0 ? ", " : "", parameters[i].name);
  }
  enum ls_status status =
      ls_fail(err, LS_EINVAL, "argument \"%s\" is unknown, expected one of: %s", name,
              known.length > 0 ? ls_bytes_text(&known) : "(this algorithm takes none)");
  ls_bytes_close(&known);
  return status;
}

static enum ls_status read_choice(const struct ls_parameter *parameter, const char *text,
                                  double *value, struct ls_error *err) {
  struct ls_bytes known = {0};
  for (size_t i = 0; parameter->choices[i] != NULL; i++) {
    if (strcmp(parameter->choices[i], text) == 0) {
      *value = (double)i;
      ls_bytes_close(&known);
      return LS_OK;
    }
    ls_bytes_printf(&known, "%s%s", i > 0 ? ", " : "", parameter->choices[i]);
  }
  enum ls_status status = ls_fail(err, LS_EINVAL, "argument %s is \"%s\", expected one of: %s",
                                  parameter->name, text, ls_bytes_text(&known));
  ls_bytes_close(&known);
  return status;
}

static enum ls_status read_number(const struct ls_parameter *parameter, const char *text,
                                  double *value, struct ls_error *err) {
  bool is_whole = parameter->kind == LS_PARAMETER_WHOLE;
  char *end = NULL;
  /* strtod skips white space, which no argument may begin with. */
  bool is_number = text[0] != '\0' && strchr(" \t\n\v\f\r", text[0]) == NULL;
  double number = is_number ? strtod(text, &end) : 0;
  is_number = is_number && end != text && *end == '\0' && isfinite(number);
  if (!is_number || !(number >= parameter->least && number <= parameter->most) ||
      (is_whole && floor(number) < number)) {
    return ls_fail(err, LS_EINVAL, "argument %s is \"%s\", expected a %s within [%g, %g]",
                   parameter->name, text, is_whole ? "whole number" : "number", parameter->least,
                   parameter->most);
  }
  *value = number;
  return LS_OK;
}

void ls_arguments_init(struct ls_arguments *arguments, const struct ls_parameter *parameters) {
  *arguments = (struct ls_arguments){{0}};
  for (size_t i = 0; parameters != NULL && parameters[i].name != NULL; i++) {
    assert(i < LS_ARGUMENTS_MAX);
    arguments->values[i] = parameters[i].otherwise;
  }
}

enum ls_status ls_arguments_set(struct ls_arguments *arguments,
                                const struct ls_parameter *parameters, const char *name,
                                const char *text, struct ls_error *err) {
  size_t position = find_parameter(parameters, name);
  if (parameters == NULL || parameters[position].name == NULL) {
    return refuse_name(parameters, name, err);
  }
  const struct ls_parameter *parameter = &parameters[position];
  if (parameter->kind == LS_PARAMETER_CHOICE) {
    return read_choice(parameter, text, &arguments->values[position], err);
  }
  return read_number(parameter, text, &arguments->values[position], err);
}

double ls_arguments_get(const struct ls_arguments *arguments, const struct ls_parameter *parameters,
                        const char *name) {
  size_t position = find_parameter(parameters, name);
  assert(parameters != NULL && parameters[position].name != NULL);
  return arguments->values[position];
}
