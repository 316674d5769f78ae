#include "runtime/execute/block_input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "runtime/execute/block_source.h"

static enum ls_status fail_for_memory(struct ls_error *err) {
  return ls_fail(err, LS_ENOMEM, "out of memory for the input of a command");
}

static enum ls_status fail_at(const char *path, const char *what, struct ls_error *err) {
  return ls_fail(err, LS_EIO, "%s: %s: %s", path, what, strerror(errno));
}

/* Of a disk without room, by errno; a quota and a limit of sizes are one. */
static enum ls_status find_fault(int number) {
  return number == ENOSPC || number == EDQUOT || number == EFBIG ? LS_EBUSY : LS_EIO;
}

/* ---- files ---- */

static enum ls_status open_source(struct ls_block_input *input, const struct ls_block *block,
                                  struct ls_error *err) {
  if (ls_array_reserve((void **)&input->files, &input->files_capacity, input->files_count + 1,
                       sizeof *input->files) != LS_OK)
    return fail_for_memory(err);
  struct ls_block_file made = {.path = strdup(block->path),
                               .file = open(block->path, O_RDONLY | O_CLOEXEC | O_NOCTTY),
                               .is_checked = !block->is_whole,
                               .source = block->source};
  enum ls_status status = LS_OK;
  if (made.file < 0) status = fail_at(block->path, "cannot be opened", err);
  if (status == LS_OK && made.path == NULL) status = fail_for_memory(err);
  if (status == LS_OK && made.is_checked)
    status = ls_block_source_check(made.file, made.path, &made.source, err);
  if (status != LS_OK) {
    if (made.file >= 0) (void)close(made.file);
    free(made.path);
    return status;
  }
  input->files[input->files_count++] = made;
  return LS_OK;
}

static enum ls_status find_source(struct ls_block_input *input, const struct ls_block *block,
                                  struct ls_error *err) {
  bool is_last =
      input->files_count > 0 && strcmp(input->files[input->files_count - 1].path, block->path) == 0;
  return is_last && !block->is_whole ? LS_OK : open_source(input, block, err);
}

static enum ls_status add_part(struct ls_block_input *input, const struct ls_block *block,
                               struct ls_error *err) {
  enum ls_status status = find_source(input, block, err);
  if (status != LS_OK) return status;
  size_t file = input->files_count - 1;
  struct ls_feed_part *last = input->parts_count > 0 ? &input->parts[input->parts_count - 1] : NULL;
  if (last != NULL && input->file_of_part[input->parts_count - 1] == file &&
      last->offset + last->length == block->offset) {
    last->length += block->length;
    return LS_OK;
  }
  if (ls_array_reserve((void **)&input->parts, &input->parts_capacity, input->parts_count + 1,
                       sizeof *input->parts) != LS_OK ||
      ls_array_reserve((void **)&input->file_of_part, &input->file_of_part_capacity,
                       input->parts_count + 1, sizeof *input->file_of_part) != LS_OK)
    return fail_for_memory(err);
  input->parts[input->parts_count] =
      (struct ls_feed_part){input->files[file].file, block->offset, block->length};
  input->file_of_part[input->parts_count++] = file;
  return LS_OK;
}

enum ls_status ls_block_input_add(struct ls_block_input *input, const struct ls_block *block,
                                  struct ls_error *err) {
  bool is_first = input->parts_count == 0 && input->head.length == 0;
  if (is_first) {
    input->form = block->form;
    ls_bytes_append_text(&input->name, block->name);
    ls_bytes_append(&input->head, block->header, block->header_length);
  }
  enum ls_status status = LS_OK;
  bool is_inline = block->path[0] == '\0';
  if (is_inline)
    ls_bytes_append(&input->head, block->data, (size_t)block->length);
  else
    status = add_part(input, block, err);
  if (input->head.failed || input->name.failed) return fail_for_memory(err);
  return status;
}

/* ---- what the command reads ---- */

static enum ls_status feed(struct ls_block_input *input, int target, const char *fifo,
                           struct ls_error *err) {
  const struct ls_feed wanted = {.head = input->head.data,
                                 .head_length = input->head.length,
                                 .parts = input->parts,
                                 .parts_count = input->parts_count,
                                 .fifo = fifo,
                                 .target = target};
  return ls_feeder_open(&wanted, &input->feeder, err);
}

static enum ls_status open_pipe(struct ls_block_input *input, struct ls_error *err) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return fail_at("standard input", "no pipe", err);
  input->input = ends[0];
  return feed(input, ends[1], NULL, err);
}

