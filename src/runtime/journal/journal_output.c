/* journal_output.c: outputs that are not delivered yet: in the database, or in files beside it. */
#include "runtime/journal/journal_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"

enum { COPY_BYTES = 1 << 16 };

static void write_folder(const struct ls_journal *journal, struct ls_bytes *out) {
  ls_bytes_printf(out, "%s.outputs", journal->place);
}

static enum ls_status write_whole(int file, const char *data, size_t length) {
  while (length > 0) {
    ssize_t written = write(file, data, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return LS_EIO;
    data += written;
    length -= (size_t)written;
  }
  return LS_OK;
}

/* Only names that this file makes are read and removed: all else is not ours, wherever it is. */
static bool is_our_name(const char *name) {
  return name != NULL && name[0] != '\0' && strspn(name, "0123456789-") == strlen(name);
}

static enum ls_status refuse_name(const struct ls_journal *journal, const char *name,
                                  struct ls_error *err) {
  return ls_fail(err, LS_ECORRUPT,
                 "%s: an output is in the file '%.100s', expected a name of digits and hyphens",
                 journal->path, name == NULL ? "" : name);
}

/* Copies `length` bytes of descriptor `from`, whose own position stays where it is. */
static enum ls_status copy_file(int from, int to, size_t length, uint64_t *sum) {
  char buffer[COPY_BYTES];
  size_t done = 0;
  while (done < length) {
    size_t wanted = length - done < sizeof buffer ? length - done : sizeof buffer;
    ssize_t got = pread(from, buffer, wanted, (off_t)done);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = ENODATA;
    if (got <= 0 || write_whole(to, buffer, (size_t)got) != LS_OK) return LS_EIO;
    *sum = ls_digest_add(*sum, buffer, (size_t)got);
    done += (size_t)got;
  }
  return LS_OK;
}

static enum ls_status store_file(struct ls_journal *journal, const char *path,
                                 const struct ls_journal_blob *blob, uint64_t *sum) {
  int made = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (made < 0) return LS_EIO;
  if (blob->data != NULL) *sum = ls_digest_add(*sum, blob->data, blob->length);
  enum ls_status status = blob->data != NULL ? write_whole(made, blob->data, blob->length)
                                             : copy_file(blob->file, made, blob->length, sum);
  if (status == LS_OK && journal->is_synced && fsync(made) != 0) status = LS_EIO;
  int reason = errno;
  if (close(made) != 0 && status == LS_OK) return LS_EIO;
  errno = reason;
  return status;
}

static void stick_file(struct ls_journal *journal, const char *path) {
  struct ls_error failure = {0};
  ls_fail(&failure, LS_EIO, "%s: %s: cannot be written: %s", journal->path, path, strerror(errno));
  ls_journal_stick(journal, &failure);
}

/* Stores a large output under `name` in the folder; false after a (sticky) failure. */
static bool spool_output(struct ls_journal *journal, const char *name,
                         const struct ls_journal_blob *blob, uint64_t *sum) {
  struct ls_bytes path = {0};
  write_folder(journal, &path);
  bool is_new = !path.failed && mkdir(ls_bytes_text(&path), 0700) == 0;
  bool is_made = is_new || (!path.failed && errno == EEXIST);
  struct ls_error failure = {0};
  if (is_new && journal->is_synced &&
      ls_journal_file_sync_folder(ls_bytes_text(&path), &failure) != LS_OK)
    ls_journal_stick(journal, &failure);
  ls_bytes_printf(&path, "/%s", name);
  if (path.failed) errno = ENOMEM;
  is_made =
      is_made && !path.failed && store_file(journal, ls_bytes_text(&path), blob, sum) == LS_OK;
  if (!is_made) stick_file(journal, ls_bytes_text(&path));
  if (is_made && journal->is_synced &&
      ls_journal_file_sync_folder(ls_bytes_text(&path), &failure) != LS_OK)
    ls_journal_stick(journal, &failure);
  ls_bytes_close(&path);
  return journal->failure.status == LS_OK;
}

/* The bytes of a small output that stands in a file; the caller frees them. */
static char *load_output(int file, size_t length) {
  char *data = malloc(length);
  for (size_t done = 0; data != NULL && done < length;) {
    ssize_t got = pread(file, data + done, length - done, (off_t)done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      if (got == 0) errno = ENODATA;
      free(data);
      return NULL;
    }
    done += (size_t)got;
  }
  return data;
}

/* Records an output whose length is known. */
static void record_output(struct ls_journal *journal, const struct ls_journal_blob *blob) {
  char name[64] = "", *loaded = NULL;
  const void *data = blob->data;
  bool is_large = blob->length > LS_JOURNAL_INLINE_MAX;
  uint64_t sum = LS_DIGEST_START;
  if (is_large) {
    /* The session keeps the name from that of an earlier one, which may be doomed. */
    snprintf(name, sizeof name, "%" PRIu32 "-%" PRIu32 "-%" PRIu64 "-%d", journal->session.number,
             blob->iteration, blob->unit, blob->stream);
    if (!spool_output(journal, name, blob, &sum)) return;
  } else if (data == NULL) {
    data = loaded = load_output(blob->file, blob->length);
    if (data == NULL) {
      stick_file(journal, "an output");
      return;
    }
  }
  if (!is_large) sum = ls_digest_add(sum, data, blob->length);
  sqlite3_stmt *statement = ls_journal_statement(journal, LS_JOURNAL_ADD_OUTPUT);
  if (statement != NULL) {
    sqlite3_bind_int64(statement, 1, blob->iteration);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)blob->unit);
    sqlite3_bind_int(statement, 3, blob->stream);
    sqlite3_bind_int64(statement, 4, (sqlite3_int64)blob->length);
    sqlite3_bind_blob64(statement, 5, is_large ? NULL : data, blob->length, SQLITE_STATIC);
    sqlite3_bind_text(statement, 6, is_large ? name : NULL, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 7, (sqlite3_int64)sum);
    ls_journal_run(journal, statement);
    sqlite3_clear_bindings(statement);
  }
  free(loaded);
}

