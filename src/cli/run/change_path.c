/* change_path.c: {.} {/} {//} {/.} and, with --plus, {..} {/..} {+/} {+.} and so on: parts of a
 * path. */
#include <string.h>

#include "cli/run/change.h"

/* Where the last part of a path begins. */
static const char *find_base(const char *value) {
  const char *slash = strrchr(value, '/');
  return slash == NULL ? value : slash + 1;
}

/* The length of `value` without its last `count` extensions, if the last part has so many, else
 * all of it. An extension may be empty; a leading point of the last part counts, as in GNU
 * parallel. */
static size_t measure_stem(const char *value, int count) {
  const char *base = find_base(value);
  size_t end = strlen(value);
  for (; count > 0; count--) {
    size_t at = end;
    while (at > (size_t)(base - value) && value[at - 1] != '.') at--;
    if (at == (size_t)(base - value)) return strlen(value);
    end = at - 1;
  }
  return end;
}

static void append_stem(const char *value, int count, struct ls_bytes *out) {
  ls_bytes_append(out, value, measure_stem(value, count));
}

/* What append_stem leaves out, without its first point. */
static void append_extensions(const char *value, int count, struct ls_bytes *out) {
  const char *rest = value + measure_stem(value, count);
  ls_bytes_append_text(out, *rest == '.' ? rest + 1 : rest);
}

static void append_base(const char *value, struct ls_bytes *out) {
  ls_bytes_append_text(out, find_base(value));
}

/* dirname(1). */
static void append_directory(const char *value, struct ls_bytes *out) {
  size_t length = strlen(value);
  while (length > 1 && value[length - 1] == '/') length--;
  while (length > 0 && value[length - 1] != '/') length--;
  while (length > 1 && value[length - 1] == '/') length--;
  if (length == 0)
    ls_bytes_append_char(out, '.');
  else
    ls_bytes_append(out, value, length);
}

/* What append_base leaves out, without the slash. */
static void append_folder(const char *value, struct ls_bytes *out) {
  size_t length = (size_t)(find_base(value) - value);
  ls_bytes_append(out, value, length > 0 ? length - 1 : 0);
}

static void stem_1(const char *value, struct ls_bytes *out) {
  append_stem(value, 1, out);
}
static void stem_2(const char *value, struct ls_bytes *out) {
  append_stem(value, 2, out);
}
static void stem_3(const char *value, struct ls_bytes *out) {
  append_stem(value, 3, out);
}
static void base_stem_1(const char *value, struct ls_bytes *out) {
  append_stem(find_base(value), 1, out);
}
static void base_stem_2(const char *value, struct ls_bytes *out) {
  append_stem(find_base(value), 2, out);
}
static void base_stem_3(const char *value, struct ls_bytes *out) {
  append_stem(find_base(value), 3, out);
}
static void extensions_1(const char *value, struct ls_bytes *out) {
  append_extensions(value, 1, out);
}
static void extensions_2(const char *value, struct ls_bytes *out) {
  append_extensions(value, 2, out);
}
static void extensions_3(const char *value, struct ls_bytes *out) {
  append_extensions(value, 3, out);
}

static const struct {
  const char *name;
  bool needs_plus;
  void (*cut)(const char *value, struct ls_bytes *out);
} paths[] = {{"", false, NULL},           {".", false, stem_1},
             {"/", false, append_base},   {"//", false, append_directory},
             {"/.", false, base_stem_1},  {"..", true, stem_2},
             {"...", true, stem_3},       {"/..", true, base_stem_2},
             {"/...", true, base_stem_3}, {"+/", true, append_folder},
             {"+.", true, extensions_1},  {"+..", true, extensions_2},
             {"+...", true, extensions_3}};

bool ls_change_path_find(struct ls_change_text text, bool has_plus, struct ls_change *change) {
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    bool is_it =
        strlen(paths[i].name) == text.length && memcmp(paths[i].name, text.data, text.length) == 0;
    if (!is_it) continue;
    change->cut = paths[i].cut;
    return has_plus || !paths[i].needs_plus;
  }
  return false;
}
