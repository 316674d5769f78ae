#include "runtime/execute/task_line.h"

#include "base/range_words.h"
#include "runtime/os/line_limits.h"

void ls_task_line_init(struct ls_task_line *line, const struct ls_bundling *bundling,
                       char *const *environment) {
  *line = (struct ls_task_line){.bundling = *bundling};
  if (bundling->units_max > 0)
    line->limits = ls_line_limits_find(bundling->line_bytes_max, environment);
}

/* A range always starts anew: the storage of an earlier input may be the same. */
static enum ls_status find_bundle(struct ls_task_line *line, const struct ls_work *work,
                                  struct ls_error *err) {
  struct ls_range packed = work->packed;
  size_t offset = 0;
  bool is_same = line->input != NULL && line->input == work->input &&
                 line->packed.first == packed.first && line->packed.count == packed.count &&
                 work->units.first != packed.first;
  if (is_same) return LS_OK;
  line->input = NULL;
  enum ls_status status = ls_bundle_decode(&line->bundle, work->input, work->length, &offset, err);
  if (status == LS_OK && line->bundle.units != packed.count)
    status = ls_fail(err, LS_ECORRUPT, "the bundle is of %llu units, expected %llu",
                     (unsigned long long)line->bundle.units, (unsigned long long)packed.count);
  char which[LS_RANGE_WORDS_BYTES];
  if (status != LS_OK)
    return ls_fail_while(err, status, "commands of %s", ls_range_words(packed, which));
  line->input = work->input;
  line->packed = packed;
  return LS_OK;
}

enum ls_status ls_task_line_make(struct ls_task_line *line, const struct ls_work *work,
                                 struct ls_command *command, uint64_t *taken,
                                 struct ls_error *err) {
  uint64_t units_max = line->bundling.units_max;
  if (units_max == 0 || line->bundling.are_blocks) {
    enum ls_status status = ls_command_place_seek(&line->place, work, command, err);
    if (status == LS_OK) status = ls_command_place_read(&line->place, work, command, err);
    if (status != LS_OK) return status;
    *taken = units_max == 0 ? 1 : work->units.count < units_max ? work->units.count : units_max;
    return LS_OK;
  }
  enum ls_status status = find_bundle(line, work, err);
  struct ls_range part = {work->units.first - work->packed.first, work->units.count};
  if (part.count > line->bundling.units_max) part.count = line->bundling.units_max;
  if (status == LS_OK) status = ls_bundle_expand(&line->bundle, &part, &line->limits, command, err);
  if (status == LS_OK) *taken = part.count;
  return status;
}

enum ls_status ls_task_line_read_on(struct ls_task_line *line, const struct ls_work *work,
                                    struct ls_command *command, struct ls_error *err) {
  enum ls_status status = ls_command_place_read(&line->place, work, command, err);
  if (status != LS_OK || command->has_block) return status;
  return ls_fail(err, LS_ECORRUPT, "a command of a task of blocks has none");
}

void ls_task_line_close(struct ls_task_line *line) {
  ls_bundle_close(&line->bundle);
  *line = (struct ls_task_line){.input = NULL};
}
