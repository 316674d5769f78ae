#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"

enum { VALUE_TEXT_BYTES = 64 };

static const double WHOLE_MOST = 9007199254740992.0; /* 2^53: beyond, doubles skip whole numbers */

/* The value as a reader would find it in the file; long ones are cut. */
static void describe_value(const json_t *value, char *text) {
  char *dump = NULL;
  if (json_is_object(value)) {
    (void)snprintf(text, VALUE_TEXT_BYTES, "an object");
  } else if (json_is_array(value)) {
    (void)snprintf(text, VALUE_TEXT_BYTES, "an array");
  } else if (json_is_real(value)) {
    (void)snprintf(text, VALUE_TEXT_BYTES, "%.17g", json_real_value(value));
  } else {
    dump = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    int wanted = snprintf(text, VALUE_TEXT_BYTES, "%s", dump == NULL ? "?" : dump);
    if (wanted >= VALUE_TEXT_BYTES) memcpy(text + VALUE_TEXT_BYTES - 4, "...", 4);
  }
  free(dump);
}

static void mark_cut_path(char *path, int wanted) {
  if (wanted >= LS_JSON_PATH_BYTES) memcpy(path + LS_JSON_PATH_BYTES - 4, "...", 4);
}

static bool is_mistake_of_text(const json_error_t *why) {
  enum json_error_code code = json_error_code(why);
  return code != json_error_unknown && code != json_error_out_of_memory;
}

enum ls_status ls_json_parse(struct ls_text text, json_t **document, struct ls_error *err) {
  json_error_t why = {.line = 0}, again = {.line = 0};
  json_t *parsed = json_loadb(text.data, text.length, JSON_REJECT_DUPLICATES, &why);
  if (parsed != NULL) {
    *document = parsed;
    return LS_OK;
  }
  /* jansson has no word for some lacks of memory, and takes others for mistakes of the text; but a
   * mistake is there each time. */
  parsed = json_loadb(text.data, text.length, JSON_REJECT_DUPLICATES, &again);
  bool is_mistake = parsed == NULL && is_mistake_of_text(&why) && is_mistake_of_text(&again);
  json_decref(parsed);
  if (!is_mistake) return ls_fail(err, LS_ENOMEM, "%s: out of memory", text.source);
  return ls_fail(err, LS_EINVAL, "%s: line %d, column %d: %s", text.source, why.line, why.column,
                 why.text);
}

struct ls_json ls_json_top(const json_t *document, const char *source) {
  return (struct ls_json){.value = document, .source = source};
}

enum ls_status ls_json_object(const struct ls_json *place, const char *const *known,
                              struct ls_error *err) {
  if (!json_is_object(place->value)) return ls_json_refuse(place, "an object", err);
  /* jansson iterates over mutable objects only; nothing is changed here. */
  void *at = json_object_iter((json_t *)place->value);
  for (; at != NULL; at = json_object_iter_next((json_t *)place->value, at)) {
    const char *key = json_object_iter_key(at);
    size_t i = 0;
    while (known[i] != NULL && strcmp(known[i], key) != 0) i++;
    if (known[i] != NULL) continue;
    const char *nearest = ls_nearest_name(key, known, i);
    return ls_fail(err, LS_EINVAL, "%s: %s%s%.80s is not a known field%s%s%s", place->source,
                   place->path, place->path[0] == '\0' ? "" : ".", key,
                   nearest == NULL ? "" : ", did you mean '", nearest == NULL ? "" : nearest,
                   nearest == NULL ? "" : "'?");
  }
  return LS_OK;
}

struct ls_json ls_json_member(const struct ls_json *object, const char *key) {
  struct ls_json member = {.source = object->source};
  int wanted = snprintf(member.path, sizeof member.path, "%s%s%s", object->path,
                        object->path[0] == '\0' ? "" : ".", key);
  mark_cut_path(member.path, wanted);
  const json_t *value = json_object_get(object->value, key);
  member.value = json_is_null(value) ? NULL : value;
  return member;
}

struct ls_json ls_json_item(const struct ls_json *array, size_t index) {
  struct ls_json item = {.source = array->source, .value = json_array_get(array->value, index)};
  int wanted = snprintf(item.path, sizeof item.path, "%s[%zu]", array->path, index);
  mark_cut_path(item.path, wanted);
  return item;
}

enum ls_status ls_json_array(const struct ls_json *place, size_t *count, struct ls_error *err) {
  if (!json_is_array(place->value)) return ls_json_refuse(place, "an array", err);
  *count = json_array_size(place->value);
  return LS_OK;
}

