#include "runtime/files/command_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/files/inside.h"

struct ls_command_files ls_command_files_make(void) {
  return (struct ls_command_files){.sandbox = {.folder = -1}};
}

enum ls_status ls_command_files_enter(struct ls_command_files *files,
                                      const struct ls_command_rooms *rooms,
                                      const struct ls_staging *staging, struct ls_error *err) {
  files->sandboxing = rooms->sandboxing;
  files->outputs_count = 0;
  if (rooms->sandboxing == LS_SANDBOX_NONE) return LS_OK;
  enum ls_status status = ls_sandbox_open(&files->sandbox, rooms->scratch, err);
  for (size_t i = 0; i < staging->inputs_count && status == LS_OK; ++i) {
    status = ls_cache_link(rooms->cache, &staging->inputs[i], files->sandbox.folder, err);
  }
  return status;
}

/* O_NONBLOCK: nobody waits for the other end of a pipe. */
static enum ls_status open_output(int folder, const char *name, struct ls_command_output *output,
                                  struct ls_error *err) {
  struct ls_inside place;
  struct stat facts;
  enum ls_status status = ls_inside_open(folder, name, false, &place, err);
  if (status != LS_OK) return status;
  bool is_there = fstatat(place.parent, place.last, &facts, AT_SYMLINK_NOFOLLOW) == 0;
  int file = -1, reason = errno;
  if (is_there && S_ISREG(facts.st_mode)) {
    file = openat(place.parent, place.last, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    reason = errno;
  }
  (void)close(place.parent);
  if (file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode)) {
    *output = (struct ls_command_output){.file = file,
                                         .bytes = (uint64_t)facts.st_size,
                                         .mode = facts.st_mode & 0777,
                                         .is_there = true};
    return LS_OK;
  }
  if (file >= 0) (void)close(file);
  bool is_special = is_there && !S_ISREG(facts.st_mode);
  return ls_fail(err, LS_EIO, "'%s': %s", name,
                 is_special ? "is no regular file" : strerror(reason));
}

/* Of an empty one nothing is to be read. */
static void leave_empty(struct ls_command_output *output) {
  if (!output->is_there || output->bytes > 0) return;
  (void)close(output->file);
  output->file = -1;
}

static void drop_outputs(struct ls_command_files *files) {
  for (size_t i = 0; i < files->outputs_count; ++i) {
    if (files->outputs[i].file >= 0) (void)close(files->outputs[i].file);
  }
  files->outputs_count = 0;
}

static void take_outputs(struct ls_command_files *files, const struct ls_staging *staging,
                         struct ls_command_end *end) {
  bool has_failed = end->outcome != LS_OUTCOME_DONE;
  for (size_t i = 0; i < staging->outputs_count; ++i) {
    struct ls_command_output *output = &files->outputs[i];
    struct ls_error err = {0};
    *output = (struct ls_command_output){.file = -1};
    files->outputs_count = i + 1;
    enum ls_status status = open_output(files->sandbox.folder, staging->outputs[i], output, &err);
    leave_empty(output);
    if (status == LS_OK || has_failed) continue;
    end->outcome = LS_OUTCOME_FAILED;
    ls_bytes_printf(&end->words, "loadstar: output %s\n", err.text);
  }
}

void ls_command_files_leave(struct ls_command_files *files, const struct ls_staging *staging,
                            struct ls_command_end *end) {
  if (files->sandbox.folder < 0) return;
  bool is_cancelled = end->outcome == LS_OUTCOME_CANCELLED;
  bool is_wanted = end->outcome == LS_OUTCOME_DONE || staging->returns_failed;
  if (!is_cancelled && is_wanted) take_outputs(files, staging, end);
  if (end->outcome != LS_OUTCOME_DONE && !staging->returns_failed) drop_outputs(files);
  bool has_failed = end->outcome != LS_OUTCOME_DONE && !is_cancelled;
  bool stays = files->sandboxing == LS_SANDBOX_KEPT ||
               (files->sandboxing == LS_SANDBOX_KEPT_FAILED && has_failed);
  if (stays && !is_cancelled) ls_sandbox_keep(&files->sandbox, end->number, &end->words);
  ls_sandbox_close(&files->sandbox);
}

void ls_command_files_close(struct ls_command_files *files) {
  ls_sandbox_close(&files->sandbox);
}
