/* journal_file.c: creates, locks and names the file of a journal. */
#include "runtime/journal/journal_private.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOCK_TRIES = 25, LOCK_PAUSE_NS = 20 * 1000 * 1000 };

/* Far beyond any page, so that SQLite's own locks and ours never meet. */
static const off_t lock_offset = (off_t)1 << 62;

/* An open-file lock: unlike a POSIX lock it is not lost when SQLite closes a descriptor, and it
 * ends with the process.  A child between fork and exec holds it for an instant after its killed
 * parent, hence the tries. */
static bool take_lock(int file) {
  for (int i = 0; i < LOCK_TRIES; i++) {
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = lock_offset, .l_len = 1};
    if (fcntl(file, F_OFD_SETLK, &lock) == 0) return true;
    if (errno != EAGAIN && errno != EACCES) return false;
    nanosleep(&(struct timespec){.tv_nsec = LOCK_PAUSE_NS}, NULL);
  }
  errno = EAGAIN;
  return false;
}

/* A path that cannot be opened is the user's to mend, whatever the reason. */
static enum ls_status refuse_file(const char *path, int reason, const char *doing,
                                  struct ls_error *err) {
  if (reason == EISDIR)
    return ls_fail(err, LS_EINVAL, "%s: is a folder, expected a journal (a file)", path);
  return ls_fail(err, LS_EINVAL, "%s: cannot be %s: %s", path, doing, strerror(reason));
}

enum ls_status ls_journal_file_lock(const char *path, int *file, bool *is_created, bool *is_taken,
                                    struct ls_error *err) {
  *is_created = *is_taken = false;
  /* The permissions of -wal and -shm follow those of this file: SQLite copies them. */
  int opened = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool created = opened >= 0, existed = !created && errno == EEXIST;
  if (existed) opened = open(path, O_RDWR | O_CLOEXEC);
  if (opened < 0) return refuse_file(path, errno, existed ? "opened for writing" : "created", err);
  struct stat about;
  if (fstat(opened, &about) != 0 || !S_ISREG(about.st_mode)) {
    close(opened);
    return ls_fail(err, LS_EINVAL, "%s: is no regular file, expected a journal", path);
  }
  if (!take_lock(opened)) {
    int reason = errno;
    close(opened);
    *is_taken = reason == EAGAIN;
    return *is_taken ? ls_fail(err, LS_EBUSY, "%s: another master holds this journal", path)
                     : ls_fail(err, LS_EIO, "%s: cannot be locked: %s", path, strerror(reason));
  }
  if (about.st_size == 0 && fchmod(opened, 0600) != 0) {
    int reason = errno;
    close(opened);
    return refuse_file(path, reason, "made private", err);
  }
  *is_created = created;
  *file = opened;
  return LS_OK;
}

bool ls_journal_file_is_held(const char *path) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = lock_offset, .l_len = 1};
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  /* Where locks cannot be asked for, nothing speaks against what the records say. */
  bool is_held = fcntl(file, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
  close(file);
  return is_held;
}

enum ls_status ls_journal_file_check(const char *path, struct ls_error *err) {
  struct stat about;
  if (stat(path, &about) != 0) return refuse_file(path, errno, "read", err);
  if (S_ISDIR(about.st_mode)) return refuse_file(path, EISDIR, "read", err);
  if (about.st_size == 0)
    return ls_fail(err, LS_EINVAL, "%s: is empty, so not a Loadstar journal", path);
  if (access(path, R_OK) != 0) return refuse_file(path, errno, "read", err);
  return LS_OK;
}

