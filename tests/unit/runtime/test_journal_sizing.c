/* The workers of each iteration: wanted, granted, at work, and what they made of it. */
#include "journal_fixture.h"

#include "runtime/journal/past/journal_sizing.h"

static void note_opening(struct ls_journal *journal, double time_s, uint32_t iteration,
                         uint64_t units, uint64_t wanted) {
  ls_journal_opening(
      journal, &(struct ls_journal_opening){
                   .time_s = time_s, .iteration = iteration, .units = units, .wanted = wanted});
}

static void note_result(struct ls_journal *journal, uint32_t iteration, uint64_t unit,
                        double seconds) {
  struct ls_journal_result result = fixture_result(unit);
  result.iteration = iteration;
  result.seconds = seconds;
  ls_journal_result(journal, &result);
}

static void place(struct ls_places *places, double time_s, enum ls_place_change_kind kind,
                  uint64_t workers) {
  const struct ls_place_change change = {.time_s = time_s, .kind = kind, .workers = workers};
  assert_int_equal(ls_places_add(places, &change, NULL), LS_OK);
}

static void read_sizing(const char *path, const struct ls_places *places,
                        struct ls_sizing_course *course) {
  struct ls_error err = {0};
  struct ls_journal *journal = fixture_must_open(path, LS_JOURNAL_READ);
  if (ls_journal_read_sizing(journal, places, course, &err) != LS_OK) fail_msg("%s", err.text);
  ls_journal_close(journal);
}

/* Four workers; two of them go where the second iteration begins, and one more is on its way when
 * that ends.  Its tasks take 4, 2 and 2 s. */
static void rows_follow_from_openings_results_and_places(void **state) {
  struct fixture *fixture = *state;
  struct ls_places places = {.end_s = 10};
  struct ls_sizing_course course = {0};
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  fixture_join(journal, 2);
  note_opening(journal, 0, 0, 4, 4);
  for (uint64_t unit = 0; unit < 4; unit++) note_result(journal, 0, unit, 3);
  note_opening(journal, 5, 1, 3, 2);
  for (uint64_t unit = 0; unit < 3; unit++) note_result(journal, 1, unit, unit == 0 ? 4 : 2);
  ls_journal_end(journal, "finished", 10);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  place(&places, 1, LS_PLACE_ARRIVED, 4);
  place(&places, 5, LS_PLACE_LEFT, 2);
  place(&places, 9, LS_PLACE_GRANTED, 1);
  place(&places, 10, LS_PLACE_LEFT, 2);
  read_sizing(fixture->path, &places, &course);
  assert_int_equal(course.count, 2);
  const struct ls_sizing_row *first = &course.rows[0], *second = &course.rows[1];
  assert_int_equal(first->wanted, 4);
  assert_int_equal(first->granted, 4);
  assert_near(first->present, 4 * 4 / 5.0, 1e-12);
  assert_near(first->seconds, 5, 1e-12);
  assert_near(first->efficiency, 12 / 16.0, 1e-12);
  assert_near(first->asp, 4, 1e-12);
  assert_int_equal(first->ideal_from, 4);
  assert_int_equal(first->ideal_to, 4);
  assert_int_equal(second->iteration, 1);
  assert_int_equal(second->units, 3);
  assert_int_equal(second->wanted, 2);
  assert_int_equal(second->granted, 3);
  assert_near(second->present, 2, 1e-12);
  assert_near(second->efficiency, 8 / 10.0, 1e-12);
  assert_near(second->asp, 2, 1e-12);
  assert_int_equal(second->ideal_from, 2);
  assert_int_equal(second->ideal_to, 2);
  free(course.rows);
  ls_places_close(&places);
}

/* A master that died in the midst of the second iteration, and the one that went on. */
static void an_iteration_of_two_sessions_is_one_row(void **state) {
  struct fixture *fixture = *state;
  struct ls_places places = {.end_s = 9};
  struct ls_sizing_course course = {0};
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  fixture_join(journal, 2);
  note_opening(journal, 0, 0, 1, 2);
  note_result(journal, 0, 0, 2);
  note_opening(journal, 2, 1, 2, 2);
  note_result(journal, 1, 0, 3);
  ls_journal_end(journal, "stopped", 5);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
  note_opening(journal, 1, 1, 1, 1);
  ls_journal_end(journal, "finished", 4);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  place(&places, 0, LS_PLACE_ARRIVED, 1);
  read_sizing(fixture->path, &places, &course);
  assert_int_equal(course.count, 2);
  assert_near(course.rows[1].begin_s, 2, 1e-12);
  assert_near(course.rows[1].seconds, 7, 1e-12);
  assert_near(course.rows[1].present, 1, 1e-12);
  assert_int_equal(course.rows[1].units, 2);
  assert_int_equal(course.rows[1].wanted, 1);
  free(course.rows);
  ls_places_close(&places);
}

/* A task that sleeps ends at its time though it was stopped meanwhile: it took all of it. */
static void a_suspended_worker_that_worked_was_there(void **state) {
  struct fixture *fixture = *state;
  struct ls_places places = {.end_s = 4};
  struct ls_sizing_course course = {0};
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  fixture_join(journal, 2);
  note_opening(journal, 0, 0, 1, 1);
  note_result(journal, 0, 0, 3);
  ls_journal_end(journal, "finished", 4);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  place(&places, 0, LS_PLACE_ARRIVED, 1);
  place(&places, 1, LS_PLACE_SUSPENDED, 1);
  place(&places, 3, LS_PLACE_RESUMED, 1);
  read_sizing(fixture->path, &places, &course);
  assert_int_equal(course.count, 1);
  assert_near(course.rows[0].efficiency, 1, 1e-12);
  assert_near(course.rows[0].present, 3 / 4.0, 1e-12);
  free(course.rows);
  ls_places_close(&places);
}

static void a_journal_of_commands_has_no_rows(void **state) {
  struct fixture *fixture = *state;
  const struct ls_places places = {.end_s = 10};
  struct ls_sizing_course course = {0};
  fixture_run_session(fixture->path, LS_JOURNAL_NEW, 5, "finished");
  read_sizing(fixture->path, &places, &course);
  assert_int_equal(course.count, 0);
}

static void iterations_that_go_back_are_refused(void **state) {
  struct fixture *fixture = *state;
  const struct ls_places places = {.end_s = 10};
  struct ls_sizing_course course = {0};
  struct ls_error err = {0};
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  note_opening(journal, 0, 3, 1, 2);
  note_opening(journal, 2, 1, 1, 2);
  fixture_must_commit(journal);
  assert_int_equal(ls_journal_read_sizing(journal, &places, &course, &err), LS_ECORRUPT);
  assert_non_null(strstr(err.text, "iteration 1"));
  ls_journal_close(journal);
  free(course.rows);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(rows_follow_from_openings_results_and_places, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(an_iteration_of_two_sessions_is_one_row, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(a_suspended_worker_that_worked_was_there, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(a_journal_of_commands_has_no_rows, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(iterations_that_go_back_are_refused, fixture_setup,
                                      fixture_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