void ls_journal_output(struct ls_journal *journal, const struct ls_journal_blob *blob) {
  if (journal->failure.status != LS_OK) return;
  struct ls_journal_blob measured = *blob;
  struct stat about;
  if (blob->file >= 0) {
    if (fstat(blob->file, &about) != 0) {
      stick_file(journal, "an output");
      return;
    }
    measured.data = NULL;
    measured.length = (size_t)about.st_size;
  }
  if (measured.length > 0) record_output(journal, &measured);
}

/* A name of another form would be that of a file of somebody else. */
void ls_journal_doom(struct ls_journal *journal, sqlite3_stmt *find) {
  while (sqlite3_step(find) == SQLITE_ROW) {
    const char *name = (const char *)sqlite3_column_text(find, 0);
    if (is_our_name(name)) ls_bytes_append(&journal->doomed, name, strlen(name) + 1);
  }
  sqlite3_reset(find);
}

void ls_journal_delivered(struct ls_journal *journal, uint32_t iteration, struct ls_range units) {
  sqlite3_stmt *const statements[] = {ls_journal_statement(journal, LS_JOURNAL_FIND_OUTPUT),
                                      ls_journal_statement(journal, LS_JOURNAL_DROP_OUTPUT)};
  if (statements[0] == NULL || statements[1] == NULL) return;
  for (size_t i = 0; i < 2; i++) {
    ls_journal_bind(statements[i], 1, iteration);
    ls_journal_bind(statements[i], 2, units.first);
    ls_journal_bind(statements[i], 3, units.first + units.count);
  }
  ls_journal_doom(journal, statements[0]);
  ls_journal_run(journal, statements[1]);
  journal->has_delivered = true;
}

/* A file goes only after the commit that forgets it; before, a crash would lose its bytes. */
void ls_journal_outputs_forget(struct ls_journal *journal) {
  if (journal->doomed.length == 0) return;
  struct ls_bytes path = {0};
  for (size_t i = 0; i < journal->doomed.length; i += strlen(journal->doomed.data + i) + 1) {
    ls_bytes_clear(&path);
    write_folder(journal, &path);
    ls_bytes_printf(&path, "/%s", journal->doomed.data + i);
    if (!path.failed) unlink(ls_bytes_text(&path));
  }
  ls_bytes_close(&path);
  ls_bytes_clear(&journal->doomed);
}

static bool has_row(sqlite3_stmt *statement, const char *name) {
  sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
  int code = sqlite3_step(statement);
  sqlite3_reset(statement);
  return code != SQLITE_DONE;
}

void ls_journal_outputs_sweep(struct ls_journal *journal) {
  struct ls_bytes path = {0};
  write_folder(journal, &path);
  DIR *folder = path.failed ? NULL : opendir(ls_bytes_text(&path));
  sqlite3_stmt *statement = NULL;
  if (folder != NULL && ls_journal_prepare(journal, "SELECT 1 FROM outputs WHERE file = ?1",
                                           &statement, NULL) == LS_OK)
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
      if (is_our_name(entry->d_name) && !has_row(statement, entry->d_name))
        unlinkat(dirfd(folder), entry->d_name, 0);
  sqlite3_finalize(statement);
  if (folder != NULL) closedir(folder);
  ls_bytes_close(&path);
}

