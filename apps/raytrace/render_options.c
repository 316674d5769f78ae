#include "render_options.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum value { VALUE_NONE, VALUE_NUMBER, VALUE_MAYBE_NUMBER, VALUE_NAME };

struct form {
  const char *letters, *signs;
  enum value value;
};

static const struct form forms[] = {
    {"A", "+-", VALUE_MAYBE_NUMBER},  /* antialiasing, from this difference on */
    {"AM", "+", VALUE_NUMBER},        /* its method */
    {"R", "+", VALUE_NUMBER},         /* its depth */
    {"J", "+-", VALUE_MAYBE_NUMBER},  /* its jitter */
    {"Q", "+", VALUE_NUMBER},         /* quality */
    {"L", "+", VALUE_NAME},           /* a folder of includes */
    {"MB", "+-", VALUE_MAYBE_NUMBER}, /* bounding: */
    {"UL", "+-", VALUE_NONE},         /* by the light */
    {"UV", "+-", VALUE_NONE},         /* by the view */
    {"MV", "+", VALUE_NUMBER},        /* version of the language */
};

static const char declaration[] = "Declare=";

void render_options_init(struct render_options *options) {
  *options = (struct render_options){
      .items = {"+A0.2", "+AM2", "+R3", "-J"}, .count = 4, .has_antialiasing = true, .method = 2};
}

static bool is_number(const char *text) {
  size_t digits = strspn(text, "0123456789");
  size_t more = text[digits] == '.' ? strspn(text + digits + 1, "0123456789") : 0;
  size_t length = digits + (text[digits] == '.' ? 1 + more : 0);
  return digits + more > 0 && text[length] == '\0';
}

static bool is_value(enum value value, const char *text) {
  switch (value) {
    case VALUE_NONE:
      return text[0] == '\0';
    case VALUE_NUMBER:
      return is_number(text);
    case VALUE_MAYBE_NUMBER:
      return text[0] == '\0' || is_number(text);
    case VALUE_NAME:
      break;
  }
  return text[0] != '\0' && strchr(text, '"') == NULL;
}

static bool is_of_form(const struct form *form, const char *text) {
  size_t length = strlen(form->letters);
  return text[0] != '\0' && strchr(form->signs, text[0]) != NULL &&
         strncasecmp(text + 1, form->letters, length) == 0 &&
         is_value(form->value, text + 1 + length);
}

static const struct form *find_form(const char *text) {
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (is_of_form(&forms[i], text)) return &forms[i];
  }
  return NULL;
}

/* Declare=NAME=NUMBER */
static bool is_declaration(const char *text) {
  size_t length = sizeof declaration - 1;
  if (strncasecmp(text, declaration, length) != 0) return false;
  const char *name = text + length, *end = name;
  while (isalnum((unsigned char)*end) != 0 || *end == '_') end++;
  bool is_name = end > name && isdigit((unsigned char)*name) == 0;
  return is_name && *end == '=' && is_number(end + 1 + (end[1] == '-'));
}

static void note(struct render_options *options, const struct form *form, const char *text) {
  const char *value = text + 1 + strlen(form->letters);
  if (strcmp(form->letters, "A") == 0) options->has_antialiasing = text[0] == '+';
  if (strcmp(form->letters, "J") == 0) options->has_jitter = text[0] == '+';
  if (strcmp(form->letters, "AM") == 0) options->method = strcmp(value, "2") == 0 ? 2 : 1;
}

enum ls_status render_options_add(struct render_options *options, const char *text,
                                  struct ls_error *err) {
  const struct form *form = find_form(text);
  if (form == NULL && !is_declaration(text)) {
    return ls_fail(err, LS_EINVAL,
                   "raytrace: --option is '%s', expected +A[N], -A, +AM2, +RN, -J, +QN, +LFOLDER, "
                   "+MB[N], -MB, +UL, -UL, +UV, -UV, +MVN or Declare=NAME=NUMBER",
                   text);
  }
  if (options->count == RENDER_OPTIONS_MAX) {
    return ls_fail(err, LS_EINVAL, "raytrace: --option '%s' is one too many, expected at most %d",
                   text, RENDER_OPTIONS_MAX - 4);
  }
  if (form != NULL) note(options, form, text);
  options->items[options->count++] = text;
  return LS_OK;
}

/* povray's first method compares a pixel with the row above it, which another strip has; random
 * numbers are drawn in the order of the pixels. */
enum ls_status render_options_check(const struct render_options *options, struct ls_error *err) {
  if (options->has_antialiasing && options->method != 2) {
    return ls_fail(err, LS_EINVAL,
                   "raytrace: --option +AM1 looks into the next strip, so that seams would show: "
                   "expected +AM2, or -A");
  }
  if (options->has_antialiasing && options->has_jitter) {
    return ls_fail(err, LS_EINVAL,
                   "raytrace: --option +J draws other numbers in strips than in the whole frame: "
                   "expected -J, or -A");
  }
  return LS_OK;
}

const char *render_options_folder(const char *text) {
  const struct form *form = find_form(text);
  return form != NULL && form->value == VALUE_NAME ? text + 2 : NULL;
}
