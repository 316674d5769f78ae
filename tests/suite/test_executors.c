/* test_executors.c: what every kind of executor owes to the units of an application.
 *
 * One application, whose answers say all that it was given, in each kind; the kinds that have
 * processes of their own also survive its crashes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../unit/runtime/executor_fixture.h"

enum { UNIT_FAILS = 1000, UNIT_STAGES_ILL, UNIT_CRASHES, UNIT_STAGING_CRASHES, UNIT_SLEEPS };
enum { ITERATION_REFUSED = 9 };

struct program {
  char received[32];
  bool has_received;
};

static enum ls_status receive(void *state, uint32_t iteration, const struct ls_bytes *bytes,
                              struct ls_error *err) {
  struct program *program = state;
  if (iteration == ITERATION_REFUSED) return ls_fail(err, LS_EINVAL, "iteration nine");
  (void)snprintf(program->received, sizeof program->received, "%u=%.*s", iteration,
                 (int)bytes->length, bytes->length > 0 ? bytes->data : "");
  return LS_OK;
}

/* The staged bytes: the units, and what was received. */
static enum ls_status stage(void *state, const struct ls_work *work, struct ls_bytes *staged,
                            struct ls_error *err) {
  const struct program *program = state;
  if (work->units.first == UNIT_STAGES_ILL) return ls_fail(err, LS_EIO, "cannot stage");
  if (work->units.first == UNIT_STAGING_CRASHES) abort();
  ls_bytes_printf(staged, "%d+%d|%s", (int)work->units.first, (int)work->units.count,
                  program->received);
  return LS_OK;
}

static enum ls_status compute(void *state, const struct ls_work *work, struct ls_bytes *output,
                              struct ls_error *err) {
  const struct program *program = state;
  if (work->units.first == UNIT_FAILS) return ls_fail(err, LS_EINVAL, "no luck with row 5");
  if (work->units.first == UNIT_CRASHES) abort();
  if (work->units.first == UNIT_SLEEPS) (void)sleep(60);
  ls_bytes_printf(output, "%d@%d %d+%d of %d+%d %s ", (int)work->iteration, (int)work->slot,
                  (int)work->units.first, (int)work->units.count, (int)work->packed.first,
                  (int)work->packed.count, program->received);
  ls_bytes_append(output, work->staged, work->staged_length);
  ls_bytes_append(output, " ", 1);
  ls_bytes_append(output, work->input, work->length);
  return LS_OK;
}

static const struct ls_app plain_app = {.name = "plain", .receive = receive, .compute = compute};
static const struct ls_app staging_app = {
    .name = "staging", .receive = receive, .stage = stage, .compute = compute};

struct scene {
  const struct ls_executor_kind *kind;
  const struct ls_app *app;
  struct program program;
  struct ls_executor *executor;
  struct ls_bytes news;
};

static const struct {
  const struct ls_executor_kind *kind;
  const struct ls_app *app;
  size_t stage_ahead;
} cases[] = {{&ls_executor_child, &plain_app, 0},    {&ls_executor_staged, &staging_app, 0},
             {&ls_executor_staged, &staging_app, 1}, {&ls_executor_staged, &staging_app, 5},
             {&ls_executor_thread, &plain_app, 0},   {&ls_executor_thread, &staging_app, 0},
             {&ls_executor_direct, &plain_app, 0},   {&ls_executor_direct, &staging_app, 0}};
enum { CASES = sizeof cases / sizeof *cases };

static void begin(struct scene *scene, size_t index) {
  *scene = (struct scene){.kind = cases[index].kind, .app = cases[index].app};
  scene->executor = make_executor(
      scene->kind,
      (struct ls_executor_setup){
          .app = scene->app, .state = &scene->program, .stage_ahead = cases[index].stage_ahead});
}

static void end(struct scene *scene) {
  scene->kind->destroy(scene->executor);
  ls_bytes_close(&scene->news);
}

static void tell(struct scene *scene, uint32_t iteration, const char *text) {
  ls_bytes_clear(&scene->news);
  ls_bytes_append_text(&scene->news, text);
  scene->kind->receive(scene->executor, iteration, &scene->news);
}

static struct ls_work make_at(uint32_t iteration, uint64_t first, uint64_t count,
                              const char *input) {
  struct ls_range units = {first, count}, packed = {first / 10 * 10, 10};
  struct ls_work work = make_work(units, packed, input, strlen(input));
  work.iteration = iteration;
  work.slot = 4;
  return work;
}

