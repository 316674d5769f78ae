#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "protocol/agent_line.h"

static bool read_text(const char *text, struct ls_agent_line *line) {
  return ls_agent_line_read((struct ls_text){text, strlen(text), NULL}, line);
}

static const struct {
  struct ls_agent_line line;
  const char *text;
} lines[] = {
    {{.kind = LS_AGENT_TUNNEL, .words = "/tmp/a b/socket.1"}, "tunnel /tmp/a b/socket.1"},
    {{.kind = LS_AGENT_START, .slot = 5, .number = 0.5, .words = "n1-1"}, "start 5 0.5 n1-1"},
    {{.kind = LS_AGENT_SIGNAL, .slot = 7, .signal = 15}, "signal 7 15"},
    {{.kind = LS_AGENT_CLOSE, .number = 2}, "close 2"},
    {{.kind = LS_AGENT_HELLO, .version = 1, .count = 64, .words = "/tmp/x"},
     "loadstar-agent 1 64 /tmp/x"},
    {{.kind = LS_AGENT_HAS, .slot = 3, .pid = 4711}, "has 3 4711"},
    {{.kind = LS_AGENT_READY}, "ready"},
    {{.kind = LS_AGENT_STARTED, .slot = 1, .pid = 2147483647}, "started 1 2147483647"},
    {{.kind = LS_AGENT_UNSTARTED, .slot = 1, .words = "no room"}, "unstarted 1 no room"},
    {{.kind = LS_AGENT_ENDED, .slot = 2, .pid = 9, .exit_code = 3}, "ended 2 9 3 0"},
    {{.kind = LS_AGENT_STOPPED, .slot = 2, .pid = 9, .signal = 20}, "stopped 2 9 20"},
    {{.kind = LS_AGENT_CONTINUED, .slot = 2, .pid = 9}, "continued 2 9"},
};

static void every_kind_is_a_line_and_comes_back(void **state) {
  (void)state;
  assert_int_equal(sizeof lines / sizeof *lines, LS_AGENT_KIND_COUNT);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    struct ls_bytes text = {0};
    struct ls_agent_line again;
    char expected[300];
    ls_agent_line_write(&lines[i].line, &text);
    (void)snprintf(expected, sizeof expected, "%s\n", lines[i].text);
    assert_string_equal(ls_bytes_text(&text), expected);
    assert_true(read_text(lines[i].text, &again));
    assert_int_equal(again.kind, lines[i].line.kind);
    assert_int_equal(again.slot, lines[i].line.slot);
    assert_int_equal(again.pid, lines[i].line.pid);
    assert_int_equal(again.count, lines[i].line.count);
    assert_int_equal(again.version, lines[i].line.version);
    assert_int_equal(again.exit_code, lines[i].line.exit_code);
    assert_int_equal(again.signal, lines[i].line.signal);
    assert_true(again.number <= lines[i].line.number && again.number >= lines[i].line.number);
    assert_string_equal(again.words, lines[i].line.words);
    ls_bytes_close(&text);
  }
}

/* A login may write a line without an end in front of it, the word itself, or bytes of any kind. */
static void the_first_line_is_found_behind_what_a_login_writes(void **state) {
  (void)state;
  static const char *const before[] = {"",
                                       "Welcome",
                                       "\033]0;n1\007",
                                       "loadstar-agent 1 9 /tmp/y",
                                       "loadstar-agent loadstar-agen",
                                       "\0\xff loadstar-agent "};
  char text[200];
  for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
    struct ls_agent_line line;
    size_t length = i < 5 ? strlen(before[i]) : 18;
    memcpy(text, before[i], length);
    strcpy(text + length, "loadstar-agent 1 64 /tmp/a b");
    struct ls_text whole = {text, length + strlen(text + length), NULL};
    assert_true(ls_agent_line_find_hello(whole, &line));
    assert_int_equal(line.count, 64);
    assert_string_equal(line.words, "/tmp/a b");
    whole.length -= strlen(" 64 /tmp/a b");
    assert_true(!ls_agent_line_find_hello(whole, &line) || line.count == 9);
  }
  struct ls_agent_line line;
  assert_false(ls_agent_line_find_hello((struct ls_text){"Welcomeready", 12, NULL}, &line));
}

/* Whatever a worker's name or a failure says, it is one line. */
static void words_stay_on_their_line(void **state) {
  (void)state;
  struct ls_agent_line line = {.kind = LS_AGENT_UNSTARTED, .slot = 1, .words = "a\nended 2 9 0 0"};
  struct ls_bytes text = {0};
  ls_agent_line_write(&line, &text);
  assert_string_equal(ls_bytes_text(&text), "unstarted 1 a ended 2 9 0 0\n");
  ls_bytes_close(&text);
}

static void what_is_no_such_line_is_nothing(void **state) {
  (void)state;
  static const char *const others[] = {"",
                                       " ",
                                       "Welcome to n1!",
                                       "{\"format\": \"loadstar-key-1\"}",
                                       "ready ",
                                       "ready 1",
                                       "readyx",
                                       "has 3",
                                       "has 3 ",
                                       "has  3 4",
                                       "has 3 4 5",
                                       "has -3 4",
                                       "has 1048577 4",
                                       "has 3 2147483648",
                                       "has 3 99999999999999999999999999999999999",
                                       "start 5 nan x",
                                       "start 5 -1 x",
                                       "start 5 1e10 x",
                                       "start 5 1e x",
                                       "start 5 0.5",
                                       "ended 2 9 256 0",
                                       "ended 2 9 0 65",
                                       "tunnel",
                                       "tunnel a\tb",
                                       "loadstar-agent x 1 /tmp"};
  struct ls_agent_line line;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (read_text(others[i], &line)) fail_msg("'%s' was read", others[i]);
  char longest[300];
  memset(longest, 'x', sizeof longest);
  memcpy(longest, "tunnel ", 7);
  assert_true(ls_agent_line_read((struct ls_text){longest, 7 + LS_AGENT_WORDS_MAX, NULL}, &line));
  assert_false(ls_agent_line_read((struct ls_text){longest, 8 + LS_AGENT_WORDS_MAX, NULL}, &line));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_is_a_line_and_comes_back),
      cmocka_unit_test(the_first_line_is_found_behind_what_a_login_writes),
      cmocka_unit_test(words_stay_on_their_line),
      cmocka_unit_test(what_is_no_such_line_is_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