void ls_journal_outputs_close(struct ls_journal *journal) {
  struct ls_bytes path = {0};
  write_folder(journal, &path);
  if (!path.failed) rmdir(ls_bytes_text(&path));
  ls_bytes_close(&path);
}

/* Maps an output that stands in a file, so that it is not read as a whole. */
static enum ls_status map_file(struct ls_journal *journal, const char *name,
                               struct ls_journal_blob *blob, struct ls_error *err) {
  struct ls_bytes path = {0};
  enum ls_status status = LS_OK;
  struct stat about = {0};
  if (!is_our_name(name)) return refuse_name(journal, name, err);
  write_folder(journal, &path);
  ls_bytes_printf(&path, "/%s", name);
  int file = path.failed ? -1 : open(ls_bytes_text(&path), O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &about) != 0 || (size_t)about.st_size != blob->length ||
      blob->length == 0) {
    status = ls_fail(err, LS_ECORRUPT, "%s: its output file %s is missing or not of %zu bytes",
                     journal->path, ls_bytes_text(&path), blob->length);
    goto done;
  }
  void *data = mmap(NULL, blob->length, PROT_READ, MAP_PRIVATE, file, 0);
  if (data == MAP_FAILED)
    status = ls_fail(err, LS_EIO, "%s: %s: cannot be read: %s", journal->path, ls_bytes_text(&path),
                     strerror(errno));
  else
    blob->data = data;
done:
  if (file >= 0) close(file);
  ls_bytes_close(&path);
  return status;
}

/* After a power cut a file may be missing or short, though its row is there; and a disk may give
 * back other bytes than it got. */
static bool is_output_whole(struct ls_journal *journal, sqlite3_stmt *row) {
  struct ls_journal_blob blob = {.data = sqlite3_column_blob(row, 4),
                                 .length = (size_t)sqlite3_column_int64(row, 3)};
  const char *name = (const char *)sqlite3_column_text(row, 2);
  if (name != NULL && map_file(journal, name, &blob, NULL) != LS_OK) return false;
  if (name == NULL && (size_t)sqlite3_column_bytes(row, 4) != blob.length) return false;
  uint64_t sum = ls_digest_add(LS_DIGEST_START, blob.data, blob.length);
  if (name != NULL) munmap((void *)blob.data, blob.length);
  return sum == (uint64_t)sqlite3_column_int64(row, 5);
}

static enum ls_status gather_lost(struct ls_journal *journal, struct ls_error *err) {
  sqlite3_stmt *row = NULL, *add = NULL;
  enum ls_status status = ls_journal_prepare(
      journal, "SELECT iteration, unit, file, bytes, data, sum FROM outputs", &row, err);
  if (status == LS_OK)
    status = ls_journal_prepare(journal, "INSERT INTO temp.lost VALUES (?1, ?2)", &add, err);
  int code = SQLITE_DONE;
  while (status == LS_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
    if (is_output_whole(journal, row)) continue;
    sqlite3_bind_int64(add, 1, sqlite3_column_int64(row, 0));
    sqlite3_bind_int64(add, 2, sqlite3_column_int64(row, 1));
    int added = sqlite3_step(add);
    sqlite3_reset(add);
    if (added != SQLITE_DONE) status = ls_journal_refuse(journal, added, "cannot be changed", err);
  }
  if (status == LS_OK && code != SQLITE_DONE)
    status = ls_journal_refuse(journal, code, "cannot be read", err);
  sqlite3_finalize(row);
  sqlite3_finalize(add);
  return status;
}

/* Results of later iterations were made of what is lost. */
#define LOST_RESULT                                                    \
  "(r.iteration, r.first) IN (SELECT iteration, unit FROM temp.lost) " \
  "OR r.iteration > (SELECT min(iteration) FROM temp.lost)"

