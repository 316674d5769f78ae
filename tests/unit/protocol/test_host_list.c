#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/host_list.h"

static struct ls_text make_text(const char *text) {
  return (struct ls_text){text, strlen(text), "--ssh"};
}

static struct ls_host_list read_list(const char *text) {
  struct ls_host_list list;
  struct ls_error err = {0};
  if (ls_host_list_read(make_text(text), &list, &err) != LS_OK) fail_msg("%s", err.text);
  return list;
}

static void check_host(const struct ls_host *host, const struct ls_host *expected) {
  assert_string_equal(host->target, expected->target);
  assert_string_equal(host->name, expected->name);
  assert_int_equal(host->workers, expected->workers);
  assert_true(fabs(host->speed - expected->speed) < 1e-15);
  assert_string_equal(host->labels, expected->labels);
}

static void a_host_says_what_it_has(void **state) {
  (void)state;
  static const struct {
    const char *text;
    struct ls_host expected;
  } cases[] = {
      {"n2", {"n2", "n2", 1, 1, "", false}},
      {"n1:8", {"n1", "n1", 8, 1, "", false}},
      {"me@n3:4/0.5", {"me@n3", "n3", 4, 0.5, "", false}},
      {"n1:0", {"n1", "n1", 0, 1, "", false}},
      {"a.b-c_d.example:4096/1e-3", {"a.b-c_d.example", "a.b-c_d.example", 4096, 1e-3, "", false}},
      {"192.0.2.7:2", {"192.0.2.7", "192.0.2.7", 2, 1, "", false}},
      {"me@[2001:db8::1]:3", {"me@2001:db8::1", "2001:db8::1", 3, 1, "", false}},
      {"[::1]", {"::1", "::1", 1, 1, "", false}},
      {"[fe80::1%eth0]:0/1", {"fe80::1%eth0", "fe80::1%eth0", 0, 1, "", false}},
      {"  n1:2  ", {"n1", "n1", 2, 1, "", false}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_host_list list = read_list(cases[i].text);
    assert_int_equal(list.count, 1);
    check_host(&list.items[0], &cases[i].expected);
    ls_host_list_close(&list);
  }
}

static void labels_stand_behind_all_else(void **state) {
  static const struct {
    const char *text, *target, *labels;
    size_t workers;
  } cases[] = {
      {"n1", "n1", "", 1},
      {"n1+gpu", "n1", "gpu", 1},
      {"me+you@n1:4/0.5+gpu+big.mem+gpu", "me+you@n1", "gpu,big.mem", 4},
      {"[fe80::1]:2+a", "fe80::1", "a", 2},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    struct ls_host_list list = {0};
    const struct ls_text text = {cases[i].text, strlen(cases[i].text), "--ssh"};
    assert_int_equal(ls_host_list_read(text, &list, NULL), LS_OK);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.items[0].target, cases[i].target);
    assert_string_equal(list.items[0].labels, cases[i].labels);
    assert_int_equal(list.items[0].workers, cases[i].workers);
    ls_host_list_close(&list);
  }
}

static void hosts_stand_between_commas_or_on_lines(void **state) {
  (void)state;
  static const struct ls_host expected[] = {{"n1", "n1", 8, 1, "", false},
                                            {"n2", "n2", 1, 1, "", false},
                                            {"me@n3", "n3", 4, 0.5, "", false},
                                            {"n2", "n2", 1, 1, "", false}};
  static const char *const texts[] = {"n1:8,n2,me@n3:4/0.5,n2",
                                      "# ours\nn1:8\n\n   # theirs\nn2, me@n3:4/0.5 # slow\r\nn2\n",
                                      "n1:8 , n2\nme@n3:4/0.5\n\t\nn2#, n9"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct ls_host_list list = read_list(texts[i]);
    assert_int_equal(list.count, 4);
    for (size_t k = 0; k < 4; k++) check_host(&list.items[k], &expected[k]);
    ls_host_list_close(&list);
  }
}

