#include "journal_fixture.h"
#include "runtime/master/units/app_iterations.h"

enum { ASKED_MAX = 8 };

struct program {
  uint32_t asked[ASKED_MAX];
  size_t count;
};

static enum ls_status count_units(void *state, uint32_t iteration, uint64_t *units,
                                  struct ls_error *err) {
  struct program *program = state;
  program->asked[program->count++] = iteration;
  if (iteration == 3) return ls_fail(err, LS_EIO, "no third");
  *units = 100 + iteration;
  return LS_OK;
}

static const struct ls_app app = {.name = "app", .units = count_units};

static void each_iteration_is_asked_for_once(void **state) {
  (void)state;
  struct program program = {.count = 0};
  struct ls_iterations iterations;
  uint64_t units = 0;
  ls_iterations_init(&iterations, &app, &program, NULL);
  for (uint32_t i = 0; i < 6; i++) {
    assert_int_equal(ls_iterations_units(&iterations, i / 2, &units, NULL), LS_OK);
    assert_int_equal(units, 100 + i / 2);
  }
  assert_int_equal(program.count, 3);
  for (uint32_t i = 0; i < 3; i++) assert_int_equal(program.asked[i], i);
}

static void what_was_asked_before_is_not_asked_again(void **state) {
  (void)state;
  struct program program = {.count = 0};
  struct ls_iterations iterations;
  uint64_t units = 0, first = 42;
  ls_iterations_init(&iterations, &app, &program, &first);
  assert_int_equal(ls_iterations_units(&iterations, 0, &units, NULL), LS_OK);
  assert_int_equal(units, 42);
  assert_int_equal(program.count, 0);
  assert_int_equal(ls_iterations_units(&iterations, 1, &units, NULL), LS_OK);
  assert_int_equal(units, 101);
  assert_int_equal(program.count, 1);
}

static enum ls_status find_idle(void *state, uint32_t iteration, struct ls_ranges *units,
                                struct ls_error *err) {
  struct program *program = state;
  (void)err;
  program->asked[program->count++] = 1000 + iteration;
  for (uint32_t i = 0; i < iteration; i++) ls_ranges_add(units, (struct ls_range){3 * i, 1});
  return LS_OK;
}

/* Also of the first one, whose number was asked for before. */
static void what_is_idle_is_asked_behind_the_number_and_once(void **state) {
  (void)state;
  static const struct ls_app idle_app = {.name = "app", .units = count_units, .idle = find_idle};
  struct program program = {.count = 0};
  struct ls_iterations iterations;
  uint64_t units = 0, first = 42;
  ls_iterations_init(&iterations, &idle_app, &program, &first);
  for (uint32_t i = 0; i < 6; i++) {
    assert_int_equal(ls_iterations_units(&iterations, i / 2, &units, NULL), LS_OK);
    assert_int_equal(ls_iterations_idle(&iterations)->count, i / 2);
  }
  static const uint32_t asked[] = {1000, 1, 1001, 2, 1002};
  assert_int_equal(program.count, 5);
  assert_memory_equal(program.asked, asked, sizeof asked);
  ls_iterations_close(&iterations);
}

static void a_failure_is_no_answer(void **state) {
  (void)state;
  struct program program = {.count = 0};
  struct ls_iterations iterations;
  struct ls_error err = {0};
  uint64_t units = 7;
  ls_iterations_init(&iterations, &app, &program, NULL);
  assert_int_equal(ls_iterations_units(&iterations, 3, &units, &err), LS_EIO);
  assert_string_equal(err.text, "no third");
  assert_int_equal(units, 7);
  assert_int_equal(ls_iterations_units(&iterations, 4, &units, &err), LS_OK);
  assert_int_equal(units, 104);
}

/* Counts how often it is asked, and what it restored. */
struct path {
  unsigned asked[8];
  uint32_t restored;
  char state[16];
  uint64_t more; /* units than the first time */
};

static enum ls_status count_path(void *context, uint32_t iteration, uint64_t *units,
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
    .name = "path", .units = count_path, .checkpoint = checkpoint, .restore = restore};

static void another_way_than_the_journals_is_refused(void **state) {
  struct fixture *fixture = *state;
  struct path path = {0};
  struct ls_iterations iterations;
  struct ls_error err = {0};
  uint64_t units = 0;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  ls_iterations_init(&iterations, &path_app, &path, NULL);
  ls_iterations_record(&iterations, journal);
  assert_int_equal(ls_iterations_units(&iterations, 0, &units, NULL), LS_OK);
  fixture_must_commit(journal);
  path.more = 5;
  ls_iterations_init(&iterations, &path_app, &path, NULL);
  ls_iterations_record(&iterations, journal);
  assert_int_equal(ls_iterations_units(&iterations, 0, &units, &err), LS_EMISMATCH);
  assert_non_null(strstr(err.text, "has 15 units, but 10 in the journal"));
  ls_journal_close(journal);
}

static void a_checkpoint_takes_the_place_of_what_was_before(void **state) {
  struct fixture *fixture = *state;
  struct path path = {.state = "third"}, other = {0};
  struct ls_app keeper = path_app;
  struct ls_iterations iterations;
  struct ls_error err = {0};
  uint32_t iteration = 9;
  const uint64_t first = 10;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  ls_iterations_init(&iterations, &keeper, &path, NULL);
  ls_iterations_record(&iterations, journal);
  assert_int_equal(ls_iterations_restore(&iterations, &iteration, NULL), LS_OK);
  assert_int_equal(iteration, 0);
  assert_int_equal(ls_iterations_checkpoint(&iterations, 3, NULL), LS_OK);
  fixture_must_commit(journal);
  ls_iterations_init(&iterations, &keeper, &other, &first);
  ls_iterations_record(&iterations, journal);
  assert_int_equal(ls_iterations_restore(&iterations, &iteration, NULL), LS_OK);
  assert_true(iteration == 3 && other.restored == 3);
  assert_string_equal(other.state, "third");
  keeper.restore = NULL;
  assert_int_equal(ls_iterations_restore(&iterations, &iteration, &err), LS_EMISMATCH);
  assert_non_null(strstr(err.text, "cannot restore"));
  ls_journal_close(journal);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_iteration_is_asked_for_once),
      cmocka_unit_test(what_was_asked_before_is_not_asked_again),
      cmocka_unit_test(what_is_idle_is_asked_behind_the_number_and_once),
      cmocka_unit_test(a_failure_is_no_answer),
      TEST(another_way_than_the_journals_is_refused),
      TEST(a_checkpoint_takes_the_place_of_what_was_before),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
