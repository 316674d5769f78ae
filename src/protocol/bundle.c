#include "protocol/bundle.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "protocol/wire.h"

enum { FIELDS = 6, SHOWN_MAX = 60 };

static void pack_blob(struct ls_bytes *out, const struct ls_blob *blob) {
  ls_wire_put_blob(out, blob->data, blob->length);
}

void ls_bundle_encode(const struct ls_bundle_shape *shape, uint64_t units, struct ls_bytes *out) {
  ls_wire_put_array(out, FIELDS);
  ls_wire_put_whole(out, shape->is_script ? 1 : 0);
  ls_wire_put_array(out, shape->heads_count);
  for (size_t i = 0; i < shape->heads_count; i++) pack_blob(out, &shape->heads[i]);
  ls_wire_put_array(out, shape->groups_count);
  for (size_t i = 0; i < shape->groups_count; i++) {
    const struct ls_bundle_group *group = &shape->groups[i];
    ls_wire_put_array(out, group->count + 1);
    ls_wire_put_whole(out, group->repeats ? 1 : 0);
    for (size_t k = 0; k < group->count; k++) {
      const struct ls_bundle_piece *piece = &shape->pieces[group->first + k];
      if (piece->literal.data != NULL)
        pack_blob(out, &piece->literal);
      else
        ls_wire_put_whole(out, piece->column);
    }
  }
  ls_wire_put_array(out, shape->columns_count);
  for (size_t i = 0; i < shape->columns_count; i++)
    ls_wire_put_whole(out, shape->is_of_first[i] ? 1 : 0);
  ls_wire_put_whole(out, units);
  ls_wire_put_array(out, (size_t)units * shape->columns_count);
}

void ls_bundle_encode_text(const void *text, size_t length, struct ls_bytes *out) {
  ls_wire_put_blob(out, text, length);
}

static bool has_zero(const struct ls_blob *blob) {
  return blob->length > 0 && memchr(blob->data, 0, blob->length) != NULL;
}

static struct ls_blob read_word(struct ls_reader *reader, const char *field) {
  struct ls_blob word = ls_reader_blob(reader, field);
  if (has_zero(&word)) ls_reader_refuse(reader, field, "no zero byte in it");
  /* An empty one is a text, too. */
  if (word.data == NULL) word.data = "";
  return word;
}

/* A script has no words that could end. */
static struct ls_blob read_text(struct ls_reader *reader, bool is_script) {
  if (is_script) return read_word(reader, "text");
  struct ls_blob text = ls_reader_blob(reader, "text");
  return text.data != NULL ? text : (struct ls_blob){"", 0};
}

static enum ls_status fail_memory(struct ls_error *err) {
  return ls_fail(err, LS_ENOMEM, "no memory for the command of several units");
}

/* Below, arrays hold no more items than there are bytes, so the memory follows what was sent. */
static enum ls_status read_heads(struct ls_reader *reader, struct ls_bundle *bundle,
                                 struct ls_error *err) {
  size_t count = ls_reader_array(reader, "heads", SIZE_MAX);
  if (ls_array_reserve((void **)&bundle->heads, &bundle->heads_capacity, count,
                       sizeof *bundle->heads) != LS_OK)
    return fail_memory(err);
  for (size_t i = 0; i < count && ls_reader_is_well(reader); i++)
    bundle->heads[i] = read_word(reader, "head");
  bundle->shape.heads = bundle->heads;
  bundle->shape.heads_count = count;
  return LS_OK;
}

static enum ls_status read_group(struct ls_reader *reader, struct ls_bundle *bundle,
                                 struct ls_bundle_group *group, struct ls_error *err) {
  size_t items = ls_reader_array(reader, "group", SIZE_MAX);
  if (items == 0) ls_reader_refuse(reader, "group", "whether it repeats, and pieces");
  *group = (struct ls_bundle_group){.first = bundle->shape.pieces_count,
                                    .count = items > 0 ? items - 1 : 0};
  group->repeats = ls_reader_whole(reader, "repeats", 0, 1) == 1;
  if (ls_array_reserve((void **)&bundle->pieces, &bundle->pieces_capacity,
                       group->first + group->count, sizeof *bundle->pieces) != LS_OK)
    return fail_memory(err);
  for (size_t i = 0; i < group->count && ls_reader_is_well(reader); i++) {
    struct ls_bundle_piece *piece = &bundle->pieces[group->first + i];
    *piece = (struct ls_bundle_piece){.column = 0};
    if (ls_reader_is_at_whole(reader))
      piece->column = (size_t)ls_reader_whole(reader, "column", 0, UINT32_MAX);
    else
      piece->literal = read_word(reader, "literal");
  }
  bundle->shape.pieces_count = group->first + group->count;
  bundle->shape.pieces = bundle->pieces;
  return LS_OK;
}

