#include "cli/run/task_files.h"

#include <stdlib.h>
#include <string.h>

#include "cli/console.h"
#include "cli/run/stage_name.h"

enum { SHOWN_BYTES = 120 };

static enum ls_status add_pattern(struct ls_task_files *files, const char *option, const char *text,
                                  struct ls_error *err) {
  struct ls_file_pattern *pattern = &files->inputs[files->inputs_count];
  enum ls_status status =
      ls_template_init_text(&pattern->compiled, text, files->source->lists_count, err);
  if (status != LS_OK) return ls_fail_while(err, status, "%s", option);
  files->inputs_count++;
  pattern->option = option;
  if (!ls_template_has(&pattern->compiled, LS_REPLACE_SLOT)) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "%s is '%s', and which worker gets a task is not known before the run", option,
                 text);
}

static enum ls_status compile(struct ls_task_files *files, const struct ls_file_options *options,
                              struct ls_error *err) {
  size_t count = options->inputs.count + options->common.count;
  files->inputs = calloc(count + 1, sizeof *files->inputs);
  files->offsets = calloc(count + 1, sizeof *files->offsets);
  files->staged = calloc(count + 1, sizeof *files->staged);
  files->values = calloc(files->source->lists_count + 1, sizeof *files->values);
  if (files->inputs == NULL || files->offsets == NULL || files->staged == NULL ||
      files->values == NULL)
    return ls_fail(err, LS_ENOMEM, "out of memory for the files of tasks");
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < options->inputs.count && status == LS_OK; i++)
    status = add_pattern(files, "--stage-in", options->inputs.items[i], err);
  for (size_t i = 0; i < options->common.count && status == LS_OK; i++)
    status = add_pattern(files, "--stage-common", options->common.items[i], err);
  return status;
}

/* What one option says for a task; borrowed until the next one. */
static enum ls_status expand(struct ls_task_files *files, const struct ls_file_pattern *pattern,
                             uint64_t task, const char **path, struct ls_error *err) {
  const struct ls_template_task facts = {.values = files->values, .sequence = task + 1, .slot = 1};
  enum ls_status status = ls_template_expand(&pattern->compiled, &facts, &files->expansion, err);
  if (status == LS_OK) *path = files->expansion.words[0];
  return status;
}

/* Equal, or one is a folder of the other. */
static bool collide(const char *a, const char *b) {
  size_t length = strlen(a) < strlen(b) ? strlen(a) : strlen(b);
  return strncmp(a, b, length) == 0 && (a[length] == '\0' || a[length] == '/') &&
         (b[length] == '\0' || b[length] == '/');
}

static enum ls_status check_names(const struct ls_task_files *files, uint64_t task,
                                  struct ls_error *err) {
  for (size_t i = 1; i < files->inputs_count; i++) {
    const char *name = files->names.data + files->offsets[i];
    for (size_t k = 0; k < i; k++) {
      if (!collide(name, files->names.data + files->offsets[k])) continue;
      char shown[SHOWN_BYTES];
      ls_console_show(name, shown, sizeof shown);
      return ls_fail(
          err, LS_EINVAL, "task %llu: %s and %s both are '%s' in its sandbox, expected two names",
          (unsigned long long)task + 1, files->inputs[k].option, files->inputs[i].option, shown);
    }
  }
  return LS_OK;
}

/* Names and files of one task: `adds` them to the table, or finds them there. */
static enum ls_status look_at(struct ls_task_files *files, uint64_t task, bool adds,
                              struct ls_error *err) {
  ls_bytes_clear(&files->names);
  enum ls_status status = ls_task_source_values(files->source, task, files->values, err);
  for (size_t i = 0; i < files->inputs_count && status == LS_OK; i++) {
    const char *path = NULL, *option = files->inputs[i].option;
    status = expand(files, &files->inputs[i], task, &path, err);
    files->offsets[i] = files->names.length;
    if (status == LS_OK) status = ls_stage_name(path, option, &files->names, err);
    ls_bytes_append_char(&files->names, '\0');
    if (status == LS_OK && adds) status = ls_file_table_add(&files->table, path, option, err);
    const struct ls_file_entry *entry =
        status == LS_OK ? ls_file_table_find(&files->table, path) : NULL;
    if (entry == NULL) continue;
    files->staged[i] =
        (struct ls_staged_input){.bytes = (uint64_t)entry->facts.st_size,
                                 .is_executable = (entry->facts.st_mode & S_IXUSR) != 0};
    memcpy(files->staged[i].content, entry->content, LS_CONTENT_BYTES);
  }
  if (status == LS_OK && files->names.failed)
    status = ls_fail(err, LS_ENOMEM, "out of memory for the files of a task");
  return status;
}

enum ls_status ls_task_files_open(struct ls_task_files *files,
                                  const struct ls_file_options *options,
                                  const struct ls_task_source *source, struct ls_error *err) {
  *files = (struct ls_task_files){.source = source};
  enum ls_status status = compile(files, options, err);
  for (uint64_t task = 0; task < source->tasks && status == LS_OK; task++) {
    status = look_at(files, task, true, err);
    if (status == LS_OK) status = check_names(files, task, err);
  }
  return status == LS_OK ? ls_file_table_read_all(&files->table, err) : status;
}

enum ls_status ls_task_files_of(struct ls_task_files *files, uint64_t task,
                                struct ls_staging *staging, struct ls_error *err) {
  enum ls_status status = look_at(files, task, false, err);
  if (status != LS_OK) return status;
  for (size_t i = 0; i < files->inputs_count; i++)
    files->staged[i].name = files->names.data + files->offsets[i];
  *staging = (struct ls_staging){.inputs = files->staged, .inputs_count = files->inputs_count};
  return LS_OK;
}

void ls_task_files_close(struct ls_task_files *files) {
  for (size_t i = 0; i < files->inputs_count; i++) ls_template_close(&files->inputs[i].compiled);
  ls_file_table_close(&files->table);
  ls_expansion_close(&files->expansion);
  ls_bytes_close(&files->names);
  free(files->inputs);
  free(files->offsets);
  free(files->staged);
  free(files->values);
  *files = (struct ls_task_files){0};
}
