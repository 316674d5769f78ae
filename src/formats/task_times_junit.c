/* task_times_junit.c: tests and their times from JUnit's XML. */
#include <assert.h>
#include <expat.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "formats/task_times_text.h"

enum { BLOCK_BYTES = 1 << 20, WHERE_BYTES = 32, SECONDS_BYTES = 64 };

/* A parse under way. */
struct parsing {
  XML_Parser parser;
  struct ls_task_times *times;
  struct ls_error *err;
  enum ls_status status;
  const char *source;
  size_t depth;
  bool is_in_case, has_failed;
  struct ls_bytes name; /* of the present testcase */
  double seconds;       /* of it; NAN: unknown */
  size_t line;          /* of it */
};

static void stop(struct parsing *parsing, enum ls_status status) {
  assert(status != LS_OK);
  if (parsing->status == LS_OK) parsing->status = status;
  XML_StopParser(parsing->parser, XML_FALSE);
}

static size_t line_of(const struct parsing *parsing) {
  return (size_t)XML_GetCurrentLineNumber(parsing->parser);
}

static void refuse(struct parsing *parsing, const char *name, const char *value,
                   const char *expected) {
  if (value == NULL)
    stop(parsing, ls_fail(parsing->err, LS_EINVAL, "%s: line %zu: %s is missing, expected %s",
                          parsing->source, line_of(parsing), name, expected));
  else
    stop(parsing, ls_fail(parsing->err, LS_EINVAL, "%s: line %zu: %s is \"%.48s\", expected %s",
                          parsing->source, line_of(parsing), name, value, expected));
}

static const char *find_attribute(const char **given, const char *name) {
  for (size_t i = 0; given[i] != NULL; i += 2)
    if (strcmp(given[i], name) == 0) return given[i + 1];
  return NULL;
}

/* tests.unit.test_a.TestB of the file tests/unit/test_a.py: what follows the module is TestB. */
static const char *find_classes(const char *classname, const char *file) {
  const char *at = classname;
  size_t length = strlen(file);
  if (length > 3 && strcmp(file + length - 3, ".py") == 0) length -= 3;
  for (size_t i = 0; i < length; i++, at++) {
    bool is_same = *at == file[i] || (*at == '.' && file[i] == '/');
    if (!is_same) return NULL;
  }
  if (*at == '\0') return at;
  return *at == '.' ? at + 1 : NULL;
}

/* As pytest calls it on its command line. */
static void write_node(struct ls_bytes *out, const char *file, const char *classes) {
  ls_bytes_append_text(out, file);
  while (*classes != '\0') {
    size_t length = strcspn(classes, ".");
    ls_bytes_append_text(out, "::");
    ls_bytes_append(out, classes, length);
    classes += length + (classes[length] == '.');
  }
  ls_bytes_append_text(out, "::");
}

/* "project:suite / test", which meson calls "test". */
static const char *skip_suite(const char *name, const char *classname) {
  size_t length = strlen(classname);
  const char *bar = strstr(name, " / ");
  bool is_suite = strncmp(name, classname, length) == 0 &&
                  (name[length] == ':' || name[length] == ' ') && bar != NULL;
  return is_suite ? bar + 3 : NULL;
}

static void name_case(struct parsing *parsing, const char **given, const char *name) {
  const char *classname = find_attribute(given, "classname");
  const char *file = find_attribute(given, "file");
  struct ls_bytes *out = &parsing->name;
  if (classname == NULL) classname = "";
  const char *classes = file == NULL || file[0] == '\0' ? NULL : find_classes(classname, file);
  const char *test = classname[0] == '\0' ? name : skip_suite(name, classname);
  ls_bytes_clear(out);
  if (classes != NULL) {
    write_node(out, file, classes);
  } else if (test != NULL) {
    name = test;
  } else {
    ls_bytes_append_text(out, classname);
    ls_bytes_append_text(out, "::");
  }
  ls_bytes_append_text(out, name);
}

/* Maven's Surefire writes "1,234.5": commas between groups of three digits are taken out where a
 * point or a further comma shows what they are ("1,234" could be 1.234 elsewhere). */
static bool remove_commas(const char *text, char digits[SECONDS_BYTES]) {
  const char *comma = strchr(text, ',');
  if (strlen(text) >= SECONDS_BYTES) return false;
  if (comma == NULL) {
    strcpy(digits, text);
    return true;
  }
  size_t first = (size_t)(comma - text);
  bool is_plain = strchr(comma + 1, ',') != NULL || strchr(comma, '.') != NULL;
  if (!is_plain || text[0] == '0' || first < 1 || first > 3) return false;
  if (strspn(text, "0123456789") != first) return false;
  memcpy(digits, text, first);
  for (text = comma; *text == ','; text += 4, first += 3) {
    if (strspn(text + 1, "0123456789") != 3) return false;
    memcpy(digits + first, text + 1, 3);
  }
  strcpy(digits + first, text);
  return strspn(text, "0123456789") == 0;
}

