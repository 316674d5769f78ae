/* world_needs.c: which labels the workers of a world have, and which its units need. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/labels.h"
#include "simulate/world_private.h"

static enum ls_status read_label(const struct ls_json *place, const char **label,
                                 struct ls_error *err) {
  enum ls_status status = ls_json_string(place, label, err);
  if (status != LS_OK || ls_label_is_good(*label, strlen(*label))) return status;
  return ls_json_refuse(place, "a label of " LS_LABEL_EXPECTED, err);
}

/* For each worker a list of labels. */
enum ls_status ls_world_read_labels(struct ls_world *world, const struct ls_json *place,
                                    struct ls_error *err) {
  size_t workers = world->setup.platform->workers_count, count = 0;
  enum ls_status status = ls_json_array(place, &count, err);
  if (status != LS_OK) return status;
  if (count != workers) {
    char expected[160];
    (void)snprintf(expected, sizeof expected,
                   "a list for each of %zu workers, not %zu (no part of the workers can be tried "
                   "with labels, as a front does)",
                   workers, count);
    return ls_json_refuse(place, expected, err);
  }
  world->labels = calloc(workers, sizeof *world->labels);
  if (!world->labels) return ls_fail(err, LS_ENOMEM, "no memory for the labels of workers");
  for (size_t i = 0; i < workers && status == LS_OK; i++) {
    struct ls_json list = ls_json_item(place, i);
    char labels[LS_LABELS_BYTES] = "";
    size_t labels_count = 0;
    status = ls_json_array(&list, &labels_count, err);
    for (size_t k = 0; k < labels_count && status == LS_OK; k++) {
      struct ls_json item = ls_json_item(&list, k);
      const char *label = NULL;
      status = read_label(&item, &label, err);
      if (status == LS_OK) status = ls_labels_add(labels, "labels", label, err);
    }
    if (status != LS_OK) return status;
    world->labels[i] = strdup(labels);
    if (!world->labels[i]) return ls_fail(err, LS_ENOMEM, "no memory for the labels of workers");
  }
  world->setup.config.labels = (const char *const *)world->labels;
  world->setup.config.labels_count = workers;
  return status;
}

static enum ls_status read_need(struct ls_world *world, const struct ls_json *place,
                                struct ls_error *err) {
  static const char *const known[] = {"label", "first", "units", NULL};
  struct ls_event_need *need = &world->needs[world->setup.needs_count];
  uint64_t units = world->setup.units, first = 0;
  const char *label = NULL;
  enum ls_status status = ls_json_object(place, known, err);
  struct ls_json name = ls_json_member(place, "label"), from = ls_json_member(place, "first");
  struct ls_json count = ls_json_member(place, "units");
  if (status == LS_OK) status = read_label(&name, &label, err);
  if (status == LS_OK && from.value)
    status = ls_json_whole(&from, 0, units > 0 ? units - 1 : 0, &first, err);
  if (status == LS_OK) status = ls_json_whole(&count, 1, units - first, &need->units.count, err);
  if (status != LS_OK) return status;
  char *kept = strdup(label);
  if (!kept) return ls_fail(err, LS_ENOMEM, "no memory for the needs of units");
  need->units.first = first;
  need->label = kept;
  world->setup.needs_count++;
  return LS_OK;
}

/* A list; of units that stand in it twice the last one counts. */
enum ls_status ls_world_read_needs(struct ls_world *world, const struct ls_json *place,
                                   struct ls_error *err) {
  size_t count = 0;
  enum ls_status status = ls_json_array(place, &count, err);
  if (status != LS_OK) return status;
  world->needs = calloc(count + 1, sizeof *world->needs);
  if (!world->needs) return ls_fail(err, LS_ENOMEM, "no memory for the needs of units");
  world->setup.needs = world->needs;
  world->setup.config.has_needs = count > 0;
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_json item = ls_json_item(place, i);
    status = read_need(world, &item, err);
  }
  return status;
}

void ls_world_close_needs(struct ls_world *world) {
  size_t workers = world->setup.platform->workers_count;
  for (size_t i = 0; world->labels && i < workers; i++) free(world->labels[i]);
  for (size_t i = 0; i < world->setup.needs_count; i++) free((char *)world->needs[i].label);
  free(world->labels);
  free(world->needs);
}
