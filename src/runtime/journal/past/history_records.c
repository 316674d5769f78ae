/* history_records.c: reads records behind those that are known, keeps them in a file. */
#include "runtime/journal/past/history_records.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytes.h"
#include "coordinator/coordinator.h"

struct reader {
  struct ls_history_records *records;
  struct ls_error failure;
};

static enum ls_status on_decision(void *context, const struct ls_journal_decision *decision) {
  struct reader *reader = context;
  struct ls_history_records *records = reader->records;
  struct ls_history_decision *last =
      records->decisions_count > 0 ? &records->decisions[records->decisions_count - 1] : NULL;
  /* The ranges of a chunk may have been recorded in two turns of reading. */
  if (last != NULL && last->chunk == decision->chunk) {
    last->units += decision->units;
    return LS_OK;
  }
  if (ls_array_reserve((void **)&records->decisions, &records->decisions_capacity,
                       records->decisions_count + 1, sizeof *records->decisions) != LS_OK)
    return ls_fail(&reader->failure, LS_ENOMEM, "no memory for the decisions");
  records->decisions[records->decisions_count++] =
      (struct ls_history_decision){decision->chunk, decision->units, decision->worker};
  return LS_OK;
}

static uint32_t limit(uint64_t value, uint32_t most) {
  return value < most ? (uint32_t)value : most;
}

static enum ls_status add_span(struct reader *reader, const struct ls_journal_result *result,
                               enum ls_outcome outcome) {
  struct ls_history_records *records = reader->records;
  /* Units that were given up without a worker, or have no duration, took no time anywhere. */
  double end_s = result->start_s + result->seconds, start_s = fmax(0, result->start_s);
  bool is_timed = result->seconds > 0 && isfinite(end_s) && end_s > start_s;
  if (result->worker == LS_WORKER_NONE || !is_timed) return LS_OK;
  if (ls_array_reserve((void **)&records->spans, &records->spans_capacity, records->spans_count + 1,
                       sizeof *records->spans) != LS_OK)
    return ls_fail(&reader->failure, LS_ENOMEM, "no memory for the spans");
  bool is_staged = result->stage_s > 0 && isfinite(result->stage_s) && isfinite(result->lead_s);
  /* What it received, it received before its span's computing. */
  double receive_s = fmax(0, result->seconds - result->compute_s);
  records->spans[records->spans_count++] = (struct ls_history_span){
      .start_s = start_s,
      .seconds = end_s - start_s,
      .stage_s = is_staged ? result->stage_s : 0,
      .stage_before_s = is_staged ? result->lead_s - receive_s : 0,
      .exposed_s = is_staged ? fmin(fmax(0, result->exposed_s), result->stage_s) : 0,
      .chunk = result->chunk,
      .units = result->units.count,
      .worker = result->worker,
      .outcome = (uint32_t)outcome,
      .task = result->units.first + 1,
      .peak_kib = limit(result->usage.peak_bytes >> 10, UINT32_MAX),
      .attempt = (uint16_t)limit(result->attempt, UINT16_MAX),
      .exit_code = (int16_t)(result->signal > 0 ? -result->signal : result->exit_code)};
  return LS_OK;
}

static enum ls_status keep_failure(struct reader *reader, const struct ls_journal_result *result) {
  struct ls_history_records *records = reader->records;
  if (records->failures_count >= LS_HISTORY_FAILURES_MAX) return LS_OK;
  if (ls_array_reserve((void **)&records->failures, &records->failures_capacity,
                       records->failures_count + 1, sizeof *records->failures) != LS_OK)
    return ls_fail(&reader->failure, LS_ENOMEM, "no memory for the failures");
  records->failures[records->failures_count++] = *result;
  return LS_OK;
}

static enum ls_status on_attempt(struct reader *reader, const struct ls_journal_result *attempt) {
  bool is_lost = attempt->outcome == LS_OUTCOME_LOST;
  uint64_t *total = is_lost ? &reader->records->units_lost : &reader->records->units_failed_once;
  *total += attempt->units.count;
  return add_span(reader, attempt, is_lost ? LS_OUTCOME_LOST : LS_OUTCOME_FAILED);
}

static enum ls_status on_end(void *context, const struct ls_journal_result *result) {
  struct reader *reader = context;
  struct ls_history_records *records = reader->records;
  if (!result->is_settled) return on_attempt(reader, result);
  uint64_t *totals[] = {[LS_OUTCOME_DONE] = &records->units_done,
                        [LS_OUTCOME_FAILED] = &records->units_failed,
                        [LS_OUTCOME_GIVEN_UP] = &records->units_given_up,
                        [LS_OUTCOME_LOST] = &records->units_lost};
  *totals[result->outcome] += result->units.count;
  /* What was given up was lost with its last worker. */
  enum ls_outcome outcome =
      result->outcome == LS_OUTCOME_GIVEN_UP ? LS_OUTCOME_LOST : result->outcome;
  enum ls_status status = LS_OK;
  if (result->outcome != LS_OUTCOME_DONE) status = keep_failure(reader, result);
  return status == LS_OK ? add_span(reader, result, outcome) : status;
}

enum ls_status ls_history_records_read(struct ls_history_records *records,
                                       struct ls_journal *journal, struct ls_error *err) {
  struct reader reader = {.records = records};
  uint64_t identity = 0;
  enum ls_status status = ls_journal_identity(journal, &identity, err);
  if (status != LS_OK) return status;
  if (identity != records->identity) ls_history_records_close(records);
  records->identity = identity;
  status = ls_journal_each_decision(journal, &records->sent, on_decision, &reader, err);
  if (status == LS_OK) status = ls_journal_each_end(journal, &records->ended, on_end, &reader, err);
  if (status != LS_OK && reader.failure.status != LS_OK)
    return ls_fail(err, status, "the journal cannot be read: %s", reader.failure.text);
  return status;
}

