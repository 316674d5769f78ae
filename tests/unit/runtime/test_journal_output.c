#include "journal_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { LARGE = (1 << 20) + 5 };

static char large[LARGE];

/* Outputs as a walk gave them: sizes, and a sum of their bytes. */
struct pending {
  struct ls_journal_blob blobs[16];
  unsigned long sums[16];
  size_t count;
};

static unsigned long sum_bytes(const void *data, size_t length) {
  unsigned long sum = 0;
  for (size_t i = 0; i < length; i++) sum = sum * 31 + ((const unsigned char *)data)[i];
  return sum;
}

static enum ls_status on_pending(void *context, const struct ls_journal_blob *blob) {
  struct pending *pending = context;
  pending->sums[pending->count] = sum_bytes(blob->data, blob->length);
  pending->blobs[pending->count++] = *blob;
  return LS_OK;
}

static void read_pending(struct ls_journal *journal, struct pending *pending) {
  struct ls_error err = {0};
  *pending = (struct pending){0};
  if (ls_journal_each_pending(journal, on_pending, pending, &err) != LS_OK)
    fail_msg("%s", err.text);
}

static void put(struct ls_journal *journal, uint64_t unit, int stream, const void *data,
                size_t length) {
  struct ls_journal_blob blob = {
      .unit = unit, .stream = stream, .data = data, .length = length, .file = -1};
  ls_journal_output(journal, &blob);
}

static bool has_folder(const struct fixture *fixture) {
  char name[128];
  struct stat about;
  snprintf(name, sizeof name, "%s.outputs", fixture->path);
  if (stat(name, &about) != 0) return false;
  assert_int_equal(about.st_mode & 07777, 0700);
  return true;
}

static void outputs_are_pending_until_delivered(void **state) {
  struct fixture *fixture = *state;
  struct pending pending;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  put(journal, 1, 1, "a\0b", 3);
  put(journal, 1, 2, "error", 5);
  put(journal, 2, 1, large, LARGE);
  put(journal, 3, 1, "", 0);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
  read_pending(journal, &pending);
  assert_int_equal(pending.count, 3);
  assert_true(pending.sums[0] == sum_bytes("a\0b", 3) && pending.blobs[1].stream == 2);
  assert_int_equal(pending.blobs[2].length, LARGE);
  assert_true(pending.sums[2] == sum_bytes(large, LARGE));
  assert_true(has_folder(fixture));
  ls_journal_delivered(journal, 0, (struct ls_range){1, 2});
  ls_journal_delivered(journal, 0, (struct ls_range){77, 1000});
  fixture_must_commit(journal);
  read_pending(journal, &pending);
  assert_int_equal(pending.count, 0);
  ls_journal_close(journal);
  assert_false(has_folder(fixture));
}

/* Forgetting is part of the transaction: before the commit the bytes are still there. */
static void an_uncommitted_delivery_did_not_happen(void **state) {
  struct fixture *fixture = *state;
  struct pending pending;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  put(journal, 2, 1, large, LARGE);
  fixture_must_commit(journal);
  ls_journal_delivered(journal, 0, (struct ls_range){2, 1});
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
  read_pending(journal, &pending);
  assert_int_equal(pending.count, 1);
  assert_true(pending.sums[0] == sum_bytes(large, LARGE));
  ls_journal_close(journal);
}

static void files_of_uncommitted_outputs_are_swept_away(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  put(journal, 2, 1, large, LARGE);
  ls_journal_close(journal);
  assert_true(has_folder(fixture));
  ls_journal_close(fixture_must_open(fixture->path, LS_JOURNAL_RESUME));
  assert_false(has_folder(fixture));
}

static void outputs_in_files_are_copied_whatever_their_position(void **state) {
  struct fixture *fixture = *state;
  struct pending pending;
  char name[128];
  snprintf(name, sizeof name, "%s/spool", fixture->folder);
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  for (size_t i = 0; i < 3; i++) {
    size_t length = i == 0 ? 0 : i == 1 ? 1000 : LARGE;
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(write(file, large, length), length);
    struct ls_journal_blob blob = {.unit = i, .stream = 1, .file = file};
    ls_journal_output(journal, &blob);
    assert_int_equal(lseek(file, 0, SEEK_CUR), length);
    close(file);
  }
  fixture_must_commit(journal);
  read_pending(journal, &pending);
  assert_int_equal(pending.count, 2);
  assert_true(pending.sums[0] == sum_bytes(large, 1000));
  assert_true(pending.sums[1] == sum_bytes(large, LARGE));
  ls_journal_close(journal);
}