static struct ls_execution run(struct scene *scene, struct ls_work work) {
  struct ls_error err = {0};
  if (start_work(scene->kind, scene->executor, work, &err) != LS_OK) fail_msg("%s", err.text);
  struct ls_execution execution = await_end(scene->kind, scene->executor);
  assert_int_equal(execution.units.first, work.units.first);
  assert_int_equal(execution.units.count, work.units.count);
  return execution;
}

static void assert_answer(const struct scene *scene, const struct ls_execution *execution,
                          const struct ls_work *work, const char *received) {
  char text[256], staged[64] = "";
  if (scene->app->stage != NULL) {
    (void)snprintf(staged, sizeof staged, "%d+%d|%s", (int)work->units.first,
                   (int)work->units.count, received);
  }
  (void)snprintf(text, sizeof text, "%d@4 %d+%d of %d+%d %s %s %.*s", (int)work->iteration,
                 (int)work->units.first, (int)work->units.count, (int)work->packed.first,
                 (int)work->packed.count, received, staged, (int)work->length,
                 (const char *)work->input);
  if (execution->outcome != LS_OUTCOME_DONE) {
    fail_msg("unit %d: %s", (int)work->units.first, ls_bytes_text(execution->error_output));
  }
  assert_int_equal(execution->output->length, strlen(text));
  assert_string_equal(execution->output->data, text);
  assert_int_equal(execution->error_output->length, 0);
}

static void an_application_is_given_all_that_it_needs(void **state) {
  (void)state;
  for (size_t i = 0; i < CASES; i++) {
    struct scene scene;
    begin(&scene, i);
    for (uint32_t iteration = 0; iteration < 4; iteration++) {
      char received[32];
      (void)snprintf(received, sizeof received, "%u=news %u", iteration, iteration);
      tell(&scene, iteration, received + 2);
      for (uint64_t first = 0; first < 30; first += 5) {
        struct ls_work work = make_at(iteration, first, 5, iteration % 2 == 0 ? "input" : "");
        struct ls_execution execution = run(&scene, work);
        assert_answer(&scene, &execution, &work, received);
      }
    }
    end(&scene);
  }
}

/* What nobody told is nothing: it is received all the same. */
static void an_iteration_without_news_is_told_so(void **state) {
  (void)state;
  for (size_t i = 0; i < CASES; i++) {
    struct scene scene;
    begin(&scene, i);
    struct ls_work work = make_at(3, 0, 1, "x");
    struct ls_execution execution = run(&scene, work);
    assert_answer(&scene, &execution, &work, "3=");
    end(&scene);
  }
}

static void a_failure_says_why_and_stains_no_other_unit(void **state) {
  (void)state;
  for (size_t i = 0; i < CASES; i++) {
    struct scene scene;
    begin(&scene, i);
    tell(&scene, 0, "news");
    struct ls_execution execution = run(&scene, make_at(0, UNIT_FAILS, 1, ""));
    assert_int_equal(execution.outcome, LS_OUTCOME_FAILED);
    assert_non_null(strstr(ls_bytes_text(execution.error_output), "no luck with row 5\n"));
    assert_int_equal(execution.output->length, 0);
    if (scene.app->stage != NULL) {
      execution = run(&scene, make_at(0, UNIT_STAGES_ILL, 1, ""));
      assert_int_equal(execution.outcome, LS_OUTCOME_FAILED);
      assert_non_null(strstr(ls_bytes_text(execution.error_output), "cannot stage\n"));
    }
    struct ls_work work = make_at(0, 7, 1, "next");
    execution = run(&scene, work);
    assert_answer(&scene, &execution, &work, "0=news");
    end(&scene);
  }
}

static void news_that_are_refused_fail_the_units(void **state) {
  (void)state;
  for (size_t i = 0; i < CASES; i++) {
    struct scene scene;
    begin(&scene, i);
    tell(&scene, ITERATION_REFUSED, "news");
    for (int k = 0; k < 2; k++) {
      struct ls_execution execution = run(&scene, make_at(ITERATION_REFUSED, 1, 1, ""));
      assert_int_equal(execution.outcome, LS_OUTCOME_FAILED);
      assert_non_null(strstr(ls_bytes_text(execution.error_output), "iteration nine\n"));
    }
    tell(&scene, ITERATION_REFUSED + 1, "more");
    struct ls_work work = make_at(ITERATION_REFUSED + 1, 7, 1, "next");
    struct ls_execution execution = run(&scene, work);
    assert_answer(&scene, &execution, &work, "10=more");
    end(&scene);
  }
}

static bool has_processes(size_t index) {
  return cases[index].kind != &ls_executor_direct && cases[index].kind != &ls_executor_thread;
}

