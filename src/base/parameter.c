#include "base/parameter.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/nearest.h"

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

bool ls_parameter_has_list(enum ls_parameter_kind kind) {
  return kind == LS_PARAMETER_LIST || kind == LS_PARAMETER_NUMBERS || kind == LS_PARAMETER_RANGE;
}

static enum ls_status refuse_name(const struct ls_parameter *parameters, const char *name,
                                  struct ls_error *err) {
  struct ls_bytes known = {0};
  const char *names[LS_ARGUMENTS_MAX] = {NULL};
  size_t count = 0;
  for (; parameters != NULL && parameters[count].name != NULL; count++)
    names[count] = parameters[count].name;
  const char *nearest = ls_nearest_name(name, names, count);
  if (nearest != NULL)
    return ls_fail(err, LS_EINVAL, "argument \"%s\" is unknown, did you mean '%s'?", name, nearest);
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
    if (strcmp(parameter->choices[i], text) != 0) continue;
    *value = (double)i;
    return LS_OK;
  }
  for (size_t i = 0; parameter->choices[i] != NULL; i++)
    ls_bytes_printf(&known, "%s%s", i > 0 ? ", " : "", parameter->choices[i]);
  enum ls_status status = ls_fail(err, LS_EINVAL, "argument %s is \"%s\", expected one of: %s",
                                  parameter->name, text, ls_bytes_text(&known));
  ls_bytes_close(&known);
  return status;
}

static bool is_whole(const struct ls_parameter *parameter) {
  return parameter->kind == LS_PARAMETER_WHOLE || parameter->kind == LS_PARAMETER_WHOLE_OR_AUTO;
}

/* The word that stands for a number which the algorithm finds by itself. */
static bool read_auto(const struct ls_parameter *parameter, const char *text, double *value) {
  bool is_auto = parameter->kind == LS_PARAMETER_WHOLE_OR_AUTO && strcmp(text, "auto") == 0;
  if (is_auto) *value = LS_ARGUMENT_AUTO;
  return is_auto;
}

static enum ls_status read_number(const struct ls_parameter *parameter, const char *text,
                                  double *value, struct ls_error *err) {
  if (read_auto(parameter, text, value)) return LS_OK;
  char *end = NULL;
  /* strtod skips white space, which no argument may begin with. */
  bool is_number = text[0] != '\0' && strchr(" \t\n\v\f\r", text[0]) == NULL;
  double number = is_number ? strtod(text, &end) : 0;
  is_number = is_number && end != text && *end == '\0' && isfinite(number);
  if (!is_number || !(number >= parameter->least && number <= parameter->most) ||
      (is_whole(parameter) && floor(number) < number)) {
    return ls_fail(
        err, LS_EINVAL, "argument %s is \"%s\", expected %sa %s within [%g, %g]", parameter->name,
        text, parameter->kind == LS_PARAMETER_WHOLE_OR_AUTO ? "auto or " : "",
        is_whole(parameter) ? "whole number" : "number", parameter->least, parameter->most);
  }
  *value = number;
  return LS_OK;
}

static enum ls_status read_item(const struct ls_parameter *parameter, const struct ls_json *item,
                                double *value, struct ls_error *err) {
  if (parameter->kind != LS_PARAMETER_LIST)
    return ls_json_real(item, parameter->least, parameter->most, value, err);
  uint64_t number = 0;
  enum ls_status status =
      ls_json_whole(item, (uint64_t)parameter->least, (uint64_t)parameter->most, &number, err);
  *value = (double)number;
  return status;
}

static enum ls_status read_items(const struct ls_parameter *parameter, const struct ls_json *list,
                                 struct ls_argument_list *out, struct ls_error *err) {
  size_t count;
  enum ls_status status = ls_json_array(list, &count, err);
  if (status != LS_OK) return status;
  double *items = calloc(count + 1, sizeof *items);
  if (items == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for %s", parameter->name);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_json item = ls_json_item(list, i);
    status = read_item(parameter, &item, &items[i], err);
  }
  if (status == LS_OK && parameter->kind == LS_PARAMETER_RANGE &&
      !(count == 2 && items[0] <= items[1]))
    status = ls_json_refuse(list, "two numbers, the lower one first", err);
  if (status != LS_OK) {
    free(items);
    return status;
  }
  free(out->items);
  *out = (struct ls_argument_list){items, count};
  return LS_OK;
}

