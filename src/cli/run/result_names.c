#include "cli/run/result_names.h"

#include <string.h>

#include "cli/console.h"
#include "cli/run/distinct_paths.h"
#include "cli/run/results.h"

enum { SHOWN_BYTES = 200 };

struct names {
  struct ls_commands *commands;
  const char *text;
  size_t ascents; /* parts of the text that lead upwards */
};

static size_t count_ascents(const char *path) {
  size_t count = 0;
  for (size_t length = 0; *path != '\0'; path += length + (path[length] == '/')) {
    length = strcspn(path, "/");
    count += length == 2 && path[0] == '.' && path[1] == '.';
  }
  return count;
}

static enum ls_status check_name(const struct names *names, const char *path, uint64_t task,
                                 struct ls_error *err) {
  char shown[SHOWN_BYTES];
  bool is_name = ls_results_is_name(path), has_folder = names->text[0] != '{';
  bool is_outside = has_folder && count_ascents(path) > names->ascents;
  if (is_name && !is_outside) return LS_OK;
  ls_console_show(path, shown, sizeof shown);
  return ls_fail(err, LS_EINVAL, "--results of task %llu: '%s' %s", (unsigned long long)task + 1,
                 shown,
                 is_outside ? "leads out of the folder ({#} names by number, {/} by the last part)"
                            : "is too long for names of files ({#} names by number)");
}

/* What ls_results_write_named makes: the last part of each, in its order. */
static enum ls_status read_name(void *context, uint64_t task, size_t index, struct ls_bytes *out,
                                struct ls_error *err) {
  static const char *const beside[] = {"", ".err", ".seq"};
  static const char *const inside[] = {"stdout", "stderr", "seq"};
  struct names *names = context;
  struct ls_commands *commands = names->commands;
  enum ls_status status =
      ls_commands_fill_in(commands, commands->results_name, (struct ls_range){task, 1}, 1, err);
  /* As the task itself will name them. */
  if (status == LS_OK && !ls_results_is_name(ls_bytes_text(&commands->text)))
    status = ls_commands_fill_in_first(commands, commands->results_name, task, 1, err);
  if (status != LS_OK) return status;
  const struct ls_bytes *path = &commands->text;
  bool is_folder = path->length > 0 && path->data[path->length - 1] == '/';
  if (index == 0) status = check_name(names, ls_bytes_text(path), task, err);
  ls_bytes_append_text(out, ls_bytes_text(path));
  ls_bytes_append_text(out, is_folder ? inside[index] : beside[index]);
  return status;
}

enum ls_status ls_result_names_check(struct ls_commands *commands, const char *text, uint64_t tasks,
                                     struct ls_error *err) {
  struct names names = {commands, text, count_ascents(text)};
  const struct ls_distinct_paths paths = {
      .option = "--results", .tasks = tasks, .per_task = 3, .read = read_name, .context = &names};
  if (ls_template_has(commands->results_name, LS_REPLACE_SLOT) || commands->bundling != NULL)
    return LS_OK;
  return ls_distinct_paths_check(&paths, err);
}
