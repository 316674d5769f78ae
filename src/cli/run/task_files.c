#include "cli/run/task_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/console.h"
#include "cli/run/distinct_paths.h"
#include "cli/run/stage_name.h"

enum { SHOWN_BYTES = 120, PLACE_BYTES = 200 };

static enum ls_status add_pattern(const struct ls_task_files *files, const char *option,
                                  const char *text, struct ls_file_pattern *pattern,
                                  struct ls_error *err) {
  enum ls_status status = ls_template_init_text(&pattern->compiled, text, files->grammar, err);
  if (status != LS_OK) return ls_fail_while(err, status, "%s", option);
  pattern->option = option;
  if (!ls_template_has(&pattern->compiled, LS_REPLACE_SLOT)) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "%s is '%s', and which worker gets a task is not known before the run", option,
                 text);
}

static enum ls_status add_inputs(struct ls_task_files *files, const char *option,
                                 const struct ls_file_patterns *patterns, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < patterns->count && status == LS_OK; i++)
    status =
        add_pattern(files, option, patterns->items[i], &files->inputs[files->inputs_count++], err);
  return status;
}

static enum ls_status make_room(struct ls_task_files *files, size_t inputs, size_t outputs,
                                struct ls_error *err) {
  files->inputs = calloc(inputs + 1, sizeof *files->inputs);
  files->outputs = calloc(outputs + 1, sizeof *files->outputs);
  files->offsets = calloc(inputs + outputs + 1, sizeof *files->offsets);
  files->staged = calloc(inputs + 1, sizeof *files->staged);
  files->output_names = calloc(outputs + 1, sizeof *files->output_names);
  bool is_made = files->inputs != NULL && files->outputs != NULL && files->offsets != NULL &&
                 files->staged != NULL && files->output_names != NULL;
  return is_made ? LS_OK : ls_fail(err, LS_ENOMEM, "out of memory for the files of tasks");
}

static enum ls_status compile(struct ls_task_files *files, const struct ls_file_options *options,
                              struct ls_error *err) {
  enum ls_status status =
      make_room(files, options->inputs.count + options->common.count, options->outputs.count, err);
  if (status == LS_OK) status = add_inputs(files, "--stage-in", &options->inputs, err);
  if (status == LS_OK) status = add_inputs(files, "--stage-common", &options->common, err);
  for (size_t i = 0; i < options->outputs.count && status == LS_OK; i++)
    status = add_pattern(files, "--stage-out", options->outputs.items[i],
                         &files->outputs[files->outputs_count++], err);
  return status;
}

