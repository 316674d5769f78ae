#include "runtime/execute/command_place.h"

static bool is_same_range(struct ls_range a, struct ls_range b) {
  return a.first == b.first && a.count == b.count;
}

enum ls_status ls_command_place_read(struct ls_command_place *place, const struct ls_work *work,
                                     struct ls_command *command, struct ls_error *err) {
  enum ls_status status =
      ls_command_decode(command, work->input, work->length, &place->offset, err);
  if (status == LS_OK) {
    ++place->unit;
    return LS_OK;
  }
  place->input = NULL;
  return ls_fail_while(err, status, "command of unit %llu", (unsigned long long)place->unit + 1);
}

/* The first unit of a range always starts anew: the storage of an earlier input may be the same. */
enum ls_status ls_command_place_seek(struct ls_command_place *place, const struct ls_work *work,
                                     struct ls_command *command, struct ls_error *err) {
  uint64_t unit = work->units.first;
  bool is_before = place->input == work->input && is_same_range(place->packed, work->packed) &&
                   place->unit <= unit && unit != work->packed.first;
  if (!is_before)
    *place = (struct ls_command_place){
        .input = work->input, .packed = work->packed, .unit = work->packed.first};
  while (place->unit < unit) {
    enum ls_status status = ls_command_place_read(place, work, command, err);
    if (status != LS_OK) return status;
  }
  return LS_OK;
}
