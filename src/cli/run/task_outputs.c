#include "cli/run/task_outputs.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/console.h"
#include "cli/run/distinct_paths.h"

enum { SHOWN_BYTES = 200 };

/* Better known before the work than behind it. */
static enum ls_status check_place(const char *path, uint64_t task, struct ls_error *err) {
  struct stat facts;
  char shown[SHOWN_BYTES];
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
  return check_place(path, task, err);
}

enum ls_status ls_task_outputs_check(struct ls_task_files *files, struct ls_error *err) {
  const struct ls_distinct_paths paths = {.option = "--stage-out",
                                          .tasks = files->source->tasks,
                                          .per_task = files->outputs_count,
                                          .read = read_output,
                                          .context = files};
  return ls_distinct_paths_check(&paths, err);
}
