#include "cli/run/bundler.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static enum ls_status fail_memory(struct ls_error *err) {
  return ls_fail(err, LS_ENOMEM, "out of memory for the words of a command");
}

static enum ls_status begin_group(struct ls_bundler *bundler, struct ls_error *err) {
  if (ls_array_reserve((void **)&bundler->groups, &bundler->groups_capacity,
                       bundler->groups_count + 1, sizeof *bundler->groups) != LS_OK)
    return fail_memory(err);
  bundler->groups[bundler->groups_count++] =
      (struct ls_bundle_group){.first = bundler->pieces_count};
  return LS_OK;
}

static enum ls_status add_piece(struct ls_bundler *bundler, const struct ls_bundle_piece *piece,
                                size_t offset, struct ls_error *err) {
  if (ls_array_reserve((void **)&bundler->pieces, &bundler->pieces_capacity,
                       bundler->pieces_count + 1, sizeof *bundler->pieces) != LS_OK ||
      ls_array_reserve((void **)&bundler->offsets, &bundler->offsets_capacity,
                       bundler->pieces_count + 1, sizeof *bundler->offsets) != LS_OK)
    return fail_memory(err);
  bundler->offsets[bundler->pieces_count] = offset;
  bundler->pieces[bundler->pieces_count++] = *piece;
  bundler->groups[bundler->groups_count - 1].count++;
  return LS_OK;
}

/* What stands in the literals from `from` on becomes a piece. */
static enum ls_status add_literal(struct ls_bundler *bundler, size_t from, struct ls_error *err) {
  size_t length = bundler->literals.length - from;
  if (length == 0) return LS_OK;
  /* Where it stands is told when all literals are there. */
  const struct ls_bundle_piece piece = {.literal = {"", length}};
  return add_piece(bundler, &piece, from, err);
}

/* A script is cut at its spaces, which stand between the groups again. */
static enum ls_status add_text(struct ls_bundler *bundler, const struct ls_segment *segment,
                               bool is_script, struct ls_error *err) {
  const char *at = segment->literal, *end = at + segment->length;
  for (;;) {
    const char *space = is_script ? memchr(at, ' ', (size_t)(end - at)) : NULL;
    size_t from = bundler->literals.length;
    ls_bytes_append(&bundler->literals, at, (size_t)((space != NULL ? space : end) - at));
    enum ls_status status = add_literal(bundler, from, err);
    if (status == LS_OK && space != NULL) status = begin_group(bundler, err);
    if (status != LS_OK || space == NULL) return status;
    at = space + 1;
  }
}

static enum ls_status add_column(struct ls_bundler *bundler, const struct ls_template *compiled,
                                 const struct ls_segment *segment, struct ls_error *err) {
  bool is_of_first = segment->kind == LS_REPLACE_SEQUENCE;
  if (ls_array_reserve((void **)&bundler->columns, &bundler->columns_capacity,
                       bundler->columns_count + 1, sizeof *bundler->columns) != LS_OK ||
      ls_array_reserve((void **)&bundler->segments, &bundler->segments_capacity,
                       bundler->columns_count + 1, sizeof *bundler->segments) != LS_OK)
    return fail_memory(err);
  bundler->columns[bundler->columns_count] = is_of_first;
  bundler->segments[bundler->columns_count] = segment;
  struct ls_bundle_group *group = &bundler->groups[bundler->groups_count - 1];
  group->repeats = group->repeats || (compiled->many == LS_MANY_REPEATED && !is_of_first);
  const struct ls_bundle_piece piece = {.column = bundler->columns_count++};
  return add_piece(bundler, &piece, 0, err);
}

/* What is the same for all inputs is literal. */
static enum ls_status add_segment(struct ls_bundler *bundler, const struct ls_template *compiled,
                                  const struct ls_segment *segment,
                                  const struct ls_template_task *task, struct ls_error *err) {
  size_t from = bundler->literals.length;
  if (segment->kind == LS_REPLACE_NOTHING)
    return add_text(bundler, segment, compiled->is_shell, err);
  bool takes_values = ls_segment_takes_values(segment);
  bool is_same = compiled->group > 0 ? !takes_values || segment->place.column > 0
                                     : !takes_values && segment->kind != LS_REPLACE_SEQUENCE;
  if (!is_same) return add_column(bundler, compiled, segment, err);
  enum ls_status status = ls_template_append(compiled, segment, task, &bundler->literals, err);
  return status == LS_OK ? add_literal(bundler, from, err) : status;
}

