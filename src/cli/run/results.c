#include "cli/run/results.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "cli/run/output_held.h"

enum { NAME_BYTES = 48 };

static const char *const file_names[] = {"stdout", "stderr",  "seq",    "inputs", "command",
                                         "fate",   "exitval", "signal", "seconds"};
enum { FILES = sizeof file_names / sizeof *file_names };

struct ls_results {
  int directory;
  bool is_synced;
  char *path;
};

enum ls_status ls_results_open(const char *path, bool is_synced, struct ls_results **out,
                               struct ls_error *err) {
  if (mkdir(path, 0777) != 0 && errno != EEXIST)
    return ls_fail(err, LS_EINVAL, "--results %s: %s", path, strerror(errno));
  int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0 || faccessat(directory, ".", W_OK | X_OK, AT_EACCESS) != 0) {
    int reason = errno;
    if (directory >= 0) close(directory);
    return ls_fail(err, LS_EINVAL, "--results %s: %s", path, strerror(reason));
  }
  if (flock(directory, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(directory);
    return ls_fail(err, LS_EBUSY, "--results %s: another run writes there", path);
  }
  struct ls_results *results = calloc(1, sizeof *results);
  char *copy = strdup(path);
  if (results == NULL || copy == NULL) {
    free(results);
    free(copy);
    close(directory);
    return ls_fail(err, LS_ENOMEM, "--results %s: out of memory", path);
  }
  *results = (struct ls_results){.directory = directory, .is_synced = is_synced, .path = copy};
  *out = results;
  return LS_OK;
}

/* Removes a task's folder; it holds only files of ours. */
static void remove_folder(int parent, const char *name) {
  int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  for (int i = 0; i < FILES; i++) unlinkat(folder, file_names[i], 0);
  close(folder);
  unlinkat(parent, name, AT_REMOVEDIR);
}

static bool write_file(const struct ls_results *results, int folder, const char *name,
                       const struct ls_output *content) {
  int file = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return false;
  bool is_written = ls_output_copy(content, file) && (!results->is_synced || fsync(file) == 0);
  int reason = errno;
  is_written = close(file) == 0 && is_written;
  if (!is_written && reason != 0) errno = reason;
  return is_written;
}

static bool write_text(const struct ls_results *results, int folder, const char *name,
                       const char *text) {
  struct ls_output content = {.data = text, .length = strlen(text), .file = -1};
  return write_file(results, folder, name, &content);
}

static bool fill_folder(const struct ls_results *results, int folder,
                        const struct ls_results_entry *entry) {
  char sequence[32], fate[32], exit_code[16], signal[16], seconds[32];
  snprintf(sequence, sizeof sequence, "%llu\n", (unsigned long long)entry->sequence);
  snprintf(fate, sizeof fate, "%s\n", entry->fate);
  snprintf(exit_code, sizeof exit_code, "%d\n", entry->exit_code);
  snprintf(signal, sizeof signal, "%d\n", entry->signal);
  snprintf(seconds, sizeof seconds, "%.6f\n", entry->seconds);
  bool is_filled = write_file(results, folder, "stdout", entry->output) &&
                   write_file(results, folder, "stderr", entry->error_output) &&
                   write_text(results, folder, "inputs", entry->inputs) &&
                   write_text(results, folder, "command", entry->command) &&
                   write_text(results, folder, "seq", sequence) &&
                   write_text(results, folder, "fate", fate) &&
                   write_text(results, folder, "exitval", exit_code) &&
                   write_text(results, folder, "signal", signal) &&
                   write_text(results, folder, "seconds", seconds);
  return is_filled && (!results->is_synced || fsync(folder) == 0);
}

