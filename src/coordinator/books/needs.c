#include "coordinator/books/needs.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void ls_needs_close(struct ls_needs *needs) {
  for (size_t i = 0; i < needs->slots_count; i++) free(needs->slots[i].labels);
  free(needs->slots);
  *needs = (struct ls_needs){0};
}

enum ls_status ls_needs_add_slots(struct ls_needs *needs, size_t slots) {
  void *items = needs->slots;
  if (slots <= needs->slots_count) return LS_OK;
  enum ls_status status =
      ls_array_reserve(&items, &needs->slots_capacity, slots, sizeof *needs->slots);
  needs->slots = items;
  while (status == LS_OK && needs->slots_count < slots)
    needs->slots[needs->slots_count++] = (struct ls_needs_slot){0};
  return status;
}

enum ls_status ls_needs_tell(struct ls_needs *needs, uint32_t slot, const char *labels) {
  struct ls_needs_slot *at = &needs->slots[slot];
  char *copy = labels != NULL && labels[0] != '\0' ? strdup(labels) : NULL;
  if (copy == NULL && labels != NULL && labels[0] != '\0') return LS_ENOMEM;
  free(at->labels);
  *at = (struct ls_needs_slot){.labels = copy};
  for (uint32_t i = 0; i < needs->count; i++)
    if (ls_labels_have(copy, needs->labels[i])) at->held |= UINT64_C(1) << i;
  return LS_OK;
}

enum ls_status ls_needs_find_lane(struct ls_needs *needs, const char *label, uint32_t *lane,
                                  struct ls_error *err) {
  for (uint32_t i = 0; i < needs->count; i++) {
    if (strcmp(needs->labels[i], label) != 0) continue;
    *lane = i + 1;
    return LS_OK;
  }
  enum ls_status status = ls_label_check("label", label, err);
  if (status != LS_OK) return status;
  if (needs->count == LS_NEEDS_MAX)
    return ls_fail(err, LS_EINVAL, "label is '%s', expected one of the %d that units need already",
                   label, LS_NEEDS_MAX);
  uint32_t made = needs->count++;
  memcpy(needs->labels[made], label, strlen(label) + 1);
  for (size_t i = 0; i < needs->slots_count; i++)
    if (ls_labels_have(needs->slots[i].labels, label)) needs->slots[i].held |= UINT64_C(1) << made;
  *lane = made + 1;
  return LS_OK;
}
