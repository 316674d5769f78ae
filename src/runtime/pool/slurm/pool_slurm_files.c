#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/os/keys.h"
#include "runtime/pool/slurm/pool_slurm_private.h"

enum { PRIVATE_FOLDER = 0700, PRIVATE_FILE = 0700, TAIL_BYTES = 1200, TAIL_LINES = 3 };
static const double WAIT_S = 30;

/* ---- the folder ---- */

static enum ls_status make_folder(const char *path, struct ls_error *err) {
  struct stat facts;
  if (mkdir(path, PRIVATE_FOLDER) == 0) return LS_OK;
  int reason = errno;
  /* A former master of this run left it. */
  bool is_ours = reason == EEXIST && lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode) &&
                 facts.st_uid == geteuid() && (facts.st_mode & 077) == 0;
  if (is_ours) return LS_OK;
  return ls_fail(err, LS_EIO, "cannot make the folder %s for jobs: %s", path, strerror(reason));
}

static enum ls_status write_file(const char *path, const struct ls_bytes *text,
                                 struct ls_error *err) {
  (void)unlink(path);
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, PRIVATE_FILE);
  if (file < 0) return ls_fail(err, LS_EIO, "cannot make %s: %s", path, strerror(errno));
  ssize_t written = write(file, text->data, text->length);
  int reason = errno;
  if (close(file) == 0 && written == (ssize_t)text->length) return LS_OK;
  return ls_fail(err, LS_EIO, "cannot write %s: %s", path,
                 written < 0 ? strerror(reason) : "the file system is full");
}

void ls_slurm_files_script(const struct ls_slurm_setup *setup, const char *key,
                           struct ls_bytes *out) {
  const struct ls_slurm_script script = {
      .program = setup->program, .key = key, .workers = setup->workers, .wait_s = WAIT_S};
  ls_slurm_script_write(&script, out);
}

static enum ls_status write_script(struct ls_slurm_life *life, struct ls_error *err) {
  struct ls_slurm_files *files = &life->files;
  struct ls_bytes text = {0};
  (void)snprintf(files->script, sizeof files->script, "%s/job.sh", files->folder);
  ls_slurm_files_script(life->setup, files->key, &text);
  enum ls_status status = text.failed
                              ? ls_fail(err, LS_ENOMEM, "out of memory for %s", files->script)
                              : write_file(files->script, &text, err);
  ls_bytes_close(&text);
  return status;
}

/* The nodes find the file that the user named, or one of our own. */
static enum ls_status place_key(struct ls_slurm_files *files, const struct ls_pool_setup *setup,
                                struct ls_error *err) {
  char path[PATH_MAX];
  if (setup->key_path != NULL && realpath(setup->key_path, path) != NULL) {
    (void)snprintf(files->key, sizeof files->key, "%s", path);
    return LS_OK;
  }
  (void)snprintf(files->key, sizeof files->key, "%s/run.key", files->folder);
  files->has_own_key = true;
  return ls_keys_write(setup->keys, files->key, err);
}

enum ls_status ls_slurm_files_open(struct ls_slurm_life *life, const struct ls_pool_setup *setup,
                                   struct ls_error *err) {
  struct ls_slurm_files *files = &life->files;
  int length =
      snprintf(files->folder, sizeof files->folder, "%s/%s", life->setup->directory, life->name);
  if (length < 0 || (size_t)length >= sizeof files->folder) {
    files->folder[0] = '\0';
    return ls_fail(err, LS_EINVAL, "the path of this folder is too long for one of jobs in it");
  }
  enum ls_status status = make_folder(files->folder, err);
  if (status == LS_OK) status = place_key(files, setup, err);
  return status == LS_OK ? write_script(life, err) : status;
}

static bool is_log(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot != NULL && strcmp(dot, ".log") == 0;
}

static void remove_logs(const char *path) {
  DIR *folder = opendir(path);
  if (folder == NULL) return;
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
    if (is_log(entry->d_name)) (void)unlinkat(dirfd(folder), entry->d_name, 0);
  (void)closedir(folder);
}

void ls_slurm_files_close(struct ls_slurm_files *files) {
  if (files->folder[0] == '\0') return;
  if (files->has_own_key) (void)unlink(files->key);
  (void)unlink(files->script);
  if (!files->keeps_logs) remove_logs(files->folder);
  (void)rmdir(files->folder);
  files->folder[0] = '\0';
}

/* ---- logs ---- */

/* A '%' of the path is none of sbatch's. */
void ls_slurm_files_name_log(const struct ls_slurm_files *files, struct ls_bytes *out) {
  for (const char *letter = files->folder; *letter != '\0'; ++letter) {
    if (*letter == '%') ls_bytes_append_char(out, '%');
    ls_bytes_append_char(out, *letter);
  }
  ls_bytes_append_text(out, "/%A_%a.log");
}

/* Where its last lines begin. */
static size_t find_tail(const char *text, size_t length) {
  size_t lines = 0;
  while (length > 0 && text[length - 1] == '\n') --length;
  for (; length > 0; --length)
    if (text[length - 1] == '\n' && ++lines == TAIL_LINES) break;
  return length;
}

/* It goes to a terminal. */
static void append_clean(const char *text, size_t length, struct ls_bytes *out) {
  while (length > 0 && text[length - 1] == '\n') --length;
  for (size_t i = 0; i < length; i++) {
    unsigned char letter = (unsigned char)text[i];
    bool is_shown = (letter >= ' ' && letter != 0x7f) || letter == '\n' || letter == '\t';
    ls_bytes_append_char(out, is_shown ? text[i] : '?');
  }
}

void ls_slurm_files_tail(struct ls_slurm_files *files, uint64_t id, uint64_t task,
                         struct ls_bytes *out) {
  char path[LS_SLURM_PATH_BYTES], text[TAIL_BYTES];
  (void)snprintf(path, sizeof path, "%s/%llu_%llu.log", files->folder, (unsigned long long)id,
                 (unsigned long long)task);
  int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  off_t size = lseek(file, 0, SEEK_END);
  off_t from = size > TAIL_BYTES ? size - TAIL_BYTES : 0;
  ssize_t got = size > 0 ? pread(file, text, sizeof text, from) : 0;
  (void)close(file);
  files->keeps_logs = true;
  if (got <= 0) return;
  size_t tail = find_tail(text, (size_t)got);
  ls_bytes_printf(out, "; %s ends:\n", path);
  append_clean(text + tail, (size_t)got - tail, out);
}
