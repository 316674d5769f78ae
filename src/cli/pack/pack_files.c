#include "cli/pack/pack_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/whole_file.h"

static const char PREFIX[] = "shard-";

void ls_pack_part_write(const struct ls_pack_tasks *tasks, const struct ls_pack_division *division,
                        size_t part, struct ls_bytes *out) {
  size_t at = 0;
  for (size_t k = 0; k < part; k++) at += division->parts[k].tasks;
  for (size_t i = 0; i < division->parts[part].tasks; i++) {
    ls_bytes_append_text(out, tasks->names[division->order[at + i]]);
    ls_bytes_append_char(out, '\n');
  }
}

/* PATTERN with the number in the place of {}. */
static void name_part(const char *pattern, size_t part, struct ls_bytes *out) {
  const char *mark = strstr(pattern, "{}");
  ls_bytes_clear(out);
  ls_bytes_append(out, pattern, (size_t)(mark - pattern));
  ls_bytes_printf(out, "%zu%s", part, mark + 2);
}

static enum ls_status write_text(const char *path, const struct ls_bytes *text,
                                 struct ls_error *err) {
  struct ls_text whole = {ls_bytes_text(text), text->length, path};
  if (text->failed) return ls_fail(err, LS_ENOMEM, "%s: out of memory", path);
  return ls_whole_file_write(path, &whole, 1, err);
}

static enum ls_status write_parts(const char *pattern, const struct ls_pack_tasks *tasks,
                                  const struct ls_pack_division *division, struct ls_error *err) {
  struct ls_bytes path = {0}, names = {0};
  enum ls_status status = LS_OK;
  for (size_t k = 0; k < division->count && status == LS_OK; k++) {
    name_part(pattern, k, &path);
    ls_bytes_clear(&names);
    ls_pack_part_write(tasks, division, k, &names);
    status = path.failed ? ls_fail(err, LS_ENOMEM, "out of memory for the files of shards")
                         : write_text(ls_bytes_text(&path), &names, err);
  }
  ls_bytes_close(&path);
  ls_bytes_close(&names);
  return status;
}

/* Who takes shard-* for the division would run what is left of an earlier one, too. */
static enum ls_status refuse_remains(const char *folder, size_t parts, struct ls_error *err) {
  DIR *entries = opendir(folder);
  if (entries == NULL) return ls_fail(err, LS_EINVAL, "--output %s: %s", folder, strerror(errno));
  enum ls_status status = LS_OK;
  for (struct dirent *entry; status == LS_OK && (entry = readdir(entries)) != NULL;) {
    char *end = NULL;
    if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) != 0) continue;
    unsigned long long part = strtoull(entry->d_name + sizeof PREFIX - 1, &end, 10);
    if (*end == '\0' && part >= parts)
      status = ls_fail(err, LS_EINVAL,
                       "--output %s: %s is there of an earlier division, expected none beyond "
                       "shard-%zu: remove it, or name another folder",
                       folder, entry->d_name, parts - 1);
  }
  (void)closedir(entries);
  return status;
}

static void remove_folder(const char *folder, size_t parts) {
  struct ls_bytes path = {0};
  for (size_t k = 0; k < parts; k++) {
    ls_bytes_clear(&path);
    ls_bytes_printf(&path, "%s/%s%zu", folder, PREFIX, k);
    if (!path.failed) (void)unlink(path.data);
  }
  (void)rmdir(folder);
  ls_bytes_close(&path);
}

/* All files in a folder beside, which then gets its name. */
static enum ls_status make_folder(const char *folder, const struct ls_pack_tasks *tasks,
                                  const struct ls_pack_division *division, struct ls_error *err) {
  struct ls_bytes beside = {0}, pattern = {0};
  size_t length = strlen(folder);
  while (length > 1 && folder[length - 1] == '/') length--;
  ls_bytes_printf(&beside, "%.*s.new-%ld", (int)length, folder, (long)getpid());
  ls_bytes_printf(&pattern, "%s/%s{}", ls_bytes_text(&beside), PREFIX);
  enum ls_status status = LS_OK;
  if (beside.failed || pattern.failed)
    status = ls_fail(err, LS_ENOMEM, "--output %s: out of memory", folder);
  else if (mkdir(beside.data, 0777) != 0)
    status = ls_fail(err, LS_EINVAL, "--output %s: %s", folder, strerror(errno));
  if (status == LS_OK) {
    status = write_parts(ls_bytes_text(&pattern), tasks, division, err);
    if (status == LS_OK && rename(beside.data, folder) != 0)
      status = ls_fail(err, LS_EIO, "--output %s: %s", folder, strerror(errno));
    if (status != LS_OK) remove_folder(beside.data, division->count);
  }
  ls_bytes_close(&beside);
  ls_bytes_close(&pattern);
  return status;
}

/* Of a folder that is there, or a pattern: is there room for all of them? Then each is put in its
 * place. */
static enum ls_status replace_parts(const char *pattern, const struct ls_pack_tasks *tasks,
                                    const struct ls_pack_division *division, struct ls_error *err) {
  struct ls_bytes path = {0};
  enum ls_status status = LS_OK;
  for (size_t k = 0; k < division->count && status == LS_OK; k++) {
    name_part(pattern, k, &path);
    status = path.failed ? ls_fail(err, LS_ENOMEM, "out of memory for the files of shards")
                         : ls_whole_file_check(ls_bytes_text(&path), err);
  }
  ls_bytes_close(&path);
  return status == LS_OK ? write_parts(pattern, tasks, division, err) : status;
}

/* The pattern of the files, with a whole path: a job starts elsewhere. */
static enum ls_status write_script(const struct ls_pack_options *options,
                                   const struct ls_pack_tasks *tasks,
                                   const struct ls_pack_division *division, const char *pattern,
                                   struct ls_error *err) {
  struct ls_bytes script = {0}, whole = {0};
  char *here = pattern[0] == '/' ? NULL : realpath(".", NULL);
  if (here != NULL) ls_bytes_printf(&whole, "%s/", here);
  ls_bytes_append_text(&whole, pattern);
  ls_pack_script_write(options, tasks, division, ls_bytes_text(&whole), &script);
  script.failed = script.failed || whole.failed;
  enum ls_status status = write_text(options->slurm, &script, err);
  ls_bytes_close(&script);
  ls_bytes_close(&whole);
  free(here);
  return status;
}

enum ls_status ls_pack_files_write(const struct ls_pack_options *options,
                                   const struct ls_pack_tasks *tasks,
                                   const struct ls_pack_division *division, struct ls_error *err) {
  struct ls_bytes pattern = {0};
  struct stat about;
  bool is_pattern = strstr(options->output, "{}") != NULL;
  bool is_there = !is_pattern && stat(options->output, &about) == 0;
  enum ls_status status = LS_OK;
  if (is_pattern)
    ls_bytes_append_text(&pattern, options->output);
  else
    ls_bytes_printf(&pattern, "%s/%s{}", options->output, PREFIX);
  if (pattern.failed) status = ls_fail(err, LS_ENOMEM, "--output: out of memory");
  if (status == LS_OK && options->slurm != NULL) status = ls_whole_file_check(options->slurm, err);
  if (status == LS_OK && is_there) status = refuse_remains(options->output, division->count, err);
  if (status == LS_OK)
    status = is_pattern || is_there ? replace_parts(ls_bytes_text(&pattern), tasks, division, err)
                                    : make_folder(options->output, tasks, division, err);
  if (status == LS_OK && options->slurm != NULL)
    status = write_script(options, tasks, division, ls_bytes_text(&pattern), err);
  ls_bytes_close(&pattern);
  return status;
}