/* The name is this task's alone: what stands there is left of a worker that was killed. */
static enum ls_status open_name(struct ls_block_input *input, struct ls_error *err) {
  const char *name = ls_bytes_text(&input->name);
  (void)unlink(name);
  if (input->form == LS_BLOCK_FIFO) {
    if (mkfifo(name, 0600) != 0) return fail_at(name, "cannot be made", err);
    input->is_named = true;
    return feed(input, -1, name, err);
  }
  int target = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (target < 0)
    return ls_fail(err, find_fault(errno), "%s: cannot be made: %s", name, strerror(errno));
  input->is_named = true;
  return feed(input, target, NULL, err);
}

/* One that somebody else fills is the input itself. */
static bool is_pipe(const struct ls_block_input *input) {
  return input->files_count == 1 && input->head.length == 0 &&
         fcntl(input->files[0].file, F_GETPIPE_SZ) >= 0;
}

enum ls_status ls_block_input_open(struct ls_block_input *input, struct ls_error *err) {
  if (input->form != LS_BLOCK_INPUT) return open_name(input, err);
  if (!is_pipe(input)) return open_pipe(input, err);
  input->input = fcntl(input->files[0].file, F_DUPFD_CLOEXEC, 3);
  return input->input >= 0 ? LS_OK : fail_at(input->files[0].path, "cannot be passed on", err);
}

int ls_block_input_file(const struct ls_block_input *input) {
  return input->form == LS_BLOCK_FILE && input->feeder != NULL ? ls_feeder_file(input->feeder) : -1;
}

void ls_block_input_pass(struct ls_block_input *input) {
  if (input->input > 0) (void)close(input->input);
  input->input = 0;
}

/* ---- the end ---- */

static enum ls_status explain(const struct ls_block_input *input,
                              const struct ls_feed_result *result, struct ls_error *err) {
  bool has_part = result->part < input->parts_count;
  const struct ls_block_file *file =
      has_part ? &input->files[input->file_of_part[result->part]] : NULL;
  const char *name = file != NULL ? file->path : "standard input";
  if (result->end == LS_FEED_UNWRITTEN)
    return ls_fail(err, find_fault(result->number), "%s: cannot be written: %s",
                   input->is_named ? ls_bytes_text(&input->name) : "standard input",
                   strerror(result->number));
  if (result->end == LS_FEED_BROKEN)
    return ls_fail(err, LS_EIO, "%s: at byte %" PRIu64 ": %s", name, result->at,
                   strerror(result->number));
  return ls_fail(err, LS_EINVAL,
                 "%s: ends at byte %" PRIu64 " now, and had %" PRIu64
                 " bytes when it was cut into blocks",
                 name, result->at, file != NULL ? file->source.bytes : 0);
}

static enum ls_status check_sources(const struct ls_block_input *input, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < input->files_count && status == LS_OK; ++i) {
    const struct ls_block_file *file = &input->files[i];
    if (file->is_checked)
      status = ls_block_source_check(file->file, file->path, &file->source, err);
  }
  return status;
}

enum ls_status ls_block_input_finish(struct ls_block_input *input, struct ls_error *err) {
  struct ls_feed_result result = {.end = LS_FEED_WHOLE};
  if (input->feeder != NULL) result = ls_feeder_close(input->feeder);
  input->feeder = NULL;
  /* Who has changed says more than where it ended. */
  enum ls_status status = check_sources(input, err);
  bool is_well = result.end == LS_FEED_WHOLE || result.end == LS_FEED_ENOUGH;
  return status == LS_OK && !is_well ? explain(input, &result, err) : status;
}

enum ls_status ls_block_input_leave(struct ls_block_input *input, struct ls_error *err) {
  enum ls_status status = ls_block_input_finish(input, err);
  ls_block_input_pass(input);
  if (input->is_named) (void)unlink(ls_bytes_text(&input->name));
  for (size_t i = 0; i < input->files_count; ++i) {
    (void)close(input->files[i].file);
    free(input->files[i].path);
  }
  input->files_count = input->parts_count = 0;
  input->is_named = false;
  ls_bytes_clear(&input->name);
  ls_bytes_clear(&input->head);
  return status;
}

void ls_block_input_close(struct ls_block_input *input) {
  (void)!ls_block_input_leave(input, NULL);
  free(input->files);
  free(input->parts);
  free(input->file_of_part);
  ls_bytes_close(&input->name);
  ls_bytes_close(&input->head);
  *input = (struct ls_block_input){0};
}
