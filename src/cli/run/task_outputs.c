#include "cli/run/task_outputs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "cli/console.h"

enum { SHOWN_BYTES = 200 };

/* An output, and a number that equal ones share. */
struct output {
  uint64_t digest, task;
  size_t index;
};

/* A path as it is meant: "a//./b" is "a/b". */
static void write_plain(const char *path, struct ls_bytes *out) {
  ls_bytes_clear(out);
  if (path[0] == '/') ls_bytes_append_char(out, '/');
  for (size_t length = 0; *path != '\0'; path += length + (path[length] == '/')) {
    length = strcspn(path, "/");
    if (length == 0 || (length == 1 && path[0] == '.')) continue;
    ls_bytes_append(out, path, length);
    ls_bytes_append_char(out, '/');
  }
}

static enum ls_status read_plain(struct ls_task_files *files, const struct output *output,
                                 struct ls_bytes *out, struct ls_error *err) {
  const char *path = NULL;
  enum ls_status status = ls_task_files_output(files, output->task, output->index, &path, err);
  if (status != LS_OK) return status;
  write_plain(path, out);
  return out->failed ? ls_fail(err, LS_ENOMEM, "out of memory for the outputs of tasks") : LS_OK;
}

static int compare(const void *left, const void *right) {
  const struct output *a = left, *b = right;
  if (a->digest != b->digest) return a->digest < b->digest ? -1 : 1;
  if (a->task != b->task) return a->task < b->task ? -1 : 1;
  return (a->index > b->index) - (a->index < b->index);
}

/* Equal numbers are rarely those of two names. */
static enum ls_status check_pair(struct ls_task_files *files, const struct output *a,
                                 const struct output *b, struct ls_error *err) {
  struct ls_bytes first = {0}, second = {0};
  enum ls_status status = read_plain(files, a, &first, err);
  if (status == LS_OK) status = read_plain(files, b, &second, err);
  if (status == LS_OK && strcmp(ls_bytes_text(&first), ls_bytes_text(&second)) == 0) {
    char shown[SHOWN_BYTES];
    first.data[first.length - 1] = '\0'; /* the last slash */
    ls_console_show(first.data, shown, sizeof shown);
    status = ls_fail(err, LS_EINVAL,
                     "--stage-out: tasks %llu and %llu both make '%s', expected a "
                     "file for each",
                     (unsigned long long)a->task + 1, (unsigned long long)b->task + 1, shown);
  }
  ls_bytes_close(&first);
  ls_bytes_close(&second);
  return status;
}

/* Better known before the work than behind it. `plain` ends with a slash. */
static enum ls_status check_place(const struct ls_bytes *plain, uint64_t task,
                                  struct ls_error *err) {
  struct stat facts;
  char path[PATH_MAX], shown[SHOWN_BYTES];
  (void)snprintf(path, sizeof path, "%.*s", (int)plain->length - 1, ls_bytes_text(plain));
  if (lstat(path, &facts) != 0 || S_ISREG(facts.st_mode) || S_ISLNK(facts.st_mode)) return LS_OK;
  ls_console_show(path, shown, sizeof shown);
  return ls_fail(err, LS_EINVAL,
                 "--stage-out of task %llu: '%s' is %s, expected an ordinary file or none",
                 (unsigned long long)task + 1, shown,
                 S_ISDIR(facts.st_mode) ? "a folder" : "no ordinary file");
}

static enum ls_status list(struct ls_task_files *files, struct output *outputs,
                           struct ls_error *err) {
  struct ls_bytes plain = {0};
  enum ls_status status = LS_OK;
  size_t at = 0;
  for (uint64_t task = 0; task < files->source->tasks && status == LS_OK; task++) {
    for (size_t i = 0; i < files->outputs_count && status == LS_OK; i++) {
      struct output *output = &outputs[at++];
      *output = (struct output){.task = task, .index = i};
      status = read_plain(files, output, &plain, err);
      if (status == LS_OK && plain.length == 0)
        status = ls_fail(err, LS_EINVAL, "--stage-out of task %llu is no name of a file",
                         (unsigned long long)task + 1);
      if (status == LS_OK) status = check_place(&plain, task, err);
      output->digest = ls_digest_add(LS_DIGEST_START, plain.data, plain.length);
    }
  }
  ls_bytes_close(&plain);
  return status;
}

enum ls_status ls_task_outputs_check(struct ls_task_files *files, struct ls_error *err) {
  size_t count = (size_t)files->source->tasks * files->outputs_count;
  if (count == 0) return LS_OK;
  struct output *outputs = calloc(count, sizeof *outputs);
  if (outputs == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for %zu outputs", count);
  enum ls_status status = list(files, outputs, err);
  if (status == LS_OK) qsort(outputs, count, sizeof *outputs, compare);
  for (size_t i = 1; i < count && status == LS_OK; i++)
    if (outputs[i].digest == outputs[i - 1].digest)
      status = check_pair(files, &outputs[i - 1], &outputs[i], err);
  free(outputs);
  return status;
}
