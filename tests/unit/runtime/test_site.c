#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "runtime/master/site.h"

static void a_site_has_a_private_door_alone(void **state) {
  (void)state;
  struct ls_site site = ls_site_here();
  assert_int_equal(site.doors_count, 1);
  assert_string_equal(site.doors[0].address, "");
  assert_false(site.doors[0].is_open);
  assert_string_equal(site.keys.asked, "");
}

static void doors_open_where_the_user_says_under_keys(void **state) {
  (void)state;
  static const struct {
    const char *asked, *address;
  } good[] = {{"tcp://127.0.0.1:5555", "tcp://127.0.0.1:5555"},
              {"tcp://127.1.2.3:*", "tcp://127.1.2.3:*"},
              {"tcp://localhost:*", NULL}, /* a number of it, of either kind */
              {"tcp://lo:1", "tcp://127.0.0.1:1"},
              {"tcp://[::1]:7", "tcp://[::1]:7"},
              {"tcp://*:5555", "tcp://0.0.0.0:5555"},
              {"tcp://[::]:1", "tcp://[::]:1"},
              {"tcp://192.0.2.7:1", "tcp://192.0.2.7:1"}};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    struct ls_site site = ls_site_here();
    struct ls_error err = {0};
    const struct ls_site_listening wish = {.address = good[i].asked};
    if (ls_site_listen(&site, &wish, &err) != LS_OK) fail_msg("%s", err.text);
    assert_int_equal(site.doors_count, 2);
    assert_true(site.doors[1].is_open);
    assert_true(site.doors[1].has_keys);
    assert_int_equal(strlen(site.keys.server.public_key), LS_KEY_BYTES - 1);
    assert_string_equal(site.keys.asked, good[i].asked);
    if (good[i].address != NULL) assert_string_equal(site.doors[1].address, good[i].address);
  }
}

static void who_does_without_keys_has_none(void **state) {
  (void)state;
  struct ls_site site = ls_site_here();
  const struct ls_site_listening wish = {.address = "tcp://*:5555", .is_insecure = true};
  assert_int_equal(ls_site_listen(&site, &wish, NULL), LS_OK);
  assert_true(site.doors[1].is_open);
  assert_false(site.doors[1].has_keys);
  assert_string_equal(site.keys.asked, "");
}

static void a_range_of_ports_is_its_first_and_the_number_of_others(void **state) {
  (void)state;
  struct ls_site site = ls_site_here();
  const struct ls_site_listening wish = {.address = "tcp://[::1]:5500-5599"};
  assert_int_equal(ls_site_listen(&site, &wish, NULL), LS_OK);
  assert_string_equal(site.doors[1].address, "tcp://[::1]:5500");
  assert_int_equal(site.doors[1].ports_more, 99);
}

/* Asked for the same as before, it is found at the same place; asked for another, under the same
 * keys. */
static void a_resumed_run_listens_as_before(void **state) {
  (void)state;
  struct ls_site site = ls_site_here();
  struct ls_site_listening wish = {.address = "tcp://127.0.0.1:5500-5599"};
  assert_int_equal(ls_site_listen(&site, &wish, NULL), LS_OK);
  struct ls_key_file keys = site.keys;
  strcpy(keys.bound, "tcp://127.0.0.1:5517");
  wish.keys = &keys;
  static const struct {
    const char *asked, *address;
    unsigned more;
  } cases[] = {{"tcp://127.0.0.1:5500-5599", "tcp://127.0.0.1:5517", 0},
               {"tcp://127.0.0.1:6600-6603", "tcp://127.0.0.1:6600", 3}};
  for (size_t i = 0; i < 2; i++) {
    struct ls_site again = ls_site_here();
    wish.address = cases[i].asked;
    assert_int_equal(ls_site_listen(&again, &wish, NULL), LS_OK);
    assert_string_equal(again.doors[1].address, cases[i].address);
    assert_int_equal(again.doors[1].ports_more, cases[i].more);
    assert_string_equal(again.keys.server.secret_key, keys.server.secret_key);
    assert_string_equal(again.keys.asked, cases[i].asked);
  }
}

