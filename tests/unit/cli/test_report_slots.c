/* report --explain: slots of one job in a line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/report_slots.h"
#include "runtime/journal/journal_slots.h"

static char path[] = "/tmp/report-slots-XXXXXX";
static struct ls_journal *journal;

static int open_journal(void **state) {
  (void)state;
  strcpy(path, "/tmp/report-slots-XXXXXX");
  int file = mkstemp(path);
  if (file < 0 || close(file) != 0) return -1;
  struct ls_journal_job job = {.application = "run", .command = "c", .directory = "/"};
  struct ls_journal_request request = {.path = path, .job = &job};
  return ls_journal_open(&request, &journal, NULL) == LS_OK ? 0 : -1;
}

static int close_journal(void **state) {
  (void)state;
  char other[40];
  ls_journal_close(journal);
  (void)snprintf(other, sizeof other, "%s-wal", path);
  (void)unlink(other);
  (void)snprintf(other, sizeof other, "%s-shm", path);
  (void)unlink(other);
  return unlink(path);
}

static void add(double time_s, const char *pool, uint32_t slot, const char *kind, const char *why) {
  ls_journal_slot(
      journal,
      &(struct ls_journal_slot){
          .time_s = time_s, .pool = pool, .slot = slot, .workers = 4, .kind = kind, .why = why});
}

static void expect(const char *expected) {
  struct ls_bytes out = {0};
  assert_int_equal(ls_report_slots_write(journal, &out, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&out), expected);
  ls_bytes_close(&out);
}

static void slots_of_one_job_share_a_line(void **state) {
  (void)state;
  add(0, "", 0, "explained", "8 wanted: 0 work");
  add(0.5, "slurm", 0, "pending", "job 1: 2 of 2 workers");
  add(2, "slurm", 1, "granted", "job 1_1 runs");
  add(2, "slurm", 2, "granted", "job 1_1 runs");
  add(2, "slurm", 3, "granted", "job 1_2 runs");
  add(3, "slurm", 4, "ended", "a\033[2J");
  add(4, "", 1, "released", "had nothing left to do");
  add(4, "", 2, "released", "had nothing left to do");
  assert_int_equal(ls_journal_commit(journal, NULL), LS_OK);
  expect(
      "       0.0 s  8 wanted: 0 work\n"
      "       0.5 s  slurm pending, 4 workers: job 1: 2 of 2 workers\n"
      "       2.0 s  slurm granted, slots 1 to 2: job 1_1 runs\n"
      "       2.0 s  slurm granted, slot 3: job 1_2 runs\n"
      "       3.0 s  slurm ended, slot 4: a\\x1b[2J\n"
      "       4.0 s  released, slots 1 to 2: had nothing left to do\n");
}

static void a_run_without_such_pools_says_so(void **state) {
  (void)state;
  expect("no pool on other machines was asked for workers\n");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_journal, close_journal)
  const struct CMUnitTest tests[] = {TEST(slots_of_one_job_share_a_line),
                                     TEST(a_run_without_such_pools_says_so)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
