/* Who comes back must be known by nothing but its cookie, and told of nothing that may be lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "runtime/master/guests/tickets.h"

static const char run[] = "the run, as ever";

static struct ls_tickets open_tickets(void) {
  struct ls_tickets tickets = {0};
  struct ls_error err;
  assert_int_equal(ls_tickets_open(&tickets, run, &err), LS_OK);
  return tickets;
}

/* The HELLO with which the worker in the slot would come back. */
static struct ls_message join(struct ls_tickets *tickets, uint32_t slot) {
  struct ls_message hello = {.kind = LS_MESSAGE_HELLO}, welcome = {.worker = slot};
  struct ls_error err;
  assert_int_equal(ls_tickets_issue(tickets, slot, &hello, &err), LS_OK);
  ls_tickets_sign(tickets, slot, &welcome);
  return (struct ls_message){.kind = LS_MESSAGE_HELLO,
                             .worker = slot,
                             .era = welcome.era,
                             .cookie = welcome.cookie,
                             .run = welcome.run};
}

static void a_cookie_opens_its_own_slot_only(void **state) {
  (void)state;
  struct ls_tickets tickets = open_tickets();
  struct ls_message first = join(&tickets, 4);
  char cookie[LS_COOKIE_BYTES];
  memcpy(cookie, first.cookie.data, sizeof cookie);
  first.cookie.data = cookie;
  struct ls_message second = join(&tickets, 1);
  assert_int_equal(ls_tickets_find(&tickets, &first), 4);
  assert_int_equal(ls_tickets_find(&tickets, &second), 1);
  assert_memory_not_equal(first.cookie.data, second.cookie.data, LS_COOKIE_BYTES);
  first.worker = 1; /* a stolen number without its cookie */
  assert_int_equal(ls_tickets_find(&tickets, &first), LS_TICKETS_NONE);
  first.worker = 3;
  assert_int_equal(ls_tickets_find(&tickets, &first), LS_TICKETS_NONE);
  first.worker = 99;
  assert_int_equal(ls_tickets_find(&tickets, &first), LS_TICKETS_NONE);
  first.worker = 4;
  for (size_t i = 0; i < LS_COOKIE_BYTES; ++i) {
    cookie[i] ^= 1;
    assert_int_equal(ls_tickets_find(&tickets, &first), LS_TICKETS_NONE);
    cookie[i] ^= 1;
  }
  assert_int_equal(ls_tickets_find(&tickets, &first), 4);
  first.era ^= 1; /* of an earlier master */
  assert_int_equal(ls_tickets_find(&tickets, &first), LS_TICKETS_NONE);
  first.era ^= 1;
  ls_tickets_revoke(&tickets, 4);
  assert_int_equal(ls_tickets_find(&tickets, &first), LS_TICKETS_NONE);
  ls_tickets_close(&tickets);
}

/* No cookie is no cookie, also where nobody was. */
static void nobody_is_found_without_a_cookie(void **state) {
  (void)state;
  struct ls_tickets tickets = open_tickets();
  struct ls_message hello = join(&tickets, 2);
  static const char zeros[LS_COOKIE_BYTES];
  hello.cookie = (struct ls_blob){NULL, 0};
  assert_int_equal(ls_tickets_find(&tickets, &hello), LS_TICKETS_NONE);
  hello.worker = 1; /* a slot without a ticket */
  hello.cookie = (struct ls_blob){zeros, sizeof zeros};
  assert_int_equal(ls_tickets_find(&tickets, &hello), LS_TICKETS_NONE);
  ls_tickets_close(&tickets);
}

static void another_run_is_noticed(void **state) {
  (void)state;
  struct ls_tickets tickets = open_tickets(), chance = {0};
  struct ls_message hello = join(&tickets, 0);
  struct ls_error err;
  assert_int_equal(ls_tickets_open(&chance, NULL, &err), LS_OK);
  assert_false(ls_tickets_is_foreign(&tickets, &hello));
  assert_true(ls_tickets_is_foreign(&chance, &hello));
  assert_true(chance.era != tickets.era);
  hello.run.length = 0; /* it comes for the first time */
  assert_false(ls_tickets_is_foreign(&chance, &hello));
  ls_tickets_close(&tickets);
  ls_tickets_close(&chance);
}

