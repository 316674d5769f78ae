#include "runtime/pool/ssh/ssh_link.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* ---- starting ---- */

static void close_file(int *file) {
  if (*file >= 0) (void)close(*file);
  *file = -1;
}

/* A child of this process may share the file, so closing it would not end the watch. */
static void forget_file(struct ls_ssh_link *link, int *file) {
  if (*file >= 0) (void)epoll_ctl(link->watch, EPOLL_CTL_DEL, *file, NULL);
  close_file(file);
}

static void watch_file(const struct ls_ssh_link *link, int file, uint64_t number) {
  struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = number}};
  if (file >= 0) (void)epoll_ctl(link->watch, EPOLL_CTL_ADD, file, &event);
}

enum ls_status ls_ssh_link_start(struct ls_ssh_link *link, char *const *words, int watch,
                                 uint64_t number, struct ls_error *err) {
  int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
  enum ls_status status = LS_OK;
  for (int i = 0; i < 3 && status == LS_OK; ++i) {
    if (pipe2(pipes[i], O_CLOEXEC) != 0)
      status = ls_fail(err, LS_EIO, "no pipe for '%s': %s", words[0], strerror(errno));
  }
  struct ls_process_request request = {
      .argv = words, .input = pipes[0][0], .output = pipes[1][1], .error_output = pipes[2][1]};
  struct ls_ssh_link made = {
      .input = pipes[0][1], .output = pipes[1][0], .errors = pipes[2][0], .watch = watch};
  if (status == LS_OK) status = ls_process_start(&request, &made.process, NULL, err);
  close_file(&pipes[0][0]);
  close_file(&pipes[1][1]);
  close_file(&pipes[2][1]);
  if (status != LS_OK) {
    for (int i = 0; i < 3; ++i) close_file(&pipes[i][i == 0]);
    return status;
  }
  made.is_running = true;
  ls_lines_prepare(made.input);
  ls_lines_prepare(made.output);
  ls_lines_prepare(made.errors);
  watch_file(&made, made.output, number);
  watch_file(&made, made.errors, number);
  watch_file(&made, made.process.pidfd, number);
  *link = made;
  return LS_OK;
}

/* ---- lines ---- */

/* People read it, on a terminal. */
static void keep_text(char out[LS_SSH_LINK_LAST_BYTES], struct ls_text line) {
  size_t length = 0;
  while (line.length > 0 && isspace((unsigned char)line.data[0])) {
    ++line.data;
    --line.length;
  }
  if (line.length == 0) return;
  for (size_t i = 0; i < line.length && length < LS_SSH_LINK_LAST_BYTES - 1; ++i) {
    unsigned char letter = (unsigned char)line.data[i];
    out[length++] = letter < ' ' || letter == 0x7f ? ' ' : line.data[i];
  }
  out[length] = '\0';
}

void ls_ssh_link_keep_printed(struct ls_ssh_link *link, struct ls_text text) {
  keep_text(link->printed, text);
}

static void read_streams(struct ls_ssh_link *link) {
  struct ls_text line;
  if (link->output >= 0 && !ls_lines_fill(&link->heard, link->output))
    forget_file(link, &link->output);
  bool goes_on = link->errors >= 0 && ls_lines_fill(&link->complaints, link->errors);
  while (ls_lines_take(&link->complaints, &line)) keep_text(link->last, line);
  if (!goes_on && link->errors >= 0) forget_file(link, &link->errors);
}

bool ls_ssh_link_pump(struct ls_ssh_link *link) {
  if (!link->is_running) return false;
  /* Looked at first: what it said before its end is read behind that. */
  bool has_ended = ls_process_ended(&link->process, false, &link->end);
  read_streams(link);
  if (link->input >= 0 && !ls_lines_flush(&link->said, link->input)) close_file(&link->input);
  if (!has_ended) return true;
  link->is_running = false;
  close_file(&link->input);
  forget_file(link, &link->output);
  forget_file(link, &link->errors);
  return false;
}

void ls_ssh_link_hang_up(struct ls_ssh_link *link) {
  if (link->is_running) close_file(&link->input);
}

/* ---- ends ---- */

const char *ls_ssh_link_reason(const struct ls_ssh_link *link, char *room, size_t room_bytes) {
  if (link->last[0] != '\0') return link->last;
  if (link->end.signal != 0) {
    (void)snprintf(room, room_bytes, "ssh was ended by signal %d (%s)", link->end.signal,
                   strsignal(link->end.signal));
  } else {
    (void)snprintf(room, room_bytes, "ssh has ended with exit status %d%s%s", link->end.exit_code,
                   link->printed[0] != '\0' ? ", and has printed: " : "", link->printed);
  }
  return room;
}

void ls_ssh_link_close(struct ls_ssh_link *link) {
  if (link->is_running) {
    ls_process_signal(&link->process, SIGKILL);
    (void)ls_process_ended(&link->process, true, &link->end);
    close_file(&link->input);
    forget_file(link, &link->output);
    forget_file(link, &link->errors);
  }
  ls_lines_close(&link->heard);
  ls_lines_close(&link->complaints);
  ls_bytes_close(&link->said);
  *link = (struct ls_ssh_link){0};
}
