#include "runtime/output/output_files.h"

#include <stdlib.h>

#include "base/array.h"

static enum ls_status make_room(struct ls_output_files *files, size_t index, struct ls_error *err) {
  enum ls_status status =
      ls_array_reserve((void **)&files->spools, &files->capacity, index + 1, sizeof *files->spools);
  if (status != LS_OK) return ls_fail(err, status, "out of memory for the outputs of a unit");
  while (files->count <= index) files->spools[files->count++] = ls_spool_make();
  return LS_OK;
}

enum ls_status ls_output_files_add(struct ls_output_files *files,
                                   const struct ls_output_target *target,
                                   const struct ls_message *piece, struct ls_error *err) {
  size_t index = (size_t)(piece->stream - LS_STREAM_FILE);
  if (target == NULL) return ls_fail(err, LS_ECORRUPT, "files came that no task had asked for");
  enum ls_status status = make_room(files, index, err);
  if (status != LS_OK) return status;
  struct ls_spool *spool = &files->spools[index];
  if (piece->offset == 0) ls_spool_close(spool);
  if (piece->offset != spool->bytes)
    return ls_fail(err, LS_ECORRUPT, "an output goes on at %llu, expected %zu",
                   (unsigned long long)piece->offset, spool->bytes);
  if (spool->file < 0) spool->file = target->open(target->context, piece->range.first, index, err);
  if (spool->file < 0) return err->status == LS_ECORRUPT ? LS_ECORRUPT : LS_EIO;
  return ls_spool_add(spool, piece->output.data, piece->output.length, err);
}

bool ls_output_files_are_whole(const struct ls_output_files *files,
                               const struct ls_message *result) {
  for (size_t i = 0; i < files->count || i < result->files_count; ++i) {
    uint64_t got = i < files->count ? files->spools[i].bytes : 0;
    uint64_t told = i < result->files_count ? result->files[i].bytes : 0;
    if (got != told) return false;
  }
  return true;
}

enum ls_status ls_output_files_keep(struct ls_output_files *files,
                                    const struct ls_output_target *target,
                                    const struct ls_message *result, struct ls_error *err) {
  struct ls_output_file list[LS_STAGED_OUTPUTS_MAX];
  if (target == NULL) return LS_OK;
  for (size_t i = 0; i < result->files_count; ++i) {
    list[i] = (struct ls_output_file){.file = i < files->count ? files->spools[i].file : -1,
                                      .mode = result->files[i].mode,
                                      .is_there = result->files[i].is_there};
  }
  return target->keep(target->context, result->range.first, list, result->files_count, err);
}

void ls_output_files_drop(struct ls_output_files *files) {
  for (size_t i = 0; i < files->count; ++i) ls_spool_close(&files->spools[i]);
  files->count = 0;
}

void ls_output_files_close(struct ls_output_files *files) {
  ls_output_files_drop(files);
  free(files->spools);
  *files = (struct ls_output_files){0};
}