static enum ls_status read_groups(struct ls_reader *reader, struct ls_bundle *bundle,
                                  struct ls_error *err) {
  enum ls_status status = LS_OK;
  size_t count = ls_reader_array(reader, "groups", SIZE_MAX);
  if (ls_array_reserve((void **)&bundle->groups, &bundle->groups_capacity, count,
                       sizeof *bundle->groups) != LS_OK)
    return fail_memory(err);
  for (size_t i = 0; i < count && ls_reader_is_well(reader) && status == LS_OK; i++)
    status = read_group(reader, bundle, &bundle->groups[i], err);
  bundle->shape.groups = bundle->groups;
  bundle->shape.groups_count = count;
  return status;
}

static enum ls_status read_columns(struct ls_reader *reader, struct ls_bundle *bundle,
                                   struct ls_error *err) {
  size_t count = ls_reader_array(reader, "columns", SIZE_MAX);
  if (ls_array_reserve((void **)&bundle->columns, &bundle->columns_capacity, count,
                       sizeof *bundle->columns) != LS_OK)
    return fail_memory(err);
  for (size_t i = 0; i < count && ls_reader_is_well(reader); i++)
    bundle->columns[i] = ls_reader_whole(reader, "column", 0, 1) == 1;
  bundle->shape.is_of_first = bundle->columns;
  bundle->shape.columns_count = count;
  for (size_t i = 0; i < bundle->shape.pieces_count && ls_reader_is_well(reader); i++)
    if (bundle->pieces[i].literal.data == NULL && bundle->pieces[i].column >= count)
      ls_reader_refuse(reader, "column", "one of those that follow");
  return LS_OK;
}

static enum ls_status read_texts(struct ls_reader *reader, struct ls_bundle *bundle,
                                 struct ls_error *err) {
  size_t columns = bundle->shape.columns_count;
  bundle->units = ls_reader_whole(reader, "units", 1, UINT32_MAX);
  size_t count = ls_reader_array(reader, "texts", SIZE_MAX);
  if (ls_reader_is_well(reader) && (count != bundle->units * columns))
    ls_reader_refuse(reader, "texts", "one of each unit and column");
  if (!ls_reader_is_well(reader)) return LS_OK;
  if (ls_array_reserve((void **)&bundle->texts, &bundle->texts_capacity, count,
                       sizeof *bundle->texts) != LS_OK)
    return fail_memory(err);
  for (size_t i = 0; i < count && ls_reader_is_well(reader); i++)
    bundle->texts[i] = read_text(reader, bundle->shape.is_script);
  return LS_OK;
}

static enum ls_status read_bundle(struct ls_reader *reader, struct ls_bundle *bundle,
                                  struct ls_error *err) {
  if (ls_reader_array(reader, "bundle", FIELDS) != FIELDS)
    ls_reader_refuse(reader, "bundle", "6 fields");
  bundle->shape.is_script = ls_reader_whole(reader, "script", 0, 1) == 1;
  enum ls_status status = read_heads(reader, bundle, err);
  if (status == LS_OK) status = read_groups(reader, bundle, err);
  if (status == LS_OK) status = read_columns(reader, bundle, err);
  if (status == LS_OK) status = read_texts(reader, bundle, err);
  bool is_empty = bundle->shape.heads_count == 0 && bundle->shape.groups_count == 0;
  if (is_empty) ls_reader_refuse(reader, "groups", "at least one word");
  return status;
}

enum ls_status ls_bundle_decode(struct ls_bundle *bundle, const void *input, size_t length,
                                size_t *offset, struct ls_error *err) {
  assert(*offset <= length);
  struct ls_reader reader;
  bundle->shape = (struct ls_bundle_shape){.is_script = false};
  bundle->units = 0;
  ls_reader_init(&reader, input != NULL ? (const char *)input + *offset : NULL, length - *offset);
  enum ls_status status = read_bundle(&reader, bundle, err);
  if (status == LS_OK && !ls_reader_is_well(&reader))
    status =
        ls_fail(err, LS_ECORRUPT, "bundle at byte %zu of the input: %s", *offset, reader.problem);
  if (status != LS_OK) {
    bundle->shape = (struct ls_bundle_shape){.is_script = false};
    bundle->units = 0;
    return status;
  }
  *offset = length - ls_reader_left(&reader);
  return LS_OK;
}

