#include "cli/run/task_source.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/digest.h"
#include "cli/console.h"

/* Unit numbers are exact as JSON numbers, and sums of them do not overflow. */
#define TASKS_MAX ((uint64_t)1 << 53)

static enum ls_status add_list(struct ls_task_source *source, bool is_linked,
                               struct ls_error *err) {
  void *lists = source->lists;
  if (ls_array_reserve(&lists, &source->lists_capacity, source->lists_count + 1,
                       sizeof *source->lists) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for input source %zu", source->lists_count + 1);
  source->lists = lists;
  source->lists[source->lists_count++] =
      (struct ls_value_list){.first = source->offsets_count, .is_linked = is_linked};
  return LS_OK;
}

/* The value that begins at `offset` of the arena belongs to the last source. */
static enum ls_status add_value(struct ls_task_source *source, size_t offset,
                                struct ls_error *err) {
  if (source->offsets_count == source->offsets_capacity) {
    void *offsets = source->offsets;
    if (ls_array_reserve(&offsets, &source->offsets_capacity, source->offsets_count + 1,
                         sizeof *source->offsets) != LS_OK)
      return ls_fail(err, LS_ENOMEM, "out of memory for %zu input values", source->offsets_count);
    source->offsets = offsets;
  }
  source->offsets[source->offsets_count++] = offset;
  source->lists[source->lists_count - 1].count++;
  return LS_OK;
}

static const struct ls_input_form lines = {0};

static const struct ls_input_form *get_form(const struct ls_task_source *source) {
  return source->form == NULL ? &lines : source->form;
}

/* An input of the last source, of `length` bytes at `from` of the arena, is put behind those that
 * were taken, at `*to`. */
static enum ls_status take_input(struct ls_task_source *source, size_t from, size_t length,
                                 size_t *to, struct ls_error *err) {
  char *data = source->arena.data;
  enum ls_input_fate fate = ls_input_form_judge(get_form(source), data + from, length);
  source->has_ended = source->has_ended || fate == LS_INPUT_LAST;
  if (source->has_ended || fate == LS_INPUT_SKIPPED) return LS_OK;
  if (*to != from) memmove(data + *to, data + from, length);
  data[*to + length] = '\0';
  enum ls_status status = add_value(source, *to, err);
  *to += length + 1;
  return status;
}

static enum ls_status add_source(struct ls_task_source *source, bool is_linked,
                                 struct ls_error *err) {
  source->has_ended = false;
  return add_list(source, is_linked, err);
}

enum ls_status ls_task_source_add_words(struct ls_task_source *source, char *const *words,
                                        size_t count, bool is_linked, struct ls_error *err) {
  enum ls_status status = add_source(source, is_linked, err);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    size_t offset = source->arena.length, to = offset;
    ls_bytes_append(&source->arena, words[i], strlen(words[i]) + 1);
    if (source->arena.failed) return ls_fail(err, LS_ENOMEM, "out of memory for input values");
    status = take_input(source, offset, strlen(words[i]), &to, err);
    source->arena.length = to;
  }
  return status;
}

enum ls_status ls_task_source_add_value(struct ls_task_source *source, const char *text,
                                        struct ls_error *err) {
  size_t offset = source->arena.length;
  ls_bytes_append(&source->arena, text, strlen(text) + 1);
  if (source->arena.failed) return ls_fail(err, LS_ENOMEM, "out of memory for input values");
  return add_value(source, offset, err);
}

/* Cuts the text that was read, from `begin` to `end` of the arena, which has a byte more, into
 * inputs, in place. */
static enum ls_status cut_values(struct ls_task_source *source, size_t begin, size_t end,
                                 const char *name, struct ls_error *err) {
  const struct ls_input_form *form = get_form(source);
  size_t to = begin;
  enum ls_status status = LS_OK;
  for (size_t at = begin; at < end && status == LS_OK && !source->has_ended;) {
    struct ls_input_search search = {0};
    struct ls_input input = {.data = source->arena.data + at,
                             .length = end - at,
                             .name = name,
                             .number = source->lists[source->lists_count - 1].count + 1};
    bool has_stop = ls_input_form_cut(form, input.data, end - at, &search, &input.length);
    size_t next = at + input.length + (has_stop ? ls_input_form_stop_bytes(form) : 0);
    status = ls_input_check(&input, err);
    if (status == LS_OK) status = take_input(source, at, input.length, &to, err);
    at = next;
  }
  source->arena.length = to;
  return status;
}

