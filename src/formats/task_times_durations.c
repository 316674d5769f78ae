/* task_times_durations.c: what pytest-split keeps of the durations of tests. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "formats/task_times_text.h"

static enum ls_status add_row(struct ls_task_times *times, const struct ls_json *place,
                              const char *name, double seconds, struct ls_error *err) {
  return ls_task_times_add(times,
                           &(struct ls_task_times_row){.name = name,
                                                       .length = strlen(name),
                                                       .seconds = seconds,
                                                       .source = place->source,
                                                       .where = place->path},
                           err);
}

/* Much else is JSON: what is there is said, and what was expected. */
static enum ls_status refuse_kind(const struct ls_json *place, struct ls_error *err) {
  static const char *const kinds[] = {
      [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list", [JSON_STRING] = "a text",
      [JSON_TRUE] = "true",        [JSON_FALSE] = "false",  [JSON_NULL] = "null"};
  return ls_fail(err, LS_EINVAL,
                 "%s: this JSON is no .test_durations: %s is %s there, expected a test and its "
                 "seconds",
                 place->source, place->path, kinds[json_typeof(place->value)]);
}

static enum ls_status read_object(struct ls_task_times *times, const struct ls_json *top,
                                  struct ls_error *err) {
  /* The names are keys of any form, each of which is checked here. */
  json_t *members = (json_t *)(uintptr_t)top->value, *value;
  const char *name;
  enum ls_status status = LS_OK;
  json_object_foreach(members, name, value) {
    struct ls_json place = {.value = value, .source = top->source};
    double seconds;
    (void)snprintf(place.path, sizeof place.path, "\"%.100s\"", name);
    if (!json_is_number(value)) {
      status = refuse_kind(&place, err);
      break;
    }
    status = ls_json_real(&place, 0, LS_TASK_SECONDS_MAX, &seconds, err);
    if (status == LS_OK) status = add_row(times, &place, name, seconds, err);
    if (status != LS_OK) break;
  }
  return status;
}

static enum ls_status read_list(struct ls_task_times *times, const struct ls_json *top,
                                struct ls_error *err) {
  size_t count, two;
  enum ls_status status = ls_json_array(top, &count, err);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_json pair = ls_json_item(top, i);
    const char *name;
    double seconds;
    status = ls_json_array(&pair, &two, err);
    if (status == LS_OK && two != 2)
      status = ls_json_refuse(&pair, "a pair of a name and seconds", err);
    if (status != LS_OK) break;
    struct ls_json first = ls_json_item(&pair, 0), second = ls_json_item(&pair, 1);
    status = ls_json_string(&first, &name, err);
    if (status == LS_OK) status = ls_json_real(&second, 0, LS_TASK_SECONDS_MAX, &seconds, err);
    if (status == LS_OK) status = add_row(times, &pair, name, seconds, err);
  }
  return status;
}

enum ls_status ls_task_times_read_durations(struct ls_task_times *times, struct ls_text text,
                                            struct ls_error *err) {
  json_t *document = NULL;
  ls_task_times_begin_file(times);
  enum ls_status status = ls_json_parse(text, &document, err);
  if (status != LS_OK) return status;
  struct ls_json top = ls_json_top(document, text.source);
  if (json_is_object(document))
    status = read_object(times, &top, err);
  else if (json_is_array(document))
    status = read_list(times, &top, err);
  else
    status = ls_json_refuse(&top, "an object of names and seconds, or a list of pairs", err);
  json_decref(document);
  return status;
}
