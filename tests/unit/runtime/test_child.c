#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "coordinator/event.h"
#include "runtime/child.h"

enum { UNIT_EXITS = 66, UNIT_CRASHES = 67, AT_INPUT = 0, AT_OUTPUT = 1, LARGE = 200000 };

struct program {
  char received[16];
};

static enum ls_status receive(void *state, uint32_t iteration, const struct ls_bytes *bytes,
                              struct ls_error *err) {
  struct program *program = state;
  if (iteration == 13) return ls_fail(err, LS_EINVAL, "thirteen");
  (void)snprintf(program->received, sizeof program->received, "%.*s", (int)bytes->length,
                 bytes->length > 0 ? bytes->data : "");
  return LS_OK;
}

static enum ls_status compute(void *state, const struct ls_work *work, struct ls_bytes *output,
                              struct ls_error *err) {
  const struct program *program = state;
  (void)err;
  if (work->units.first == UNIT_EXITS) _exit(5);
  if (work->units.first == UNIT_CRASHES) (void)raise(SIGKILL);
  ls_bytes_printf(output, "%s,", program->received);
  ls_bytes_append(output, work->input, work->length);
  return LS_OK;
}

static const struct ls_app app = {.name = "app", .receive = receive, .compute = compute};

struct scene {
  struct program program;
  struct ls_executor_setup setup;
  struct ls_shared_memory memories[2];
  struct ls_child_news news;
  struct ls_bytes bytes;
  struct ls_child child;
};

static void begin(struct scene *scene) {
  *scene = (struct scene){.setup = {.app = &app, .speed = 1}};
  scene->setup.state = &scene->program;
  for (int i = 0; i < 2; i++) {
    assert_int_equal(ls_shared_memory_open(&scene->memories[i], NULL), LS_OK);
  }
  ls_child_init(&scene->child, &(struct ls_child_setup){.executor = &scene->setup,
                                                        .pieces = scene->memories,
                                                        .input_at = AT_INPUT,
                                                        .news = &scene->news});
  assert_int_equal(ls_child_start(&scene->child, NULL), LS_OK);
}

static void end(struct scene *scene) {
  ls_child_close(&scene->child);
  for (int i = 0; i < 2; i++) ls_shared_memory_close(&scene->memories[i]);
  ls_bytes_close(&scene->bytes);
}

static void tell(struct scene *scene, uint32_t iteration, const char *text) {
  ls_bytes_clear(&scene->bytes);
  ls_bytes_append_text(&scene->bytes, text);
  scene->news = (struct ls_child_news){iteration, &scene->bytes};
}

static struct ls_question make_question(uint32_t iteration, uint64_t unit, const void *input,
                                        size_t length) {
  return (struct ls_question){.call = LS_CHILD_COMPUTE,
                              .work = {.iteration = iteration,
                                       .units = {unit, 1},
                                       .packed = {unit, 1},
                                       .input = input,
                                       .length = length},
                              .staged_at = LS_CHILD_NOWHERE,
                              .output_at = AT_OUTPUT};
}

static enum ls_child_progress await_answer(struct scene *scene) {
  enum ls_child_progress progress;
  while ((progress = ls_child_listen(&scene->child)) == LS_CHILD_NOTHING) {
    struct pollfd look = {.fd = scene->child.socket, .events = POLLIN};
    assert_true(poll(&look, 1, 60000) > 0);
  }
  return progress;
}

static const char *ask(struct scene *scene, uint32_t iteration, const char *input) {
  struct ls_question question = make_question(iteration, 1, input, strlen(input));
  assert_true(ls_child_ask(&scene->child, &question));
  assert_int_equal(await_answer(scene), LS_CHILD_ANSWERED);
  assert_int_equal(scene->child.answer.outcome, LS_OUTCOME_DONE);
  struct ls_bytes *output = ls_child_output(&scene->child, &question);
  assert_non_null(output);
  return ls_bytes_text(output);
}

static void news_go_before_the_first_question_of_an_iteration(void **state) {
  (void)state;
  struct scene scene;
  begin(&scene);
  tell(&scene, 4, "four");
  assert_false(ls_child_knows(&scene.child, 4));
  assert_string_equal(ask(&scene, 4, "a"), "four,a");
  assert_true(ls_child_knows(&scene.child, 4));
  assert_string_equal(ask(&scene, 4, "b"), "four,b");
  /* News of another iteration are none of this one's. */
  assert_string_equal(ask(&scene, 5, "c"), ",c");
  end(&scene);
}

static void news_that_fail_are_the_answer_and_come_again(void **state) {
  (void)state;
  struct scene scene;
  begin(&scene);
  for (int i = 0; i < 2; i++) {
    struct ls_question question = make_question(13, 1, "a", 1);
    assert_true(ls_child_ask(&scene.child, &question));
    assert_int_equal(await_answer(&scene), LS_CHILD_ANSWERED);
    assert_int_equal(scene.child.answer.outcome, LS_OUTCOME_FAILED);
    assert_string_equal(ls_bytes_text(&scene.child.error_output), "app: thirteen\n");
    assert_false(ls_child_knows(&scene.child, 13));
  }
  assert_string_equal(ask(&scene, 14, "b"), ",b");
  end(&scene);
}

