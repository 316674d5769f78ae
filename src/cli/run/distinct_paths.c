#include "cli/run/distinct_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "cli/console.h"

enum { SHOWN_BYTES = 200 };

/* A path, and a number that equal ones share. */
struct entry {
  uint64_t digest, task;
  size_t index;
};

/* A path as it is meant: "a//./b" is "a/b". */
static void write_plain(const char *path, struct ls_bytes *out) {
  if (path[0] == '/') ls_bytes_append_char(out, '/');
  for (size_t length = 0; *path != '\0'; path += length + (path[length] == '/')) {
    length = strcspn(path, "/");
    if (length == 0 || (length == 1 && path[0] == '.')) continue;
    ls_bytes_append(out, path, length);
    ls_bytes_append_char(out, '/');
  }
}

uint64_t ls_distinct_paths_digest(const char *path) {
  struct ls_bytes plain = {0};
  write_plain(path, &plain);
  uint64_t digest = ls_digest_add(LS_DIGEST_START, plain.data, plain.length);
  ls_bytes_close(&plain);
  return digest;
}

static enum ls_status read_plain(const struct ls_distinct_paths *paths, const struct entry *entry,
                                 struct ls_bytes *out, struct ls_error *err) {
  struct ls_bytes path = {0};
  ls_bytes_clear(out);
  enum ls_status status = paths->read(paths->context, entry->task, entry->index, &path, err);
  if (status == LS_OK) write_plain(ls_bytes_text(&path), out);
  if (status == LS_OK && (path.failed || out->failed))
    status = ls_fail(err, LS_ENOMEM, "out of memory for the files of tasks");
  if (status == LS_OK && out->length == 0)
    status = ls_fail(err, LS_EINVAL, "%s of task %llu is no name of a file", paths->option,
                     (unsigned long long)entry->task + 1);
  ls_bytes_close(&path);
  return status;
}

static int compare(const void *left, const void *right) {
  const struct entry *a = left, *b = right;
  if (a->digest != b->digest) return a->digest < b->digest ? -1 : 1;
  if (a->task != b->task) return a->task < b->task ? -1 : 1;
  return (a->index > b->index) - (a->index < b->index);
}

/* Equal numbers are rarely those of two names. */
static enum ls_status check_pair(const struct ls_distinct_paths *paths, const struct entry *pair,
                                 struct ls_error *err) {
  struct ls_bytes first = {0}, second = {0};
  enum ls_status status = read_plain(paths, &pair[0], &first, err);
  if (status == LS_OK) status = read_plain(paths, &pair[1], &second, err);
  if (status == LS_OK && strcmp(ls_bytes_text(&first), ls_bytes_text(&second)) == 0) {
    char shown[SHOWN_BYTES];
    first.data[first.length - 1] = '\0'; /* the last slash */
    ls_console_show(first.data, shown, sizeof shown);
    status =
        ls_fail(err, LS_EINVAL, "%s: tasks %llu and %llu both make '%s', expected a file for each",
                paths->option, (unsigned long long)pair[0].task + 1,
                (unsigned long long)pair[1].task + 1, shown);
  }
  ls_bytes_close(&first);
  ls_bytes_close(&second);
  return status;
}

static enum ls_status list(const struct ls_distinct_paths *paths, struct entry *entries,
                           struct ls_error *err) {
  struct ls_bytes plain = {0};
  enum ls_status status = LS_OK;
  size_t at = 0;
  for (uint64_t task = 0; task < paths->tasks && status == LS_OK; task++) {
    for (size_t i = 0; i < paths->per_task && status == LS_OK; i++) {
      struct entry *entry = &entries[at++];
      *entry = (struct entry){.task = task, .index = i};
      status = read_plain(paths, entry, &plain, err);
      entry->digest = ls_digest_add(LS_DIGEST_START, plain.data, plain.length);
    }
  }
  ls_bytes_close(&plain);
  return status;
}

enum ls_status ls_distinct_paths_check(const struct ls_distinct_paths *paths,
                                       struct ls_error *err) {
  size_t count = (size_t)paths->tasks * paths->per_task;
  if (count == 0) return LS_OK;
  struct entry *entries = calloc(count, sizeof *entries);
  if (entries == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for %zu files", count);
  enum ls_status status = list(paths, entries, err);
  if (status == LS_OK) qsort(entries, count, sizeof *entries, compare);
  for (size_t i = 1; i < count && status == LS_OK; i++)
    if (entries[i].digest == entries[i - 1].digest)
      status = check_pair(paths, &entries[i - 1], err);
  free(entries);
  return status;
}
