/* agent_fixture.h: an agent in a process of its own, and the other end of its line. */
#ifndef LS_TEST_SUPPORT_AGENT_FIXTURE_H
#define LS_TEST_SUPPORT_AGENT_FIXTURE_H

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "protocol/agent_line.h"
#include "runtime/os/keys.h"
#include "runtime/os/lines.h"
#include "runtime/pool/agent.h"

enum { LINE_PATIENCE_MS = 60000 };

struct agent {
  pid_t pid;
  int to, from;
  struct ls_lines heard;
  char folder[LS_AGENT_WORDS_MAX + 1];
};

/* A worker that lives for ever, or ends with the number behind the last - of its name "end-3". */
static inline int agent_serve(void *context, const struct ls_keeper_worker *worker) {
  (void)context;
  int status = 0;
  if (sscanf(worker->name, "end-%d", &status) == 1) return status;
  for (;;) pause();
}

/* All folders of a test lie in this one. */
static inline const char *agent_temporary(void) {
  static char folder[32];
  if (folder[0] == '\0') {
    strcpy(folder, "/tmp/loadstar-agents-XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("TMPDIR", folder, 1), 0);
  }
  return folder;
}

static inline struct agent agent_start(const char *letters) {
  struct agent agent = {0};
  int to[2], from[2];
  (void)agent_temporary();
  assert_int_equal(pipe(to), 0);
  assert_int_equal(pipe(from), 0);
  agent.pid = fork();
  if (agent.pid == 0) {
    static struct ls_key_file keys;
    struct ls_error err = {0};
    (void)close(to[1]);
    (void)close(from[0]);
    const struct ls_agent_setup setup = {.name = letters,
                                         .cores = 3,
                                         .input = to[0],
                                         .output = from[1],
                                         .serve = agent_serve,
                                         .keys = &keys};
    _exit((int)ls_agent_run(&setup, &err));
  }
  (void)close(to[0]);
  (void)close(from[1]);
  agent.to = to[1];
  agent.from = from[0];
  return agent;
}

static inline void agent_say(const struct agent *agent, const char *text) {
  assert_int_equal(write(agent->to, text, strlen(text)), (ssize_t)strlen(text));
}

/* The keys of some run. */
static inline void agent_send_keys(const struct agent *agent) {
  struct ls_key_file keys;
  struct ls_bytes text = {0};
  assert_int_equal(ls_keys_make(&keys, NULL), LS_OK);
  keys.is_master = false;
  strcpy(keys.address, "tcp://127.0.0.1:1");
  ls_key_file_write(&keys, &text);
  agent_say(agent, ls_bytes_text(&text));
  ls_bytes_close(&text);
}

/* Its next line, which is one. */
static inline struct ls_agent_line agent_hear(struct agent *agent) {
  struct ls_text text;
  struct ls_agent_line line;
  while (!ls_lines_take(&agent->heard, &text)) {
    struct pollfd look = {.fd = agent->from, .events = POLLIN};
    if (poll(&look, 1, LINE_PATIENCE_MS) == 0) fail_msg("no line within a minute");
    if (!ls_lines_fill(&agent->heard, agent->from)) fail_msg("the line has ended");
  }
  if (!ls_agent_line_read(text, &line)) fail_msg("'%.*s'", (int)text.length, text.data);
  return line;
}

static inline struct ls_agent_line agent_expect(struct agent *agent, enum ls_agent_kind kind) {
  struct ls_agent_line line = agent_hear(agent);
  if (line.kind != kind) fail_msg("line %d, expected %d", (int)line.kind, (int)kind);
  return line;
}

/* From its first word to the open line. */
static inline void agent_open(struct agent *agent, const char *tunnel) {
  struct ls_agent_line hello = agent_expect(agent, LS_AGENT_HELLO);
  assert_int_equal(hello.version, LS_AGENT_VERSION);
  assert_int_equal(hello.count, 3);
  strcpy(agent->folder, hello.words);
  agent_send_keys(agent);
  agent_say(agent, tunnel);
}

static inline void agent_hang_up(struct agent *agent) {
  (void)close(agent->to);
  (void)close(agent->from);
  ls_lines_close(&agent->heard);
}

/* The status that it ends with. */
static inline int agent_await(const struct agent *agent) {
  int how = 0;
  assert_int_equal(waitpid(agent->pid, &how, 0), agent->pid);
  return WIFEXITED(how) ? WEXITSTATUS(how) : -WTERMSIG(how);
}

static inline bool agent_has_folder(const struct agent *agent) {
  return access(agent->folder, F_OK) == 0;
}

static inline void agent_await_no_folder(const struct agent *agent) {
  for (int i = 0; i < 6000 && agent_has_folder(agent); ++i) (void)poll(NULL, 0, 10);
  assert_false(agent_has_folder(agent));
}

/* Nothing may be left of any. */
static inline int agent_tear_down(void **state) {
  (void)state;
  return rmdir(agent_temporary());
}

#endif