static bool read_seconds(const char *text, double *seconds) {
  char digits[SECONDS_BYTES], *end = NULL;
  if (!remove_commas(text, digits)) return false;
  if (digits[0] == '\0' || digits[strspn(digits, "0123456789+-.eE")] != '\0') return false;
  *seconds = strtod(digits, &end);
  return *end == '\0' && isfinite(*seconds) && *seconds >= 0;
}

static void open_case(struct parsing *parsing, const char **given) {
  const char *name = find_attribute(given, "name"), *time = find_attribute(given, "time");
  parsing->seconds = (double)NAN;
  if (time != NULL && !read_seconds(time, &parsing->seconds)) {
    refuse(parsing, "time of a testcase", time, "seconds >= 0");
    return;
  }
  parsing->is_in_case = true;
  parsing->has_failed = false;
  parsing->line = line_of(parsing);
  ls_bytes_clear(&parsing->name);
  if (name != NULL && name[0] != '\0') name_case(parsing, given, name);
}

static void close_case(struct parsing *parsing) {
  char where[WHERE_BYTES];
  (void)snprintf(where, sizeof where, "line %zu", parsing->line);
  parsing->is_in_case = false;
  if (parsing->name.failed) {
    stop(parsing, ls_fail(parsing->err, LS_ENOMEM, "%s: out of memory", parsing->source));
    return;
  }
  /* Without a name no list could ask for it. */
  if (parsing->name.length == 0) {
    parsing->times->nameless++;
    return;
  }
  if (parsing->has_failed) parsing->times->failed++;
  struct ls_task_times_row row = {.name = ls_bytes_text(&parsing->name),
                                  .length = parsing->name.length,
                                  .seconds = parsing->has_failed ? (double)NAN : parsing->seconds,
                                  .source = parsing->source,
                                  .where = where};
  enum ls_status status = ls_task_times_add(parsing->times, &row, parsing->err);
  if (status != LS_OK) stop(parsing, status);
}

static void XMLCALL on_start(void *context, const char *name, const char **given) {
  struct parsing *parsing = context;
  if (parsing->status != LS_OK) return;
  if (parsing->depth++ == 0) {
    if (strcmp(name, "testsuites") != 0 && strcmp(name, "testsuite") != 0)
      refuse(parsing, "the first element", name, "testsuites or testsuite, as JUnit has them");
    return;
  }
  if (strcmp(name, "testcase") == 0) {
    if (parsing->is_in_case)
      refuse(parsing, "an element of a testcase", name, "no other testcase");
    else
      open_case(parsing, given);
    return;
  }
  bool is_failure = strcmp(name, "failure") == 0 || strcmp(name, "error") == 0;
  if (parsing->is_in_case && is_failure) parsing->has_failed = true;
}

static void XMLCALL on_end(void *context, const char *name) {
  struct parsing *parsing = context;
  if (parsing->status != LS_OK) return;
  parsing->depth--;
  if (strcmp(name, "testcase") == 0) close_case(parsing);
}

/* Declarations of its own could hold an entity, which could grow without bound or name a file. */
static void XMLCALL on_document_type(void *context, const char *name, const char *system,
                                     const char *public, int has_declarations) {
  (void)name;
  (void)system;
  (void)public;
  struct parsing *parsing = context;
  if (has_declarations && parsing->status == LS_OK)
    refuse(parsing, "<!DOCTYPE>", "[...]", "no declarations of its own");
}

static void report_malformed(struct parsing *parsing) {
  enum XML_Error code = XML_GetErrorCode(parsing->parser);
  if (code == XML_ERROR_NO_MEMORY) {
    parsing->status = ls_fail(parsing->err, LS_ENOMEM, "%s: out of memory", parsing->source);
    return;
  }
  size_t column = (size_t)XML_GetCurrentColumnNumber(parsing->parser) + 1;
  parsing->status = ls_fail(parsing->err, LS_EINVAL, "%s: line %zu, column %zu: malformed XML: %s",
                            parsing->source, line_of(parsing), column, XML_ErrorString(code));
}

enum ls_status ls_task_times_read_junit(struct ls_task_times *times, struct ls_text text,
                                        struct ls_error *err) {
  struct parsing parsing = {.times = times, .err = err, .source = text.source};
  ls_task_times_begin_file(times);
  parsing.parser = XML_ParserCreate(NULL);
  if (parsing.parser == NULL) return ls_fail(err, LS_ENOMEM, "%s: out of memory", text.source);
  XML_SetUserData(parsing.parser, &parsing);
  XML_SetElementHandler(parsing.parser, on_start, on_end);
  XML_SetStartDoctypeDeclHandler(parsing.parser, on_document_type);
  for (size_t at = 0; parsing.status == LS_OK;) {
    size_t count = text.length - at < BLOCK_BYTES ? text.length - at : BLOCK_BYTES;
    bool is_last = at + count == text.length;
    enum XML_Status parsed = XML_Parse(parsing.parser, text.data + at, (int)count, is_last);
    if (parsed != XML_STATUS_OK && parsing.status == LS_OK) report_malformed(&parsing);
    at += count;
    if (is_last) break;
  }
  XML_ParserFree(parsing.parser);
  ls_bytes_close(&parsing.name);
  return parsing.status;
}
