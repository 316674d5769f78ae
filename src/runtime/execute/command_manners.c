#include "runtime/execute/command_manners.h"

#include <stdlib.h>
#include <string.h>

static const char *const keys[] = {"assignments",  "slot_variable", "niceness", "load_most",
                                   "memory_least", "avoids_swap",   NULL};
static const uint64_t bytes_most = UINT64_C(1) << 53;

/* JSON holds UTF-8 only; bytes above 127 travel as code points of the same number. */
static json_t *make_bytes(const char *text) {
  struct ls_bytes wide = {0};
  for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
    if (*c >= 0x80) ls_bytes_append_char(&wide, (char)(0xc0 | *c >> 6));
    ls_bytes_append_char(&wide, (char)(*c >= 0x80 ? 0x80 | (*c & 0x3f) : *c));
  }
  json_t *made = wide.failed ? NULL : json_string(ls_bytes_text(&wide));
  ls_bytes_close(&wide);
  return made;
}

static enum ls_status read_bytes(const struct ls_json *place, char **out, struct ls_error *err) {
  const char *wide;
  enum ls_status status = ls_json_string(place, &wide, err);
  if (status != LS_OK) return status;
  char *text = calloc(strlen(wide) + 1, 1);
  if (text == NULL) return ls_fail(err, LS_ENOMEM, "no memory for a variable of the environment");
  size_t length = 0;
  for (const unsigned char *c = (const unsigned char *)wide; *c != '\0'; c++) {
    unsigned value = *c;
    if (value >= 0x80) {
      if (value > 0xc3 || c[1] < 0x80) {
        free(text);
        return ls_json_refuse(place, "code points below 256", err);
      }
      value = (value & 3) << 6 | (*++c & 0x3f);
    }
    text[length++] = (char)value;
  }
  *out = text;
  return LS_OK;
}

enum ls_status ls_command_manners_check_name(const char *field, const char *name,
                                             struct ls_error *err) {
  static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  size_t letters = sizeof first - 1 - 10;
  bool is_name = name[0] != '\0' && memchr(first, name[0], letters) != NULL &&
                 name[strspn(name, first)] == '\0';
  if (is_name) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "%s is '%.60s', expected the name of a variable (letters, digits and _, no digit "
                 "at first)",
                 field, name);
}

json_t *ls_command_manners_json(const struct ls_command_manners *manners) {
  json_t *object = json_object(), *list = json_array();
  int failures = 0;
  for (size_t i = 0; i < manners->assignments_count; i++)
    failures += json_array_append_new(list, make_bytes(manners->assignments[i]));
  failures += json_object_set_new(object, "assignments", list);
  if (manners->slot_variable != NULL)
    failures += json_object_set_new(object, "slot_variable", json_string(manners->slot_variable));
  failures += json_object_set_new(object, "niceness", json_integer(manners->niceness));
  failures += json_object_set_new(object, "load_most", json_real(manners->load_most));
  failures += json_object_set_new(object, "memory_least",
                                  json_integer((json_int_t)manners->memory_least_bytes));
  failures += json_object_set_new(object, "avoids_swap", json_boolean(manners->avoids_swap));
  if (failures == 0) return object;
  json_decref(object);
  return NULL;
}

static enum ls_status read_assignments(const struct ls_json *place,
                                       struct ls_command_manners *manners, struct ls_error *err) {
  size_t count = 0;
  enum ls_status status = ls_json_array(place, &count, err);
  if (status != LS_OK) return status;
  if (count > LS_ASSIGNMENTS_MAX) return ls_json_refuse(place, "at most 256 variables", err);
  manners->assignments = calloc(count + 1, sizeof *manners->assignments);
  if (manners->assignments == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu variables", count);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_json item = ls_json_item(place, i);
    status = read_bytes(&item, &manners->assignments[i], err);
    if (status != LS_OK) return status;
    manners->assignments_count++;
    const char *equals = strchr(manners->assignments[i], '=');
    if (equals == NULL || equals == manners->assignments[i])
      return ls_json_refuse(&item, "NAME=VALUE", err);
  }
  return status;
}

enum ls_status ls_command_manners_read(const struct ls_json *place,
                                       struct ls_command_manners *manners, struct ls_error *err) {
  uint64_t niceness = 0;
  *manners = (struct ls_command_manners){0};
  enum ls_status status = ls_json_object(place, keys, err);
  if (status != LS_OK) return status;
  struct ls_json member = ls_json_member(place, "assignments");
  status = read_assignments(&member, manners, err);
  if (status != LS_OK) return status;
  member = ls_json_member(place, "slot_variable");
  if (member.value != NULL) {
    status = read_bytes(&member, &manners->slot_variable, err);
    if (status == LS_OK)
      status = ls_command_manners_check_name("slot_variable", manners->slot_variable, err);
    if (status != LS_OK) return status;
  }
  member = ls_json_member(place, "niceness");
  status = ls_json_whole(&member, 0, LS_NICENESS_MAX, &niceness, err);
  if (status != LS_OK) return status;
  manners->niceness = (int)niceness;
  member = ls_json_member(place, "load_most");
  status = ls_json_real(&member, 0, 1e9, &manners->load_most, err);
  if (status != LS_OK) return status;
  member = ls_json_member(place, "memory_least");
  status = ls_json_whole(&member, 0, bytes_most, &manners->memory_least_bytes, err);
  if (status != LS_OK) return status;
  member = ls_json_member(place, "avoids_swap");
  return ls_json_bool(&member, &manners->avoids_swap, err);
}

void ls_command_manners_close(struct ls_command_manners *manners) {
  for (size_t i = 0; i < manners->assignments_count; i++) free(manners->assignments[i]);
  free(manners->assignments);
  free(manners->slot_variable);
  *manners = (struct ls_command_manners){0};
}
