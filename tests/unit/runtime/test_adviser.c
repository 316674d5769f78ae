/* Questions to a forked adviser: answers, silence, death, and no waiting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/master/adviser.h"

static bool double_prefetch(void *context, const struct ls_adviser_facts *facts,
                            struct ls_adviser_answer *answer) {
  answer->prefetch = 2 * facts->prefetch;
  answer->workers = facts->workers_count + *(size_t *)context;
  strcpy(answer->reason, "twice as many");
  return true;
}

static bool say_nothing(void *context, const struct ls_adviser_facts *facts,
                        struct ls_adviser_answer *answer) {
  (void)context;
  (void)facts;
  (void)answer;
  return false;
}

static bool die(void *context, const struct ls_adviser_facts *facts,
                struct ls_adviser_answer *answer) {
  (void)context;
  (void)facts;
  (void)answer;
  (void)raise(SIGKILL);
  return true;
}

static bool think_for_ever(void *context, const struct ls_adviser_facts *facts,
                           struct ls_adviser_answer *answer) {
  (void)context;
  (void)facts;
  (void)answer;
  (void)pause();
  return false;
}

static struct ls_adviser ask(ls_adviser_fn function, void *context) {
  static const struct ls_adviser_worker workers[3];
  struct ls_adviser adviser = {0};
  struct ls_adviser_facts facts = {.prefetch = 4, .workers = workers, .workers_count = 3};
  struct ls_error err = {0};
  if (ls_adviser_ask(&adviser, function, context, &facts, &err) != LS_OK) fail_msg("%s", err.text);
  return adviser;
}

/* Until the child has written or ended. */
static void await(const struct ls_adviser *adviser) {
  struct pollfd file = {.fd = adviser->file, .events = POLLIN};
  assert_int_equal(poll(&file, 1, 20000), 1);
}

static void an_answer_comes_back(void **state) {
  struct ls_adviser_answer answer;
  size_t more = 5;
  (void)state;
  struct ls_adviser adviser = ask(double_prefetch, &more);
  await(&adviser);
  assert_true(ls_adviser_poll(&adviser, &answer));
  assert_int_equal(answer.prefetch, 8);
  assert_int_equal(answer.workers, 8);
  assert_string_equal(answer.reason, "twice as many");
  assert_int_equal(adviser.child, 0);
  assert_false(ls_adviser_poll(&adviser, &answer));
}

static void silence_and_death_end_the_question(void **state) {
  struct ls_adviser_answer answer;
  const ls_adviser_fn functions[] = {say_nothing, die};
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    struct ls_adviser adviser = ask(functions[i], NULL);
    await(&adviser);
    assert_false(ls_adviser_poll(&adviser, &answer));
    assert_int_equal(adviser.child, 0);
  }
}

static void one_question_at_a_time_and_nobody_waits(void **state) {
  struct ls_adviser_answer answer;
  struct ls_adviser_facts facts = {0};
  struct ls_error err = {0};
  (void)state;
  struct ls_adviser adviser = ask(think_for_ever, NULL);
  assert_false(ls_adviser_poll(&adviser, &answer));
  assert_int_equal(ls_adviser_ask(&adviser, say_nothing, NULL, &facts, &err), LS_EBUSY);
  ls_adviser_stop(&adviser);
  assert_int_equal(adviser.child, 0);
  ls_adviser_stop(&adviser);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_answer_comes_back),
      cmocka_unit_test(silence_and_death_end_the_question),
      cmocka_unit_test(one_question_at_a_time_and_nobody_waits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
