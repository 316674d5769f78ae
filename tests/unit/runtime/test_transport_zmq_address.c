#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/transport/transport_zmq_address.h"

static void good_addresses_pass(void **state) {
  (void)state;
  static const char *const addresses[] = {"inproc://a", "ipc:///tmp/x", "tcp://*:*",
                                          "tcp://10.0.0.1:0", "tcp://[::1]:65535"};
  for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
    assert_int_equal(ls_address_check(addresses[i], NULL), LS_OK);
}

static void bad_addresses_are_named_with_what_was_expected(void **state) {
  (void)state;
  static const struct {
    const char *address, *words;
  } bad[] = {{"", "inproc://"},           {"/tmp/x", "inproc://"},
             {"udp://*:1", "tcp://"},     {"tcp://host", "a port from 0 to 65535"},
             {"tcp://host:", "a port"},   {"tcp://host:65536", "a port"},
             {"tcp://host:1x", "a port"}, {"tcp://host:-1", "a port"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct ls_error err = {0};
    assert_int_equal(ls_address_check(bad[i].address, &err), LS_EINVAL);
    if (strstr(err.text, bad[i].words) == NULL || strstr(err.text, bad[i].address) == NULL)
      fail_msg("'%s' of '%s'", err.text, bad[i].address);
  }
}

static void an_address_has_at_most_255_bytes(void **state) {
  (void)state;
  char address[LS_ADDRESS_BYTES + 1];
  struct ls_error err = {0};
  memset(address, 'a', sizeof address);
  memcpy(address, "ipc://", 6);
  address[LS_ADDRESS_BYTES] = '\0';
  assert_int_equal(ls_address_check(address, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "256 bytes, expected at most 255"));
  address[LS_ADDRESS_BYTES - 1] = '\0';
  assert_int_equal(ls_address_check(address, NULL), LS_OK);
}

/* No name is asked for on a network: a name with a space has no record anywhere. */
static void a_host_that_is_not_known_is_named(void **state) {
  (void)state;
  struct ls_error err = {0};
  static const char *const known[] = {"tcp://127.0.0.1:1", "tcp://localhost:1", "tcp://[::1]:1"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    assert_int_equal(ls_address_resolve(known[i], &err), LS_OK);
  assert_int_equal(ls_address_resolve("tcp://no host:1", &err), LS_EIO);
  assert_non_null(strstr(err.text, "cannot connect to tcp://no host:1: host 'no host'"));
  assert_non_null(strstr(err.text, "is not known: "));
}

/* Nothing, a file, the socket of a living process, and the one that it leaves behind. */
static void what_lies_at_a_path_decides_who_may_listen(void **state) {
  (void)state;
  char folder[] = "/tmp/address-XXXXXX", address[64];
  struct ls_error err = {0};
  assert_non_null(mkdtemp(folder));
  snprintf(address, sizeof address, "ipc://%s/s", folder);
  const char *path = address + strlen("ipc://");
  assert_int_equal(ls_address_check_path(address, NULL), LS_OK);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fclose(file);
  assert_int_equal(ls_address_check_path(address, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "is no socket"));
  unlink(path);
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  memcpy(name.sun_path, path, strlen(path) + 1);
  int listening = socket(AF_UNIX, SOCK_STREAM, 0);
  assert_int_equal(bind(listening, (const struct sockaddr *)&name, sizeof name), 0);
  assert_int_equal(listen(listening, 1), 0);
  assert_int_equal(ls_address_check_path(address, &err), LS_EBUSY);
  assert_non_null(strstr(err.text, address));
  close(listening);
  assert_int_equal(ls_address_check_path(address, NULL), LS_OK);
  unlink(path);
  rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_addresses_pass),
      cmocka_unit_test(bad_addresses_are_named_with_what_was_expected),
      cmocka_unit_test(an_address_has_at_most_255_bytes),
      cmocka_unit_test(a_host_that_is_not_known_is_named),
      cmocka_unit_test(what_lies_at_a_path_decides_who_may_listen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