/* What one option says for a task; borrowed until the next one. */
static enum ls_status expand(struct ls_task_files *files, const struct ls_file_pattern *pattern,
                             uint64_t task, const char **path, struct ls_error *err) {
  struct ls_template_task facts;
  enum ls_status status = ls_task_row_read(&files->row, files->source, task, &facts, err);
  if (status != LS_OK) return status;
  status = ls_template_expand(&pattern->compiled, &facts, &files->expansion, err);
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

/* One that leads out of the sandbox fails its task there, by the name that it was given. */
static void name_output(const char *path, struct ls_bytes *names) {
  size_t before = names->length;
  if (ls_stage_name(path, "--stage-out", names, NULL) == LS_OK) return;
  names->length = before;
  ls_bytes_append_text(names, path);
}

/* Names and files of one task: `adds` them to the table, or finds them there. */
static enum ls_status look_at(struct ls_task_files *files, uint64_t task, bool adds,
                              struct ls_error *err) {
  ls_bytes_clear(&files->names);
  enum ls_status status = LS_OK;
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
  for (size_t i = 0; i < files->outputs_count && status == LS_OK; i++) {
    const char *path = NULL;
    status = expand(files, &files->outputs[i], task, &path, err);
    files->offsets[files->inputs_count + i] = files->names.length;
    if (status == LS_OK) name_output(path, &files->names);
    ls_bytes_append_char(&files->names, '\0');
  }
  if (status == LS_OK && files->names.failed)
    status = ls_fail(err, LS_ENOMEM, "out of memory for the files of a task");
  return status;
}

enum ls_status ls_task_files_output(struct ls_task_files *files, uint64_t task, size_t index,
                                    const char **path, struct ls_error *err) {
  if (task >= files->source->tasks || index >= files->outputs_count)
    return ls_fail(err, LS_ECORRUPT, "there is no output %zu of task %llu", index + 1,
                   (unsigned long long)task + 1);
  return expand(files, &files->outputs[index], task, path, err);
}

/* ---- no two tasks make one file ---- */

/* Better known before the work than behind it. */
static enum ls_status check_output(const char *path, uint64_t task, struct ls_error *err) {
  struct stat facts;
  char shown[PLACE_BYTES];
  if (lstat(path, &facts) != 0 || S_ISREG(facts.st_mode) || S_ISLNK(facts.st_mode)) return LS_OK;
  ls_console_show(path, shown, sizeof shown);
  return ls_fail(err, LS_EINVAL,
                 "--stage-out of task %llu: '%s' is %s, expected an ordinary file or none",
                 (unsigned long long)task + 1, shown,
                 S_ISDIR(facts.st_mode) ? "a folder" : "no ordinary file");
}

static enum ls_status read_output(void *context, uint64_t task, size_t index, struct ls_bytes *out,
                                  struct ls_error *err) {
  const char *path = NULL;
  enum ls_status status = ls_task_files_output(context, task, index, &path, err);
  if (status != LS_OK) return status;
  ls_bytes_append_text(out, path);
  /* No name at all is told by who compares them. */
  if (path[strspn(path, "./")] == '\0' && strstr(path, "..") == NULL) return LS_OK;
  return check_output(path, task, err);
}

static enum ls_status check_outputs(struct ls_task_files *files, struct ls_error *err) {
  const struct ls_distinct_paths paths = {.option = "--stage-out",
                                          .tasks = files->source->tasks,
                                          .per_task = files->outputs_count,
                                          .read = read_output,
                                          .context = files};
  return ls_distinct_paths_check(&paths, err);
}

enum ls_status ls_task_files_open(struct ls_task_files *files,
                                  const struct ls_file_options *options,
                                  const struct ls_task_source *source,
                                  const struct ls_grammar *grammar, struct ls_error *err) {
  *files = (struct ls_task_files){
      .source = source, .grammar = grammar, .returns_failed = options->returns_failed};
  enum ls_status status = compile(files, options, err);
  for (uint64_t task = 0; task < source->tasks && status == LS_OK; task++) {
    status = look_at(files, task, true, err);
    if (status == LS_OK) status = check_names(files, task, err);
  }
  if (status == LS_OK) status = check_outputs(files, err);
  return status == LS_OK ? ls_file_table_read_all(&files->table, err) : status;
}

enum ls_status ls_task_files_of(struct ls_task_files *files, uint64_t task,
                                struct ls_staging *staging, struct ls_error *err) {
  enum ls_status status = look_at(files, task, false, err);
  if (status != LS_OK) return status;
  for (size_t i = 0; i < files->inputs_count; i++)
    files->staged[i].name = files->names.data + files->offsets[i];
  for (size_t i = 0; i < files->outputs_count; i++)
    files->output_names[i] = files->names.data + files->offsets[files->inputs_count + i];
  *staging = (struct ls_staging){.inputs = files->staged,
                                 .inputs_count = files->inputs_count,
                                 .outputs = files->output_names,
                                 .outputs_count = files->outputs_count,
                                 .returns_failed = files->returns_failed};
  return LS_OK;
}

void ls_task_files_close(struct ls_task_files *files) {
  for (size_t i = 0; i < files->inputs_count; i++) ls_template_close(&files->inputs[i].compiled);
  for (size_t i = 0; i < files->outputs_count; i++) ls_template_close(&files->outputs[i].compiled);
  ls_file_table_close(&files->table);
  ls_expansion_close(&files->expansion);
  ls_bytes_close(&files->names);
  free(files->inputs);
  free(files->outputs);
  free(files->output_names);
  free(files->offsets);
  free(files->staged);
  ls_task_row_close(&files->row);
  *files = (struct ls_task_files){0};
}
