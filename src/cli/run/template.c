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

static enum ls_status add_literal(struct ls_template *compiled, const char *begin, const char *end,
                                  size_t index, struct ls_error *err) {
  struct ls_segment literal = {.word = index, .literal = begin, .length = (size_t)(end - begin)};
  return literal.length > 0 ? add_segment(compiled, &literal, err) : LS_OK;
}

static enum ls_status compile_pieces(struct ls_template *compiled, const char *word, size_t index,
                                     const struct ls_grammar *grammar, struct ls_error *err) {
  const char *plain = word, *next = word;
  while (*next != '\0') {
    struct ls_found_replacement found;
    enum ls_status status = ls_grammar_find(grammar, next, &found, err);
    if (status != LS_OK) return status;
    if (found.length == 0) {
      /* ${size} is a variable of the shell. */
      bool is_variable = next > word && next[-1] == '$';
      status = is_variable ? LS_OK : ls_grammar_check_name(grammar, next, err);
      if (status != LS_OK) return status;
      next++;
      continue;
    }
    struct ls_segment segment = {
        .kind = found.kind, .place = found.place, .change = found.change, .word = index};
    status = add_literal(compiled, plain, next, index, err);
    if (status == LS_OK) status = add_segment(compiled, &segment, err);
    if (status != LS_OK) {
      ls_change_close(&found.change);
      return status;
    }
    next += found.length;
    plain = next;
  }
  return add_literal(compiled, plain, next, index, err);
}

static enum ls_status compile_word(struct ls_template *compiled, const char *word, size_t index,
                                   const struct ls_grammar *grammar, struct ls_error *err) {
  size_t first = compiled->segments_count;
  enum ls_status status = compile_pieces(compiled, word, index, grammar, err);
  if (status == LS_OK && compiled->segments_count == first + 1)
    compiled->segments[first].is_whole = true;
  return status;
}

/* The shell reads the words as one text, with spaces between: its words are found there, and so are
 * replacement strings. */
