/* test_accept.c: without a descriptor there is no connection yet; linked with the file itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* As libzmq's listeners do: without a descriptor nobody has come yet; with one he is there. */
static void without_a_descriptor_nobody_has_come_yet(void **state) {
  (void)state;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "loadstar-test-%d", (int)getpid());
  int listener = socket(AF_UNIX, SOCK_STREAM, 0), caller = socket(AF_UNIX, SOCK_STREAM, 0);
  struct rlimit kept, none;
  assert_int_equal(bind(listener, (const struct sockaddr *)&address, sizeof address), 0);
  assert_int_equal(listen(listener, 1), 0);
  assert_int_equal(connect(caller, (const struct sockaddr *)&address, sizeof address), 0);
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &kept), 0);
  none = (struct rlimit){.rlim_cur = 0, .rlim_max = kept.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
  int refused = accept4(listener, NULL, NULL, SOCK_CLOEXEC), number = errno;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &kept), 0);
  assert_int_equal(refused, -1);
  assert_int_equal(number, EAGAIN);
  int accepted = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  assert_true(accepted >= 0);
  assert_int_equal(fcntl(accepted, F_GETFD), FD_CLOEXEC);
  close(accepted);
  close(caller);
  close(listener);
  assert_int_equal(accept4(listener, NULL, NULL, 0), -1);
  assert_int_equal(errno, EBADF);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(without_a_descriptor_nobody_has_come_yet)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
