#include "hostile_message.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "model/outcome.h"

static const char text[4096] = "FORGED\n\033]0;FORGED\a\033[31m";

static uint64_t below(struct ls_random *random, uint64_t bound) {
  return ls_random_below(random, bound);
}

uint64_t hostile_whole(struct ls_random *random, uint64_t usual) {
  const uint64_t borders[] = {0,
                              1,
                              usual - 1,
                              usual,
                              usual + 1,
                              INT32_MAX,
                              UINT32_MAX,
                              (uint64_t)UINT32_MAX + 1,
                              INT64_MAX,
                              (uint64_t)INT64_MAX + 1,
                              UINT64_MAX - 1,
                              UINT64_MAX};
  switch (below(random, 4)) {
    case 0:
      return borders[below(random, sizeof borders / sizeof *borders)];
    case 1:
      return ls_random_u64(random) >> below(random, 64);
    default:
      return below(random, usual);
  }
}

double hostile_seconds(struct ls_random *random) {
  static const double borders[] = {0,   5e-324, DBL_MIN, 1e-300, 1e-9,  0.01,
                                   0.1, 1e5,    1e9,     1e100,  1e300, DBL_MAX};
  return borders[below(random, sizeof borders / sizeof *borders)];
}

/* Now and then what no message may have. */
static double any_real(struct ls_random *random) {
  static const double wrong[] = {-1, -5e-324, -DBL_MAX};
  return below(random, 20) > 0 ? hostile_seconds(random) : wrong[below(random, 3)];
}

static struct ls_blob any_blob(struct ls_random *random) {
  return (struct ls_blob){text,
                          below(random, 8) > 0 ? below(random, 30) : below(random, sizeof text)};
}

static struct ls_blob as_blob(const char *string) {
  return (struct ls_blob){string, strlen(string)};
}

struct ls_message hostile_hello(const struct hostile_facts *facts) {
  return (struct ls_message){.kind = LS_MESSAGE_HELLO,
                             .version = LS_PROTOCOL_VERSION,
                             .process_id = 1,
                             .speed = 1,
                             .name = as_blob("hostile"),
                             .text = as_blob(facts->program)};
}

/* A session that it had or not, results and units that it never had. */
static void claim_session(struct hostile_facts *facts, struct ls_message *hello,
                          struct ls_message_held held[4]) {
  struct ls_random *random = &facts->random;
  hello->worker = (uint32_t)hostile_whole(random, 4);
  hello->era = facts->era + below(random, 2);
  hello->results = below(random, 2) > 0 ? 1000000000 : hostile_whole(random, 10);
  hello->earlier = below(random, 2) > 0 ? hello->results : hostile_whole(random, 10);
  if (below(random, 4) > 0)
    hello->cookie = (struct ls_blob){below(random, 3) > 0 ? (const char *)facts->cookie : text,
                                     below(random, 20) > 0 ? LS_COOKIE_BYTES : 15};
  if (below(random, 4) == 0)
    hello->run =
        (struct ls_blob){below(random, 3) > 0 ? (const char *)facts->run : text, LS_COOKIE_BYTES};
  if (facts->has_cookie && below(random, 2) > 0) {
    hello->worker = facts->worker;
    hello->era = facts->era;
    hello->cookie = (struct ls_blob){facts->cookie, LS_COOKIE_BYTES};
  }
  hello->held_count = below(random, 5);
  hello->held = held;
  for (size_t i = 0; i < hello->held_count; i++)
    held[i] =
        (struct ls_message_held){hostile_whole(random, facts->units),
                                 {hostile_whole(random, facts->units), hostile_whole(random, 3)}};
}

static void claim_names(struct hostile_facts *facts, struct ls_message *hello) {
  static const char
      *const names[] = {"local-1",      "local-2",   "",    "\033]0;x\a\033[31mred\033[m\r\n",
                        "\xc2\x9b;31m", "../../etc", "%s%n"},
             *const labels[] = {"", "gpu", "gpu,,gpu", ",", "\033[31m", "a b", "gpu,mem=1"};
  struct ls_random *random = &facts->random;
  hello->name = as_blob(names[below(random, sizeof names / sizeof *names)]);
  hello->labels =
      as_blob(labels[below(random, 3) > 0 ? 0 : below(random, sizeof labels / sizeof *labels)]);
  hello->host = any_blob(random);
  hello->place = below(random, 2) > 0 ? as_blob("local-1") : any_blob(random);
  if (facts->processes_count > 0)
    hello->process_id = facts->processes[below(random, facts->processes_count)];
  hello->speed = any_real(random);
  hello->lifetime_s = any_real(random);
}

