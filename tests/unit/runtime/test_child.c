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
#include "runtime/execute/child.h"

enum { UNIT_EXITS = 66, UNIT_CRASHES = 67, UNIT_WAITS = 68, UNIT_RESTS = 69 };
enum { AT_INPUT = 0, AT_OUTPUT = 2, LARGE = 200000 };

/* UNIT_WAITS waits until somebody writes into the gate. */
struct program {
  char received[16];
  int gate[2];
};

static const double rest_s = 0.02;

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
  char byte;
  if (work->units.first == UNIT_WAITS) (void)!read(program->gate[0], &byte, 1);
  if (work->units.first == UNIT_RESTS) (void)poll(NULL, 0, (int)(1e3 * rest_s));
  ls_bytes_printf(output, "%s,", program->received);
  ls_bytes_append(output, work->input, work->length);
  return LS_OK;
}

static const struct ls_app app = {.name = "app", .receive = receive, .compute = compute};

struct scene {
  struct program program;
  struct ls_executor_setup setup;
  struct ls_shared_memory memories[3];
  struct ls_child_news news;
  struct ls_bytes bytes;
  struct ls_child child;
};

static void begin(struct scene *scene) {
  *scene = (struct scene){.setup = {.app = &app, .speed = 1}};
  scene->setup.state = &scene->program;
  assert_int_equal(pipe(scene->program.gate), 0);
  for (int i = 0; i < 3; i++) {
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
  for (int i = 0; i < 3; i++) ls_shared_memory_close(&scene->memories[i]);
  ls_bytes_close(&scene->bytes);
  (void)close(scene->program.gate[0]);
  (void)close(scene->program.gate[1]);
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
      "app: exited with status 5 while it computed unit 67\n",
      "app: ended by signal 9 (Killed) while it computed unit 68\n"};
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

/* A child that has had its first question. */
static void begin_known(struct scene *scene) {
  begin(scene);
  assert_string_equal(ask(scene, 0, ""), ",");
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
  begin_known(&scene);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    struct ls_question question = make_question(0, parts[i].unit, "input", 5), added;
    question.work.packed = (struct ls_range){parts[i].packed, 3};
    ls_bytes_clear(&questions);
    assert_true(ls_child_may_follow(&scene.child, &question.work, false));
    assert_true(ls_child_add(&scene.child, &question, &questions));
    assert_int_equal(question.number, i + 2);
    memcpy(&added, questions.data, sizeof added);
    assert_int_equal(added.input_at, parts[i].brings ? LS_CHILD_FOLLOWS : LS_CHILD_KEPT);
    assert_int_equal(questions.length, sizeof added + (parts[i].brings ? 5 : 0));
  }
  ls_bytes_close(&questions);
  end(&scene);
}

/* Asks it behind those that are open. */
static struct ls_question ask_behind(struct scene *scene, struct ls_question question) {
  struct ls_bytes questions = {0};
  assert_true(ls_child_add(&scene->child, &question, &questions));
  struct iovec parts[] = {{questions.data, questions.length}};
  assert_true(ls_child_send(scene->child.socket, parts, 1));
  ls_bytes_close(&questions);
  return question;
}

static void await_begin(const struct scene *scene, uint32_t number) {
  for (int i = 0; i < 60000 && !ls_child_has_begun(&scene->child, number); i++) {
    (void)poll(NULL, 0, 1);
  }
  assert_true(ls_child_has_begun(&scene->child, number));
}

static void let_go(const struct scene *scene) {
  assert_int_equal(write(scene->program.gate[1], "x", 1), 1);
}

static void assert_answered(struct scene *scene, uint32_t number) {
  assert_int_equal(await_answer(scene), LS_CHILD_ANSWERED);
  assert_int_equal(scene->child.answer.number, number);
}

/* The seconds for which it stood still are those of the question that ran then. */
static void a_question_was_suspended_only_while_it_ran(void **state) {
  (void)state;
  struct scene scene;
  begin_known(&scene);
  struct ls_question question = make_question(0, UNIT_RESTS, "", 0);
  assert_true(ls_child_ask(&scene.child, &question));
  assert_answered(&scene, 2);
  ls_child_resume(&scene.child, 5);
  assert_true(ls_child_ask(&scene.child, &question));
  assert_answered(&scene, 3);
  assert_true(scene.child.answer.seconds >= rest_s);
  question.work.units.first = UNIT_WAITS;
  assert_true(ls_child_ask(&scene.child, &question));
  question.work.units.first = UNIT_RESTS;
  (void)ask_behind(&scene, question);
  await_begin(&scene, 4);
  ls_child_resume(&scene.child, 500);
  let_go(&scene);
  assert_answered(&scene, 4);
  assert_true(!(scene.child.answer.seconds > 0));
  assert_answered(&scene, 5);
  assert_true(scene.child.answer.seconds >= rest_s);
  /* The one that was asked ahead has begun, and the answer before it is not heard yet. */
  question.work.units.first = 1;
  assert_true(ls_child_ask(&scene.child, &question));
  question.work.units.first = UNIT_WAITS;
  (void)ask_behind(&scene, question);
  await_begin(&scene, 7);
  ls_child_resume(&scene.child, 500);
  assert_answered(&scene, 6);
  let_go(&scene);
  assert_answered(&scene, 7);
  assert_true(!(scene.child.answer.seconds > 0));
  end(&scene);
}

