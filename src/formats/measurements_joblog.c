/* measurements_joblog.c: tasks from the log that parallel and loadstar run write. */
#include "formats/joblog_records.h"
#include "formats/measurements_text.h"

static enum ls_status add_record(const struct ls_joblog_records *records,
                                 const struct ls_joblog_record *record,
                                 struct ls_measurements *measurements, struct ls_error *err) {
  struct ls_measurement item = {
      .measured = LS_OPERATION_COMPUTE, .units = 1, .seconds = record->seconds};
  /* ":" is how parallel calls the machine that it runs on. */
  bool is_here = ls_table_field_is(&record->host, ":");
  enum ls_status status = ls_measurements_worker(
      measurements, is_here ? "localhost" : record->host.data,
      is_here ? sizeof "localhost" - 1 : record->host.length, &item.worker, err);
  return status == LS_OK ? ls_table_measure(&records->table, measurements, &item, err) : status;
}

enum ls_status ls_measurements_read_joblog(struct ls_measurements *measurements,
                                           struct ls_text text, struct ls_measurements_read *read,
                                           struct ls_error *err) {
  struct ls_joblog_records records;
  struct ls_joblog_record record;
  bool is_there = true;
  *read = (struct ls_measurements_read){.skips_bad = read->skips_bad};
  enum ls_status status = ls_joblog_records_open(&records, text, err);
  records.skips_bad = read->skips_bad;
  while (status == LS_OK && is_there) {
    status = ls_joblog_records_next(&records, &record, &is_there, err);
    if (status != LS_OK || !is_there) break;
    status = ls_joblog_records_check_time(&records, &record, err);
    if (ls_joblog_records_skip(&records, status, err)) {
      status = LS_OK;
      continue;
    }
    read->lines++;
    read->failed += record.has_failed;
    if (status == LS_OK && !record.has_failed)
      status = add_record(&records, &record, measurements, err);
  }
  read->skipped = records.skipped;
  ls_joblog_records_close(&records);
  return status;
}
