#include "runtime/master/news.h"

#include <stdlib.h>

#include "base/array.h"
#include "protocol/message.h"

/* As a piece of an output: no frame keeps others waiting for long. */
enum { PIECE_BYTES = LS_MESSAGE_PIECE_BYTES };

/* Its pieces leave at once, and what waits for one worker is bounded. */
static const size_t BROADCAST_BYTES_MAX = (size_t)1 << 30;

void ls_news_init(struct ls_news *news, const struct ls_app *app, void *state) {
  *news = (struct ls_news){.app = app, .state = state};
}

static enum ls_status add_message(struct ls_news *news, const struct ls_message *message,
                                  struct ls_error *err) {
  void *ends = news->ends;
  enum ls_status status =
      ls_array_reserve(&ends, &news->capacity, news->count + 1, sizeof *news->ends);
  news->ends = ends;
  if (status == LS_OK) {
    ls_message_encode(message, &news->frames);
    news->ends[news->count++] = news->frames.length;
  }
  if (status == LS_OK && !news->frames.failed) return LS_OK;
  return ls_fail(err, LS_ENOMEM, "out of memory for the broadcast of iteration %u",
                 news->iteration);
}

/* Nothing to tell is told, too, by one message. */
static enum ls_status add_messages(struct ls_news *news, const struct ls_bytes *bytes,
                                   struct ls_error *err) {
  enum ls_status status = LS_OK;
  size_t offset = 0;
  do {
    size_t length = bytes->length - offset;
    if (length > PIECE_BYTES) length = PIECE_BYTES;
    struct ls_message message = {.kind = LS_MESSAGE_BROADCAST,
                                 .iteration = news->iteration,
                                 .offset = offset,
                                 .total = bytes->length};
    if (length > 0) message.input = (struct ls_blob){bytes->data + offset, length};
    status = add_message(news, &message, err);
    offset += length;
  } while (status == LS_OK && offset < bytes->length);
  return status;
}

static enum ls_status make(struct ls_news *news, uint32_t iteration, struct ls_error *err) {
  struct ls_bytes bytes = {0};
  ls_bytes_clear(&news->frames);
  news->count = 0;
  news->iteration = iteration;
  enum ls_status status = news->app->broadcast(news->state, iteration, &bytes, err);
  if (status == LS_OK && bytes.failed) {
    status = ls_fail(err, LS_ENOMEM, "out of memory for the broadcast of iteration %u", iteration);
  }
  if (status == LS_OK && bytes.length > BROADCAST_BYTES_MAX) {
    status =
        ls_fail(err, LS_EINVAL, "the broadcast of iteration %u has %zu bytes, expected at most %zu",
                news->iteration, bytes.length, BROADCAST_BYTES_MAX);
  }
  if (status == LS_OK) status = add_messages(news, &bytes, err);
  news->has_begun = status == LS_OK;
  ls_bytes_close(&bytes);
  return status;
}

enum ls_status ls_news_post(struct ls_news *news, uint32_t iteration, struct ls_peer to,
                            struct ls_outbox *outbox, struct ls_error *err) {
  if (news->app->broadcast == NULL) return LS_OK;
  bool is_made = news->has_begun && news->iteration == iteration;
  enum ls_status status = is_made ? LS_OK : make(news, iteration, err);
  if (status != LS_OK) return status;
  size_t start = 0;
  for (size_t i = 0; i < news->count; start = news->ends[i++]) {
    ls_outbox_post_encoded(outbox, to, news->frames.data + start, news->ends[i] - start);
  }
  return LS_OK;
}

void ls_news_close(struct ls_news *news) {
  ls_bytes_close(&news->frames);
  free(news->ends);
  *news = (struct ls_news){0};
}