enum ls_status ls_results_write(struct ls_results *results, const struct ls_results_entry *entry,
                                struct ls_error *err) {
  char name[NAME_BYTES], partial[NAME_BYTES];
  snprintf(name, sizeof name, "%llu", (unsigned long long)entry->sequence);
  snprintf(partial, sizeof partial, ".%llu.partial", (unsigned long long)entry->sequence);
  int parent = results->directory, folder = -1;
  bool is_done = mkdirat(parent, partial, 0777) == 0;
  if (!is_done && errno == EEXIST) {
    /* A master that was killed has left its half. */
    remove_folder(parent, partial);
    is_done = mkdirat(parent, partial, 0777) == 0;
  }
  if (is_done) folder = openat(parent, partial, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  is_done = folder >= 0 && fill_folder(results, folder, entry);
  if (is_done && renameat(parent, partial, parent, name) != 0) {
    /* An earlier result stands there: both change places, so the name is never missing. */
    is_done = (errno == EEXIST || errno == ENOTEMPTY) &&
              renameat2(parent, partial, parent, name, RENAME_EXCHANGE) == 0;
    if (is_done) remove_folder(parent, partial);
  }
  if (is_done && results->is_synced) is_done = fsync(parent) == 0;
  enum ls_status status = is_done ? LS_OK
                                  : ls_fail(err, LS_EIO, "--results %s: task %s: %s", results->path,
                                            name, strerror(errno));
  if (folder >= 0) close(folder);
  return status;
}

void ls_results_remove(struct ls_results *results, uint64_t sequence) {
  char name[NAME_BYTES];
  snprintf(name, sizeof name, "%llu", (unsigned long long)sequence);
  remove_folder(results->directory, name);
}

uint64_t ls_results_count_above(const struct ls_results *results, uint64_t sequence) {
  uint64_t count = 0;
  int list = openat(results->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = list >= 0 ? fdopendir(list) : NULL;
  if (folder == NULL) {
    if (list >= 0) close(list);
    return 0;
  }
  const struct dirent *entry;
  while ((entry = readdir(folder)) != NULL) {
    const char *name = entry->d_name;
    bool is_number = name[0] >= '1' && name[0] <= '9' && name[strspn(name, "0123456789")] == '\0';
    count += is_number && strtoull(name, NULL, 10) > sequence;
  }
  closedir(folder);
  return count;
}

bool ls_results_has(const struct ls_results *results, uint64_t sequence) {
  char name[NAME_BYTES];
  snprintf(name, sizeof name, "%llu", (unsigned long long)sequence);
  return faccessat(results->directory, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

void ls_results_close(struct ls_results *results) {
  if (results == NULL) return;
  close(results->directory);
  free(results->path);
  free(results);
}

/* ---- names with replacement strings ---- */

bool ls_results_is_name(const char *path) {
  const size_t beside = sizeof ".err.partial" - 1;
  for (const char *part = path;; part++) {
    size_t length = strcspn(part, "/");
    if (length + beside > NAME_MAX) return false;
    part += length;
    if (*part == '\0') return (size_t)(part - path) + beside < PATH_MAX;
  }
}

/* The folders that lead to a file. */
static bool make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    bool is_there = mkdir(path, 0777) == 0 || errno == EEXIST;
    *slash = '/';
    if (!is_there) return false;
  }
  return true;
}

/* A file appears whole, as a folder does. */
static bool write_whole(const struct ls_results *results, const char *path, const char *end,
                        const struct ls_output *content) {
  struct ls_bytes name = {0}, partial = {0};
  ls_bytes_printf(&name, "%s%s", path, end);
  ls_bytes_printf(&partial, "%s.partial", ls_bytes_text(&name));
  bool is_written = !name.failed && !partial.failed &&
                    write_file(results, AT_FDCWD, ls_bytes_text(&partial), content) &&
                    rename(ls_bytes_text(&partial), ls_bytes_text(&name)) == 0;
  int reason = errno;
  ls_bytes_close(&name);
  ls_bytes_close(&partial);
  errno = reason;
  return is_written;
}

enum ls_status ls_results_write_named(const char *path, const struct ls_results_entry *entry,
                                      bool is_synced, struct ls_error *err) {
  const struct ls_results results = {.directory = -1, .is_synced = is_synced};
  size_t length = strlen(path);
  bool is_folder = length > 0 && path[length - 1] == '/';
  char sequence[32], *copy = strdup(path);
  (void)snprintf(sequence, sizeof sequence, "%llu", (unsigned long long)entry->sequence);
  const struct ls_output number = {sequence, strlen(sequence), -1};
  bool is_done = copy != NULL && make_folders(copy) &&
                 write_whole(&results, path, is_folder ? "stderr" : ".err", entry->error_output) &&
                 write_whole(&results, path, is_folder ? "seq" : ".seq", &number) &&
                 write_whole(&results, path, is_folder ? "stdout" : "", entry->output);
  enum ls_status status =
      is_done ? LS_OK : ls_fail(err, LS_EIO, "--results %s: %s", path, strerror(errno));
  free(copy);
  return status;
}
