#include "runtime/worker/postbox.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/range_words.h"

enum {
  PIECE_BYTES = LS_MESSAGE_PIECE_BYTES,
  FRAME_BYTES = LS_MESSAGE_PIECE_BYTES,
  IDLE_BYTES_MAX = 1 << 20 /* storage that may stay */
};

bool ls_postbox_is_waiting(const struct ls_postbox *postbox) {
  return postbox->urgent.length > 0 || postbox->plain.length > 0 ||
         postbox->sent < postbox->results.count;
}

size_t ls_postbox_waiting_bytes(const struct ls_postbox *postbox) {
  size_t bytes = postbox->urgent.length + postbox->plain.length;
  if (postbox->sent < postbox->results.count) {
    bytes += postbox->results.bytes.length -
             ls_kept_results_at(&postbox->results, postbox->sent)->offset;
  }
  return bytes;
}

static void note_waiting(struct ls_postbox *postbox, double now_s) {
  if (!ls_postbox_is_waiting(postbox)) postbox->since_s = now_s;
}

void ls_postbox_post(struct ls_postbox *postbox, const struct ls_message *message, double now_s) {
  note_waiting(postbox, now_s);
  ls_message_encode(message, &postbox->plain);
}

void ls_postbox_post_urgent(struct ls_postbox *postbox, const struct ls_message *message,
                            double now_s) {
  note_waiting(postbox, now_s);
  ls_message_encode(message, &postbox->urgent);
}

void ls_postbox_post_result(struct ls_postbox *postbox, const struct ls_message *result,
                            const struct ls_result_files *files, double now_s) {
  note_waiting(postbox, now_s);
  ls_kept_results_add(files->is_held ? &postbox->held : &postbox->results, result, files->items,
                      files->count);
}

void ls_postbox_fetch(struct ls_postbox *postbox, uint64_t chunk, double now_s) {
  note_waiting(postbox, now_s);
  (void)ls_kept_results_move(&postbox->held, chunk, &postbox->results);
}