static void claim_result(struct hostile_facts *facts, struct ls_message *message,
                         struct ls_message_file files[2], double times[3]) {
  struct ls_random *random = &facts->random;
  static const uint8_t outcomes[] = {LS_OUTCOME_DONE,      LS_OUTCOME_FAILED, LS_OUTCOME_TIMED_OUT,
                                     LS_OUTCOME_CANCELLED, LS_OUTCOME_LOST,   UINT8_MAX};
  message->outcome = outcomes[below(random, 4) > 0 ? 0 : below(random, sizeof outcomes)];
  message->receive_s = any_real(random);
  message->stage_s = any_real(random);
  message->lead_s = any_real(random);
  message->exposed_s = any_real(random);
  message->squares = any_real(random);
  message->exit_code = (int32_t)ls_random_u64(random);
  message->signal = (int32_t)below(random, 3);
  message->usage = (struct ls_usage){hostile_seconds(random), hostile_seconds(random),
                                     hostile_whole(random, 1000)};
  message->error_output = any_blob(random);
  for (size_t i = 0; i < 2; i++) message->streamed[i] = below(random, 2) * hostile_whole(random, 9);
  message->latest_count = below(random, 4);
  message->latest = times;
  for (size_t i = 0; i < 3; i++) times[i] = any_real(random);
  message->files_count = below(random, 4) > 0 ? 0 : below(random, 3);
  message->files = files;
  for (size_t i = 0; i < 2; i++)
    files[i] = (struct ls_message_file){hostile_whole(random, 9), 0644, below(random, 2) > 0};
}

static enum ls_message_kind choose_kind(struct ls_random *random, bool is_asking) {
  static const enum ls_message_kind claims[] =
      {LS_MESSAGE_HELLO,     LS_MESSAGE_HELLO,     LS_MESSAGE_RESULT,  LS_MESSAGE_RESULT,
       LS_MESSAGE_RESULT,    LS_MESSAGE_OUTPUT,    LS_MESSAGE_OUTPUT,  LS_MESSAGE_LINES,
       LS_MESSAGE_HEARTBEAT, LS_MESSAGE_BENCHMARK, LS_MESSAGE_LEAVING, LS_MESSAGE_SUSPENDED,
       LS_MESSAGE_RESUMED,   LS_MESSAGE_WANT,      LS_MESSAGE_ARRIVED, LS_MESSAGE_BYE,
       LS_MESSAGE_REFUSED,   LS_MESSAGE_CANCEL,    LS_MESSAGE_RELEASE, LS_MESSAGE_RECALL},
                                    asks[] = {LS_MESSAGE_REQUEST,   LS_MESSAGE_REQUEST,
                                              LS_MESSAGE_REQUEST,   LS_MESSAGE_REQUEST,
                                              LS_MESSAGE_LINES,     LS_MESSAGE_HEARTBEAT,
                                              LS_MESSAGE_HEARTBEAT, LS_MESSAGE_BENCHMARK,
                                              LS_MESSAGE_LEAVING,   LS_MESSAGE_SUSPENDED,
                                              LS_MESSAGE_RESUMED,   LS_MESSAGE_WANT,
                                              LS_MESSAGE_ARRIVED,   LS_MESSAGE_BYE};
  return is_asking ? asks[below(random, sizeof asks / sizeof *asks)]
                   : claims[below(random, sizeof claims / sizeof *claims)];
}

static void add_message(struct hostile_facts *facts, bool is_asking, struct ls_bytes *out) {
  struct ls_random *random = &facts->random;
  struct ls_message_held held[4];
  struct ls_message_file files[2];
  double times[3];
  struct ls_message message = {.kind = choose_kind(random, is_asking),
                               .chunk = hostile_whole(random, facts->units),
                               .units = hostile_whole(random, 3),
                               .iteration = (uint32_t)(below(random, 8) > 0 ? 0 : 1),
                               .answer_s = any_real(random),
                               .send_s = any_real(random),
                               .stood_s = any_real(random),
                               .compute_s = any_real(random),
                               .speed = any_real(random),
                               .transfer = hostile_whole(random, 3),
                               .offset = below(random, 2) * hostile_whole(random, 100),
                               .range = {hostile_whole(random, facts->units), 1},
                               .stream = (uint8_t)(below(random, 5)),
                               .output = any_blob(random),
                               .content = {text, below(random, 9) > 0 ? LS_CONTENT_BYTES : 3},
                               .text = any_blob(random)};
  if (below(random, 4) == 0) message.range.count = hostile_whole(random, facts->units);
  if (message.kind == LS_MESSAGE_HELLO) {
    message = hostile_hello(facts);
    if (below(random, 10) == 0) message.version = (uint32_t)hostile_whole(random, 30);
    claim_names(facts, &message);
    claim_session(facts, &message, held);
  }
  if (message.kind == LS_MESSAGE_RESULT) claim_result(facts, &message, files, times);
  ls_message_encode(&message, out);
}

static void add_bytes(struct ls_random *random, struct ls_bytes *out) {
  for (uint64_t left = below(random, 3) > 0 ? below(random, 20) : below(random, 5000); left > 0;
       left--)
    ls_bytes_append_char(out, (char)ls_random_u64(random));
}

void hostile_frame(struct hostile_facts *facts, bool is_asking, struct ls_bytes *out) {
  struct ls_random *random = &facts->random;
  ls_bytes_clear(out);
  if (below(random, 50) == 0) {
    add_bytes(random, out);
    return;
  }
  for (uint64_t more = below(random, 10) > 0 ? 1 : below(random, 50); more > 0; more--)
    add_message(facts, is_asking, out);
  /* A word that becomes another one by chance may be a true one of who asks. */
  if (is_asking || out->length == 0 || below(random, 20) > 0) return;
  size_t at = below(random, out->length);
  if (below(random, 2) > 0)
    out->data[at] = (char)ls_random_u64(random);
  else
    out->length = at;
}
