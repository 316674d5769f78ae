#include "cli/run/file_options.h"

#include <string.h>

#include "cli/console.h"

/* Away from those of run_option_table.h. */
enum {
  KEY_SANDBOX = 1024,
  KEY_KEEP_SANDBOX,
  KEY_STAGE_IN,
  KEY_STAGE_COMMON,
  KEY_STAGE_OUT,
  KEY_STAGE_OUT_FAILED,
  KEY_CACHE_BYTES,
  KEY_TRC,
  KEY_TRANSFER,
  KEY_CLEANUP,
  KEY_END
};

const struct argp_option ls_file_options_table[] = {
    {NULL, 0, NULL, 0, "Files of tasks", 17},
    {"sandbox", KEY_SANDBOX, NULL, 0, "Run each task in a fresh folder, which goes with it", 17},
    {"keep-sandbox", KEY_KEEP_SANDBOX, "WHICH", 0,
     "Keep the folders of tasks that failed (failed), or of all tasks (all)", 17},
    {"stage-in", KEY_STAGE_IN, "FILE", 0,
     "Send FILE to the worker, into the folder of the task, such as {} (repeatable)", 17},
    {"stage-common", KEY_STAGE_COMMON, "FILE", 0,
     "Send FILE, which all tasks need, once to each machine (repeatable)", 17},
    {"stage-out", KEY_STAGE_OUT, "FILE", 0,
     "Bring FILE back, which the task makes in its folder, such as {.}.out (repeatable)", 17},
    {"stage-out-failed", KEY_STAGE_OUT_FAILED, NULL, 0,
     "Bring back what failed tasks have made of their --stage-out, too", 17},
    {"cache-bytes", KEY_CACHE_BYTES, "SIZE", 0,
     "Keep at most SIZE of inputs on a machine, such as 20G (default: a tenth of its free space)",
     17},
    {0}};

const struct argp_option ls_file_dialect_table[] = {{"transfer", KEY_TRANSFER, NULL, 0, NULL, 17},
                                                    {"trc", KEY_TRC, "FILE", 0, NULL, 17},
                                                    {"cleanup", KEY_CLEANUP, NULL, 0, NULL, 17},
                                                    {0}};

bool ls_file_options_has(int key) {
  return key >= KEY_SANDBOX && key < KEY_END;
}

static enum ls_status read_kept(const char *text, enum ls_sandboxing *how, struct ls_error *err) {
  bool is_all = strcmp(text, "all") == 0;
  if (!is_all && strcmp(text, "failed") != 0)
    return ls_fail(err, LS_EINVAL, "--keep-sandbox is '%s', expected failed or all", text);
  *how = is_all ? LS_SANDBOX_KEPT : LS_SANDBOX_KEPT_FAILED;
  return LS_OK;
}

static enum ls_status add_pattern(struct ls_file_patterns *patterns, const char *option,
                                  const char *text, struct ls_error *err) {
  if (text[0] == '\0') return ls_fail(err, LS_EINVAL, "%s is empty, expected a file", option);
  if (patterns->count == LS_FILE_PATTERNS_MAX)
    return ls_fail(err, LS_EINVAL, "%s '%s': at most %d of them can be given", option, text,
                   LS_FILE_PATTERNS_MAX);
  patterns->items[patterns->count++] = text;
  return LS_OK;
}

/* The input travels once, however often it is said. */
static enum ls_status add_transfer(struct ls_file_options *options, struct ls_error *err) {
  for (size_t i = 0; i < options->inputs.count; i++)
    if (strcmp(options->inputs.items[i], "{}") == 0) return LS_OK;
  return add_pattern(&options->inputs, "--stage-in", "{}", err);
}

enum ls_status ls_file_options_read(struct ls_file_options *options, int key, const char *text,
                                    struct ls_error *err) {
  switch (key) {
    case KEY_KEEP_SANDBOX:
      return read_kept(text, &options->sandboxing, err);
    case KEY_STAGE_IN:
      return add_pattern(&options->inputs, "--stage-in", text, err);
    case KEY_STAGE_COMMON:
      return add_pattern(&options->common, "--stage-common", text, err);
    case KEY_STAGE_OUT:
      return add_pattern(&options->outputs, "--stage-out", text, err);
    case KEY_TRANSFER:
      return add_transfer(options, err);
    case KEY_TRC: {
      enum ls_status status = add_transfer(options, err);
      return status == LS_OK ? add_pattern(&options->outputs, "--trc", text, err) : status;
    }
    case KEY_CLEANUP:
      return LS_OK;
    case KEY_STAGE_OUT_FAILED:
      options->returns_failed = true;
      return LS_OK;
    case KEY_CACHE_BYTES:
      return ls_console_size("--cache-bytes", text, &options->cache_bytes, err);
    default:
      options->is_sandboxed = true;
      return LS_OK;
  }
}

bool ls_file_options_stages(const struct ls_file_options *options) {
  return options->inputs.count + options->common.count + options->outputs.count > 0;
}

static bool has_sandbox(const struct ls_file_options *options) {
  return options->is_sandboxed || ls_file_options_stages(options);
}

enum ls_sandboxing ls_file_options_sandboxing(const struct ls_file_options *options) {
  if (!has_sandbox(options)) return LS_SANDBOX_NONE;
  return options->sandboxing != LS_SANDBOX_NONE ? options->sandboxing : LS_SANDBOX_REMOVED;
}

enum ls_status ls_file_options_check(const struct ls_file_options *options, struct ls_error *err) {
  if (options->sandboxing != LS_SANDBOX_NONE && !has_sandbox(options))
    return ls_fail(err, LS_EINVAL, "--keep-sandbox needs --sandbox, or files that are staged");
  if (options->returns_failed && options->outputs.count == 0)
    return ls_fail(err, LS_EINVAL, "--stage-out-failed needs --stage-out");
  if (options->cache_bytes == 0 || options->inputs.count + options->common.count > 0) return LS_OK;
  return ls_fail(err, LS_EINVAL, "--cache-bytes needs --stage-in or --stage-common");
}