static enum ls_status make_groups(struct ls_bundler *bundler, const struct ls_template *compiled,
                                  const struct ls_template_task *task, struct ls_error *err) {
  enum ls_status status = LS_OK;
  size_t next = 0;
  ls_bytes_clear(&bundler->literals);
  bundler->groups_count = bundler->pieces_count = bundler->columns_count = 0;
  for (size_t word = 0; word < compiled->words_count && status == LS_OK; word++) {
    status = begin_group(bundler, err);
    for (; next < compiled->segments_count && compiled->segments[next].word == word; next++)
      if (status == LS_OK)
        status = add_segment(bundler, compiled, &compiled->segments[next], task, err);
  }
  if (status == LS_OK && bundler->literals.failed) status = fail_memory(err);
  for (size_t i = 0; i < bundler->pieces_count && status == LS_OK; i++)
    if (bundler->pieces[i].literal.data != NULL)
      bundler->pieces[i].literal.data = bundler->literals.data + bundler->offsets[i];
  return status;
}

enum ls_status ls_bundler_begin(struct ls_bundler *bundler, const struct ls_template_task *task,
                                uint64_t inputs, struct ls_bytes *out, struct ls_error *err) {
  const struct ls_template *compiled = bundler->compiled;
  struct ls_blob heads[sizeof compiled->shell.words / sizeof *compiled->shell.words];
  const struct ls_shell_words *shell = &compiled->shell;
  for (size_t i = 0; i < shell->count; i++)
    heads[i] = (struct ls_blob){shell->words[i], strlen(shell->words[i])};
  enum ls_status status = make_groups(bundler, compiled, task, err);
  if (status != LS_OK) return status;
  const struct ls_bundle_shape shape = {.is_script = compiled->is_shell,
                                        .heads = heads,
                                        .heads_count = compiled->is_shell ? shell->count : 0,
                                        .groups = bundler->groups,
                                        .groups_count = bundler->groups_count,
                                        .pieces = bundler->pieces,
                                        .pieces_count = bundler->pieces_count,
                                        .is_of_first = bundler->columns,
                                        .columns_count = bundler->columns_count};
  ls_bundle_encode(&shape, inputs, out);
  return LS_OK;
}

enum ls_status ls_bundler_add(struct ls_bundler *bundler, const struct ls_template_task *input,
                              struct ls_bytes *out, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < bundler->columns_count && status == LS_OK; i++) {
    ls_bytes_clear(&bundler->text);
    status =
        ls_template_append(bundler->compiled, bundler->segments[i], input, &bundler->text, err);
    out->failed = out->failed || bundler->text.failed;
    if (status == LS_OK)
      ls_bundle_encode_text(ls_bytes_text(&bundler->text), bundler->text.length, out);
  }
  return status;
}

enum ls_status ls_bundler_read(struct ls_bundler *bundler, const struct ls_bytes *packed,
                               const char *const **words, size_t *count, struct ls_error *err) {
  static const struct ls_line_limits any = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
  size_t offset = 0;
  if (packed->failed) return fail_memory(err);
  enum ls_status status =
      ls_bundle_decode(&bundler->bundle, packed->data, packed->length, &offset, err);
  if (status != LS_OK) return status;
  struct ls_range all = {0, bundler->bundle.units};
  status = ls_bundle_expand(&bundler->bundle, &all, &any, &bundler->command, err);
  if (status != LS_OK) return status;
  *words = (const char *const *)bundler->command.argv;
  *count = bundler->command.argv_count;
  return LS_OK;
}

void ls_bundler_close(struct ls_bundler *bundler) {
  ls_bytes_close(&bundler->literals);
  ls_bytes_close(&bundler->text);
  free(bundler->groups);
  free(bundler->pieces);
  free(bundler->offsets);
  free(bundler->segments);
  free(bundler->columns);
  ls_bundle_close(&bundler->bundle);
  ls_command_close(&bundler->command);
  *bundler = (struct ls_bundler){.groups = NULL};
}
