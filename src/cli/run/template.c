#include "cli/run/template.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/console.h"
#include "cli/run/quote.h"

static enum ls_status add_segment(struct ls_template *compiled, const struct ls_segment *segment,
                                  struct ls_error *err) {
  void *segments = compiled->segments;
  if (ls_array_reserve(&segments, &compiled->segments_capacity, compiled->segments_count + 1,
                       sizeof *compiled->segments) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for the command");
  compiled->segments = segments;
  compiled->segments[compiled->segments_count++] = *segment;
  return LS_OK;
}

/* The kind named by the text between the number and the closing brace. */
static enum ls_replacement find_kind(const char *text, size_t length, bool has_number) {
  static const struct {
    const char *text;
    enum ls_replacement kind;
    bool takes_number;
  } kinds[] = {{"", LS_REPLACE_VALUE, true},       {".", LS_REPLACE_STEM, true},
               {"/", LS_REPLACE_BASE, true},       {"//", LS_REPLACE_DIRECTORY, true},
               {"/.", LS_REPLACE_BASE_STEM, true}, {"#", LS_REPLACE_SEQUENCE, false},
               {"%", LS_REPLACE_SLOT, false}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strlen(kinds[i].text) == length && memcmp(kinds[i].text, text, length) == 0)
      return has_number && !kinds[i].takes_number ? LS_REPLACE_NOTHING : kinds[i].kind;
  return LS_REPLACE_NOTHING;
}

/* Is there a replacement string at `text` (which begins with a brace)? Its length; 0: no. */
static size_t match_replacement(const char *text, struct ls_segment *segment) {
  const char *next = text + 1;
  size_t number = 0;
  while (*next >= '0' && *next <= '9' && number < 100000)
    number = number * 10 + (size_t)(*next++ - '0');
  bool has_number = next > text + 1;
  /* {0} and {007} name no source: they are left as they are. */
  if (has_number && text[1] == '0') return 0;
  size_t length = strcspn(next, "}");
  if (next[length] == '\0' || length > 2) return 0;
  segment->kind = find_kind(next, length, has_number);
  segment->source = number;
  return segment->kind == LS_REPLACE_NOTHING ? 0 : (size_t)(next - text) + length + 1;
}

/* The length of a replacement string that only GNU parallel knows: {-1}, {..}, {1..}, {+/},
 * {= perl =}; 0: it is none. Run literally, it would hardly do what is meant. */
static size_t match_foreign(const char *text) {
  const char *end = strstr(text, "=}");
  if (text[1] == '=' && end != NULL && end > text + 1) return (size_t)(end - text) + 2;
  size_t sign = text[1] == '-', digits = strspn(text + 1 + sign, "0123456789");
  size_t suffix = strspn(text + 1 + sign + digits, "./+:"), length = sign + digits + suffix;
  /* A shell's {1..9} goes on behind the points. */
  bool is_foreign = suffix > 0 || (sign > 0 && digits > 0);
  return is_foreign && text[1 + length] == '}' ? length + 2 : 0;
}

static enum ls_status refuse_foreign(const char *text, size_t length, struct ls_error *err) {
  return ls_fail(err, LS_EINVAL,
                 "'%.*s' is no replacement string, expected one of {} {.} {/} {//} {/.} {#} {%%}, "
                 "or with the number of a source, such as {2} or {2/.}",
                 length < 60 ? (int)length : 60, text);
}

static enum ls_status compile_pieces(struct ls_template *compiled, const char *word, size_t index,
                                     struct ls_error *err) {
  const char *plain = word;
  for (const char *next = word;; next++) {
    struct ls_segment found = {.word = index};
    size_t length = *next == '{' ? match_replacement(next, &found) : 0;
    size_t foreign = *next == '{' && length == 0 ? match_foreign(next) : 0;
    if (foreign > 0) return refuse_foreign(next, foreign, err);
    if (length == 0 && *next != '\0') continue;
    struct ls_segment literal = {.word = index, .literal = plain, .length = (size_t)(next - plain)};
    if (literal.length > 0) {
      enum ls_status status = add_segment(compiled, &literal, err);
      if (status != LS_OK) return status;
    }
    if (*next == '\0') return LS_OK;
    if (found.source > compiled->sources_count) {
      char shown[128];
      ls_console_show(word, shown, sizeof shown);
      return ls_fail(err, LS_EINVAL, "{%zu} in '%s': there %s %zu input source%s", found.source,
                     shown, compiled->sources_count == 1 ? "is" : "are", compiled->sources_count,
                     compiled->sources_count == 1 ? "" : "s");
    }
    enum ls_status status = add_segment(compiled, &found, err);
    if (status != LS_OK) return status;
    next += length - 1;
    plain = next + 1;
  }
}

static enum ls_status compile_word(struct ls_template *compiled, const char *word, size_t index,
                                   struct ls_error *err) {
  size_t first = compiled->segments_count;
  enum ls_status status = compile_pieces(compiled, word, index, err);
  if (status == LS_OK && compiled->segments_count == first + 1)
    compiled->segments[first].is_whole = true;
  return status;
}

enum ls_status ls_template_init(struct ls_template *compiled, const struct ls_command_line *command,
                                size_t sources_count, struct ls_error *err) {
  bool is_verbatim = command->words_count == 0;
  struct ls_template made = {.words_count = command->words_count,
                             .sources_count = sources_count,
                             .is_shell = command->is_shell || is_verbatim,
                             .is_verbatim = is_verbatim};
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < command->words_count && status == LS_OK; i++)
    status = compile_word(&made, command->words[i], i, err);
  bool has_replacement = false;
  for (size_t i = 0; i < made.segments_count; i++)
    has_replacement = has_replacement || made.segments[i].kind != LS_REPLACE_NOTHING;
  if (status == LS_OK && !has_replacement && sources_count > 0) {
    struct ls_segment all = {
        .kind = LS_REPLACE_VALUE, .word = command->words_count, .is_whole = true};
    status = add_segment(&made, &all, err);
    made.words_count++;
    made.is_appended = true;
  }
  if (status != LS_OK) {
    ls_template_close(&made);
    return status;
  }
  *compiled = made;
  return LS_OK;
}

