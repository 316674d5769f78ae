#include "cli/run/task_choice.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/run/task_source.h"

/* One walk over the combinations. */
struct walk {
  struct ls_task_choice *choice;
  const struct ls_task_source *source;
  const char **values; /* of the sources so far */
  struct ls_row row;
  struct ls_error *err;
};

uint64_t ls_task_choice_linked(const struct ls_task_source *source, size_t first, size_t *end) {
  uint64_t length = source->lists[first].count;
  bool has_empty = length == 0;
  size_t i = first + 1;
  for (; i < source->lists_count && (source->is_all_linked || source->lists[i].is_linked); i++) {
    uint64_t count = source->lists[i].count;
    has_empty = has_empty || count == 0;
    if (source->is_all_linked ? count > length : count < length) length = count;
  }
  *end = i;
  /* A value of an empty source does not exist, so neither does a task that needs it. */
  return has_empty ? 0 : length;
}

static bool fits(enum ls_choice_rule rule, const char *const *values, size_t count) {
  for (size_t i = 1; i < count; i++) {
    if (rule == LS_CHOICE_ASCENDING && strcmp(values[i - 1], values[i]) >= 0) return false;
    for (size_t k = 0; k < i && rule == LS_CHOICE_UNLIKE; k++)
      if (strcmp(values[k], values[i]) == 0) return false;
  }
  return true;
}

/* What holds for all values holds for the first ones: a beginning that does not fit is left. */
static enum ls_status judge(struct walk *walk, size_t end, bool *is_kept) {
  const struct ls_task_source *source = walk->source;
  size_t first = source->has_hosts;
  if (source->rows == NULL) {
    *is_kept = fits(walk->choice->rule, walk->values + first, end - first);
    return LS_OK;
  }
  enum ls_status status =
      ls_row_make(source->rows, walk->values + first, end - first, &walk->row, walk->err);
  *is_kept = status == LS_OK && fits(walk->choice->rule, walk->row.values, walk->row.count);
  return status;
}

static enum ls_status keep(struct walk *walk, uint64_t combination) {
  struct ls_task_choice *choice = walk->choice;
  void *kept = choice->kept;
  if (ls_array_reserve(&kept, &choice->capacity, choice->count + 1, sizeof *choice->kept) != LS_OK)
    return ls_fail(walk->err, LS_ENOMEM, "out of memory for %zu tasks", choice->count);
  choice->kept = kept;
  choice->kept[choice->count++] = combination;
  return LS_OK;
}

/* The combinations that begin with those of the sources before `first`. */
static enum ls_status visit(struct walk *walk, size_t first, uint64_t before) {
  const struct ls_task_source *source = walk->source;
  if (first == source->lists_count) return keep(walk, before);
  size_t end = 0;
  uint64_t length = ls_task_choice_linked(source, first, &end);
  enum ls_status status = LS_OK;
  for (uint64_t i = 0; i < length && status == LS_OK; i++) {
    for (size_t k = first; k < end; k++) {
      const struct ls_value_list *list = &source->lists[k];
      walk->values[k] = source->arena.data + source->offsets[list->first + i % list->count];
    }
    bool is_kept = false;
    status = judge(walk, end, &is_kept);
    if (is_kept) status = visit(walk, end, before * length + i);
  }
  return status;
}

enum ls_status ls_task_choice_make(struct ls_task_choice *choice,
                                   const struct ls_task_source *source, uint64_t *tasks,
                                   struct ls_error *err) {
  if (choice->rule == LS_CHOICE_ALL) return LS_OK;
  uint64_t hosts = source->has_hosts ? source->lists[0].count : 1;
  struct walk walk = {.choice = choice,
                      .source = source,
                      .values = calloc(source->lists_count + 1, sizeof *walk.values),
                      .err = err};
  choice->count = 0;
  choice->combinations = *tasks / hosts;
  enum ls_status status = walk.values == NULL
                              ? ls_fail(err, LS_ENOMEM, "out of memory for input values")
                              : visit(&walk, source->has_hosts, 0);
  free(walk.values);
  ls_row_close(&walk.row);
  *tasks = hosts * choice->count;
  return status;
}

uint64_t ls_task_choice_find(const struct ls_task_choice *choice, uint64_t task) {
  if (choice->rule == LS_CHOICE_ALL) return task;
  return task / choice->count * choice->combinations + choice->kept[task % choice->count];
}

void ls_task_choice_close(struct ls_task_choice *choice) {
  free(choice->kept);
  *choice = (struct ls_task_choice){0};
}
