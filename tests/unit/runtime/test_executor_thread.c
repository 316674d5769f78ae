/* test_executor_thread.c: the loop goes on while a thread computes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "executor_fixture.h"

enum { UNIT_WAITS = 100, UNIT_LINGERS, UNIT_CRASHES };

/* What units do at the test's word. */
struct program {
  sem_t begun, may_end;
  bool has_ended;
  char received[32];
};

static enum ls_status receive(void *state, uint32_t iteration, const struct ls_bytes *bytes,
                              struct ls_error *err) {
  struct program *program = state;
  (void)iteration, (void)err;
  memcpy(program->received, bytes->data, bytes->length + 1);
  return LS_OK;
}

static enum ls_status compute(void *state, const struct ls_work *work, struct ls_bytes *output,
                              struct ls_error *err) {
  struct program *program = state;
  (void)err;
  if (work->units.first == UNIT_CRASHES) abort();
  if (work->units.first == UNIT_WAITS) {
    (void)sem_post(&program->begun);
    while (sem_wait(&program->may_end) != 0) continue;
  }
  if (work->units.first == UNIT_LINGERS) {
    (void)sem_post(&program->begun);
    (void)nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  }
  ls_bytes_printf(output, "%d %.*s %s", (int)work->units.first, (int)work->length,
                  (const char *)work->input, program->received);
  program->has_ended = true;
  return LS_OK;
}

static const struct ls_app app = {.name = "waiting", .receive = receive, .compute = compute};

struct scene {
  struct program program;
  struct ls_executor *executor;
  struct ls_bytes news;
};

static void begin(struct scene *scene) {
  *scene = (struct scene){0};
  assert_int_equal(sem_init(&scene->program.begun, 0, 0), 0);
  assert_int_equal(sem_init(&scene->program.may_end, 0, 0), 0);
  scene->executor = make_executor(
      &ls_executor_thread, (struct ls_executor_setup){.app = &app, .state = &scene->program});
  ls_bytes_append_text(&scene->news, "news");
  ls_executor_thread.receive(scene->executor, 0, &scene->news);
}

static void end(struct scene *scene) {
  ls_executor_thread.destroy(scene->executor);
  ls_bytes_close(&scene->news);
  (void)sem_destroy(&scene->program.begun);
  (void)sem_destroy(&scene->program.may_end);
}

static struct ls_work make_unit(uint64_t unit) {
  return make_work((struct ls_range){unit, 1}, (struct ls_range){unit, 1}, "input", 5);
}

/* Starts a unit that says so, and returns when it computes. */
static void start_saying(struct scene *scene, uint64_t unit) {
  assert_int_equal(start_work(&ls_executor_thread, scene->executor, make_unit(unit), NULL), LS_OK);
  while (sem_wait(&scene->program.begun) != 0) continue;
}

static void the_loop_hears_of_the_end_by_a_descriptor(void **state) {
  struct scene scene;
  struct ls_execution execution;
  (void)state;
  begin(&scene);
  assert_int_equal(ls_executor_thread.file(scene.executor), -1);
  start_saying(&scene, UNIT_WAITS);
  struct pollfd look = {.fd = ls_executor_thread.file(scene.executor), .events = POLLIN};
  assert_int_equal(poll(&look, 1, 0), 0);
  assert_false(ls_executor_thread.finished(scene.executor, &execution));
  (void)sem_post(&scene.program.may_end);
  execution = await_end(&ls_executor_thread, scene.executor);
  assert_int_equal(execution.outcome, LS_OUTCOME_DONE);
  assert_string_equal(ls_bytes_text(execution.output), "100 input news");
  assert_int_equal(ls_executor_thread.file(scene.executor), -1);
  assert_false(ls_executor_thread.finished(scene.executor, &execution));
  end(&scene);
}

static void what_is_cancelled_is_computed_and_counts_for_nothing(void **state) {
  struct scene scene;
  struct ls_execution execution;
  (void)state;
  begin(&scene);
  start_saying(&scene, UNIT_WAITS);
  ls_executor_thread.cancel(scene.executor);
  assert_false(ls_executor_thread.finished(scene.executor, &execution));
  (void)sem_post(&scene.program.may_end);
  execution = await_end(&ls_executor_thread, scene.executor);
  assert_int_equal(execution.outcome, LS_OUTCOME_CANCELLED);
  assert_int_equal(execution.output->length, 0);
  assert_int_equal(start_work(&ls_executor_thread, scene.executor, make_unit(3), NULL), LS_OK);
  execution = await_end(&ls_executor_thread, scene.executor);
  assert_int_equal(execution.outcome, LS_OUTCOME_DONE);
  assert_string_equal(ls_bytes_text(execution.output), "3 input news");
  end(&scene);
}

static void news_that_come_while_it_computes_are_of_the_next_iteration(void **state) {
  struct scene scene;
  struct ls_bytes next = {0};
  (void)state;
  begin(&scene);
  start_saying(&scene, UNIT_WAITS);
  /* As the worker's broadcast does. */
  ls_bytes_append_text(&next, "more");
  ls_executor_thread.receive(scene.executor, 1, &next);
  ls_bytes_clear(&scene.news);
  (void)sem_post(&scene.program.may_end);
  struct ls_execution execution = await_end(&ls_executor_thread, scene.executor);
  assert_string_equal(ls_bytes_text(execution.output), "100 input news");
  struct ls_work work = make_unit(4);
  work.iteration = 1;
  assert_int_equal(start_work(&ls_executor_thread, scene.executor, work, NULL), LS_OK);
  execution = await_end(&ls_executor_thread, scene.executor);
  assert_string_equal(ls_bytes_text(execution.output), "4 input more");
  end(&scene);
  ls_bytes_close(&next);
}

static void an_executor_that_is_destroyed_has_finished(void **state) {
  struct scene scene;
  (void)state;
  begin(&scene);
  start_saying(&scene, UNIT_LINGERS);
  end(&scene);
  assert_true(scene.program.has_ended);
}

static void a_crash_ends_the_process(void **state) {
  struct scene scene;
  int result = 0;
  (void)state;
  pid_t pid = fork();
  if (pid == 0) {
    (void)signal(SIGABRT, SIG_DFL);
    begin(&scene);
    (void)!start_work(&ls_executor_thread, scene.executor, make_unit(UNIT_CRASHES), NULL);
    (void)await_end(&ls_executor_thread, scene.executor);
    _exit(0);
  }
  assert_true(pid > 0);
  assert_int_equal(waitpid(pid, &result, 0), pid);
  assert_true(WIFSIGNALED(result));
  assert_int_equal(WTERMSIG(result), SIGABRT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_loop_hears_of_the_end_by_a_descriptor),
      cmocka_unit_test(what_is_cancelled_is_computed_and_counts_for_nothing),
      cmocka_unit_test(news_that_come_while_it_computes_are_of_the_next_iteration),
      cmocka_unit_test(an_executor_that_is_destroyed_has_finished),
      cmocka_unit_test(a_crash_ends_the_process),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
