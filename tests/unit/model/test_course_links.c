/* Separate links are told from a shared one by transfers that met on their way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/random.h"
#include "model/course_links.h"

enum { WORKERS = 4, TRANSFERS = 40 };

static char *names[WORKERS] = {(char *)"a", (char *)"b", (char *)"c", (char *)"d"};

static double alone_s(uint32_t worker, uint64_t units) {
  return 0.02 + 0.01 * (worker + 1) * (double)units;
}

static struct ls_run_course make_course(struct ls_course_transfer *transfers, size_t count) {
  return (struct ls_run_course){
      .workers = names, .workers_count = WORKERS, .transfers = transfers, .transfers_count = count};
}

/* Every other one travels beside another of the same length, which takes it `times` as long. */
static void make_transfers(struct ls_course_transfer *transfers, double times, double noise) {
  struct ls_random random;
  double now_s = 1;
  ls_random_init(&random, 3, "links");
  for (size_t i = 0; i < TRANSFERS; i += 2) {
    bool is_together = i % 4 == 0;
    uint64_t units = 1 + ls_random_below(&random, 30);
    for (size_t k = 0; k < 2; k++) {
      uint32_t worker = (uint32_t)((i / 2 + (is_together ? 0 : k)) % WORKERS);
      double seconds = alone_s(worker, units) * (is_together ? times : 1);
      seconds *= 1 + noise * (ls_random_real(&random) - 0.5);
      transfers[i + k] = (struct ls_course_transfer){worker, i + k, units, now_s, seconds};
      if (!is_together || k == 1) now_s += seconds + 0.1;
    }
  }
}

static enum ls_links find(const struct ls_course_transfer *transfers, size_t count,
                          struct ls_course_links *links) {
  struct ls_run_course course = make_course((struct ls_course_transfer *)transfers, count);
  assert_int_equal(ls_course_links_find(&course, links, NULL), LS_OK);
  return links->links;
}

static void as_long_as_alone_is_separate(void **state) {
  (void)state;
  struct ls_course_transfer transfers[TRANSFERS];
  struct ls_course_links links;
  make_transfers(transfers, 1, 0.05);
  assert_int_equal(find(transfers, TRANSFERS, &links), LS_LINKS_SEPARATE);
  assert_int_equal(links.overlapping, TRANSFERS / 2);
  assert_true(links.company[0] > 1.9 && links.company[2] <= ls_course_links_alone);
  ls_course_links_close(&links);
}

static void twice_as_long_is_shared(void **state) {
  (void)state;
  struct ls_course_transfer transfers[TRANSFERS];
  struct ls_course_links links;
  make_transfers(transfers, 2, 0.05);
  assert_int_equal(find(transfers, TRANSFERS, &links), LS_LINKS_SHARED);
  for (size_t i = 0; i < TRANSFERS; i++)
    assert_true(fabs(links.alone_s[i] / alone_s(transfers[i].worker, transfers[i].units) - 1) <=
                0.06);
  ls_course_links_close(&links);
}

static void who_never_met_tells_nothing(void **state) {
  (void)state;
  struct ls_course_transfer transfers[TRANSFERS];
  struct ls_course_links links;
  make_transfers(transfers, 1, 0.05);
  for (size_t i = 0; i < TRANSFERS; i++) transfers[i].start_s = 5 * (double)i;
  assert_int_equal(find(transfers, TRANSFERS, &links), LS_LINKS_UNKNOWN);
  assert_int_equal(links.overlapping, 0);
  ls_course_links_close(&links);
}

/* Whoever always has the same company could be either. */
static void a_company_that_never_changes_tells_nothing(void **state) {
  (void)state;
  struct ls_course_transfer transfers[TRANSFERS];
  struct ls_course_links links;
  for (size_t i = 0; i < TRANSFERS; i++)
    transfers[i] = (struct ls_course_transfer){i % 2, i, 1 + i / 2, 10 * (double)(i / 2),
                                               0.1 * (double)(1 + i / 2)};
  assert_int_equal(find(transfers, TRANSFERS, &links), LS_LINKS_UNKNOWN);
  ls_course_links_close(&links);
  assert_int_equal(find(transfers, 0, &links), LS_LINKS_UNKNOWN);
  ls_course_links_close(&links);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_long_as_alone_is_separate),
      cmocka_unit_test(twice_as_long_is_shared),
      cmocka_unit_test(who_never_met_tells_nothing),
      cmocka_unit_test(a_company_that_never_changes_tells_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