enum ls_status ls_task_source_add_file(struct ls_task_source *source, const char *path,
                                       bool is_linked, struct ls_error *err) {
  bool is_input = strcmp(path, "-") == 0;
  if (is_input && source->has_read_input)
    return ls_fail(err, LS_EINVAL, "standard input is named twice as an input source");
  source->has_read_input = source->has_read_input || is_input;
  enum ls_status status = add_source(source, is_linked, err);
  if (status != LS_OK) return status;
  size_t begin = source->arena.length;
  status = ls_console_read(path, &source->arena, err);
  if (status != LS_OK) return status;
  /* The last value needs an end of its own when the file has none. */
  size_t end = source->arena.length;
  ls_bytes_append_char(&source->arena, '\0');
  if (source->arena.failed) return ls_fail(err, LS_ENOMEM, "%s: out of memory", path);
  char shown[256];
  ls_console_show(is_input ? "standard input" : path, shown, sizeof shown);
  return cut_values(source, begin, end, shown, err);
}

enum ls_status ls_task_source_add_recorded(struct ls_task_source *source,
                                           const struct ls_journal_inputs *inputs,
                                           struct ls_error *err) {
  enum ls_status status = LS_OK;
  size_t begin = source->arena.length;
  if (inputs->source >= source->lists_count) status = add_list(source, inputs->is_linked, err);
  ls_bytes_append(&source->arena, inputs->text, inputs->length);
  if (source->arena.failed) return ls_fail(err, LS_ENOMEM, "out of memory for input values");
  for (size_t at = begin; at < source->arena.length && status == LS_OK;) {
    status = add_value(source, at, err);
    at += strlen(source->arena.data + at) + 1;
  }
  return status;
}

enum ls_status ls_task_source_add_stream(struct ls_task_source *source, int file, const char *name,
                                         struct ls_error *err) {
  assert(source->lists_count == 0);
  enum ls_status status = add_list(source, false, err);
  if (status == LS_OK)
    status = ls_input_stream_open(file, get_form(source), name, &source->stream, err);
  if (status == LS_OK && source->inputs_per_task > 0)
    ls_input_stream_group(source->stream, source->inputs_per_task);
  return status;
}

enum ls_status ls_task_source_add_cut(struct ls_task_source *source, int file,
                                      const struct ls_input_cutter *cutter, const char *name,
                                      struct ls_error *err) {
  assert(source->lists_count == 0);
  enum ls_status status = add_list(source, false, err);
  if (status != LS_OK) return status;
  return ls_input_stream_open_cut(file, cutter, name, &source->stream, err);
}

static const char *get_values_mark(const struct ls_source_marks *marks) {
  return marks->values == NULL ? ":::" : marks->values;
}
static const char *get_files_mark(const struct ls_source_marks *marks) {
  return marks->files == NULL ? "::::" : marks->files;
}

/* Is the word that mark, or the mark and a plus? */
static bool is_mark(const char *word, const char *mark) {
  size_t length = strlen(mark);
  return strncmp(word, mark, length) == 0 &&
         (word[length] == '\0' || strcmp(word + length, "+") == 0);
}

bool ls_task_source_is_mark(const char *word, const struct ls_source_marks *marks) {
  return is_mark(word, get_values_mark(marks)) || is_mark(word, get_files_mark(marks));
}

enum ls_status ls_task_source_add_marked(struct ls_task_source *source, char *const *words,
                                         size_t count, const struct ls_source_marks *marks,
                                         struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < count && status == LS_OK;) {
    const char *mark = words[i];
    assert(ls_task_source_is_mark(mark, marks));
    size_t begin = ++i;
    while (i < count && !ls_task_source_is_mark(words[i], marks)) i++;
    bool is_file = is_mark(mark, get_files_mark(marks));
    size_t plain = strlen(is_file ? get_files_mark(marks) : get_values_mark(marks));
    bool is_linked = mark[plain] == '+', is_first = ls_task_source_shown(source) == 0;
    if (is_linked && is_first && !is_file)
      return ls_fail(err, LS_EINVAL, "%s: there is no input source before it to link to", mark);
    if (is_file && begin == i)
      return ls_fail(err, LS_EINVAL, "%s: no file follows, expected at least one", mark);
    if (!is_file)
      status = ls_task_source_add_words(source, words + begin, i - begin, is_linked, err);
    /* Several files behind one mark are several sources, as in GNU parallel; where a linked one is
     * the first source, the others are linked to it. */
    for (size_t j = begin; is_file && j < i && status == LS_OK; j++)
      status =
          ls_task_source_add_file(source, words[j], is_linked && !(is_first && j == begin), err);
  }
  return status;
}

/* The first value of each source becomes its name. */
static void take_headers(struct ls_task_source *source) {
  for (size_t i = source->has_hosts; i < source->lists_count; i++) {
    struct ls_value_list *list = &source->lists[i];
    if (!source->has_header || list->has_header || list->count == 0) continue;
    list->has_header = true;
    list->first++;
    list->count--;
  }
}

const char *ls_task_source_header(const struct ls_task_source *source, size_t index) {
  const struct ls_value_list *list = &source->lists[index + source->has_hosts];
  return list->has_header ? source->arena.data + source->offsets[list->first - 1] : NULL;
}