static void one_output_is_read_by_its_unit_and_stream(void **state) {
  struct fixture *fixture = *state;
  struct ls_bytes text = {0};
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  put(journal, 1, 1, "out", 3);
  put(journal, 1, 2, "err", 3);
  put(journal, 4, 1, large, LARGE);
  struct ls_journal_blob which = {.unit = 1, .stream = 2, .file = -1};
  assert_int_equal(ls_journal_read_output(journal, &which, &text, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&text), "err");
  which.unit = 9;
  assert_int_equal(ls_journal_read_output(journal, &which, &text, NULL), LS_OK);
  assert_int_equal(text.length, 3);
  which = (struct ls_journal_blob){.unit = 4, .stream = 1, .file = -1};
  assert_int_equal(ls_journal_read_output(journal, &which, &text, NULL), LS_OK);
  assert_int_equal(text.length, 3 + LARGE);
  assert_memory_equal(text.data + 3, large, LARGE);
  ls_bytes_close(&text);
  ls_journal_close(journal);
}

static void a_missing_or_shortened_file_is_told(void **state) {
  struct fixture *fixture = *state;
  struct pending pending = {0};
  struct ls_error err = {0};
  char name[128];
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  put(journal, 2, 1, large, LARGE);
  fixture_must_commit(journal);
  snprintf(name, sizeof name, "%s.outputs/0-0-2-1", fixture->path);
  assert_int_equal(truncate(name, 10), 0);
  assert_int_equal(ls_journal_each_pending(journal, on_pending, &pending, &err), LS_ECORRUPT);
  assert_non_null(strstr(err.text, "0-0-2-1"));
  assert_int_equal(unlink(name), 0);
  assert_int_equal(ls_journal_each_pending(journal, on_pending, &pending, &err), LS_ECORRUPT);
  assert_int_equal(pending.count, 0);
  ls_journal_close(journal);
}

/* What a master finds after a power cut: it repeats these units, and no others. */
static void lost_files_reopen_their_units(void **state) {
  struct fixture *fixture = *state;
  static struct fixture_results results;
  struct ls_journal_summary summary;
  struct pending pending;
  char name[128];
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  fixture_join(journal, 2);
  for (uint64_t unit = 0; unit < 4; unit++) {
    struct ls_journal_result result = fixture_result(unit);
    result.units.count = 1 + unit / 3; /* the last one is a range */
    ls_journal_result(journal, &result);
    put(journal, unit, 1, large, LARGE);
    put(journal, unit, 2, "e", 1);
  }
  fixture_must_commit(journal);
  ls_journal_close(journal);
  snprintf(name, sizeof name, "%s.outputs/0-0-1-1", fixture->path);
  assert_int_equal(truncate(name, 10), 0);
  snprintf(name, sizeof name, "%s.outputs/0-0-3-1", fixture->path);
  assert_int_equal(unlink(name), 0);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
  assert_int_equal(ls_journal_summary(journal, &summary, NULL), LS_OK);
  assert_int_equal(summary.units_repeated, 3);
  fixture_read(journal, &results);
  assert_int_equal(results.count, 2);
  assert_true(results.items[0].units.first == 0 && results.items[1].units.first == 2);
  results.count = 0;
  assert_int_equal(ls_journal_each_attempt(journal, fixture_keep, &results, NULL), LS_OK);
  assert_int_equal(results.count, 2);
  assert_int_equal(results.items[0].outcome, LS_OUTCOME_LOST);
  read_pending(journal, &pending);
  assert_int_equal(pending.count, 4);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
  assert_int_equal(ls_journal_summary(journal, &summary, NULL), LS_OK);
  assert_int_equal(summary.units_repeated, 0);
  ls_journal_close(journal);
}