/* ---- the file ---- */

/* Made and read by the same program on the same machine, or not at all. */
struct header {
  char magic[16];
  uint64_t sizes[3]; /* of the three kinds of entries */
  uint64_t identity, ended, sent, totals[5], counts[3];
};

static struct header make_header(const struct ls_history_records *records) {
  struct header header = {
      .magic = "loadstar-hist-2",
      .sizes = {sizeof *records->spans, sizeof *records->decisions, sizeof *records->failures},
      .identity = records->identity,
      .ended = records->ended,
      .sent = records->sent,
      .totals = {records->units_done, records->units_failed, records->units_given_up,
                 records->units_failed_once, records->units_lost},
      .counts = {records->spans_count, records->decisions_count, records->failures_count}};
  return header;
}

static bool is_ours(const struct header *header) {
  static const struct ls_history_records nothing;
  struct header ours = make_header(&nothing);
  return memcmp(header->magic, ours.magic, sizeof ours.magic) == 0 &&
         memcmp(header->sizes, ours.sizes, sizeof ours.sizes) == 0 &&
         header->counts[2] <= LS_HISTORY_FAILURES_MAX;
}

static bool read_entries(FILE *file, void **entries, size_t *capacity, size_t count, size_t size) {
  if (count == 0) return true;
  return ls_array_reserve(entries, capacity, count, size) == LS_OK &&
         fread(*entries, size, count, file) == count;
}

/* So that no count of a damaged file asks for more memory than it has bytes. */
static bool has_size(FILE *file, const struct header *header) {
  uint64_t size = sizeof *header;
  for (size_t i = 0; i < 3; i++) {
    if (header->counts[i] > UINT32_MAX) return false;
    size += header->counts[i] * header->sizes[i];
  }
  bool is_whole = fseek(file, 0, SEEK_END) == 0 && ftell(file) == (long)size;
  return is_whole && fseek(file, sizeof *header, SEEK_SET) == 0;
}

void ls_history_records_load(struct ls_history_records *records, const char *path) {
  struct header header;
  struct ls_history_records found = {0};
  FILE *file = fopen(path, "rbe");
  if (file == NULL) return;
  bool is_read = fread(&header, sizeof header, 1, file) == 1 && is_ours(&header) &&
                 has_size(file, &header) &&
                 read_entries(file, (void **)&found.spans, &found.spans_capacity, header.counts[0],
                              sizeof *found.spans) &&
                 read_entries(file, (void **)&found.decisions, &found.decisions_capacity,
                              header.counts[1], sizeof *found.decisions) &&
                 read_entries(file, (void **)&found.failures, &found.failures_capacity,
                              header.counts[2], sizeof *found.failures);
  fclose(file);
  if (!is_read) {
    ls_history_records_close(&found);
    return;
  }
  found.identity = header.identity;
  found.ended = header.ended;
  found.sent = header.sent;
  found.units_done = header.totals[0];
  found.units_failed = header.totals[1];
  found.units_given_up = header.totals[2];
  found.units_failed_once = header.totals[3];
  found.units_lost = header.totals[4];
  found.spans_count = header.counts[0];
  found.decisions_count = header.counts[1];
  found.failures_count = header.counts[2];
  ls_history_records_close(records);
  *records = found;
}

static bool write_entries(FILE *file, const void *entries, size_t count, size_t size) {
  return count == 0 || fwrite(entries, size, count, file) == count;
}

/* The folder of the file, and no other: what is kept is no reason to make a home. */
static void make_folder(const char *path) {
  struct ls_bytes folder = {0};
  const char *slash = strrchr(path, '/');
  if (slash != NULL) ls_bytes_append(&folder, path, (size_t)(slash - path));
  if (folder.length > 0 && !folder.failed) (void)mkdir(ls_bytes_text(&folder), 0700);
  ls_bytes_close(&folder);
}

void ls_history_records_save(const struct ls_history_records *records, const char *path) {
  struct header header = make_header(records);
  struct ls_bytes beside = {0};
  make_folder(path);
  ls_bytes_printf(&beside, "%s.%ld", path, (long)getpid());
  int opened = beside.failed
                   ? -1
                   : open(ls_bytes_text(&beside), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  FILE *file = opened < 0 ? NULL : fdopen(opened, "wb");
  bool is_written =
      file != NULL && write_entries(file, &header, 1, sizeof header) &&
      write_entries(file, records->spans, records->spans_count, sizeof *records->spans) &&
      write_entries(file, records->decisions, records->decisions_count,
                    sizeof *records->decisions) &&
      write_entries(file, records->failures, records->failures_count, sizeof *records->failures);
  if (file != NULL)
    is_written = fclose(file) == 0 && is_written;
  else if (opened >= 0)
    close(opened);
  /* Whole or not at all: two reports may run at once. */
  if (opened >= 0 && (!is_written || rename(ls_bytes_text(&beside), path) != 0))
    unlink(ls_bytes_text(&beside));
  ls_bytes_close(&beside);
}

void ls_history_records_forget_spans(struct ls_history_records *records) {
  free(records->spans);
  records->spans = NULL;
  records->spans_count = records->spans_capacity = 0;
}

void ls_history_records_close(struct ls_history_records *records) {
  free(records->spans);
  free(records->decisions);
  free(records->failures);
  *records = (struct ls_history_records){0};
}