static void what_is_no_host_is_named(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {":8", "host is ':8', expected [user@]host[:workers[/speed]][+label]"},
      {"a:-1", "host is 'a:-1'"},
      {"a+", "labels of 1 to 64 letters, digits and . _ - after a +"},
      {"a:2+gpu+", "labels of 1 to 64"},
      {"a+g/u", "labels of 1 to 64"},
      {"a+gpu:2", "labels of 1 to 64"},
      {"a:2/1.5", "a speed of more than 0 and at most 1"},
      {"a:2/0", "host is 'a:2/0'"},
      {"a:2/nan", "host is 'a:2/nan'"},
      {"a:2/", "host is 'a:2/'"},
      {"a:/1", "0 (its cores) to 4096 workers"},
      {"a:", "host is 'a:'"},
      {"a:4097", "host is 'a:4097'"},
      {"a:1.5", "host is 'a:1.5'"},
      {"a:1e2", "host is 'a:1e2'"},
      {"a:99999999999999999999999999999999999999", "host is 'a:999"},
      {"a,,b", "host is ''"},
      {"a,", "host is ''"},
      {"@b", "in its user"},
      {"me@", "in its host"},
      {"me@:3", "host is 'me@:3'"},
      {"-oProxyCommand=x", "host is '-oProxyCommand=x'"},
      {"me@-n", "host is 'me@-n'"},
      {"-me@n", "host is '-me@n'"},
      {"a b", "host is 'a b'"},
      {"a;b", "host is 'a;b'"},
      {"n\xc3\xa4", "in its host"},
      {"[::1", "host is '[::1'"},
      {"[]:1", "host is '[]:1'"},
      {"[::1]8", "a colon after its host"},
      {"", "there is no host"},
      {"# none\n\n", "--ssh: there is no host"},
      {"a\nb\n:8\n", "--ssh, line 3: host is ':8'"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_host_list list;
    struct ls_error err = {0};
    assert_int_equal(ls_host_list_read(make_text(cases[i][0]), &list, &err), LS_EINVAL);
    if (strstr(err.text, cases[i][1]) == NULL) fail_msg("'%s': %s", cases[i][0], err.text);
  }
}

static void logins_are_those_of_gnu_parallel(void **state) {
  (void)state;
  static const struct ls_host expected[] = {{"s1.example.com", "s1.example.com", 0, 1, "", false},
                                            {"foo@s2", "s2", 8, 1, "", false},
                                            {":", ":", 2, 1, "", true},
                                            {"me@::1", "::1", 0, 1, "", false}};
  struct ls_host_list list = {0};
  assert_int_equal(ls_host_list_add_logins(make_text("s1.example.com,8/foo@s2"), &list, NULL),
                   LS_OK);
  /* Who is named twice is there once. */
  assert_int_equal(
      ls_host_list_add_logins(make_text("# ours\n2/:\n4/foo@s2\nme@[::1]\n"), &list, NULL), LS_OK);
  assert_int_equal(list.count, 4);
  for (size_t i = 0; i < 4; i++) {
    check_host(&list.items[i], &expected[i]);
    assert_int_equal(list.items[i].is_here, expected[i].is_here);
  }
  ls_host_list_close(&list);
}

static void what_is_no_login_is_named(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"ssh -p 22 host", "no command of ssh: that is said by --ssh-command"},
      {"4/ssh host", "host is '4/ssh host'"},
      {"@group/host", "no group"},
      {"me:secret@host", "no password"},
      {"host:22", "no port"},
      {"0/host", "1 to 4096 workers"},
      {"x/host", "host is 'x/host', expected [workers/][user@]host, or [workers/]:,"},
      {"/host", "host is '/host'"},
      {"4/", "host is '4/'"},
      {"-oProxyCommand=x", "host is '-oProxyCommand=x'"},
      {"3/-x", "host is '3/-x'"},
      {"# none", "there is no host"},
      {"", "there is no host"},
      {"a,,b", "host is ''"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_host_list list = {0};
    struct ls_error err = {0};
    assert_int_equal(ls_host_list_add_logins(make_text(cases[i][0]), &list, &err), LS_EINVAL);
    if (strstr(err.text, cases[i][1]) == NULL) fail_msg("'%s': %s", cases[i][0], err.text);
    ls_host_list_close(&list);
  }
}

static void lengths_and_numbers_are_bounded(void **state) {
  (void)state;
  struct ls_host_list list;
  struct ls_error err = {0};
  char *text = malloc(2 * (LS_HOSTS_MAX + 2));
  assert_non_null(text);
  memset(text, 'a', 256);
  text[256] = '\0';
  assert_int_equal(ls_host_list_read(make_text(text), &list, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "at most 255 letters"));
  for (size_t i = 0; i <= LS_HOSTS_MAX; i++) memcpy(text + 2 * i, "a,", 2);
  text[2 * LS_HOSTS_MAX - 1] = '\0';
  list = read_list(text);
  assert_int_equal(list.count, LS_HOSTS_MAX);
  ls_host_list_close(&list);
  text[2 * LS_HOSTS_MAX - 1] = ',';
  text[2 * LS_HOSTS_MAX + 1] = '\0';
  assert_int_equal(ls_host_list_read(make_text(text), &list, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "more than 4096 hosts"));
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_host_says_what_it_has),
      cmocka_unit_test(labels_stand_behind_all_else),
      cmocka_unit_test(hosts_stand_between_commas_or_on_lines),
      cmocka_unit_test(what_is_no_host_is_named),
      cmocka_unit_test(logins_are_those_of_gnu_parallel),
      cmocka_unit_test(what_is_no_login_is_named),
      cmocka_unit_test(lengths_and_numbers_are_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