static enum ls_status join_words(struct ls_template *compiled,
                                 const struct ls_command_line *command, struct ls_error *err) {
  size_t bytes = 0;
  for (size_t i = 0; i < command->words_count; i++) bytes += strlen(command->words[i]) + 1;
  char *at = compiled->script = malloc(bytes);
  if (at == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for the command");
  for (size_t i = 0; i < command->words_count; i++) {
    if (i > 0) *at++ = ' ';
    at = stpcpy(at, command->words[i]);
  }
  compiled->words_count = 1;
  return LS_OK;
}

static enum ls_status compile_words(struct ls_template *compiled,
                                    const struct ls_command_line *command,
                                    const struct ls_grammar *grammar, struct ls_error *err) {
  enum ls_status status = LS_OK;
  if (compiled->is_shell && command->words_count > 0) {
    status = join_words(compiled, command, err);
    return status == LS_OK ? compile_word(compiled, compiled->script, 0, grammar, err) : status;
  }
  status = ls_grammar_check_words(grammar, command->words, command->words_count, err);
  for (size_t i = 0; i < command->words_count && status == LS_OK; i++)
    status = compile_word(compiled, command->words[i], i, grammar, err);
  return status;
}

enum ls_status ls_template_init(struct ls_template *compiled, const struct ls_command_line *command,
                                const struct ls_grammar *grammar, struct ls_error *err) {
  bool is_verbatim = command->words_count == 0;
  struct ls_template made = {.words_count = command->words_count,
                             .sources_count = grammar->sources_count,
                             .shell = command->shell == NULL ? ls_shell_usual : *command->shell,
                             .is_shell = command->is_shell || is_verbatim,
                             .is_verbatim = is_verbatim};
  enum ls_status status = compile_words(&made, command, grammar, err);
  bool has_replacement = false;
  for (size_t i = 0; i < made.segments_count; i++)
    has_replacement = has_replacement || made.segments[i].kind != LS_REPLACE_NOTHING;
  if (status == LS_OK && !has_replacement && grammar->sources_count > 0) {
    struct ls_segment all = {.kind = LS_REPLACE_VALUE, .word = made.words_count, .is_whole = true};
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
                                     const struct ls_grammar *grammar, struct ls_error *err) {
  struct ls_template made = {.words_count = 1, .sources_count = grammar->sources_count};
  enum ls_status status = compile_pieces(&made, text, 0, grammar, err);
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

static enum ls_status append_value(const struct ls_template *compiled, const char *value,
                                   const struct ls_change *change, struct ls_bytes *out,
                                   struct ls_error *err) {
  if (!compiled->is_shell || compiled->is_verbatim) return ls_change_apply(change, value, out, err);
  struct ls_bytes changed = {0};
  enum ls_status status = ls_change_apply(change, value, &changed, err);
  ls_quote_word_for(compiled->shell.quoting, ls_bytes_text(&changed), out);
  out->failed = out->failed || changed.failed;
  ls_bytes_close(&changed);
  return status;
}

static int count_digits(uint64_t number) {
  int digits = 1;
  for (; number >= 10; number /= 10) digits++;
  return digits;
}

/* A number padded with zeros to the length of the largest one. */
static void append_padded(uint64_t number, uint64_t largest, struct ls_bytes *out) {
  ls_bytes_printf(out, "%0*llu", count_digits(largest), (unsigned long long)number);
}

static size_t count_values(const struct ls_template *compiled,
                           const struct ls_template_task *task) {
  return task->values_count > 0 ? task->values_count : compiled->sources_count;
}

/* The value in a place; NULL: the task has none there. */
static const char *find_value(const struct ls_template *compiled,
                              const struct ls_template_task *task, struct ls_value_place place) {
  size_t begin = 0, end = count_values(compiled, task);
  if (place.source > 0) {
    begin = task->begins == NULL ? place.source - 1 : task->begins[place.source - 1];
    end = task->begins == NULL ? place.source : task->begins[place.source];
  }
  if (place.column > end - begin) return NULL;
  return task->values[place.is_from_end ? end - place.column : begin + place.column - 1];
}

/* All values: words of their own, or one text with spaces between. */
static enum ls_status append_all(const struct ls_template *compiled,
                                 const struct ls_segment *segment,
                                 const struct ls_template_task *task, struct ls_bytes *out,
                                 struct ls_error *err) {
  enum ls_status status = LS_OK;
  size_t count = count_values(compiled, task);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    bool ends_word = segment->is_whole && !compiled->is_shell;
    if (i > 0) ls_bytes_append_char(out, ends_word ? '\0' : ' ');
    status = append_value(compiled, task->values[i], &segment->change, out, err);
  }
  return status;
}

enum ls_status ls_template_append(const struct ls_template *compiled,
                                  const struct ls_segment *segment,
                                  const struct ls_template_task *task, struct ls_bytes *out,
                                  struct ls_error *err) {
  switch (segment->kind) {
    case LS_REPLACE_SEQUENCE:
      ls_bytes_printf(out, "%llu", (unsigned long long)task->sequence);
      return LS_OK;
    case LS_REPLACE_SEQUENCE_PADDED:
      append_padded(task->sequence, task->tasks, out);
      return LS_OK;
    case LS_REPLACE_SLOT:
      ls_bytes_printf(out, "%u", task->slot);
      return LS_OK;
    case LS_REPLACE_SLOT_PADDED:
      append_padded(task->slot, task->slots, out);
      return LS_OK;
    case LS_REPLACE_TASKS:
      ls_bytes_printf(out, "%llu", (unsigned long long)task->tasks);
      return LS_OK;
    default:
      break;
  }
  if (segment->place.column == 0) return append_all(compiled, segment, task, out, err);
  const char *value = find_value(compiled, task, segment->place);
  /* An input that a group lacks is no word, either. */
  if (value == NULL && compiled->group > 0) return LS_OK;
  return append_value(compiled, value == NULL ? "" : value, &segment->change, out, err);
}

bool ls_segment_takes_values(const struct ls_segment *segment) {
  return segment->kind == LS_REPLACE_VALUE || segment->kind == LS_REPLACE_CHOICE ||
         segment->kind == LS_REPLACE_UNLIKE;
}

/* How many commands there are, the policy says, and only in the run. */
static enum ls_status refuse_tasks(const struct ls_template *compiled, struct ls_error *err) {
  if (!ls_template_has(compiled, LS_REPLACE_TASKS) &&
      !ls_template_has(compiled, LS_REPLACE_SEQUENCE_PADDED))
    return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "{##} and {0#} exclude -X, -m and --xargs: how many commands there are is known "
                 "at the end");
}

/* Combinations of sources are chosen, not the inputs that stand in one command. */
static enum ls_status refuse_choice(const struct ls_template *compiled, struct ls_error *err) {
  bool has_ascent = ls_template_has(compiled, LS_REPLACE_CHOICE);
  if (!has_ascent && !ls_template_has(compiled, LS_REPLACE_UNLIKE)) return LS_OK;
  return ls_fail(
      err, LS_EINVAL,
      "%s chooses among the combinations of several sources, and the inputs of a command "
      "are all of one here",
      has_ascent ? "{choose_k}" : "{uniq}");
}

enum ls_status ls_template_take_many(struct ls_template *compiled, enum ls_many many, size_t group,
                                     size_t sources, struct ls_error *err) {
  if (compiled->is_verbatim)
    return ls_fail(err, LS_EINVAL,
                   "there is no command, expected one that takes several inputs: each input is a "
                   "command line of its own");
  for (size_t i = 0; i < compiled->segments_count && group > 0 && sources > 1; i++) {
    const struct ls_segment *segment = &compiled->segments[i];
    if (ls_segment_takes_values(segment) && segment->place.column > 0)
      return ls_fail(err, LS_EINVAL,
                     "{%zu} could be the source or the input of that number: there are %zu sources "
                     "and %zu inputs per command, expected {} or one of both",
                     segment->place.column, sources, group);
  }
  enum ls_status status = group == 0 ? refuse_tasks(compiled, err) : LS_OK;
  if (status == LS_OK && group > 0 && sources == 1) status = refuse_choice(compiled, err);
  if (status != LS_OK) return status;
  compiled->many = many;
  compiled->group = group;
  compiled->sources = sources;
  return LS_OK;
}

enum ls_status ls_template_check_shell(const struct ls_template *compiled, struct ls_error *err) {
  bool has_values = false;
  for (size_t i = 0; i < compiled->segments_count; i++)
    has_values = has_values || ls_segment_takes_values(&compiled->segments[i]);
  bool is_quoted = compiled->is_shell && !compiled->is_verbatim && has_values;
  if (!is_quoted || compiled->shell.quoting != LS_QUOTING_UNKNOWN) return LS_OK;
  struct ls_bytes known = {0};
  ls_shell_list(&known);
  enum ls_status status =
      ls_fail(err, LS_EINVAL,
              "the shell is '%.60s', and how it reads quotes is not known: an input could become "
              "code; expected a program of one of these names: %s",
              compiled->shell.words[0], ls_bytes_text(&known));
  ls_bytes_close(&known);
  return status;
}

void ls_template_take_none(struct ls_template *compiled) {
  size_t kept = 0;
  for (size_t i = 0; i < compiled->segments_count; i++)
    if (ls_segment_takes_values(&compiled->segments[i]))
      ls_change_close(&compiled->segments[i].change);
    else
      compiled->segments[kept++] = compiled->segments[i];
  compiled->segments_count = kept;
  if (compiled->is_appended) compiled->words_count--;
  compiled->is_appended = false;
}

/* The next word begins there. */
static enum ls_status begin_word(struct ls_expansion *out, size_t offset, struct ls_error *err) {
  void *offsets = out->offsets;
  if (ls_array_reserve(&offsets, &out->offsets_capacity, out->words_count + 1,
                       sizeof *out->offsets) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for a command");
  out->offsets = offsets;
  out->offsets[out->words_count++] = offset;
  return LS_OK;
}

static enum ls_status expand_segment(const struct ls_template *compiled,
                                     const struct ls_segment *segment,
                                     const struct ls_template_task *task, struct ls_expansion *out,
                                     struct ls_error *err) {
  size_t begin = out->text.length;
  if (segment->kind == LS_REPLACE_NOTHING) {
    ls_bytes_append(&out->text, segment->literal, segment->length);
    return LS_OK;
  }
  enum ls_status status = ls_template_append(compiled, segment, task, &out->text, err);
  for (size_t i = begin; i < out->text.length && status == LS_OK; i++)
    if (out->text.data[i] == '\0') status = begin_word(out, i + 1, err);
  return status;
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
    for (size_t i = 0; i < compiled->shell.count && status == LS_OK; i++) {
      status = begin_word(out, out->text.length, err);
      ls_bytes_append(&out->text, compiled->shell.words[i], strlen(compiled->shell.words[i]) + 1);
    }
    if (status == LS_OK) status = begin_word(out, out->text.length, err);
  }
  size_t next = 0;
  for (size_t word = 0; word < compiled->words_count && status == LS_OK; word++) {
    if (!compiled->is_shell)
      status = begin_word(out, out->text.length, err);
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
  for (size_t i = 0; i < compiled->segments_count; i++)
    ls_change_close(&compiled->segments[i].change);
  free(compiled->segments);
  free(compiled->script);
  *compiled = (struct ls_template){0};
}

void ls_expansion_close(struct ls_expansion *expansion) {
  ls_bytes_close(&expansion->text);
  free(expansion->offsets);
  free(expansion->words);
  *expansion = (struct ls_expansion){0};
}