enum ls_status ls_json_real(const struct ls_json *place, double least, double most, double *number,
                            struct ls_error *err) {
  double value = json_is_number(place->value) ? json_number_value(place->value) : (double)NAN;
  if (!(isfinite(value) && value >= least && value <= most)) {
    char expected[96];
    if (isfinite(least) && isfinite(most)) {
      (void)snprintf(expected, sizeof expected, "a number from %g to %g", least, most);
    } else if (isfinite(least)) {
      (void)snprintf(expected, sizeof expected, "a number >= %g", least);
    } else {
      (void)snprintf(expected, sizeof expected, "a finite number");
    }
    return ls_json_refuse(place, expected, err);
  }
  *number = value;
  return LS_OK;
}

enum ls_status ls_json_whole(const struct ls_json *place, uint64_t least, uint64_t most,
                             uint64_t *number, struct ls_error *err) {
  if (most > (uint64_t)WHOLE_MOST) most = (uint64_t)WHOLE_MOST;
  bool good = false;
  uint64_t value = 0;
  if (json_is_integer(place->value)) {
    json_int_t given = json_integer_value(place->value);
    good = given >= 0;
    value = good ? (uint64_t)given : 0;
  } else if (json_is_real(place->value)) {
    double given = json_real_value(place->value);
    good = given >= 0 && given <= WHOLE_MOST && !(given - floor(given) > 0);
    value = good ? (uint64_t)given : 0;
  }
  if (!(good && value >= least && value <= most)) {
    char expected[96];
    (void)snprintf(expected, sizeof expected, "a whole number from %llu to %llu",
                   (unsigned long long)least, (unsigned long long)most);
    return ls_json_refuse(place, expected, err);
  }
  *number = value;
  return LS_OK;
}

enum ls_status ls_json_bool(const struct ls_json *place, bool *flag, struct ls_error *err) {
  if (!json_is_boolean(place->value)) return ls_json_refuse(place, "true or false", err);
  *flag = json_is_true(place->value);
  return LS_OK;
}

enum ls_status ls_json_string(const struct ls_json *place, const char **text,
                              struct ls_error *err) {
  if (!json_is_string(place->value)) return ls_json_refuse(place, "a string", err);
  *text = json_string_value(place->value);
  return LS_OK;
}

enum ls_status ls_json_refuse(const struct ls_json *place, const char *expected,
                              struct ls_error *err) {
  const char *path = place->path[0] == '\0' ? "the document" : place->path;
  if (place->value == NULL) {
    return ls_fail(err, LS_EINVAL, "%s: %s is missing, expected %s", place->source, path, expected);
  }
  char value[VALUE_TEXT_BYTES];
  describe_value(place->value, value);
  return ls_fail(err, LS_EINVAL, "%s: %s is %s, expected %s", place->source, path, value, expected);
}

/* Bytes of the well-formed UTF-8 character at `text`; 0 when there is none. */
static size_t count_character(const unsigned char *text) {
  if (text[0] < 0x80) return 1;
  size_t length = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
  if (text[0] < 0xc2 || text[0] > 0xf4) return 0;
  for (size_t i = 1; i < length; i++) {
    if ((text[i] & 0xc0) != 0x80) return 0;
  }
  /* Overlong forms, surrogates, and what lies beyond U+10FFFF. */
  if (text[0] == 0xe0 && text[1] < 0xa0) return 0;
  if (text[0] == 0xed && text[1] > 0x9f) return 0;
  if (text[0] == 0xf0 && text[1] < 0x90) return 0;
  if (text[0] == 0xf4 && text[1] > 0x8f) return 0;
  return length;
}

bool ls_json_is_text(const char *text, size_t length) {
  for (size_t at = 0; at < length;) {
    unsigned char character[4] = {0};
    memcpy(character, text + at, length - at < 4 ? length - at : 4);
    size_t bytes = count_character(character);
    if (bytes == 0) return false;
    at += bytes;
  }
  return true;
}

void ls_json_write_string(struct ls_bytes *out, const char *text) {
  ls_bytes_append_char(out, '"');
  for (const char *c = text; *c != '\0';) {
    size_t length = count_character((const unsigned char *)c);
    if (length == 0) {
      ls_bytes_append_text(out, "\\ufffd");
    } else if (*c == '"' || *c == '\\') {
      ls_bytes_append_char(out, '\\');
      ls_bytes_append_char(out, *c);
    } else if (length == 1 && ((unsigned char)*c < 0x20 || *c == 0x7f)) {
      ls_bytes_printf(out, "\\u%04x", (unsigned)*c);
    } else {
      ls_bytes_append(out, c, length);
    }
    c += length == 0 ? 1 : length;
  }
  ls_bytes_append_char(out, '"');
}

void ls_json_write_number(struct ls_bytes *out, double number) {
  if (isfinite(number)) {
    ls_bytes_printf(out, "%.17g", number);
  } else {
    ls_bytes_append_text(out, "null");
  }
}

void ls_json_write_field(struct ls_bytes *out, const char *before, const char *name,
                         double number) {
  ls_bytes_printf(out, "%s\"%s\": ", before, name);
  ls_json_write_number(out, number);
}