/* A child that takes its place knows what was broadcast. */
static void a_crash_costs_its_unit_only(void **state) {
  (void)state;
  static const uint64_t crashing[] = {UNIT_CRASHES, UNIT_STAGING_CRASHES};
  for (size_t i = 0; i < CASES; i++) {
    for (size_t k = 0; k < 2 && has_processes(i); k++) {
      struct scene scene;
      begin(&scene, i);
      if (k == 1 && scene.app->stage == NULL) {
        end(&scene);
        continue;
      }
      tell(&scene, 0, "news");
      struct ls_work work = make_at(0, 7, 1, "before");
      struct ls_execution execution = run(&scene, work);
      assert_answer(&scene, &execution, &work, "0=news");
      execution = run(&scene, make_at(0, crashing[k], 1, ""));
      assert_int_equal(execution.outcome, LS_OUTCOME_FAILED);
      assert_non_null(strstr(ls_bytes_text(execution.error_output), "signal 6"));
      work = make_at(0, 8, 1, "next");
      execution = run(&scene, work);
      assert_answer(&scene, &execution, &work, "0=news");
      end(&scene);
    }
  }
}

static void what_is_cancelled_ends_at_once(void **state) {
  (void)state;
  for (size_t i = 0; i < CASES; i++) {
    if (!has_processes(i)) continue;
    struct scene scene;
    begin(&scene, i);
    struct ls_work work = make_at(0, UNIT_SLEEPS, 1, "");
    assert_int_equal(start_work(scene.kind, scene.executor, work, NULL), LS_OK);
    scene.kind->cancel(scene.executor);
    assert_int_equal(await_end(scene.kind, scene.executor).outcome, LS_OUTCOME_CANCELLED);
    work = make_at(0, 8, 1, "next");
    struct ls_execution execution = run(&scene, work);
    assert_answer(&scene, &execution, &work, "0=");
    end(&scene);
  }
}

static void a_unit_beyond_its_limit_of_time_is_ended(void **state) {
  (void)state;
  for (size_t i = 0; i < CASES; i++) {
    if (!has_processes(i)) continue;
    struct scene scene;
    begin(&scene, i);
    scene.kind->destroy(scene.executor);
    scene.executor =
        make_executor(scene.kind, (struct ls_executor_setup){.app = scene.app,
                                                             .state = &scene.program,
                                                             .timeout_s = 0.2,
                                                             .stage_ahead = cases[i].stage_ahead});
    assert_int_equal(scene.kind->units_max(scene.executor), 1);
    struct ls_execution execution = run(&scene, make_at(0, UNIT_SLEEPS, 1, ""));
    assert_int_equal(execution.outcome, LS_OUTCOME_TIMED_OUT);
    end(&scene);
  }
}

/* Sizes around the limit from which data lie in shared memory, and megabytes; twice each, so that
 * the second one finds the memory of the first. */
static void data_of_every_size_arrive_whole(void **state) {
  (void)state;
  static const size_t sizes[] = {0, 1, 32767, 32768, 32769, 65536, 1 << 20, 5000000};
  char *input = malloc(5000001);
  assert_non_null(input);
  for (size_t i = 0; i < 5000000; i++) input[i] = (char)('a' + i * 7 % 23);
  for (size_t i = 0; i < CASES; i++) {
    struct scene scene;
    begin(&scene, i);
    for (size_t k = 0; k < 2 * (sizeof sizes / sizeof *sizes); k++) {
      struct ls_work work = make_at(0, k, 1, "");
      work.input = input + k % 5;
      work.length = sizes[k / 2] - (sizes[k / 2] > 5 ? k % 5 : 0);
      struct ls_execution execution = run(&scene, work);
      assert_int_equal(execution.outcome, LS_OUTCOME_DONE);
      size_t head = execution.output->length - work.length;
      assert_true(execution.output->length >= work.length);
      if (work.length > 0)
        assert_memory_equal(execution.output->data + head, work.input, work.length);
      assert_int_equal(execution.output->data[execution.output->length], '\0');
    }
    end(&scene);
  }
  free(input);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_application_is_given_all_that_it_needs),
      cmocka_unit_test(an_iteration_without_news_is_told_so),
      cmocka_unit_test(a_failure_says_why_and_stains_no_other_unit),
      cmocka_unit_test(news_that_are_refused_fail_the_units),
      cmocka_unit_test(a_crash_costs_its_unit_only),
      cmocka_unit_test(what_is_cancelled_ends_at_once),
      cmocka_unit_test(a_unit_beyond_its_limit_of_time_is_ended),
      cmocka_unit_test(data_of_every_size_arrive_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