enum ls_status ls_journal_outputs_check(struct ls_journal *journal, struct ls_error *err) {
  int64_t lost = 0, units = 0;
  enum ls_status status =
      ls_journal_execute(journal, "CREATE TEMP TABLE lost (iteration INTEGER, unit INTEGER)", err);
  if (status == LS_OK) status = gather_lost(journal, err);
  if (status == LS_OK)
    status = ls_journal_number(journal, "SELECT count(*) FROM temp.lost", &lost, err);
  if (status == LS_OK && lost > 0) {
    status = ls_journal_number(
        journal, "SELECT sum(units) FROM ended r WHERE r.settled = 1 AND (" LOST_RESULT ")", &units,
        err);
    if (status == LS_OK) status = ls_journal_reopen(journal, LOST_RESULT, err);
    /* Outputs without a result would be taken for those of the next one. */
    if (status == LS_OK)
      status = ls_journal_execute(
          journal,
          "DELETE FROM outputs WHERE (iteration, unit) IN (SELECT iteration, unit FROM temp.lost)",
          err);
  }
  if (status == LS_OK) status = ls_journal_execute(journal, "DROP TABLE temp.lost", err);
  if (status == LS_OK) journal->units_repeated = (uint64_t)units;
  return status;
}

/* Walks the rows of a statement on outputs, and makes it ready for the next use. */
static enum ls_status walk_outputs(struct ls_journal *journal, sqlite3_stmt *row,
                                   ls_journal_output_fn visit, void *context,
                                   struct ls_error *err) {
  enum ls_status status = LS_OK;
  int code = SQLITE_DONE;
  while (status == LS_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
    struct ls_journal_blob blob = {.iteration = (uint32_t)sqlite3_column_int64(row, 0),
                                   .unit = (uint64_t)sqlite3_column_int64(row, 1),
                                   .stream = sqlite3_column_int(row, 2),
                                   .data = sqlite3_column_blob(row, 4),
                                   .length = (size_t)sqlite3_column_int64(row, 3),
                                   .file = -1};
    const char *name = (const char *)sqlite3_column_text(row, 5);
    if (name != NULL)
      status = map_file(journal, name, &blob, err);
    else if ((size_t)sqlite3_column_bytes(row, 4) != blob.length)
      status = ls_fail(err, LS_ECORRUPT, "%s: the output of unit %" PRIu64 " is not of %zu bytes",
                       journal->path, blob.unit, blob.length);
    if (status != LS_OK) break;
    status = visit(context, &blob);
    if (name != NULL) munmap((void *)blob.data, blob.length);
  }
  if (status == LS_OK && code != SQLITE_DONE)
    status = ls_journal_refuse(journal, code, "cannot be read", err);
  sqlite3_reset(row);
  return status;
}

enum ls_status ls_journal_each_pending(struct ls_journal *journal, ls_journal_output_fn visit,
                                       void *context, struct ls_error *err) {
  sqlite3_stmt *row = NULL;
  enum ls_status status = ls_journal_prepare(
      journal, "SELECT iteration, unit, stream, bytes, data, file FROM outputs ORDER BY id", &row,
      err);
  if (status == LS_OK) status = walk_outputs(journal, row, visit, context, err);
  sqlite3_finalize(row);
  return status;
}

enum ls_status ls_journal_has_pending(struct ls_journal *journal, bool *has_pending,
                                      struct ls_error *err) {
  int64_t count = 0;
  enum ls_status status =
      ls_journal_number(journal, "SELECT EXISTS (SELECT 1 FROM outputs)", &count, err);
  if (status == LS_OK) *has_pending = count > 0;
  return status;
}

static enum ls_status append_blob(void *context, const struct ls_journal_blob *blob) {
  struct ls_bytes *out = context;
  ls_bytes_append(out, blob->data, blob->length);
  return out->failed ? LS_ENOMEM : LS_OK;
}

enum ls_status ls_journal_read_output(struct ls_journal *journal,
                                      const struct ls_journal_blob *which, struct ls_bytes *out,
                                      struct ls_error *err) {
  enum ls_status status = LS_OK;
  if (journal->read_output == NULL)
    status = ls_journal_prepare(
        journal,
        "SELECT iteration, unit, stream, bytes, data, file FROM outputs WHERE iteration = ?1 AND "
        "unit = ?2 AND stream = ?3",
        &journal->read_output, err);
  if (status != LS_OK) return status;
  sqlite3_stmt *row = journal->read_output;
  sqlite3_bind_int64(row, 1, which->iteration);
  sqlite3_bind_int64(row, 2, (sqlite3_int64)which->unit);
  sqlite3_bind_int(row, 3, which->stream);
  status = walk_outputs(journal, row, append_blob, out, err);
  if (status != LS_ENOMEM) return status;
  return ls_fail(err, LS_ENOMEM, "%s: no memory for the output of unit %" PRIu64, journal->path,
                 which->unit);
}
