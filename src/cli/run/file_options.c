#include "cli/run/file_options.h"

#include <string.h>

/* Away from those of run_option_table.h. */
enum { KEY_SANDBOX = 1024, KEY_KEEP_SANDBOX, KEY_END };

const struct argp_option ls_file_options_table[] = {
    {NULL, 0, NULL, 0, "Files of tasks", 5},
    {"sandbox", KEY_SANDBOX, NULL, 0, "Run each task in a fresh folder, which goes with it", 5},
    {"keep-sandbox", KEY_KEEP_SANDBOX, "WHICH", 0,
     "Keep the folders of tasks that failed (failed), or of all tasks (all)", 5},
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

enum ls_status ls_file_options_read(struct ls_file_options *options, int key, const char *text,
                                    struct ls_error *err) {
  if (key == KEY_KEEP_SANDBOX) return read_kept(text, &options->sandboxing, err);
  options->is_sandboxed = true;
  return LS_OK;
}

enum ls_sandboxing ls_file_options_sandboxing(const struct ls_file_options *options) {
  if (!options->is_sandboxed) return LS_SANDBOX_NONE;
  return options->sandboxing != LS_SANDBOX_NONE ? options->sandboxing : LS_SANDBOX_REMOVED;
}

enum ls_status ls_file_options_check(const struct ls_file_options *options, struct ls_error *err) {
  if (options->sandboxing == LS_SANDBOX_NONE || options->is_sandboxed) return LS_OK;
  return ls_fail(err, LS_EINVAL, "--keep-sandbox needs --sandbox");
}
