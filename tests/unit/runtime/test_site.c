#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "runtime/site.h"

static void a_site_has_a_private_door_alone(void **state) {
  (void)state;
  struct ls_site site = ls_site_here();
  assert_int_equal(site.doors_count, 1);
  assert_string_equal(site.doors[0].address, "");
  assert_false(site.doors[0].is_open);
  assert_string_equal(site.token, "");
}

static void this_machine_alone_needs_no_further_word(void **state) {
  (void)state;
  static const struct {
    const char *asked, *address;
  } good[] = {{"tcp://127.0.0.1:5555", "tcp://127.0.0.1:5555"},
              {"tcp://127.1.2.3:*", "tcp://127.1.2.3:*"},
              {"tcp://localhost:*", NULL}, /* a number of it, of either kind */
              {"tcp://lo:1", "tcp://127.0.0.1:1"},
              {"tcp://[::1]:7", "tcp://[::1]:7"}};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    struct ls_site site = ls_site_here();
    struct ls_error err = {0};
    const struct ls_site_listening wish = {.address = good[i].asked};
    if (ls_site_listen(&site, &wish, &err) != LS_OK) fail_msg("%s", err.text);
    assert_int_equal(site.doors_count, 2);
    assert_true(site.doors[1].is_open);
    assert_int_equal(strlen(site.token), LS_SITE_TOKEN_BYTES - 1);
    if (good[i].address != NULL) assert_string_equal(site.doors[1].address, good[i].address);
  }
}

static void what_others_reach_needs_the_users_word(void **state) {
  (void)state;
  static const char *const open[] = {"tcp://*:5555", "tcp://0.0.0.0:*", "tcp://[::]:1",
                                     "tcp://192.0.2.7:1", "tcp://[2001:db8::1]:1"};
  for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
    struct ls_site site = ls_site_here();
    struct ls_error err = {0};
    struct ls_site_listening wish = {.address = open[i]};
    assert_int_equal(ls_site_listen(&site, &wish, &err), LS_EINVAL);
    if (strstr(err.text, open[i]) == NULL || strstr(err.text, "such as tcp://127.0.0.1:") == NULL)
      fail_msg("%s", err.text);
    assert_int_equal(site.doors_count, 1);
    assert_string_equal(site.token, "");
    wish.is_insecure = true;
    assert_int_equal(ls_site_listen(&site, &wish, &err), LS_OK);
  }
}

static void what_is_no_address_is_named(void **state) {
  (void)state;
  static const char *const bad[] = {"tcp://no host:1", "ipc:///tmp/x", "here", "tcp://127.0.0.1",
                                    "inproc://x"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct ls_site site = ls_site_here();
    struct ls_error err = {0};
    const struct ls_site_listening wish = {.address = bad[i], .is_insecure = true};
    assert_int_equal(ls_site_listen(&site, &wish, &err), LS_EINVAL);
    if (strstr(err.text, bad[i]) == NULL) fail_msg("%s", err.text);
  }
}

static void all_open_doors_have_one_token_and_there_are_a_few(void **state) {
  (void)state;
  struct ls_site site = ls_site_here(), other = ls_site_here();
  const struct ls_site_listening wish = {.address = "tcp://127.0.0.1:*"};
  char token[LS_SITE_TOKEN_BYTES];
  assert_int_equal(ls_site_listen(&site, &wish, NULL), LS_OK);
  strcpy(token, site.token);
  while (site.doors_count < LS_SITE_DOORS_MAX)
    assert_int_equal(ls_site_listen(&site, &wish, NULL), LS_OK);
  assert_string_equal(site.token, token);
  assert_int_equal(ls_site_listen(&site, &wish, NULL), LS_EINVAL);
  assert_int_equal(ls_site_listen(&other, &wish, NULL), LS_OK);
  assert_string_not_equal(other.token, token);
}

static void guests_get_an_address_that_they_can_use(void **state) {
  (void)state;
  struct ls_site_door door = {.is_open = true};
  char address[LS_SITE_ADDRESS_BYTES];
  ls_site_advertise(&door, "tcp://127.0.0.1:5555", address);
  assert_string_equal(address, "tcp://127.0.0.1:5555");
  ls_site_advertise(&door, "inproc://x", address);
  assert_string_equal(address, "inproc://x");
  static const char *const wild[] = {"tcp://0.0.0.0:5555", "tcp://*:5555", "tcp://[::]:5555"};
  for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
    ls_site_advertise(&door, wild[i], address);
    assert_string_not_equal(address, wild[i]);
    assert_string_equal(strrchr(address, ':'), ":5555");
    assert_true(strlen(address) > strlen("tcp://:5555"));
  }
  strcpy(door.advertise, "front.example");
  ls_site_advertise(&door, "tcp://0.0.0.0:5555", address);
  assert_string_equal(address, "tcp://front.example:5555");
  strcpy(door.advertise, "2001:db8::1");
  ls_site_advertise(&door, "tcp://127.0.0.1:9", address);
  assert_string_equal(address, "tcp://[2001:db8::1]:9");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_site_has_a_private_door_alone),
      cmocka_unit_test(this_machine_alone_needs_no_further_word),
      cmocka_unit_test(what_others_reach_needs_the_users_word),
      cmocka_unit_test(what_is_no_address_is_named),
      cmocka_unit_test(all_open_doors_have_one_token_and_there_are_a_few),
      cmocka_unit_test(guests_get_an_address_that_they_can_use),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
