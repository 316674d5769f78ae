#include "runtime/master/units/unit_needs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/labels.h"

void ls_unit_needs_init(struct ls_unit_needs *needs, const struct ls_app *app, void *state) {
  *needs = (struct ls_unit_needs){.app = app, .state = state};
}

void ls_unit_needs_close(struct ls_unit_needs *needs) {
  for (size_t i = 0; i < needs->labels_count; ++i) free(needs->labels[i]);
  free(needs->labels);
  free(needs->items);
  *needs = (struct ls_unit_needs){0};
}

/* The label as it is kept; NULL: no memory. */
static const char *keep(struct ls_unit_needs *needs, const char *label) {
  for (size_t i = 0; i < needs->labels_count; ++i)
    if (strcmp(needs->labels[i], label) == 0) return needs->labels[i];
  void *items = needs->labels;
  enum ls_status status = ls_array_reserve(&items, &needs->labels_capacity, needs->labels_count + 1,
                                           sizeof *needs->labels);
  needs->labels = items;
  char *copy = status == LS_OK ? strdup(label) : NULL;
  if (copy != NULL) needs->labels[needs->labels_count++] = copy;
  return copy;
}

static enum ls_status add(struct ls_unit_needs *needs, uint64_t unit, const char *label,
                          struct ls_error *err) {
  struct ls_event_need *last = needs->count > 0 ? &needs->items[needs->count - 1] : NULL;
  if (last != NULL && last->units.first + last->units.count == unit &&
      strcmp(last->label, label) == 0) {
    last->units.count++;
    return LS_OK;
  }
  void *items = needs->items;
  const char *kept = keep(needs, label);
  enum ls_status status =
      ls_array_reserve(&items, &needs->capacity, needs->count + 1, sizeof *needs->items);
  needs->items = items;
  if (status != LS_OK || kept == NULL)
    return ls_fail(err, LS_ENOMEM, "out of memory for the needs of units");
  needs->items[needs->count++] = (struct ls_event_need){{unit, 1}, kept};
  return LS_OK;
}

enum ls_status ls_unit_needs_ask(struct ls_unit_needs *needs, uint32_t iteration,
                                 struct ls_range units, struct ls_error *err) {
  enum ls_status status = LS_OK;
  needs->count = 0;
  if (needs->app->need == NULL) return LS_OK;
  for (uint64_t i = 0; i < units.count && status == LS_OK; ++i) {
    uint64_t unit = units.first + i;
    const char *label = needs->app->need(needs->state, iteration, unit);
    if (label == NULL || label[0] == '\0') continue;
    bool is_task = needs->app->runs_commands;
    char field[64];
    (void)snprintf(field, sizeof field, "what %s %llu needs", is_task ? "task" : "unit",
                   (unsigned long long)unit + (is_task ? 1 : 0));
    status = ls_label_check(field, label, err);
    if (status == LS_OK) status = add(needs, unit, label, err);
  }
  return status;
}