/* Of a command line so far. */
struct size {
  uint64_t bytes; /* with a zero byte each */
  uint64_t words;
};

static const struct ls_blob *find_text(const struct ls_bundle *bundle, uint64_t first,
                                       uint64_t unit, size_t column) {
  const struct ls_bundle_shape *shape = &bundle->shape;
  uint64_t of = shape->is_of_first[column] ? first : unit;
  return &bundle->texts[of * shape->columns_count + column];
}

static uint64_t count_ends(const struct ls_bundle_shape *shape, const struct ls_blob *text) {
  uint64_t ends = 0;
  const char *at = text->data, *end = at + text->length;
  while (!shape->is_script && at < end && (at = memchr(at, 0, (size_t)(end - at))) != NULL) {
    ends++;
    at++;
  }
  return ends;
}

/* What a group adds for one unit of a command that begins with `first`. */
static void add_unit(const struct ls_bundle *bundle, const struct ls_bundle_group *group,
                     uint64_t first, uint64_t unit, struct size *size) {
  const struct ls_bundle_shape *shape = &bundle->shape;
  bool begins = unit == first || group->repeats;
  uint64_t ends = begins ? 1 : 0;
  if (begins) size->bytes++;
  for (size_t i = 0; i < group->count; i++) {
    const struct ls_bundle_piece *piece = &shape->pieces[group->first + i];
    bool is_literal = piece->literal.data != NULL;
    if (is_literal && begins) size->bytes += piece->literal.length;
    if (is_literal || (!begins && shape->is_of_first[piece->column])) continue;
    const struct ls_blob *text = find_text(bundle, first, unit, piece->column);
    size->bytes += text->length + (begins ? 0 : 1);
    ends += count_ends(shape, text) + (begins ? 0 : 1);
  }
  if (!shape->is_script) size->words += ends;
}

static bool fits(const struct ls_bundle *bundle, const struct size *size, uint64_t script_from,
                 const struct ls_line_limits *limits) {
  uint64_t all = size->bytes + size->words * sizeof(char *);
  bool is_script = bundle->shape.is_script;
  return size->bytes <= limits->line_bytes && all <= limits->bytes &&
         (!is_script || size->bytes - script_from <= limits->word_bytes);
}

/* How many of the units fit, at least 1; `*size`: of that one, where it does not. */
static uint64_t count_fitting(const struct ls_bundle *bundle, struct ls_range units,
                              const struct ls_line_limits *limits, struct size *size) {
  const struct ls_bundle_shape *shape = &bundle->shape;
  uint64_t count = 0;
  *size = (struct size){.words = shape->heads_count + (shape->is_script ? 1 : 0)};
  for (size_t i = 0; i < shape->heads_count; i++) size->bytes += shape->heads[i].length + 1;
  uint64_t script_from = size->bytes;
  for (; count < units.count; count++) {
    struct size longer = *size;
    for (size_t i = 0; i < shape->groups_count; i++) {
      const struct ls_bundle_group *group = &shape->groups[i];
      add_unit(bundle, group, units.first, units.first + count, &longer);
    }
    bool is_fit = fits(bundle, &longer, script_from, limits);
    if (is_fit || count == 0) *size = longer;
    if (!is_fit) break;
  }
  return count;
}

/* `first`: the first unit of the command. */
static void append_group(const struct ls_bundle *bundle, const struct ls_bundle_group *group,
                         uint64_t first, struct ls_range units, struct ls_bytes *out) {
  const struct ls_bundle_shape *shape = &bundle->shape;
  for (size_t i = 0; i < group->count; i++) {
    const struct ls_bundle_piece *piece = &shape->pieces[group->first + i];
    if (piece->literal.data != NULL) {
      ls_bytes_append(out, piece->literal.data, piece->literal.length);
      continue;
    }
    uint64_t count = shape->is_of_first[piece->column] ? 1 : units.count;
    for (uint64_t k = 0; k < count; k++) {
      const struct ls_blob *text = find_text(bundle, first, units.first + k, piece->column);
      if (k > 0) ls_bytes_append_char(out, shape->is_script ? ' ' : '\0');
      ls_bytes_append(out, text->data, text->length);
    }
  }
}

