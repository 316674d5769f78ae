#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "runtime/pool/ssh/ssh_link.h"

static void start(struct ls_ssh_link *link, const char *script, int watch) {
  char text[200];
  char *words[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, text, NULL};
  struct ls_error err = {0};
  strcpy(text, script);
  if (ls_ssh_link_start(link, words, watch, 7, &err) != LS_OK) fail_msg("%s", err.text);
}

static bool await(struct ls_ssh_link *link, int watch) {
  struct epoll_event event;
  if (epoll_wait(watch, &event, 1, 60000) != 1) fail_msg("nothing within a minute");
  assert_int_equal(event.data.u64, 7);
  return ls_ssh_link_pump(link);
}

static void lines_go_both_ways_until_its_end(void **state) {
  (void)state;
  struct ls_ssh_link link;
  struct ls_text line = {0};
  char room[80];
  int watch = epoll_create1(EPOLL_CLOEXEC);
  start(&link, "read -r word; echo it says $word; echo first >&2; echo '  last  ' >&2; exit 3",
        watch);
  ls_bytes_append_text(&link.said, "hello\n");
  assert_true(ls_ssh_link_pump(&link));
  while (await(&link, watch)) continue;
  assert_true(ls_lines_take(&link.heard, &line));
  assert_int_equal(line.length, strlen("it says hello"));
  assert_int_equal(link.end.exit_code, 3);
  assert_string_equal(ls_ssh_link_reason(&link, room, sizeof room), "last  ");
  ls_ssh_link_close(&link);
  (void)close(watch);
}

static void without_words_its_end_is_the_reason(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"exit 255", "ssh has ended with exit status 255"},
      {"kill -TERM $$", "ssh was ended by signal 15 (Terminated)"}};
  int watch = epoll_create1(EPOLL_CLOEXEC);
  for (size_t i = 0; i < 2; i++) {
    struct ls_ssh_link link;
    char room[80];
    start(&link, cases[i][0], watch);
    while (await(&link, watch)) continue;
    assert_string_equal(ls_ssh_link_reason(&link, room, sizeof room), cases[i][1]);
    ls_ssh_link_close(&link);
  }
  (void)close(watch);
}

/* What is shown on a terminal does nothing to it. */
static void the_last_line_is_harmless(void **state) {
  (void)state;
  struct ls_ssh_link link;
  char room[80];
  int watch = epoll_create1(EPOLL_CLOEXEC);
  start(&link, "printf 'a\\033[2Jb\\n\\n' >&2", watch);
  while (await(&link, watch)) continue;
  assert_string_equal(ls_ssh_link_reason(&link, room, sizeof room), "a [2Jb");
  ls_ssh_link_close(&link);
  (void)close(watch);
}

static void who_is_hung_up_on_reads_the_end(void **state) {
  (void)state;
  struct ls_ssh_link link;
  int watch = epoll_create1(EPOLL_CLOEXEC);
  start(&link, "cat; exit 5", watch);
  ls_ssh_link_hang_up(&link);
  while (await(&link, watch)) continue;
  assert_int_equal(link.end.exit_code, 5);
  ls_ssh_link_close(&link);
  (void)close(watch);
}

/* With what it has started. */
static void closing_ends_it(void **state) {
  (void)state;
  struct ls_ssh_link link;
  int watch = epoll_create1(EPOLL_CLOEXEC);
  start(&link, "sleep 1000 & sleep 1000", watch);
  pid_t pid = link.process.pid;
  ls_ssh_link_close(&link);
  assert_int_equal(kill(pid, 0), -1);
  assert_false(link.is_running);
  ls_ssh_link_close(&link);
  (void)close(watch);
}

static void a_program_that_is_not_there_is_named(void **state) {
  (void)state;
  struct ls_ssh_link link;
  struct ls_error err = {0};
  char *words[] = {(char[]){"/no/such/ssh"}, NULL};
  assert_int_equal(ls_ssh_link_start(&link, words, -1, 0, &err), LS_EIO);
  assert_non_null(strstr(err.text, "/no/such/ssh"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_go_both_ways_until_its_end),
      cmocka_unit_test(without_words_its_end_is_the_reason),
      cmocka_unit_test(the_last_line_is_harmless),
      cmocka_unit_test(who_is_hung_up_on_reads_the_end),
      cmocka_unit_test(closing_ends_it),
      cmocka_unit_test(a_program_that_is_not_there_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
