/* postbox.h: what a worker has to say to its master, in order, over connections that come and go.
 *
 * Results are kept until they are durable at the master: `restart` sends them again over a new
 * connection, large outputs from their beginning.  All other messages belong to one connection and
 * are forgotten with it: urgent ones leave before the results that wait, plain ones behind.  The
 * postbox knows no transport: `pump` hands frames to a function that may refuse one for now.
 */
#ifndef LS_RUNTIME_WORKER_POSTBOX_H
#define LS_RUNTIME_WORKER_POSTBOX_H

#include "base/status.h"
#include "runtime/worker/kept_results.h"

struct ls_postbox {
  struct ls_kept_results results; /* sent or to be sent, not known to be durable */
  struct ls_kept_results held;    /* of chunks that were not fetched: stay here */
  size_t sent;                    /* of `results`: so many have left over this connection */
  size_t earlier;                 /* of `results`: the first so many are of an earlier era */
  uint64_t durable;               /* results dropped since the connection began */
  size_t stream;                  /* of the next result: which of its files leaves now, and */
  uint64_t offset;                /* the bytes of it that have left */
  struct ls_bytes urgent, plain, frame;
  char *block;    /* to read pieces of outputs */
  double since_s; /* something waits since, over this connection */
};

/* LS_OK, LS_EBUSY: not now; all else is a failure. */
typedef enum ls_status (*ls_postbox_send_fn)(void *context, const void *data, size_t length,
                                             struct ls_error *err);

void ls_postbox_post(struct ls_postbox *postbox, const struct ls_message *message, double now_s);
void ls_postbox_post_urgent(struct ls_postbox *postbox, const struct ls_message *message,
                            double now_s);
/* The files of a result that leaves; `is_held`: it stays until ls_postbox_fetch. */
struct ls_result_files {
  const struct ls_result_file *items;
  size_t count;
  bool is_held;
};
/* A RESULT; takes the files over. */
void ls_postbox_post_result(struct ls_postbox *postbox, const struct ls_message *result,
                            const struct ls_result_files *files, double now_s);
void ls_postbox_fetch(struct ls_postbox *postbox, uint64_t chunk, double now_s);

/* Does anything wait to leave? */
bool ls_postbox_is_waiting(const struct ls_postbox *postbox);
/* Bytes of messages that wait to leave; large outputs not counted. */
size_t ls_postbox_waiting_bytes(const struct ls_postbox *postbox);
/* Sends what waits, small messages in one frame, until all has left or `send` says LS_EBUSY, which
 * is returned. A frame that was refused is offered again. */
LS_CHECKED enum ls_status ls_postbox_pump(struct ls_postbox *postbox, ls_postbox_send_fn send,
                                          void *context, struct ls_error *err);
/* So many results since the connection began are durable. LS_ECORRUPT: more than have left. */
LS_CHECKED enum ls_status ls_postbox_acknowledge(struct ls_postbox *postbox, uint64_t durable,
                                                 struct ls_error *err);
/* A new connection, over which all that waits begins to leave. */
void ls_postbox_restart(struct ls_postbox *postbox, double now_s);
/* A new session: its master knows nothing of chunks that were held, nor of results but the oldest
 * `count` ones. */
void ls_postbox_forget(struct ls_postbox *postbox, size_t count);
void ls_postbox_close(struct ls_postbox *postbox);

#endif