/* "25-450"; a list in JSON is read as other lists are. */
static enum ls_status read_range(const struct ls_parameter *parameter, const char *text,
                                 struct ls_argument_list *list, struct ls_error *err) {
  char *end = NULL, *last = NULL;
  bool has_start = text[0] >= '0' && text[0] <= '9';
  double least = has_start ? strtod(text, &end) : 0, most = 0;
  bool has_both = has_start && *end == '-' && end[1] >= '0' && end[1] <= '9';
  if (has_both) most = strtod(end + 1, &last);
  if (!has_both || *last != '\0' || !(least >= parameter->least && most <= parameter->most) ||
      !(least <= most))
    return ls_fail(err, LS_EINVAL, "argument %s is \"%s\", expected FROM-TO within [%g, %g]",
                   parameter->name, text, parameter->least, parameter->most);
  double *items = calloc(2, sizeof *items);
  if (items == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for %s", parameter->name);
  items[0] = least;
  items[1] = most;
  free(list->items);
  *list = (struct ls_argument_list){items, 2};
  return LS_OK;
}

static enum ls_status read_list(const struct ls_parameter *parameter, const char *text,
                                struct ls_argument_list *list, struct ls_error *err) {
  json_t *document;
  enum ls_status status =
      ls_json_parse((struct ls_text){text, strlen(text), parameter->name}, &document, err);
  if (status != LS_OK) return status;
  struct ls_json top = ls_json_top(document, parameter->name);
  status = read_items(parameter, &top, list, err);
  json_decref(document);
  return status;
}

void ls_arguments_init(struct ls_arguments *arguments, const struct ls_parameter *parameters) {
  *arguments = (struct ls_arguments){.values = {0}};
  for (size_t i = 0; parameters != NULL && parameters[i].name != NULL; i++) {
    assert(i < LS_ARGUMENTS_MAX);
    arguments->values[i] = parameters[i].otherwise;
  }
}

void ls_arguments_close(struct ls_arguments *arguments) {
  for (size_t i = 0; i < LS_ARGUMENTS_MAX; i++) {
    free(arguments->lists[i].items);
    arguments->lists[i] = (struct ls_argument_list){NULL, 0};
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
  if (parameter->kind == LS_PARAMETER_RANGE && text[0] != '[') {
    return read_range(parameter, text, &arguments->lists[position], err);
  }
  if (ls_parameter_has_list(parameter->kind)) {
    return read_list(parameter, text, &arguments->lists[position], err);
  }
  return read_number(parameter, text, &arguments->values[position], err);
}

enum ls_status ls_arguments_read(struct ls_arguments *arguments,
                                 const struct ls_parameter *parameters,
                                 const struct ls_json *member, const char *name,
                                 struct ls_error *err) {
  size_t position = find_parameter(parameters, name);
  if (parameters == NULL || parameters[position].name == NULL) {
    return refuse_name(parameters, name, err);
  }
  const struct ls_parameter *parameter = &parameters[position];
  if (ls_parameter_has_list(parameter->kind)) {
    return read_items(parameter, member, &arguments->lists[position], err);
  }
  if (parameter->kind == LS_PARAMETER_CHOICE) {
    const char *text;
    enum ls_status status = ls_json_string(member, &text, err);
    return status != LS_OK ? status
                           : read_choice(parameter, text, &arguments->values[position], err);
  }
  if (json_is_boolean(member->value) && parameter->kind == LS_PARAMETER_WHOLE) {
    arguments->values[position] = json_is_true(member->value) ? 1 : 0;
    return LS_OK;
  }
  if (json_is_string(member->value) && parameter->kind == LS_PARAMETER_WHOLE_OR_AUTO)
    return read_number(parameter, json_string_value(member->value), &arguments->values[position],
                       err);
  if (is_whole(parameter)) {
    uint64_t number;
    enum ls_status status =
        ls_json_whole(member, (uint64_t)parameter->least, (uint64_t)parameter->most, &number, err);
    if (status == LS_OK) arguments->values[position] = (double)number;
    return status;
  }
  return ls_json_real(member, parameter->least, parameter->most, &arguments->values[position], err);
}

enum ls_status ls_arguments_set_list(struct ls_arguments *arguments,
                                     const struct ls_parameter *parameters, const char *name,
                                     const struct ls_argument_list *list, struct ls_error *err) {
  size_t position = find_parameter(parameters, name);
  assert(parameters != NULL && parameters[position].name != NULL);
  assert(parameters[position].kind == LS_PARAMETER_LIST);
  double *items = calloc(list->count + 1, sizeof *items);
  if (items == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for %s", name);
  if (list->count > 0) memcpy(items, list->items, list->count * sizeof *items);
  free(arguments->lists[position].items);
  arguments->lists[position] = (struct ls_argument_list){items, list->count};
  return LS_OK;
}

size_t ls_parameter_piece(const char *text) {
  size_t length = 0;
  for (int depth = 0; text[length] != '\0'; length++) {
    if (text[length] == ',' && depth <= 0) break;
    depth += (text[length] == '[') - (text[length] == ']');
  }
  return length;
}

double ls_arguments_get(const struct ls_arguments *arguments, const struct ls_parameter *parameters,
                        const char *name) {
  size_t position = find_parameter(parameters, name);
  assert(parameters != NULL && parameters[position].name != NULL);
  return arguments->values[position];
}

const struct ls_argument_list *ls_arguments_list(const struct ls_arguments *arguments,
                                                 const struct ls_parameter *parameters,
                                                 const char *name) {
  size_t position = find_parameter(parameters, name);
  assert(parameters != NULL && parameters[position].name != NULL);
  assert(ls_parameter_has_list(parameters[position].kind));
  return &arguments->lists[position];
}
