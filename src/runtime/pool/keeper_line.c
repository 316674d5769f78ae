#include "runtime/pool/keeper_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/array.h"

/* false: the socket takes no more now. */
static bool send_record(struct ls_keeper_line *line, const struct ls_keeper_record *record) {
  ssize_t sent;
  do {
    sent = send(line->file, record, sizeof *record, MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent >= 0) return true;
  /* Without buffers the kernel has no room either. */
  if (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM) return false;
  line->is_broken = true;
  return true;
}

void ls_keeper_line_flush(struct ls_keeper_line *line) {
  while (ls_keeper_line_is_waiting(line) && send_record(line, &line->queue[line->first])) {
    ++line->first;
    --line->count;
  }
  if (line->count == 0) line->first = 0;
}

/* A stop that nobody has heard of yet, and that is over. */
static bool forget_stop(struct ls_keeper_line *line, const struct ls_keeper_record *record) {
  if (record->kind != LS_KEEPER_CONTINUED) return false;
  for (size_t i = line->first + line->count; i > line->first; --i) {
    struct ls_keeper_record *queued = &line->queue[i - 1];
    if (queued->slot != record->slot || queued->pid != record->pid) continue;
    if (queued->kind != LS_KEEPER_STOPPED) return false;
    for (; i < line->first + line->count; ++i) line->queue[i - 1] = line->queue[i];
    --line->count;
    return true;
  }
  return false;
}

/* Room for one more at the end of the queue. */
static bool make_room(struct ls_keeper_line *line) {
  if (line->first > line->count) {
    memcpy(line->queue, line->queue + line->first, line->count * sizeof *line->queue);
    line->first = 0;
  }
  void *queue = line->queue;
  enum ls_status status =
      ls_array_reserve(&queue, &line->capacity, line->first + line->count + 1, sizeof *line->queue);
  line->queue = queue;
  return status == LS_OK;
}

void ls_keeper_line_post(struct ls_keeper_line *line, const struct ls_keeper_record *record) {
  if (forget_stop(line, record)) return;
  ls_keeper_line_flush(line);
  if (line->is_broken || (line->count == 0 && send_record(line, record))) return;
  if (make_room(line)) {
    line->queue[line->first + line->count++] = *record;
  } else {
    (void)shutdown(line->file, SHUT_RDWR);
    line->is_broken = true;
  }
}

bool ls_keeper_line_take(struct ls_keeper_line *line, struct ls_keeper_record *record) {
  ssize_t length;
  do {
    length = recv(line->file, record, sizeof *record, MSG_DONTWAIT | MSG_TRUNC);
  } while (length < 0 && errno == EINTR);
  if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  /* The end, an error, or what no end of ours sends. */
  if (length != (ssize_t)sizeof *record) {
    line->is_broken = true;
    return false;
  }
  record->words[LS_KEEPER_WORDS_MAX] = '\0';
  return true;
}

void ls_keeper_line_close(struct ls_keeper_line *line) {
  if (line->file >= 0) (void)close(line->file);
  free(line->queue);
  *line = (struct ls_keeper_line){.file = -1};
}
