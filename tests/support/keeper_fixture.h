/* keeper_fixture.h: what the tests of the keeper share: keepers, orders, news, tell-tales. */
#ifndef LS_TEST_SUPPORT_KEEPER_FIXTURE_H
#define LS_TEST_SUPPORT_KEEPER_FIXTURE_H

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/pool/keeper.h"

enum { PATIENCE_MS = 60000 };

/* A keeper whose workers run a script; the words of the keeper are its arguments $1 ... */
static inline struct ls_keeper *keep_scripts(const char *script) {
  static char shell[] = "sh", option[] = "-c", text[4096], name[] = "worker";
  static char *command[] = {shell, option, text, name, NULL};
  (void)snprintf(text, sizeof text, "%s", script);
  struct ls_keeper *keeper = NULL;
  struct ls_error err = {0};
  struct ls_keeper_setup setup = {.command = command};
  if (ls_keeper_start(&setup, &keeper, &err) != LS_OK) fail_msg("%s", err.text);
  return keeper;
}

static inline struct ls_keeper *keep(ls_keeper_serve_fn serve, void *context) {
  struct ls_keeper *keeper = NULL;
  struct ls_error err = {0};
  struct ls_keeper_setup setup = {.serve = serve, .context = context};
  if (ls_keeper_start(&setup, &keeper, &err) != LS_OK) fail_msg("%s", err.text);
  return keeper;
}

static inline void order(struct ls_keeper *keeper, struct ls_keeper_record record) {
  ls_keeper_line_post(ls_keeper_line(keeper), &record);
}

static inline void order_words(struct ls_keeper *keeper, enum ls_keeper_kind kind,
                               const char *words) {
  struct ls_keeper_record record = {.kind = kind};
  (void)snprintf(record.words, sizeof record.words, "%s", words);
  order(keeper, record);
}

static inline struct ls_keeper_record await_news(struct ls_keeper *keeper) {
  struct ls_keeper_line *line = ls_keeper_line(keeper);
  struct ls_keeper_record record;
  while (!ls_keeper_line_take(line, &record)) {
    assert_false(line->is_broken);
    ls_keeper_line_flush(line);
    struct pollfd look = {.fd = line->file, .events = POLLIN};
    if (poll(&look, 1, PATIENCE_MS) == 0) fail_msg("no news within a minute");
  }
  return record;
}

/* The process id of a worker that is started in the slot. */
static inline pid_t start(struct ls_keeper *keeper, uint32_t slot) {
  order(keeper, (struct ls_keeper_record){.kind = LS_KEEPER_START, .slot = slot, .number = 1});
  struct ls_keeper_record news = await_news(keeper);
  if (news.kind != LS_KEEPER_STARTED) fail_msg("%s", news.words);
  assert_int_equal(news.slot, slot);
  return news.pid;
}

static inline struct ls_keeper_record await_end(struct ls_keeper *keeper) {
  struct ls_keeper_record news = await_news(keeper);
  assert_int_equal(news.kind, LS_KEEPER_ENDED);
  return news;
}

/* Of a worker: its keeper. */
static inline pid_t parent_of(pid_t pid) {
  char name[32];
  int parent = 0;
  (void)snprintf(name, sizeof name, "/proc/%d/stat", (int)pid);
  FILE *file = fopen(name, "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%*d (%*[^)]) %*c %d", &parent), 1);
  (void)fclose(file);
  return (pid_t)parent;
}

/* A pipe that all who inherit it hold: it ends when the last of them does. */
static inline void open_tell_tale(int ends[2]) {
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(fcntl(ends[0], F_SETFD, FD_CLOEXEC), 0);
}

static inline void await_byte(int file) {
  char byte;
  struct pollfd look = {.fd = file, .events = POLLIN};
  if (poll(&look, 1, PATIENCE_MS) == 0) fail_msg("no byte within a minute");
  assert_int_equal(read(file, &byte, 1), 1);
}

static inline void await_silence(int file) {
  char byte;
  struct pollfd look = {.fd = file, .events = POLLIN};
  do {
    if (poll(&look, 1, PATIENCE_MS) == 0) fail_msg("somebody is left after a minute");
  } while (read(file, &byte, 1) == 1);
  (void)close(file);
}

#endif