/* The next piece of the large outputs of a result; LS_OK with nothing sent: there is none left. */
static enum ls_status send_piece(struct ls_postbox *postbox, const struct ls_kept_result *item,
                                 ls_postbox_send_fn send, void *context, struct ls_error *err) {
  const struct ls_result_file *file = &item->files[postbox->stream];
  uint64_t left = file->bytes - postbox->offset;
  size_t wanted = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
  if (postbox->block == NULL) postbox->block = malloc(PIECE_BYTES);
  if (postbox->block == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for an output");
  ssize_t length;
  do {
    length = pread(file->file, postbox->block, wanted, (off_t)postbox->offset);
  } while (length < 0 && errno == EINTR);
  /* The file is ours alone, so it cannot have become shorter. */
  if (length <= 0) {
    char which[LS_RANGE_WORDS_BYTES];
    return ls_fail(err, LS_EIO, "cannot read the output of %s back",
                   ls_range_words(item->units, which));
  }
  struct ls_message piece = {.kind = LS_MESSAGE_OUTPUT,
                             .chunk = item->chunk,
                             .range = {item->units.first, 1},
                             .offset = postbox->offset,
                             .output = {postbox->block, (size_t)length},
                             .stream = file->stream};
  ls_bytes_clear(&postbox->frame);
  ls_message_encode(&piece, &postbox->frame);
  if (postbox->frame.failed) return ls_fail(err, LS_ENOMEM, "out of memory for an output");
  enum ls_status status = send(context, postbox->frame.data, postbox->frame.length, err);
  if (status == LS_OK) postbox->offset += (uint64_t)length;
  return status;
}

/* Moves on to the next file that has bytes left; false: none has. */
static bool find_stream(struct ls_postbox *postbox, const struct ls_kept_result *item) {
  while (postbox->stream < item->files_count &&
         postbox->offset >= item->files[postbox->stream].bytes) {
    ++postbox->stream;
    postbox->offset = 0;
  }
  return postbox->stream < item->files_count;
}

static bool has_files(const struct ls_kept_result *item) {
  return item->files_count > 0;
}

/* Results that leave in one frame: `*count` of them. They lie one behind the other. */
static struct ls_blob gather_results(const struct ls_postbox *postbox, size_t *count) {
  struct ls_blob blob = ls_kept_results_message(&postbox->results, postbox->sent);
  *count = 1;
  while (postbox->sent + *count < postbox->results.count) {
    const struct ls_kept_result *next =
        ls_kept_results_at(&postbox->results, postbox->sent + *count);
    if (has_files(next) || blob.length + next->length > FRAME_BYTES) break;
    blob.length += next->length;
    ++*count;
  }
  return blob;
}

/* Plain messages share the frame of the last results: the network's price is per frame. */
static enum ls_status send_results(struct ls_postbox *postbox, ls_postbox_send_fn send,
                                   void *context, struct ls_error *err) {
  size_t count;
  struct ls_blob blob = gather_results(postbox, &count);
  bool is_last = postbox->sent + count == postbox->results.count;
  bool is_joint =
      is_last && postbox->plain.length > 0 && blob.length + postbox->plain.length <= FRAME_BYTES;
  if (is_joint) {
    ls_bytes_clear(&postbox->frame);
    ls_bytes_append(&postbox->frame, blob.data, blob.length);
    ls_bytes_append(&postbox->frame, postbox->plain.data, postbox->plain.length);
    if (postbox->frame.failed) return ls_fail(err, LS_ENOMEM, "out of memory for results");
    blob = (struct ls_blob){postbox->frame.data, postbox->frame.length};
  }
  enum ls_status status = send(context, blob.data, blob.length, err);
  if (status != LS_OK) return status;
  postbox->sent += count;
  postbox->stream = 0;
  postbox->offset = 0;
  if (is_joint) ls_bytes_clear(&postbox->plain);
  return LS_OK;
}

static enum ls_status send_bytes(struct ls_bytes *bytes, ls_postbox_send_fn send, void *context,
                                 struct ls_error *err) {
  enum ls_status status = send(context, bytes->data, bytes->length, err);
  if (status == LS_OK) ls_bytes_clear(bytes);
  return status;
}

enum ls_status ls_postbox_pump(struct ls_postbox *postbox, ls_postbox_send_fn send, void *context,
                               struct ls_error *err) {
  if (postbox->results.bytes.failed || postbox->held.bytes.failed || postbox->plain.failed ||
      postbox->urgent.failed) {
    return ls_fail(err, LS_ENOMEM, "out of memory for results");
  }
  enum ls_status status = LS_OK;
  while (status == LS_OK && ls_postbox_is_waiting(postbox)) {
    if (postbox->urgent.length > 0) {
      status = send_bytes(&postbox->urgent, send, context, err);
    } else if (postbox->sent == postbox->results.count) {
      status = send_bytes(&postbox->plain, send, context, err);
    } else {
      const struct ls_kept_result *next = ls_kept_results_at(&postbox->results, postbox->sent);
      status = find_stream(postbox, next) ? send_piece(postbox, next, send, context, err)
                                          : send_results(postbox, send, context, err);
    }
  }
  if (postbox->frame.capacity > IDLE_BYTES_MAX) ls_bytes_close(&postbox->frame);
  return status;
}

enum ls_status ls_postbox_acknowledge(struct ls_postbox *postbox, uint64_t durable,
                                      struct ls_error *err) {
  if (durable > postbox->durable + postbox->sent) {
    return ls_fail(err, LS_ECORRUPT, "%llu results are said to be durable, %llu were sent",
                   (unsigned long long)durable,
                   (unsigned long long)(postbox->durable + postbox->sent));
  }
  if (durable <= postbox->durable) return LS_OK;
  size_t count = (size_t)(durable - postbox->durable);
  ls_kept_results_drop(&postbox->results, count);
  postbox->sent -= count;
  postbox->earlier -= count < postbox->earlier ? count : postbox->earlier;
  postbox->durable = durable;
  return LS_OK;
}

void ls_postbox_restart(struct ls_postbox *postbox, double now_s) {
  postbox->since_s = now_s;
  postbox->sent = 0;
  postbox->durable = 0;
  postbox->stream = 0;
  postbox->offset = 0;
  ls_bytes_clear(&postbox->urgent);
  ls_bytes_clear(&postbox->plain);
}

void ls_postbox_forget(struct ls_postbox *postbox, size_t count) {
  ls_kept_results_drop(&postbox->held, postbox->held.count);
  ls_kept_results_truncate(&postbox->results, count);
  if (postbox->earlier > postbox->results.count) postbox->earlier = postbox->results.count;
}

void ls_postbox_close(struct ls_postbox *postbox) {
  ls_kept_results_close(&postbox->results);
  ls_kept_results_close(&postbox->held);
  ls_bytes_close(&postbox->urgent);
  ls_bytes_close(&postbox->plain);
  ls_bytes_close(&postbox->frame);
  free(postbox->block);
  *postbox = (struct ls_postbox){0};
}
