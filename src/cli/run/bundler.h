/* bundler.h: makes the bundle of a command that takes several inputs (protocol/bundle.h), from its
 * template and their values; and reads one again, for people and logs. */
#ifndef LS_CLI_RUN_BUNDLER_H
#define LS_CLI_RUN_BUNDLER_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "cli/run/template.h"
#include "protocol/bundle.h"

/* Storage is kept between calls. Starts as {.compiled}. */
struct ls_bundler {
  const struct ls_template *compiled; /* borrowed; the command */
  struct ls_bytes literals, text;
  struct ls_bundle_group *groups;
  struct ls_bundle_piece *pieces;
  size_t *offsets;                    /* of literal pieces */
  const struct ls_segment **segments; /* of columns */
  bool *columns;
  size_t groups_count, pieces_count, columns_count;
  size_t groups_capacity, pieces_capacity, offsets_capacity, segments_capacity, columns_capacity;
  struct ls_bundle bundle;
  struct ls_command command;
};

/* Begins a bundle of `inputs` inputs, appended to `out`. Of the task the slot counts, and in a
 * template of a group the rest: its values are those of all inputs. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_bundler_begin(struct ls_bundler *bundler,
                                           const struct ls_template_task *task, uint64_t inputs,
                                           struct ls_bytes *out, struct ls_error *err);
/* Appends the next input, whose number is `sequence`. LS_EINVAL as ls_change_apply. */
LS_CHECKED enum ls_status ls_bundler_add(struct ls_bundler *bundler,
                                         const struct ls_template_task *input, struct ls_bytes *out,
                                         struct ls_error *err);
/* The words of all of a bundle, however long: borrowed until the next call. */
LS_CHECKED enum ls_status ls_bundler_read(struct ls_bundler *bundler, const struct ls_bytes *packed,
                                          const char *const **words, size_t *count,
                                          struct ls_error *err);
void ls_bundler_close(struct ls_bundler *bundler);

#endif
