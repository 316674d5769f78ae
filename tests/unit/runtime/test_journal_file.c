#include "journal_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static mode_t permissions_of(const char *path, const char *suffix) {
  char name[128];
  struct stat about;
  snprintf(name, sizeof name, "%s%s", path, suffix);
  if (stat(name, &about) != 0) fail_msg("%s is not there", name);
  return about.st_mode & 07777;
}

static bool is_there(const char *path, const char *suffix) {
  char name[192];
  snprintf(name, sizeof name, "%s%s", path, suffix);
  return access(name, F_OK) == 0;
}

/* Opens what must be refused; the text names the file. */
static void expect_refusal(const char *path, enum ls_journal_mode mode, enum ls_status expected,
                           const char *words) {
  struct ls_journal *journal = NULL;
  struct ls_error err = {0};
  enum ls_status status = fixture_open(path, mode, &fixture_job, &journal, &err);
  if (status != expected) fail_msg("status %d (%s)", (int)status, err.text);
  assert_null(journal);
  if (strstr(err.text, path) == NULL) fail_msg("'%s' does not name %s", err.text, path);
  if (strstr(err.text, words) == NULL) fail_msg("'%s' does not say '%s'", err.text, words);
}

static void journal_and_its_companions_are_the_owners_only(void **state) {
  struct fixture *fixture = *state;
  mode_t before = umask(0);
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  umask(before);
  struct ls_journal_result result = fixture_result(0);
  ls_journal_result(journal, &result);
  fixture_must_commit(journal);
  assert_int_equal(permissions_of(fixture->path, ""), 0600);
  assert_int_equal(permissions_of(fixture->path, "-wal"), 0600);
  assert_int_equal(permissions_of(fixture->path, "-shm"), 0600);
  ls_journal_close(journal);
  assert_false(is_there(fixture->path, "-wal"));
}

/* A file made by mktemp or by a master killed at its first step holds nothing to lose. */
static void an_empty_file_becomes_a_private_journal(void **state) {
  struct fixture *fixture = *state;
  write_text(fixture->path, "");
  assert_int_equal(chmod(fixture->path, 0644), 0);
  ls_journal_close(fixture_must_open(fixture->path, LS_JOURNAL_RESUME));
  assert_int_equal(permissions_of(fixture->path, ""), 0600);
}

static void reading_what_is_no_journal_is_refused_in_words(void **state) {
  struct fixture *fixture = *state;
  expect_refusal(fixture->path, LS_JOURNAL_READ, LS_EINVAL, "No such file");
  expect_refusal(fixture->folder, LS_JOURNAL_READ, LS_EINVAL, "folder");
  write_text(fixture->path, "");
  expect_refusal(fixture->path, LS_JOURNAL_READ, LS_EINVAL, "empty");
  write_text(fixture->path,
             "This is a letter, which is long enough to be more than a header of a "
             "database, and no journal at all. It goes on for a while, it does.");
  expect_refusal(fixture->path, LS_JOURNAL_READ, LS_EINVAL, "not a Loadstar journal");
}

static void writing_to_what_is_no_journal_is_refused_and_leaves_it_alone(void **state) {
  struct fixture *fixture = *state;
  char missing[128], text[8] = "";
  snprintf(missing, sizeof missing, "%s/no/such/journal", fixture->folder);
  expect_refusal(missing, LS_JOURNAL_NEW, LS_EINVAL, "created");
  expect_refusal(fixture->folder, LS_JOURNAL_RESUME, LS_EINVAL, "folder");
  expect_refusal("/dev/null", LS_JOURNAL_RESUME, LS_EINVAL, "regular");
  write_text(fixture->path, "letter");
  expect_refusal(fixture->path, LS_JOURNAL_RESUME, LS_EINVAL, "not a Loadstar journal");
  FILE *file = fopen(fixture->path, "r");
  assert_non_null(file);
  assert_int_equal(fread(text, 1, sizeof text, file), 6);
  fclose(file);
  assert_memory_equal(text, "letter", 6);
}

/* Root may write anywhere, so the test becomes nobody. */
static int try_as_nobody(const char *path, enum ls_journal_mode mode) {
  pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(99);
    struct ls_journal *journal = NULL;
    struct ls_error err = {0};
    enum ls_status status = fixture_open(path, mode, &fixture_job, &journal, &err);
    bool names_it = status == LS_OK || strstr(err.text, path) != NULL;
    ls_journal_close(journal);
    _exit(names_it ? (int)status : 98);
  }
  int end = 0;
  waitpid(child, &end, 0);
  return WIFEXITED(end) ? WEXITSTATUS(end) : 97;
}

static void a_read_only_folder_refuses_masters_but_not_readers(void **state) {
  struct fixture *fixture = *state;
  ls_journal_close(fixture_must_open(fixture->path, LS_JOURNAL_NEW));
  assert_int_equal(chmod(fixture->path, 0444), 0);
  assert_int_equal(chmod(fixture->folder, 0555), 0);
  assert_int_equal(try_as_nobody(fixture->path, LS_JOURNAL_READ), LS_OK);
  assert_int_equal(try_as_nobody(fixture->path, LS_JOURNAL_RESUME), LS_EINVAL);
  char other[128];
  snprintf(other, sizeof other, "%s/other", fixture->folder);
  assert_int_equal(try_as_nobody(other, LS_JOURNAL_NEW), LS_EINVAL);
}

/* The file may be written, but its companions cannot be made. */
static void a_journal_in_a_read_only_folder_is_bad_input(void **state) {
  struct fixture *fixture = *state;
  ls_journal_close(fixture_must_open(fixture->path, LS_JOURNAL_NEW));
  assert_int_equal(chmod(fixture->path, 0666), 0);
  assert_int_equal(chmod(fixture->folder, 0555), 0);
  assert_int_equal(try_as_nobody(fixture->path, LS_JOURNAL_RESUME), LS_EINVAL);
}