enum ls_status ls_journal_file_sync_folder(const char *path, struct ls_error *err) {
  struct ls_bytes folder = {0};
  const char *slash = strrchr(path, '/');
  if (slash == NULL)
    ls_bytes_append_text(&folder, ".");
  else
    ls_bytes_append(&folder, path, slash == path ? 1 : (size_t)(slash - path));
  int opened =
      folder.failed ? -1 : open(ls_bytes_text(&folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  /* A folder that may be written to but not read, or a file system that knows no such call, can do
   * no more. */
  enum ls_status status = LS_OK;
  if (opened >= 0 && fsync(opened) != 0 && errno == EIO)
    status = ls_fail(err, LS_EIO, "%s: its folder cannot be written: %s", path, strerror(errno));
  if (opened >= 0) close(opened);
  ls_bytes_close(&folder);
  return status;
}

/* A name that SQLite takes for nothing but a path (":memory:", "a?b" are file names here). */
static void write_uri(const char *path, bool is_immutable, struct ls_bytes *out) {
  ls_bytes_append_text(out, path[0] == '/' ? "file://" : "file:./");
  for (const char *c = path; *c != '\0'; c++)
    if (isalnum((unsigned char)*c) || strchr("/._-", *c) != NULL)
      ls_bytes_append_char(out, *c);
    else
      ls_bytes_printf(out, "%%%02X", (unsigned)(unsigned char)*c);
  if (is_immutable) ls_bytes_append_text(out, "?immutable=1");
}

/* A journal may be anybody's: nothing that it defines is run. */
static void distrust(sqlite3 *database) {
  static const int powers[] = {SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_TRIGGER,
                               SQLITE_DBCONFIG_TRUSTED_SCHEMA};
  for (size_t i = 0; i < sizeof powers / sizeof *powers; i++)
    (void)sqlite3_db_config(database, powers[i], 0, NULL);
}

bool ls_journal_file_has_log(const struct ls_journal *journal) {
  struct ls_bytes name = {0};
  struct stat about;
  ls_bytes_printf(&name, "%s-wal", journal->place);
  bool has = name.failed || stat(ls_bytes_text(&name), &about) == 0;
  ls_bytes_close(&name);
  return has;
}

bool ls_journal_file_run(const struct ls_journal *journal,
                         unsigned char run[LS_JOURNAL_RUN_BYTES]) {
  struct ls_bytes uri = {0};
  sqlite3 *alone = NULL;
  sqlite3_stmt *row = NULL;
  bool is_known = false;
  write_uri(journal->place, true, &uri);
  int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READONLY;
  bool is_open =
      !uri.failed && sqlite3_open_v2(ls_bytes_text(&uri), &alone, flags, NULL) == SQLITE_OK;
  if (is_open) distrust(alone);
  if (is_open &&
      sqlite3_prepare_v2(alone, "SELECT run FROM identity", -1, &row, NULL) == SQLITE_OK &&
      sqlite3_step(row) == SQLITE_ROW && sqlite3_column_bytes(row, 0) == LS_JOURNAL_RUN_BYTES) {
    memcpy(run, sqlite3_column_blob(row, 0), LS_JOURNAL_RUN_BYTES);
    is_known = true;
  }
  sqlite3_finalize(row);
  sqlite3_close(alone);
  ls_bytes_close(&uri);
  return is_known;
}

enum ls_status ls_journal_file_look(struct ls_journal *journal, struct ls_error *err) {
  struct stat ours, there;
  bool is_there = fstat(journal->lock_file, &ours) == 0 && stat(journal->place, &there) == 0 &&
                  ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
  if (is_there) return LS_OK;
  /* SQLite leaves it to others where the name leads elsewhere. */
  (void)sqlite3_wal_checkpoint_v2(journal->database, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
  return ls_fail(err, LS_EIO,
                 "%s: the journal was removed or renamed while the run went on: what was done "
                 "stands in the file that has another name now, if there is one",
                 journal->path);
}

enum ls_status ls_journal_file_open(struct ls_journal *journal, bool is_reader,
                                    struct ls_error *err) {
  struct ls_bytes uri = {0};
  /* A journal at rest has no -wal file.  It is read as immutable then, because SQLite would create
   * that file even to read, which leaves traces or fails in a folder that we may not write to. */
  write_uri(journal->place, is_reader && !ls_journal_file_has_log(journal), &uri);
  enum ls_status status = LS_OK;
  if (uri.failed) {
    status = ls_fail(err, LS_ENOMEM, "%s: no memory to open it", journal->path);
    goto done;
  }
  int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
              (is_reader ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
  int code = sqlite3_open_v2(ls_bytes_text(&uri), &journal->database, flags, NULL);
  if (code != SQLITE_OK) {
    status = ls_journal_refuse(journal, code, "cannot be opened", err);
    goto done;
  }
  sqlite3_extended_result_codes(journal->database, 1);
  distrust(journal->database);
  status = ls_journal_sum_add(journal, err);
  sqlite3_busy_timeout(journal->database, 5000);
done:
  ls_bytes_close(&uri);
  return status;
}
