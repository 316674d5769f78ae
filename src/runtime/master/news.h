/* news.h: what an application tells every worker of an iteration, as messages.
 *
 * They are made once and posted to each worker before its first chunk of the iteration.
 */
#ifndef LS_RUNTIME_MASTER_NEWS_H
#define LS_RUNTIME_MASTER_NEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "runtime/application.h"
#include "runtime/master/sending/outbox.h"

struct ls_news {
  const struct ls_app *app;
  void *state; /* of the application */
  bool has_begun;
  uint32_t iteration;
  struct ls_bytes frames; /* the messages, one behind the other */
  size_t *ends;           /* of each of them */
  size_t count, capacity;
};

/* Borrows both until close. */
void ls_news_init(struct ls_news *news, const struct ls_app *app, void *state);
/* Posts those of an iteration, which are made when they are first wanted; the outbox borrows them
 * until it is sent, and those of the iteration before are forgotten.  The application's own
 * failure, or LS_ENOMEM. */
LS_CHECKED enum ls_status ls_news_post(struct ls_news *news, uint32_t iteration, struct ls_peer to,
                                       struct ls_outbox *outbox, struct ls_error *err);
void ls_news_close(struct ls_news *news);

#endif