static void a_second_master_is_refused_with_the_first_ones_process(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  char process[32];
  snprintf(process, sizeof process, "process %d", (int)getpid());
  pid_t child = fork();
  if (child == 0) {
    struct ls_journal *second = NULL;
    struct ls_error err = {0};
    enum ls_status status =
        fixture_open(fixture->path, LS_JOURNAL_RESUME, &fixture_job, &second, &err);
    bool is_good = strstr(err.text, process) != NULL && strstr(err.text, fixture->path) != NULL;
    _exit(is_good ? (int)status : 98);
  }
  int end = 0;
  waitpid(child, &end, 0);
  assert_true(WIFEXITED(end));
  assert_int_equal(WEXITSTATUS(end), LS_EBUSY);
  /* The refusal took nothing from the first master. */
  struct ls_journal_result result = fixture_result(0);
  ls_journal_result(journal, &result);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  ls_journal_close(fixture_must_open(fixture->path, LS_JOURNAL_RESUME));
}

static void a_reader_reads_beside_a_live_master_and_leaves_no_trace(void **state) {
  static struct fixture_results results;
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  fixture_join(journal, 2);
  for (uint64_t unit = 0; unit < 5; unit++) {
    struct ls_journal_result result = fixture_result(unit);
    ls_journal_result(journal, &result);
    fixture_must_commit(journal);
    struct ls_journal *reader = fixture_must_open(fixture->path, LS_JOURNAL_READ);
    fixture_read(reader, &results);
    assert_int_equal(results.count, unit + 1);
    /* One reader sees one instant, whatever the master goes on to do. */
    struct ls_journal_result attempt = fixture_result(unit);
    ls_journal_attempt(journal, &attempt);
    fixture_must_commit(journal);
    results.count = 0;
    assert_int_equal(ls_journal_each_attempt(reader, fixture_keep, &results, NULL), LS_OK);
    assert_int_equal(results.count, unit);
    ls_journal_close(reader);
  }
  ls_journal_close(journal);
  ls_journal_close(fixture_must_open(fixture->path, LS_JOURNAL_READ));
  assert_false(is_there(fixture->path, "-wal"));
  assert_false(is_there(fixture->path, "-shm"));
}

/* Names that SQLite or its URIs would take for something else. */
static void strange_names_are_just_names(void **state) {
  struct fixture *fixture = *state;
  static const char *const names[] = {":memory:", "a?mode=memory", "50% # done", "\xff\xfe name",
                                      "file:x"};
  char before[4096];
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir(fixture->folder), 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    ls_journal_close(fixture_must_open(names[i], LS_JOURNAL_NEW));
    assert_int_equal(permissions_of(names[i], ""), 0600);
    ls_journal_close(fixture_must_open(names[i], LS_JOURNAL_READ));
  }
  assert_int_equal(chdir(before), 0);
}

/* Cuts or overwrites a journal with some thousands of results. */
static void damage(const char *path, off_t from, off_t length) {
  int file = open(path, O_RDWR);
  assert_true(file >= 0);
  struct stat about;
  assert_int_equal(fstat(file, &about), 0);
  if (length == 0) {
    assert_int_equal(ftruncate(file, about.st_size / 2 + 100), 0);
  } else {
    char noise[4096];
    memset(noise, 0xa5, sizeof noise);
    for (off_t k = 0; k < length; k += 4096)
      assert_int_equal(pwrite(file, noise, sizeof noise, from + k), sizeof noise);
  }
  close(file);
}

static void fill(const char *path) {
  unlink(path);
  struct ls_journal *journal = fixture_must_open(path, LS_JOURNAL_NEW);
  for (uint64_t unit = 0; unit < 3000; unit++) {
    struct ls_journal_result result = fixture_result(unit);
    ls_journal_result(journal, &result);
  }
  fixture_must_commit(journal);
  ls_journal_close(journal);
}

static void damaged_journals_are_not_resumed(void **state) {
  struct fixture *fixture = *state;
  fill(fixture->path);
  damage(fixture->path, 0, 0);
  expect_refusal(fixture->path, LS_JOURNAL_RESUME, LS_ECORRUPT, "damaged");
  fill(fixture->path);
  damage(fixture->path, 20 * 4096, 3 * 4096);
  expect_refusal(fixture->path, LS_JOURNAL_RESUME, LS_ECORRUPT, "damaged");
}

/* Nothing that a journal failed to become is left behind to confuse the next try. */
static void a_refused_new_journal_leaves_no_file(void **state) {
  struct fixture *fixture = *state;
  char path[160];
  snprintf(path, sizeof path, "%s/x.journal", fixture->folder);
  expect_refusal("/dev/full/x", LS_JOURNAL_NEW, LS_EINVAL, "created");
  expect_refusal(path, LS_JOURNAL_READ, LS_EINVAL, "No such file");
  assert_false(is_there(path, ""));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(journal_and_its_companions_are_the_owners_only),
      TEST(an_empty_file_becomes_a_private_journal),
      TEST(reading_what_is_no_journal_is_refused_in_words),
      TEST(writing_to_what_is_no_journal_is_refused_and_leaves_it_alone),
      TEST(a_read_only_folder_refuses_masters_but_not_readers),
      TEST(a_journal_in_a_read_only_folder_is_bad_input),
      TEST(a_second_master_is_refused_with_the_first_ones_process),
      TEST(a_reader_reads_beside_a_live_master_and_leaves_no_trace),
      TEST(strange_names_are_just_names),
      TEST(damaged_journals_are_not_resumed),
      TEST(a_refused_new_journal_leaves_no_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
