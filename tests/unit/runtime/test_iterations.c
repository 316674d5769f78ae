#include "journal_fixture.h"
#include "runtime/iterations.h"

/* Counts how often it is asked, and what it restored. */
struct path {
  unsigned asked[8];
  uint32_t restored;
  char state[16];
  uint64_t more; /* units than the first time */
};

static enum ls_status count_units(void *context, uint32_t iteration, uint64_t *units,
                                  struct ls_error *err) {
  struct path *path = context;
  (void)err;
  ++path->asked[iteration];
  *units = 10 + iteration + path->more;
  return LS_OK;
}

static enum ls_status checkpoint(void *context, struct ls_bytes *bytes, struct ls_error *err) {
  const struct path *path = context;
  (void)err;
  ls_bytes_append_text(bytes, path->state);
  return LS_OK;
}

static enum ls_status restore(void *context, uint32_t iteration, const struct ls_bytes *bytes,
                              struct ls_error *err) {
  struct path *path = context;
  (void)err;
  path->restored = iteration;
  memcpy(path->state, bytes->data, bytes->length);
  return LS_OK;
}

static const struct ls_app path_app = {
    .name = "path", .units = count_units, .checkpoint = checkpoint, .restore = restore};

static void each_iteration_is_asked_for_once(void **state) {
  (void)state;
  struct path path = {0};
  struct ls_iterations iterations;
  uint64_t units = 0;
  ls_iterations_init(&iterations, &path_app, &path, NULL);
  assert_int_equal(ls_iterations_ask(&iterations, 0, &units, NULL), LS_OK);
  assert_int_equal(ls_iterations_ask(&iterations, 0, &units, NULL), LS_OK);
  assert_int_equal(units, 10);
  assert_int_equal(ls_iterations_ask(&iterations, 1, &units, NULL), LS_OK);
  assert_int_equal(units, 11);
  assert_true(path.asked[0] == 1 && path.asked[1] == 1);
  ls_iterations_init(&iterations, &path_app, &path, NULL);
  ls_iterations_know(&iterations, 10);
  assert_int_equal(ls_iterations_ask(&iterations, 0, &units, NULL), LS_OK);
  assert_true(units == 10 && path.asked[0] == 1);
}

static void another_way_than_the_journals_is_refused(void **state) {
  struct fixture *fixture = *state;
  struct path path = {0};
  struct ls_iterations iterations;
  struct ls_error err = {0};
  uint64_t units = 0;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  ls_iterations_init(&iterations, &path_app, &path, journal);
  assert_int_equal(ls_iterations_ask(&iterations, 0, &units, NULL), LS_OK);
  fixture_must_commit(journal);
  path.more = 5;
  ls_iterations_init(&iterations, &path_app, &path, journal);
  assert_int_equal(ls_iterations_ask(&iterations, 0, &units, &err), LS_EMISMATCH);
  assert_non_null(strstr(err.text, "has 15 units, but 10 in the journal"));
  ls_journal_close(journal);
}

static void a_checkpoint_takes_the_place_of_what_was_before(void **state) {
  struct fixture *fixture = *state;
  struct path path = {.state = "third"}, other = {0};
  struct ls_app app = path_app;
  struct ls_iterations iterations;
  struct ls_error err = {0};
  uint32_t iteration = 9;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  ls_iterations_init(&iterations, &app, &path, journal);
  assert_int_equal(ls_iterations_restore(&iterations, &iteration, NULL), LS_OK);
  assert_int_equal(iteration, 0);
  assert_int_equal(ls_iterations_checkpoint(&iterations, 3, NULL), LS_OK);
  fixture_must_commit(journal);
  ls_iterations_init(&iterations, &app, &other, journal);
  ls_iterations_know(&iterations, 10);
  assert_int_equal(ls_iterations_restore(&iterations, &iteration, NULL), LS_OK);
  assert_true(iteration == 3 && other.restored == 3);
  assert_string_equal(other.state, "third");
  app.restore = NULL;
  assert_int_equal(ls_iterations_restore(&iterations, &iteration, &err), LS_EMISMATCH);
  assert_non_null(strstr(err.text, "cannot restore"));
  ls_journal_close(journal);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(each_iteration_is_asked_for_once),
      TEST(another_way_than_the_journals_is_refused),
      TEST(a_checkpoint_takes_the_place_of_what_was_before),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