static void results_are_counted_by_connection(void **state) {
  (void)state;
  struct ls_tickets tickets = open_tickets();
  struct ls_message hello = join(&tickets, 0);
  for (int i = 0; i < 3; ++i) assert_false(ls_tickets_receive(&tickets, 0, 10));
  assert_false(ls_tickets_is_due(&tickets, 0));
  assert_int_equal(ls_tickets_pulse(&tickets, 0).durable, 3);
  ls_tickets_receive(&tickets, 0, 4 << 20);
  assert_true(ls_tickets_is_due(&tickets, 0));
  assert_int_equal(ls_tickets_pulse(&tickets, 0).durable, 4);
  assert_false(ls_tickets_is_due(&tickets, 0));
  for (int i = 0; i < 511; ++i) ls_tickets_receive(&tickets, 0, 0);
  assert_false(ls_tickets_is_due(&tickets, 0));
  ls_tickets_receive(&tickets, 0, 0);
  assert_true(ls_tickets_is_due(&tickets, 0));
  ls_tickets_resume(&tickets, 0, &hello);
  assert_false(ls_tickets_is_due(&tickets, 0));
  assert_int_equal(ls_tickets_pulse(&tickets, 0).durable, 0);
  /* Who waits for a verdict waits for the word, and so does who leaves. */
  ls_tickets_receive(&tickets, 0, 0);
  assert_false(ls_tickets_is_due(&tickets, 0));
  ls_tickets_await(&tickets, 0);
  assert_true(ls_tickets_is_due(&tickets, 0));
  assert_int_equal(ls_tickets_pulse(&tickets, 0).durable, 1);
  ls_tickets_receive(&tickets, 0, 0);
  assert_false(ls_tickets_is_due(&tickets, 0));
  assert_int_equal(ls_tickets_pulse(&tickets, 0).durable, 2);
  ls_tickets_leave(&tickets, 0);
  assert_false(ls_tickets_is_due(&tickets, 0));
  ls_tickets_receive(&tickets, 0, 0);
  assert_true(ls_tickets_is_due(&tickets, 0));
  ls_tickets_close(&tickets);
}

/* Numbers of chunks of an earlier master mean nothing to this one. */
static void results_of_an_earlier_master_come_first(void **state) {
  (void)state;
  struct ls_tickets former = open_tickets(), tickets = open_tickets();
  struct ls_error err;
  struct ls_message hello = join(&former, 0);
  hello.results = 2;
  assert_int_equal(ls_tickets_issue(&tickets, 1, &hello, &err), LS_OK);
  assert_true(ls_tickets_receive(&tickets, 1, 0));
  assert_true(ls_tickets_are_earlier(&tickets, 1));
  /* Cut before the word of the first one: both are sent again. */
  hello.results = 3;
  hello.earlier = 2;
  ls_tickets_resume(&tickets, 1, &hello);
  assert_true(ls_tickets_receive(&tickets, 1, 0));
  assert_true(ls_tickets_receive(&tickets, 1, 0));
  assert_false(ls_tickets_receive(&tickets, 1, 0));
  assert_false(ls_tickets_are_earlier(&tickets, 1));
  /* One that was lost and joins anew at the same master: its chunks are known. */
  hello = join(&tickets, 5);
  hello.results = 3;
  assert_int_equal(ls_tickets_issue(&tickets, 2, &hello, &err), LS_OK);
  assert_false(ls_tickets_receive(&tickets, 2, 0));
  ls_tickets_close(&former);
  ls_tickets_close(&tickets);
}

/* Anybody may say that it has results of an earlier master; who was there can prove it. */
static void an_earlier_master_is_proved_by_its_cookie(void **state) {
  (void)state;
  static const char other[] = "a run of others", zeros[LS_COOKIE_BYTES];
  struct ls_tickets former = open_tickets(), tickets = open_tickets(), foreign = {0};
  struct ls_error err;
  assert_int_equal(ls_tickets_open(&foreign, other, &err), LS_OK);
  const struct ls_message honest = join(&former, 3);
  struct ls_message lies[] = {honest, honest, honest, join(&foreign, 3)};
  lies[0].era += 1;
  lies[1].worker += 1;
  lies[2].cookie.data = zeros;
  for (size_t i = 0; i < sizeof lies / sizeof *lies; ++i) {
    lies[i].results = 1000000000;
    assert_int_equal(ls_tickets_issue(&tickets, 0, &lies[i], &err), LS_OK);
    assert_false(ls_tickets_are_earlier(&tickets, 0));
  }
  struct ls_message truth = honest;
  truth.results = 1;
  assert_int_equal(ls_tickets_issue(&tickets, 0, &truth, &err), LS_OK);
  assert_true(ls_tickets_are_earlier(&tickets, 0));
  assert_memory_not_equal(tickets.run, run, LS_COOKIE_BYTES); /* the secret stays at home */
  ls_tickets_close(&former);
  ls_tickets_close(&foreign);
  ls_tickets_close(&tickets);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cookie_opens_its_own_slot_only),
      cmocka_unit_test(nobody_is_found_without_a_cookie),
      cmocka_unit_test(another_run_is_noticed),
      cmocka_unit_test(results_are_counted_by_connection),
      cmocka_unit_test(results_of_an_earlier_master_come_first),
      cmocka_unit_test(an_earlier_master_is_proved_by_its_cookie),
  };
  return cmocka_run_group_tests_name("tickets", tests, NULL, NULL);
}
