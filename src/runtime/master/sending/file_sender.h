/* file_sender.h: the contents that workers want, as pieces, behind all else that they are told.
 *
 * In each round of the master a worker gets one piece at most, so that beats and chunks wait for no
 * more than that.
 */
#ifndef LS_RUNTIME_MASTER_SENDING_FILE_SENDER_H
#define LS_RUNTIME_MASTER_SENDING_FILE_SENDER_H

#include <stdbool.h>
#include <stddef.h>

#include "protocol/message.h"
#include "runtime/journal/journal_files.h"
#include "runtime/master/sending/outbox.h"
#include "runtime/master/sending/slow_transfer.h"

/* A part of a content. */
struct ls_file_part {
  const unsigned char *name; /* LS_CONTENT_BYTES */
  uint64_t offset;
};

/* What was read of it. */
struct ls_file_bytes {
  char data[LS_PIECE_BYTES];
  size_t length;
  uint64_t total; /* of the whole content */
};

/* Where contents come from. */
struct ls_file_source {
  /* Up to LS_PIECE_BYTES; a failure says why it cannot be had. */
  enum ls_status (*read)(void *context, const struct ls_file_part *part,
                         struct ls_file_bytes *bytes, struct ls_error *err);
  void *context;
};

/* A piece that a worker wants. */
struct ls_file_want {
  struct ls_peer to;
  uint32_t worker;
  unsigned char name[LS_CONTENT_BYTES];
  uint64_t offset;
  bool was_served; /* in this round */
};

struct ls_file_course {
  uint32_t worker;
  unsigned char name[LS_CONTENT_BYTES];
  double begun_s, told_s; /* when the user hears of it the next time */
  uint64_t sent, total;
};

/* Starts as {0}; without a source nothing can be had. */
struct ls_file_sender {
  const struct ls_file_source *source;
  struct ls_file_want *wants;
  size_t count, capacity;
  struct ls_file_course *courses; /* of contents on their way */
  size_t courses_count, courses_capacity;
  struct ls_file_bytes *bytes;
  uint64_t bytes_sent;
  /* Hears of each content that a worker has got. May be NULL. */
  void (*told)(void *context, uint32_t worker, const struct ls_file_sent *sent);
  void *context;
};

/* A piece that is wanted. LS_ECORRUPT: no worker asks for so much at once; LS_ENOMEM. */
LS_CHECKED enum ls_status ls_file_sender_ask(struct ls_file_sender *sender,
                                             const struct ls_file_want *want, double now_s,
                                             struct ls_error *err);
/* The worker is gone, or has a new connection: it asks again. */
void ls_file_sender_forget(struct ls_file_sender *sender, uint32_t worker);
bool ls_file_sender_is_waiting(const struct ls_file_sender *sender);
/* Posts the pieces of one round. */
LS_CHECKED enum ls_status ls_file_sender_post(struct ls_file_sender *sender,
                                              struct ls_outbox *outbox, double now_s,
                                              struct ls_error *err);
/* As ls_port_find_slow. */
bool ls_file_sender_find_slow(struct ls_file_sender *sender, double now_s, uint32_t *worker,
                              struct ls_slow *slow);
void ls_file_sender_close(struct ls_file_sender *sender);

#endif