enum ls_status ls_template_init_text(struct ls_template *compiled, const char *text,
                                     size_t sources_count, struct ls_error *err) {
  struct ls_template made = {.words_count = 1, .sources_count = sources_count};
  enum ls_status status = compile_pieces(&made, text, 0, err);
  if (status == LS_OK)
    *compiled = made;
  else
    ls_template_close(&made);
  return status;
}

bool ls_template_has(const struct ls_template *compiled, enum ls_replacement kind) {
  for (size_t i = 0; i < compiled->segments_count; i++)
    if (compiled->segments[i].kind == kind) return true;
  return false;
}

/* Where the last part of a path begins. */
static const char *find_base(const char *value) {
  const char *slash = strrchr(value, '/');
  return slash == NULL ? value : slash + 1;
}

/* The length of `value` without its extension: a point and what follows, behind the last slash and
 * with something behind the point. A leading point of the last part counts, as in GNU parallel. */
static size_t measure_stem(const char *value) {
  const char *point = strrchr(find_base(value), '.');
  return point == NULL || point[1] == '\0' ? strlen(value) : (size_t)(point - value);
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

static void append_changed(const char *value, enum ls_replacement kind, struct ls_bytes *out) {
  const char *base = find_base(value);
  switch (kind) {
    case LS_REPLACE_STEM:
      ls_bytes_append(out, value, measure_stem(value));
      break;
    case LS_REPLACE_BASE:
      ls_bytes_append_text(out, base);
      break;
    case LS_REPLACE_DIRECTORY:
      append_directory(value, out);
      break;
    case LS_REPLACE_BASE_STEM:
      ls_bytes_append(out, base, measure_stem(base));
      break;
    default:
      ls_bytes_append_text(out, value);
  }
}

static void append_value(const struct ls_template *compiled, const char *value,
                         enum ls_replacement kind, struct ls_bytes *out) {
  if (!compiled->is_shell || compiled->is_verbatim) {
    append_changed(value, kind, out);
    return;
  }
  struct ls_bytes changed = {0};
  append_changed(value, kind, &changed);
  ls_quote_word(ls_bytes_text(&changed), out);
  out->failed = out->failed || changed.failed;
  ls_bytes_close(&changed);
}

void ls_template_append(const struct ls_template *compiled, const struct ls_segment *segment,
                        const char *const *values, struct ls_bytes *out) {
  size_t source = segment->source;
  if (source > 0) {
    if (values[source - 1] != NULL) append_value(compiled, values[source - 1], segment->kind, out);
    return;
  }
  for (size_t i = 0; i < compiled->sources; i++) {
    bool ends_word = segment->is_whole && !compiled->is_shell;
    if (i > 0) ls_bytes_append_char(out, ends_word ? '\0' : ' ');
    append_value(compiled, values[i], segment->kind, out);
  }
}

static bool takes_values(const struct ls_segment *segment) {
  return segment->kind != LS_REPLACE_NOTHING && segment->kind != LS_REPLACE_SEQUENCE &&
         segment->kind != LS_REPLACE_SLOT;
}

enum ls_status ls_template_take_many(struct ls_template *compiled, enum ls_many many, size_t group,
                                     size_t sources, struct ls_error *err) {
  if (compiled->is_verbatim)
    return ls_fail(err, LS_EINVAL,
                   "there is no command, expected one that takes several inputs: each input is a "
                   "command line of its own");
  for (size_t i = 0; i < compiled->segments_count && group > 0 && sources > 1; i++) {
    const struct ls_segment *segment = &compiled->segments[i];
    if (takes_values(segment) && segment->source > 0)
      return ls_fail(err, LS_EINVAL,
                     "{%zu} could be the source or the input of that number: there are %zu sources "
                     "and %zu inputs per command, expected {} or one of both",
                     segment->source, sources, group);
  }
  compiled->many = many;
  compiled->group = group;
  compiled->sources = sources;
  return LS_OK;
}

void ls_template_take_none(struct ls_template *compiled) {
  size_t kept = 0;
  for (size_t i = 0; i < compiled->segments_count; i++)
    if (!takes_values(&compiled->segments[i]))
      compiled->segments[kept++] = compiled->segments[i];
  compiled->segments_count = kept;
  if (compiled->is_appended) compiled->words_count--;
  compiled->is_appended = false;
}

/* The next word begins here. */
static enum ls_status begin_word(struct ls_expansion *out, struct ls_error *err) {
  void *offsets = out->offsets;
  if (ls_array_reserve(&offsets, &out->offsets_capacity, out->words_count + 1,
                       sizeof *out->offsets) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for a command");
  out->offsets = offsets;
  out->offsets[out->words_count++] = out->text.length;
  return LS_OK;
}

static enum ls_status expand_segment(const struct ls_template *compiled,
                                     const struct ls_segment *segment,
                                     const struct ls_template_task *task, struct ls_expansion *out,
                                     struct ls_error *err) {
  struct ls_bytes *text = &out->text;
  if (segment->kind == LS_REPLACE_NOTHING) {
    ls_bytes_append(text, segment->literal, segment->length);
  } else if (segment->kind == LS_REPLACE_SEQUENCE) {
    ls_bytes_printf(text, "%llu", (unsigned long long)task->sequence);
  } else if (segment->kind == LS_REPLACE_SLOT) {
    ls_bytes_printf(text, "%u", task->slot);
  } else if (segment->source > 0) {
    append_value(compiled, task->values[segment->source - 1], segment->kind, text);
  } else {
    for (size_t i = 0; i < compiled->sources_count; i++) {
      if (i > 0 && segment->is_whole && !compiled->is_shell) {
        ls_bytes_append_char(text, '\0');
        enum ls_status status = begin_word(out, err);
        if (status != LS_OK) return status;
      } else if (i > 0) {
        ls_bytes_append_char(text, ' ');
      }
      append_value(compiled, task->values[i], segment->kind, text);
    }
  }
  return LS_OK;
}

/* Makes the pointers, now that the text stands still. */
static enum ls_status point_words(struct ls_expansion *out, struct ls_error *err) {
  void *words = out->words;
  if (out->text.failed ||
      ls_array_reserve(&words, &out->words_capacity, out->words_count, sizeof *out->words) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for a command");
  out->words = words;
  for (size_t i = 0; i < out->words_count; i++) out->words[i] = out->text.data + out->offsets[i];
  return LS_OK;
}

enum ls_status ls_template_expand(const struct ls_template *compiled,
                                  const struct ls_template_task *task, struct ls_expansion *out,
                                  struct ls_error *err) {
  enum ls_status status = LS_OK;
  ls_bytes_clear(&out->text);
  out->words_count = 0;
  if (compiled->is_shell) {
    static const char shell[] = "/bin/sh\0-c";
    status = begin_word(out, err);
    ls_bytes_append(&out->text, shell, strlen("/bin/sh") + 1);
    if (status == LS_OK) status = begin_word(out, err);
    ls_bytes_append(&out->text, "-c", 3);
    if (status == LS_OK) status = begin_word(out, err);
  }
  size_t next = 0;
  for (size_t word = 0; word < compiled->words_count && status == LS_OK; word++) {
    if (!compiled->is_shell)
      status = begin_word(out, err);
    else if (word > 0)
      ls_bytes_append_char(&out->text, ' ');
    for (; next < compiled->segments_count && compiled->segments[next].word == word; next++)
      if (status == LS_OK)
        status = expand_segment(compiled, &compiled->segments[next], task, out, err);
    if (!compiled->is_shell) ls_bytes_append_char(&out->text, '\0');
  }
  if (compiled->is_shell) ls_bytes_append_char(&out->text, '\0');
  return status == LS_OK ? point_words(out, err) : status;
}

void ls_template_close(struct ls_template *compiled) {
  free(compiled->segments);
  *compiled = (struct ls_template){0};
}

void ls_expansion_close(struct ls_expansion *expansion) {
  ls_bytes_close(&expansion->text);
  free(expansion->offsets);
  free(expansion->words);
  *expansion = (struct ls_expansion){0};
}