static void a_door_for_pools_is_open_under_keys(void **state) {
  (void)state;
  struct ls_site site = ls_site_here();
  const struct ls_site_listening wish = {.address = "tcp://127.0.0.1:*", .is_for_pools = true};
  assert_int_equal(ls_site_listen(&site, &wish, NULL), LS_OK);
  assert_true(site.doors[1].is_open && site.doors[1].is_for_pools && site.doors[1].has_keys);
}

static void what_is_no_address_is_named(void **state) {
  (void)state;
  static const char *const bad[] = {"tcp://no host:1", "ipc:///tmp/x",     "here",
                                    "tcp://127.0.0.1", "inproc://x",       "tcp://127.0.0.1:9-8",
                                    "tcp://lo:0-3",    "tcp://lo:1-70000", "tcp://lo:1-"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct ls_site site = ls_site_here();
    struct ls_error err = {0};
    const struct ls_site_listening wish = {.address = bad[i], .is_insecure = true};
    assert_int_equal(ls_site_listen(&site, &wish, &err), LS_EINVAL);
    if (strstr(err.text, bad[i]) == NULL) fail_msg("%s", err.text);
  }
}

static void all_open_doors_have_the_same_keys_and_there_are_a_few(void **state) {
  (void)state;
  struct ls_site site = ls_site_here(), other = ls_site_here();
  const struct ls_site_listening wish = {.address = "tcp://127.0.0.1:*"};
  char key[LS_KEY_BYTES];
  assert_int_equal(ls_site_listen(&site, &wish, NULL), LS_OK);
  strcpy(key, site.keys.server.secret_key);
  while (site.doors_count < LS_SITE_DOORS_MAX)
    assert_int_equal(ls_site_listen(&site, &wish, NULL), LS_OK);
  assert_string_equal(site.keys.server.secret_key, key);
  assert_int_equal(ls_site_listen(&site, &wish, NULL), LS_EINVAL);
  assert_int_equal(ls_site_listen(&other, &wish, NULL), LS_OK);
  assert_string_not_equal(other.keys.server.secret_key, key);
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

static void an_address_to_listen_on_has_a_host_and_a_port(void **state) {
  (void)state;
  static const char *const good[] = {"tcp://127.0.0.1:5555", "tcp://*:*",
                                     "tcp://[::1]:65535",    "tcp://node-1:1",
                                     "tcp://*:5500-5599",    "tcp://h:7-7"};
  static const char *const bad[] = {
      "x",           "tcp://",          "tcp://h",         "tcp://h:",
      "tcp://h:0",   "tcp://:5",        "tcp://h:65536",   "ipc://x",
      "tcp://h:-1",  "tcp://h:5555x",   "inproc://a:5555", "tcp://h:9-8",
      "tcp://h:*-9", "tcp://h:1-65536", "tcp://h:1-"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    assert_int_equal(ls_site_check_address(good[i], NULL), LS_OK);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct ls_error err = {0};
    assert_int_equal(ls_site_check_address(bad[i], &err), LS_EINVAL);
    assert_non_null(strstr(err.text, bad[i]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_address_to_listen_on_has_a_host_and_a_port),
      cmocka_unit_test(a_site_has_a_private_door_alone),
      cmocka_unit_test(doors_open_where_the_user_says_under_keys),
      cmocka_unit_test(who_does_without_keys_has_none),
      cmocka_unit_test(a_range_of_ports_is_its_first_and_the_number_of_others),
      cmocka_unit_test(a_resumed_run_listens_as_before),
      cmocka_unit_test(a_door_for_pools_is_open_under_keys),
      cmocka_unit_test(what_is_no_address_is_named),
      cmocka_unit_test(all_open_doors_have_the_same_keys_and_there_are_a_few),
      cmocka_unit_test(guests_get_an_address_that_they_can_use),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
