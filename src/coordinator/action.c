/* action.c: the list of actions and their words. */
#include "coordinator/action.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

static const char *const action_names[LS_ACTION_COUNT] = {
    [LS_ACTION_SEND] = "send",
    [LS_ACTION_FETCH] = "fetch",
    [LS_ACTION_CANCEL] = "cancel",
    [LS_ACTION_RECALL] = "recall",
    [LS_ACTION_RELEASE] = "release",
    [LS_ACTION_REQUEST_WORKERS] = "request workers",
    [LS_ACTION_SET_PREFETCH] = "set prefetch",
    [LS_ACTION_WAKE_AT] = "wake at",
    [LS_ACTION_SETTLE] = "settle",
    [LS_ACTION_ITERATION_DONE] = "iteration done",
    [LS_ACTION_AWAIT_FREE] = "await free",
    [LS_ACTION_FINISH] = "finish",
};

void ls_actions_close(struct ls_actions *actions) {
  assert(actions != NULL);
  free(actions->items);
  free(actions->ranges);
  free(actions->notes);
  *actions = (struct ls_actions){.wants_notes = actions->wants_notes};
}

const char *ls_action_name(enum ls_action_kind kind) {
  assert((unsigned)kind < LS_ACTION_COUNT);
  return action_names[kind];
}

static void write_send(const struct ls_actions *actions, const struct ls_action *action,
                       struct ls_bytes *out) {
  const struct ls_action_send *send = &action->send;
  assert(send->first_range + send->ranges_count <= actions->ranges_count);
  ls_bytes_printf(out, " worker %" PRIu32 " chunk %" PRIu64 ":", action->worker, send->chunk);
  for (size_t i = 0; i < send->ranges_count; i++) {
    const struct ls_range *range = &actions->ranges[send->first_range + i];
    ls_bytes_printf(out, " %" PRIu64 "+%" PRIu64, range->first, range->count);
  }
}

void ls_action_write(const struct ls_actions *actions, const struct ls_action *action,
                     struct ls_bytes *out) {
  const struct ls_action_settle *settle = &action->settle;
  ls_bytes_append_text(out, ls_action_name(action->kind));
  switch (action->kind) {
    case LS_ACTION_SEND:
      write_send(actions, action, out);
      break;
    case LS_ACTION_SETTLE:
      ls_bytes_printf(out, " worker %" PRIu32 " chunk %" PRIu64 ": %" PRIu64 "+%" PRIu64 " %s",
                      action->worker, settle->chunk, settle->units.first, settle->units.count,
                      ls_outcome_name(settle->outcome));
      break;
    case LS_ACTION_FETCH:
    case LS_ACTION_CANCEL:
      ls_bytes_printf(out, " worker %" PRIu32 " chunk %" PRIu64, action->worker, action->chunk);
      break;
    case LS_ACTION_RECALL:
    case LS_ACTION_RELEASE:
    case LS_ACTION_AWAIT_FREE:
      ls_bytes_printf(out, " worker %" PRIu32, action->worker);
      break;
    case LS_ACTION_WAKE_AT:
      ls_bytes_printf(out, " %.6g", action->time_s);
      break;
    case LS_ACTION_REQUEST_WORKERS:
      ls_bytes_printf(out, " %" PRIu64, action->workers);
      break;
    case LS_ACTION_SET_PREFETCH:
      ls_bytes_printf(out, " %" PRIu64, action->prefetch);
      break;
    case LS_ACTION_ITERATION_DONE:
      ls_bytes_printf(out, " %" PRIu32, action->iteration_number);
      break;
    case LS_ACTION_FINISH:
    case LS_ACTION_COUNT:
      break;
  }
}
