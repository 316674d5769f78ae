/* master_send.c: messages and chunks on their way into the outbox. */
#include "runtime/master_private.h"

/* A chunk leaves in several messages when one would be too large. */
enum { FRAME_BYTES = 256 << 10, INPUT_BYTES_MAX = 32 << 20, RANGES_MAX = 1 << 20 };

void ls_master_fail_memory(struct ls_master *master) {
  struct ls_error err;
  (void)ls_fail(&err, LS_ENOMEM, "out of memory for the messages to send");
  ls_master_note_failure(master, LS_ENOMEM, &err);
}

/* Many small chunks for one worker travel in one frame: the network's price is per frame. */
static bool join_frame(struct ls_master *master, uint64_t peer, size_t length) {
  if (master->outbox_count == 0) return false;
  struct ls_outgoing *last = &master->outbox[master->outbox_count - 1];
  if (!last->is_open || last->peer != peer || last->length + length > FRAME_BYTES) return false;
  last->length += length;
  return true;
}

void ls_master_post(struct ls_master *master, uint64_t peer, const struct ls_message *message) {
  if (ls_array_reserve((void **)&master->outbox, &master->outbox_capacity, master->outbox_count + 1,
                       sizeof *master->outbox) != LS_OK) {
    ls_master_fail_memory(master);
    return;
  }
  size_t offset = master->outbox_bytes.length;
  ls_message_encode(message, &master->outbox_bytes);
  if (master->outbox_bytes.failed) {
    ls_master_fail_memory(master);
    return;
  }
  bool is_chunk = message->kind == LS_MESSAGE_CHUNK;
  size_t length = master->outbox_bytes.length - offset;
  ++master->report->messages_sent;
  if (is_chunk && join_frame(master, peer, length)) return;
  master->outbox[master->outbox_count++] = (struct ls_outgoing){peer, offset, length, is_chunk};
}

static void pack_ranges(struct ls_master *master, const struct ls_range *ranges, size_t count,
                        uint32_t slot) {
  const struct ls_app *app = master->options->app;
  struct ls_error err = {0};
  ls_bytes_clear(&master->input);
  for (size_t i = 0; i < count && app->pack != NULL; ++i) {
    enum ls_status status =
        app->pack(master->options->state, ranges[i], slot, &master->input, &err);
    ls_master_note_failure(master, status, &err);
  }
  if (master->input.failed) ls_master_fail_memory(master);
}

static void fail_large(struct ls_master *master, uint64_t unit) {
  struct ls_error err;
  (void)ls_fail(&err, LS_EINVAL,
                "unit %llu, counted from 0: its input has %zu bytes, at most %d "
                "can be sent",
                (unsigned long long)unit, master->input.length, (int)INPUT_BYTES_MAX);
  ls_master_note_failure(master, LS_EINVAL, &err);
}

static void post_ranges(struct ls_master *master, const struct ls_action *action,
                        const struct ls_range *ranges, size_t count) {
  struct ls_message message = {.kind = LS_MESSAGE_CHUNK,
                               .chunk = action->send.chunk,
                               .iteration = master->iteration,
                               .ranges = ranges,
                               .ranges_count = count,
                               .is_held = action->send.way == LS_RESULT_HELD,
                               .input = {master->input.data, master->input.length}};
  ls_master_post(master, master->workers[action->worker].peer, &message);
}

/* A range that is too large for one message is halved until it fits: no one would notice a frame
 * that cannot be sent, and its units would be waited for. */
static void send_ranges(struct ls_master *master, const struct ls_action *action,
                        const struct ls_range *ranges, size_t count) {
  if (count <= RANGES_MAX) {
    pack_ranges(master, ranges, count, master->workers[action->worker].facts.slot);
    if (master->failure.status != LS_OK) return;
    if (master->input.length <= INPUT_BYTES_MAX) {
      post_ranges(master, action, ranges, count);
      return;
    }
  }
  if (count > 1) {
    send_ranges(master, action, ranges, count / 2);
    send_ranges(master, action, ranges + count / 2, count - count / 2);
  } else if (ranges->count > 1) {
    struct ls_range low = {ranges->first, ranges->count / 2};
    struct ls_range high = {low.first + low.count, ranges->count - low.count};
    send_ranges(master, action, &low, 1);
    send_ranges(master, action, &high, 1);
  } else {
    fail_large(master, ranges->first);
  }
}

/* The input of several ranges can be told apart only for commands: a computing application that
 * packs gets a message for each range of the chunk. */
void ls_master_send_chunk(struct ls_master *master, const struct ls_action *action) {
  const struct ls_app *app = master->options->app;
  const struct ls_range *ranges = master->actions.ranges + action->send.first_range;
  size_t at_once = app->pack != NULL && !app->runs_commands ? 1 : action->send.ranges_count;
  if (master->journal != NULL) {
    ls_journal_decision(master->journal, &master->actions, action, master->now_s);
  }
  for (size_t i = 0; i < action->send.ranges_count; i += at_once) {
    send_ranges(master, action, ranges + i, at_once);
  }
  ls_overhead_sent(&master->workers[action->worker].overhead, action->send.units, master->now_s);
  ++master->workers[action->worker].facts.chunks;
}