static void large_data_lie_in_shared_memory(void **state) {
  (void)state;
  struct scene scene;
  char *input = malloc(LARGE);
  assert_non_null(input);
  for (size_t i = 0; i < LARGE; i++) input[i] = (char)(i % 251);
  begin(&scene);
  struct ls_question question = make_question(0, 1, input, LARGE);
  assert_true(ls_child_ask(&scene.child, &question));
  assert_int_equal(await_answer(&scene), LS_CHILD_ANSWERED);
  assert_int_equal(scene.child.answer.is_shared, 1);
  struct ls_bytes *output = ls_child_output(&scene.child, &question);
  assert_int_equal(output->length, LARGE + 1);
  assert_memory_equal(output->data + 1, input, LARGE);
  assert_memory_equal(scene.memories[AT_INPUT].data, input, LARGE);
  /* Nowhere to share it: then it follows the answer. */
  question.output_at = LS_CHILD_NOWHERE;
  assert_true(ls_child_ask(&scene.child, &question));
  assert_int_equal(await_answer(&scene), LS_CHILD_ANSWERED);
  assert_int_equal(scene.child.answer.is_shared, 0);
  output = ls_child_output(&scene.child, &question);
  assert_int_equal(output->length, LARGE + 1);
  assert_memory_equal(output->data + 1, input, LARGE);
  end(&scene);
  free(input);
}

/* Else a look at them would be a signal. */
static void an_output_that_is_not_there_is_none(void **state) {
  (void)state;
  struct scene scene;
  begin(&scene);
  struct ls_question question = make_question(0, 1, "", 0);
  scene.child.answer = (struct ls_answer){.is_shared = 1, .output_length = 1 << 20};
  assert_null(ls_child_output(&scene.child, &question));
  end(&scene);
}

static void an_end_is_told_in_words(void **state) {
  (void)state;
  static const uint64_t units[] = {UNIT_EXITS, UNIT_CRASHES};
  static const char *const words[] = {
      "app: exited with status 5 while it computed units 66 to 66\n",
      "app: ended by signal 9 (Killed) while it computed units 67 "
      "to 67\n"};
  for (int i = 0; i < 2; i++) {
    struct scene scene;
    begin(&scene);
    struct ls_question question = make_question(0, units[i], "", 0);
    assert_true(ls_child_ask(&scene.child, &question));
    assert_int_equal(await_answer(&scene), LS_CHILD_BROKEN);
    int ended = ls_child_end(&scene.child);
    struct ls_bytes text = {0};
    ls_child_write_end(&scene.child, ended, "computed", question.work.units, &text);
    assert_string_equal(ls_bytes_text(&text), words[i]);
    ls_bytes_close(&text);
    /* Another one takes its place. */
    assert_int_equal(ls_child_start(&scene.child, NULL), LS_OK);
    assert_string_equal(ask(&scene, 0, "x"), ",x");
    end(&scene);
  }
}

/* Questions that are asked ahead are as those that are asked one by one: the first part of a range
 * brings the input, the others find it there. */
static void the_input_of_a_range_goes_along_once(void **state) {
  (void)state;
  static const struct {
    uint64_t packed, unit;
    bool brings;
  } parts[] = {{0, 0, true}, {0, 1, false}, {0, 2, false}, {3, 3, true}, {3, 4, false}};
  struct scene scene;
  struct ls_bytes questions = {0};
  begin(&scene);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    struct ls_question question = make_question(0, parts[i].unit, "input", 5), added;
    question.work.packed = (struct ls_range){parts[i].packed, 3};
    ls_bytes_clear(&questions);
    ls_child_add(&scene.child, &question, &questions);
    memcpy(&added, questions.data, sizeof added);
    assert_int_equal(added.input_at, parts[i].brings ? LS_CHILD_FOLLOWS : LS_CHILD_KEPT);
    assert_int_equal(questions.length, sizeof added + (parts[i].brings ? 5 : 0));
  }
  ls_bytes_close(&questions);
  end(&scene);
}

/* The seconds for which it stood still are those of the question that ran then. */
static void a_new_question_was_never_suspended(void **state) {
  (void)state;
  struct scene scene;
  struct ls_question question = make_question(0, 1, "", 0);
  begin(&scene);
  scene.child.away_s = 5;
  assert_true(ls_child_ask(&scene.child, &question));
  assert_true(scene.child.away_s == 0);
  end(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_input_of_a_range_goes_along_once),
      cmocka_unit_test(a_new_question_was_never_suspended),
      cmocka_unit_test(news_go_before_the_first_question_of_an_iteration),
      cmocka_unit_test(news_that_fail_are_the_answer_and_come_again),
      cmocka_unit_test(large_data_lie_in_shared_memory),
      cmocka_unit_test(an_output_that_is_not_there_is_none),
      cmocka_unit_test(an_end_is_told_in_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