static void questions_that_have_not_begun_can_be_withdrawn(void **state) {
  (void)state;
  struct scene scene;
  begin_known(&scene);
  struct ls_question waits = make_question(0, UNIT_WAITS, "", 0);
  assert_true(ls_child_ask(&scene.child, &waits));
  await_begin(&scene, 2);
  for (uint32_t number = 3; number < 6; number++) {
    /* Would hang, if it were answered. */
    assert_int_equal(ask_behind(&scene, waits).number, number);
    assert_false(ls_child_has_begun(&scene.child, number));
  }
  ls_child_withdraw(&scene.child, 3);
  assert_false(scene.child.is_spent);
  (void)ask_behind(&scene, make_question(0, 1, "", 0));
  let_go(&scene);
  assert_answered(&scene, 2);
  assert_answered(&scene, 6);
  assert_string_equal(ask(&scene, 0, "x"), ",x");
  end(&scene);
}

static void a_child_that_has_begun_what_is_withdrawn_is_spent(void **state) {
  (void)state;
  struct scene scene;
  begin_known(&scene);
  struct ls_question first = make_question(0, 1, "a", 1);
  assert_true(ls_child_ask(&scene.child, &first));
  struct ls_question waits = ask_behind(&scene, make_question(0, UNIT_WAITS, "", 0));
  await_begin(&scene, waits.number);
  ls_child_withdraw(&scene.child, waits.number);
  assert_true(scene.child.is_spent);
  assert_false(ls_child_may_follow(&scene.child, &first.work, true));
  assert_answered(&scene, 2);
  assert_string_equal(ls_bytes_text(ls_child_output(&scene.child, &first)), ",a");
  assert_int_equal(await_answer(&scene), LS_CHILD_BROKEN);
  (void)ls_child_end(&scene.child);
  assert_false(scene.child.is_spent);
  assert_int_equal(ls_child_start(&scene.child, NULL), LS_OK);
  assert_string_equal(ask(&scene, 0, "x"), ",x");
  end(&scene);
}

/* None of them overwrites the input of the question before. */
static void large_inputs_that_follow_take_turns(void **state) {
  (void)state;
  struct scene scene;
  char *inputs[3];
  begin_known(&scene);
  for (int i = 0; i < 3; i++) {
    inputs[i] = malloc(LARGE);
    assert_non_null(inputs[i]);
    memset(inputs[i], 'a' + i, LARGE);
  }
  struct ls_question first = make_question(0, UNIT_WAITS, inputs[0], LARGE);
  struct ls_question second = make_question(0, 1, inputs[1], LARGE);
  struct ls_question third = make_question(0, 2, inputs[2], LARGE);
  first.output_at = second.output_at = third.output_at = LS_CHILD_NOWHERE;
  assert_true(ls_child_ask(&scene.child, &first));
  assert_false(ls_child_may_follow(&scene.child, &second.work, false));
  assert_true(ls_child_may_follow(&scene.child, &second.work, true));
  ls_child_withdraw(&scene.child, ask_behind(&scene, second).number);
  assert_false(scene.child.is_spent);
  (void)ask_behind(&scene, third);
  let_go(&scene);
  for (int i = 0; i < 3; i += 2) {
    assert_int_equal(await_answer(&scene), LS_CHILD_ANSWERED);
    assert_int_equal(scene.child.output.length, LARGE + 1);
    assert_memory_equal(scene.child.output.data + 1, inputs[i], LARGE);
  }
  for (int i = 0; i < 3; i++) free(inputs[i]);
  end(&scene);
}

static void nothing_follows_that_needs_other_news(void **state) {
  (void)state;
  struct scene scene;
  begin(&scene);
  tell(&scene, 4, "four");
  struct ls_question question = make_question(4, 1, "", 0);
  assert_false(ls_child_may_follow(&scene.child, &question.work, true));
  assert_string_equal(ask(&scene, 4, "a"), "four,a");
  assert_true(ls_child_may_follow(&scene.child, &question.work, true));
  question.work.iteration = 5;
  assert_false(ls_child_may_follow(&scene.child, &question.work, true));
  /* While the news are on their way, nothing is known to have arrived. */
  assert_true(ls_child_ask(&scene.child, &question));
  assert_false(ls_child_may_follow(&scene.child, &question.work, true));
  assert_int_equal(await_answer(&scene), LS_CHILD_ANSWERED);
  end(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_input_of_a_range_goes_along_once),
      cmocka_unit_test(a_question_was_suspended_only_while_it_ran),
      cmocka_unit_test(questions_that_have_not_begun_can_be_withdrawn),
      cmocka_unit_test(a_child_that_has_begun_what_is_withdrawn_is_spent),
      cmocka_unit_test(large_inputs_that_follow_take_turns),
      cmocka_unit_test(nothing_follows_that_needs_other_news),
      cmocka_unit_test(news_go_before_the_first_question_of_an_iteration),
      cmocka_unit_test(news_that_fail_are_the_answer_and_come_again),
      cmocka_unit_test(large_data_lie_in_shared_memory),
      cmocka_unit_test(an_output_that_is_not_there_is_none),
      cmocka_unit_test(an_end_is_told_in_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
