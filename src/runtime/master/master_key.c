#include "runtime/master/master_key.h"

#include <stdio.h>
#include <string.h>

enum ls_status ls_master_key_name_record(const char *journal, struct ls_bytes *path,
                                         struct ls_error *err) {
  ls_bytes_clear(path);
  ls_bytes_printf(path, "%s.key", journal);
  return path->failed ? ls_fail(err, LS_ENOMEM, "out of memory for the keys of %s", journal)
                      : LS_OK;
}

static enum ls_status name_file(const struct ls_master_options *options,
                                struct ls_temporary_folder *folder, struct ls_bytes *path,
                                struct ls_error *err) {
  enum ls_status status = LS_OK;
  ls_bytes_clear(path);
  if (options->key != NULL) {
    ls_bytes_append_text(path, options->key);
  } else {
    if (folder->path[0] == '\0') status = ls_temporary_folder_open(folder, err);
    ls_bytes_printf(path, "%s/%s", folder->path, LS_TEMPORARY_KEY);
  }
  if (status != LS_OK) return status;
  return path->failed ? ls_fail(err, LS_ENOMEM, "out of memory for the name of a key file") : LS_OK;
}

static enum ls_status write_record(const struct ls_master_options *options,
                                   const struct ls_key_file *keys, struct ls_error *err) {
  struct ls_bytes path = {0};
  if (options->journal == NULL) return LS_OK;
  enum ls_status status = ls_master_key_name_record(options->journal, &path, err);
  if (status == LS_OK) status = ls_keys_write(keys, ls_bytes_text(&path), err);
  ls_bytes_close(&path);
  return status;
}

/* The record comes first: who has the keys can come back to whatever goes on with the journal. */
enum ls_status ls_master_key_publish(const struct ls_master_options *options,
                                     const struct ls_master_key_door *door,
                                     struct ls_temporary_folder *folder, struct ls_bytes *path,
                                     struct ls_error *err) {
  struct ls_key_file written = *door->keys;
  written.is_master = true;
  enum ls_status status = write_record(options, &written, err);
  written.is_master = false;
  ls_bytes_clear(path);
  if (!door->is_for_pools || options->key != NULL) {
    if (status == LS_OK) status = name_file(options, folder, path, err);
    if (status == LS_OK) status = ls_keys_write(&written, ls_bytes_text(path), err);
  }
  explicit_bzero(&written, sizeof written);
  return status;
}