enum ls_status ls_task_source_finish(struct ls_task_source *source, struct ls_error *err) {
  uint64_t tasks = source->lists_count > 0 ? 1 : 0;
  bool is_huge = false, is_empty = false;
  take_headers(source);
  for (size_t i = 0; i < source->lists_count;) {
    uint64_t length = ls_task_choice_linked(source, i, &i);
    is_empty = is_empty || length == 0;
    is_huge = is_huge || (length > 0 && tasks > TASKS_MAX / length);
    tasks = is_huge ? TASKS_MAX : tasks * length;
  }
  if (is_empty) tasks = 0;
  if (is_huge && !is_empty)
    return ls_fail(err, LS_EINVAL, "the %zu input sources make more than 2^53 combinations",
                   source->lists_count);
  source->tasks = tasks;
  return tasks > 0 ? ls_task_choice_make(&source->choice, source, &source->tasks, err) : LS_OK;
}

void ls_task_source_combine(const struct ls_task_source *source, uint64_t combination,
                            const char **values) {
  /* The last group varies fastest, so the groups are taken off from the end. */
  for (size_t last = source->lists_count; last > 0;) {
    size_t first = last - 1;
    while (first > 0 && (source->is_all_linked || source->lists[first].is_linked)) first--;
    size_t end;
    uint64_t length = ls_task_choice_linked(source, first, &end), index = combination % length;
    for (size_t i = first; i < last; i++) {
      const struct ls_value_list *list = &source->lists[i];
      values[i] = source->arena.data + source->offsets[list->first + index % list->count];
    }
    combination /= length;
    last = first;
  }
}

void ls_task_source_group(struct ls_task_source *source, uint64_t count) {
  assert(source->stream == NULL && count > 0 && source->inputs_per_task == 0);
  source->inputs_per_task = count;
  source->inputs = source->tasks;
  source->tasks = source->inputs / count + (source->inputs % count > 0 && !source->is_open);
}

size_t ls_task_source_values_count(const struct ls_task_source *source) {
  return source->lists_count * (source->inputs_per_task > 0 ? (size_t)source->inputs_per_task : 1);
}

size_t ls_task_source_columns(const struct ls_task_source *source) {
  return ls_task_source_values_count(source) - source->has_hosts;
}

enum ls_status ls_task_source_values(const struct ls_task_source *source, uint64_t task,
                                     const char **values, struct ls_error *err) {
  if (source->stream != NULL) return ls_input_stream_values(source->stream, task, values, err);
  assert(task < source->tasks);
  if (source->inputs_per_task == 0) {
    ls_task_source_combine(source, ls_task_choice_find(&source->choice, task), values);
    return LS_OK;
  }
  for (uint64_t i = 0; i < source->inputs_per_task; i++, values += source->lists_count) {
    uint64_t input = task * source->inputs_per_task + i;
    if (input < source->inputs)
      ls_task_source_combine(source, ls_task_choice_find(&source->choice, input), values);
    else
      for (size_t k = 0; k < source->lists_count; k++) values[k] = NULL;
  }
  return LS_OK;
}

size_t ls_task_source_shown(const struct ls_task_source *source) {
  return source->lists_count - source->has_hosts;
}

uint64_t ls_task_source_tasks(const struct ls_task_source *source) {
  bool is_divided = source->has_hosts && source->lists[0].count > 0;
  return is_divided ? source->tasks / source->lists[0].count : source->tasks;
}

uint64_t ls_task_source_sequence(const struct ls_task_source *source, uint64_t task) {
  if (!source->has_hosts) return task + 1;
  return task % ls_task_source_tasks(source) + 1;
}

void ls_task_source_release(struct ls_task_source *source, struct ls_range tasks) {
  if (source->stream != NULL) ls_input_stream_release(source->stream, tasks);
}

uint64_t ls_task_source_digest(const struct ls_task_source *source) {
  uint64_t digest = LS_DIGEST_START;
  digest = ls_digest_add(digest, source->is_all_linked ? "link" : "all", 3);
  for (size_t i = 0; i < source->lists_count; i++) {
    const struct ls_value_list *list = &source->lists[i];
    uint64_t count = list->count;
    digest = ls_digest_add(digest, &count, sizeof count);
    digest = ls_digest_add(digest, list->is_linked ? "+" : "*", 1);
  }
  if (source->inputs_per_task > 0)
    digest = ls_digest_add(digest, &source->inputs_per_task, sizeof source->inputs_per_task);
  /* The zero bytes between the values are part of the arena, so "ab" "c" is not "a" "bc". */
  return ls_digest_add(digest, source->arena.data, source->arena.length);
}

void ls_task_source_close(struct ls_task_source *source) {
  ls_input_stream_close(source->stream);
  ls_task_choice_close(&source->choice);
  ls_bytes_close(&source->arena);
  free(source->offsets);
  free(source->lists);
  *source = (struct ls_task_source){0};
}