/* An iteration is made of the results of the one before. */
static void a_lost_file_reopens_the_iterations_behind_it(void **state) {
  struct fixture *fixture = *state;
  static struct fixture_results results;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  fixture_join(journal, 2);
  for (uint32_t iteration = 0; iteration < 3; iteration++)
    for (uint64_t unit = 0; unit < 2; unit++) {
      struct ls_journal_result result = fixture_result(unit);
      struct ls_journal_blob blob = {
          .iteration = iteration, .unit = unit, .stream = 1, .file = -1, .data = large};
      result.iteration = iteration;
      blob.length = LARGE;
      ls_journal_output(journal, &blob);
      ls_journal_result(journal, &result);
    }
  fixture_must_commit(journal);
  ls_journal_close(journal);
  char name[128];
  snprintf(name, sizeof name, "%s.outputs/0-1-1-1", fixture->path);
  assert_int_equal(unlink(name), 0);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
  fixture_read(journal, &results);
  assert_int_equal(results.count, 3);
  assert_true(results.items[2].iteration == 1 && results.items[2].units.first == 0);
  struct pending pending;
  read_pending(journal, &pending);
  assert_int_equal(pending.count, 3);
  ls_journal_close(journal);
}

/* ---- what --sync waits for ---- */

/* Files in the order in which they were waited for: these calls take the place of the system's. */
static struct {
  ino_t files[256];
  size_t count;
} waited;

static int wait_for_disk(int file) {
  struct stat about;
  if (fstat(file, &about) != 0) return -1;
  if (waited.count < 256) waited.files[waited.count++] = about.st_ino;
  return 0;
}

int fsync(int file) {
  return wait_for_disk(file);
}

int fdatasync(int file) {
  return wait_for_disk(file);
}

/* Its place among those that were waited for; none: -1. */
static int find_waited(const char *path) {
  struct stat about;
  assert_int_equal(stat(path, &about), 0);
  for (size_t i = 0; i < waited.count; i++)
    if (waited.files[i] == about.st_ino) return (int)i;
  return -1;
}

static void synced_outputs_are_on_disk_before_the_journal_forgets_them(void **state) {
  struct fixture *fixture = *state;
  char folder[128], file[160], taken[128], log[128];
  struct ls_journal *journal = NULL;
  struct ls_journal_request request = {
      .path = fixture->path, .mode = LS_JOURNAL_NEW, .job = &fixture_job, .is_synced = true};
  snprintf(folder, sizeof folder, "%s.outputs", fixture->path);
  snprintf(file, sizeof file, "%s/0-0-1-1", folder);
  snprintf(taken, sizeof taken, "%s/taken", fixture->folder);
  snprintf(log, sizeof log, "%s-wal", fixture->path);
  waited.count = 0;
  assert_int_equal(ls_journal_open(&request, &journal, NULL), LS_OK);
  assert_true(find_waited(fixture->folder) >= 0); /* the journal's own name */
  waited.count = 0;
  put(journal, 1, 1, large, LARGE);
  fixture_must_commit(journal);
  assert_true(find_waited(file) >= 0 && find_waited(folder) >= 0);
  assert_true(find_waited(fixture->folder) >= 0); /* the folder's name */
  assert_true(find_waited(log) > find_waited(folder));
  int kept = dup(STDOUT_FILENO), out = open(taken, O_CREAT | O_WRONLY, 0600);
  assert_true(kept >= 0 && out >= 0 && dup2(out, STDOUT_FILENO) == STDOUT_FILENO);
  waited.count = 0;
  ls_journal_delivered(journal, 0, (struct ls_range){1, 1});
  fixture_must_commit(journal);
  int place = find_waited(taken), log_place = find_waited(log);
  assert_true(dup2(kept, STDOUT_FILENO) == STDOUT_FILENO);
  close(kept);
  close(out);
  assert_true(place >= 0 && log_place > place);
  ls_journal_close(journal);
}

/* Only checkpoints wait for the disk, so that a commit costs no more than before; the first commit
 * behind that of a new journal begins the log anew. */
static void an_unsynced_commit_waits_for_nothing(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  put(journal, 0, 1, "x", 1);
  fixture_must_commit(journal);
  waited.count = 0;
  put(journal, 1, 1, large, LARGE);
  fixture_must_commit(journal);
  ls_journal_delivered(journal, 0, (struct ls_range){1, 1});
  fixture_must_commit(journal);
  assert_int_equal(waited.count, 0);
  ls_journal_close(journal);
  assert_true(find_waited(fixture->path) >= 0); /* the checkpoint of the close */
}

static void an_output_that_cannot_be_kept_is_a_sticky_error(void **state) {
  struct fixture *fixture = *state;
  struct ls_error err = {0};
  char name[128];
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  snprintf(name, sizeof name, "%s.outputs", fixture->path);
  int file = open(name, O_CREAT | O_WRONLY, 0600); /* a file stands where the folder belongs */
  close(file);
  put(journal, 2, 1, large, LARGE);
  assert_int_equal(ls_journal_commit(journal, &err), LS_EIO);
  assert_non_null(strstr(err.text, name));
  ls_journal_close(journal);
}