/* All words, a zero byte behind each. */
static void append_words(const struct ls_bundle *bundle, struct ls_range units,
                         struct ls_bytes *out) {
  const struct ls_bundle_shape *shape = &bundle->shape;
  ls_bytes_clear(out);
  for (size_t i = 0; i < shape->heads_count; i++) {
    ls_bytes_append(out, shape->heads[i].data, shape->heads[i].length);
    ls_bytes_append_char(out, '\0');
  }
  bool is_begun = false;
  for (size_t i = 0; i < shape->groups_count; i++) {
    const struct ls_bundle_group *group = &shape->groups[i];
    uint64_t times = group->repeats ? units.count : 1;
    for (uint64_t k = 0; k < times; k++) {
      struct ls_range part = {units.first + k, 1};
      if (is_begun && shape->is_script) ls_bytes_append_char(out, ' ');
      is_begun = true;
      append_group(bundle, group, units.first, group->repeats ? part : units, out);
      if (!shape->is_script) ls_bytes_append_char(out, '\0');
    }
  }
  if (shape->is_script) ls_bytes_append_char(out, '\0');
}

/* Counts the words, and finds the longest one. */
static size_t measure_words(const struct ls_bytes *words, uint64_t *longest) {
  size_t count = 0;
  const char *word = words->data, *end = word + words->length;
  *longest = 0;
  for (; word < end; count++) {
    uint64_t bytes = (uint64_t)strlen(word) + 1;
    if (bytes > *longest) *longest = bytes;
    word += bytes;
  }
  return count;
}

static enum ls_status point_at_words(struct ls_command *command, size_t count,
                                     struct ls_error *err) {
  if (command->words.failed || ls_array_reserve((void **)&command->argv, &command->argv_capacity,
                                                count + 1, sizeof *command->argv) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "no memory for a command of %zu words", count);
  char *word = command->words.data;
  for (size_t i = 0; i < count; i++) {
    command->argv[i] = word;
    word += strlen(word) + 1;
  }
  command->argv[count] = NULL;
  command->argv_count = count;
  return LS_OK;
}

static enum ls_status fail_large(const struct ls_bundle *bundle, uint64_t unit, uint64_t bytes,
                                 uint64_t most, struct ls_error *err) {
  size_t columns = bundle->shape.columns_count;
  const struct ls_blob none = {"", 0};
  const struct ls_blob *text = columns > 0 ? &bundle->texts[unit * columns] : &none;
  size_t shown = text->length < SHOWN_MAX ? text->length : SHOWN_MAX;
  return ls_fail(err, LS_EINVAL,
                 "the command line of the input '%.*s%s' has %llu bytes, expected at most %llu",
                 (int)shown, (const char *)text->data, shown < text->length ? "..." : "",
                 (unsigned long long)bytes, (unsigned long long)most);
}

/* The limit that is passed, and by how much. */
static enum ls_status fail_line(const struct ls_bundle *bundle, uint64_t unit,
                                const struct size *size, const struct ls_line_limits *limits,
                                struct ls_error *err) {
  uint64_t all = size->bytes + size->words * sizeof(char *);
  if (size->bytes > limits->line_bytes)
    return fail_large(bundle, unit, size->bytes, limits->line_bytes, err);
  if (all > limits->bytes) return fail_large(bundle, unit, all, limits->bytes, err);
  return fail_large(bundle, unit, size->bytes, limits->word_bytes, err);
}

enum ls_status ls_bundle_expand(const struct ls_bundle *bundle, struct ls_range *units,
                                const struct ls_line_limits *limits, struct ls_command *command,
                                struct ls_error *err) {
  assert(units->count > 0 && units->first + units->count <= bundle->units);
  struct size size;
  uint64_t count = count_fitting(bundle, *units, limits, &size), longest;
  command->argv_count = 0;
  command->staging = (struct ls_staging){0};
  command->is_staged = false;
  if (count == 0) return fail_line(bundle, units->first, &size, limits, err);
  for (;; count = (count + 1) / 2) {
    append_words(bundle, (struct ls_range){units->first, count}, &command->words);
    if (command->words.failed) return fail_memory(err);
    size_t words = measure_words(&command->words, &longest);
    if (longest <= limits->word_bytes) {
      units->count = count;
      return point_at_words(command, words, err);
    }
    /* Words that hold texts of several units are rare, and hardly ever so long. */
    if (count == 1) return fail_large(bundle, units->first, longest, limits->word_bytes, err);
  }
}

void ls_bundle_close(struct ls_bundle *bundle) {
  free(bundle->texts);
  free(bundle->heads);
  free(bundle->groups);
  free(bundle->pieces);
  free(bundle->columns);
  *bundle = (struct ls_bundle){.units = 0};
}
