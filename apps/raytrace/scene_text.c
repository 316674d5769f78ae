#include "scene_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static const struct {
  const char *word, *why;
} refused[] = {
    {"radiosity", "its samples depend on the rows that were rendered before"},
    {"photons", "each strip would shoot all of them again"},
    {"jitter", "its random numbers depend on the rows that were rendered before"},
};

/* What stands before a token: an include is a sign, a word and a string. */
enum before { BEFORE_OTHER, BEFORE_SIGN, BEFORE_INCLUDE };

struct scan {
  const struct ls_text *text;
  size_t at, line;
  enum before before;
  struct ls_bytes *includes;
};

static int peek(const struct scan *scan, size_t ahead) {
  size_t at = scan->at + ahead;
  return at < scan->text->length ? (unsigned char)scan->text->data[at] : -1;
}

static void advance(struct scan *scan) {
  scan->line += peek(scan, 0) == '\n';
  ++scan->at;
}

static bool is_letter(int byte) {
  return byte == '_' || (byte >= 0 && isalpha(byte) != 0);
}

static bool is_pair(const struct scan *scan, char first, char second) {
  return peek(scan, 0) == first && peek(scan, 1) == second;
}

static void skip_line(struct scan *scan) {
  while (peek(scan, 0) >= 0 && peek(scan, 0) != '\n') advance(scan);
}

/* One comment may hold another. */
static void skip_comment(struct scan *scan) {
  size_t depth = 0;
  do {
    bool opens = is_pair(scan, '/', '*'), closes = is_pair(scan, '*', '/');
    if (opens) depth++;
    if (closes) depth--;
    if (opens || closes) advance(scan);
    advance(scan);
  } while (depth > 0 && peek(scan, 0) >= 0);
}

/* A sign behind a stroke ends no string. */
static void read_string(struct scan *scan) {
  advance(scan);
  size_t first = scan->at;
  while (peek(scan, 0) >= 0 && peek(scan, 0) != '"') {
    if (peek(scan, 0) == '\\') advance(scan);
    if (peek(scan, 0) >= 0) advance(scan);
  }
  const char *name = scan->text->data + first;
  size_t length = scan->at - first;
  if (scan->before == BEFORE_INCLUDE && length > 0 && memchr(name, '\0', length) == NULL) {
    ls_bytes_append(scan->includes, name, length);
    ls_bytes_append_char(scan->includes, '\0');
  }
  if (peek(scan, 0) >= 0) advance(scan);
  scan->before = BEFORE_OTHER;
}

static bool is_word(struct ls_text word, const char *expected) {
  return word.length == strlen(expected) && memcmp(word.data, expected, word.length) == 0;
}

static enum ls_status read_word(struct scan *scan, struct ls_error *err) {
  struct ls_text word = {.data = scan->text->data + scan->at};
  while (is_letter(peek(scan, 0)) || (peek(scan, 0) >= 0 && isdigit(peek(scan, 0)) != 0)) {
    advance(scan);
    word.length++;
  }
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    if (!is_word(word, refused[i].word)) continue;
    return ls_fail(err, LS_EINVAL,
                   "raytrace: %s:%zu: %s: %s, expected a scene whose frames can be divided",
                   scan->text->source, scan->line, refused[i].word, refused[i].why);
  }
  bool is_include = scan->before == BEFORE_SIGN && is_word(word, "include");
  scan->before = is_include ? BEFORE_INCLUDE : BEFORE_OTHER;
  return LS_OK;
}

static enum ls_status read_token(struct scan *scan, struct ls_error *err) {
  int byte = peek(scan, 0);
  if (is_letter(byte)) return read_word(scan, err);
  if (byte == '"') {
    read_string(scan);
  } else if (is_pair(scan, '/', '/')) {
    skip_line(scan);
  } else if (is_pair(scan, '/', '*')) {
    skip_comment(scan);
  } else {
    if (isspace(byte) == 0) scan->before = byte == '#' ? BEFORE_SIGN : BEFORE_OTHER;
    advance(scan);
  }
  return LS_OK;
}

enum ls_status scene_scan(const struct ls_text *text, struct ls_bytes *includes,
                          struct ls_error *err) {
  struct scan scan = {.text = text, .line = 1, .includes = includes};
  enum ls_status status = LS_OK;
  while (status == LS_OK && peek(&scan, 0) >= 0) status = read_token(&scan, err);
  if (status == LS_OK && includes->failed) {
    return ls_fail(err, LS_ENOMEM, "raytrace: %s: out of memory", text->source);
  }
  return status;
}