static void a_repeated_unit_replaces_its_output(void **state) {
  struct fixture *fixture = *state;
  struct pending pending;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  put(journal, 1, 1, "first", 5);
  put(journal, 1, 1, "second", 6);
  fixture_must_commit(journal);
  read_pending(journal, &pending);
  assert_int_equal(pending.count, 1);
  assert_int_equal(pending.blobs[0].length, 6);
  ls_journal_close(journal);
}

static void outputs_of_reopened_failures_are_dropped(void **state) {
  struct fixture *fixture = *state;
  struct pending pending;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  for (uint64_t unit = 0; unit < 3; unit++) {
    struct ls_journal_result result = fixture_result(unit);
    result.outcome = unit == 1 ? LS_OUTCOME_FAILED : LS_OUTCOME_DONE;
    ls_journal_result(journal, &result);
    put(journal, unit, 1, large, LARGE);
  }
  fixture_must_commit(journal);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME_FAILED);
  read_pending(journal, &pending);
  assert_int_equal(pending.count, 2);
  assert_true(pending.blobs[0].unit == 0 && pending.blobs[1].unit == 2);
  ls_journal_close(journal);
}

/* A journal that somebody else wrote must not name files outside its folder: what is delivered is
 * removed. */
static void an_output_file_elsewhere_is_left_alone(void **state) {
  struct fixture *fixture = *state;
  char victim[128];
  struct ls_error err = {0};
  struct ls_bytes out = {0};
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  struct ls_journal_blob blob = {
      .unit = 1, .stream = 1, .data = large, .length = LARGE, .file = -1};
  ls_journal_output(journal, &blob);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  (void)snprintf(victim, sizeof victim, "%s/victim", fixture->folder);
  FILE *file = fopen(victim, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(large, 1, LARGE, file), LARGE);
  assert_int_equal(fclose(file), 0);
  fixture_run_sql(fixture->path, "UPDATE outputs SET file = '../victim'");
  assert_int_equal(fixture_open(fixture->path, LS_JOURNAL_READ, NULL, &journal, &err), LS_OK);
  assert_int_equal(ls_journal_read_output(journal, &blob, &out, &err), LS_ECORRUPT);
  ls_journal_close(journal);
  err = (struct ls_error){0};
  /* A master repeats what is not where it must be. */
  journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
  ls_journal_event(journal, &(struct ls_event){.kind = LS_EVENT_TIMER, .worker = LS_WORKER_NONE});
  fixture_must_commit(journal);
  ls_journal_close(journal);
  assert_int_equal(access(victim, F_OK), 0);
  ls_bytes_close(&out);
}

/* As on a full disk: it is told, and not tried for ever. */
static void an_output_that_has_no_room_is_an_error(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  struct rlimit before, tight;
  struct ls_error err = {0};
  fixture_must_commit(journal);
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  tight = before;
  tight.rlim_cur = LARGE / 2;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
  put(journal, 1, 1, large, LARGE);
  enum ls_status status = ls_journal_commit(journal, &err);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  (void)signal(SIGXFSZ, handler);
  assert_int_equal(status, LS_EIO);
  assert_non_null(strstr(err.text, strerror(EFBIG)));
  ls_journal_close(journal);
}

int main(void) {
  for (size_t i = 0; i < LARGE; i++) large[i] = (char)(i * 7919 >> 3);
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(outputs_are_pending_until_delivered),
      TEST(an_output_file_elsewhere_is_left_alone),
      TEST(an_uncommitted_delivery_did_not_happen),
      TEST(files_of_uncommitted_outputs_are_swept_away),
      TEST(outputs_in_files_are_copied_whatever_their_position),
      TEST(one_output_is_read_by_its_unit_and_stream),
      TEST(a_missing_or_shortened_file_is_told),
      TEST(lost_files_reopen_their_units),
      TEST(a_lost_file_reopens_the_iterations_behind_it),
      TEST(synced_outputs_are_on_disk_before_the_journal_forgets_them),
      TEST(an_unsynced_commit_waits_for_nothing),
      TEST(an_output_that_cannot_be_kept_is_a_sticky_error),
      TEST(an_output_that_has_no_room_is_an_error),
      TEST(a_repeated_unit_replaces_its_output),
      TEST(outputs_of_reopened_failures_are_dropped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
