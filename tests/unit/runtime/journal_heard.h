/* journal_heard.h: what a walk over the events of a journal gives, for comparison. */
#ifndef LS_TESTS_JOURNAL_HEARD_H
#define LS_TESTS_JOURNAL_HEARD_H

#include "journal_fixture.h"

/* Events and sends as a walk gave them. */
struct heard {
  double times[64]; /* what events borrow: kept here */
  size_t times_count;
  struct ls_event_held held[8];
  size_t held_count;
  struct ls_range idle[4];
  struct ls_event_need needs[8];
  size_t needs_count;
  char labels[8][16];
  size_t labels_count;
  struct ls_event events[64];
  struct ls_action sends[64];
  struct ls_range ranges[64];
  size_t sends_of[64]; /* by event */
  size_t events_count, sends_count, ranges_count;
};

static inline const struct ls_event_held *keep_held(struct heard *heard,
                                                    const struct ls_event_held *held,
                                                    size_t count) {
  struct ls_event_held *kept = heard->held + heard->held_count;
  heard->held_count += count;
  assert_true(heard->held_count <= 8);
  if (count > 0) memcpy(kept, held, count * sizeof *held);
  return kept;
}

static inline const char *keep_label(struct heard *heard, const char *label) {
  if (label == NULL) return NULL;
  assert_true(heard->labels_count < 8 && strlen(label) < sizeof heard->labels[0]);
  return strcpy(heard->labels[heard->labels_count++], label);
}

static inline const struct ls_event_need *keep_needs(struct heard *heard,
                                                     const struct ls_event_need *needs,
                                                     size_t count) {
  struct ls_event_need *kept = heard->needs + heard->needs_count;
  heard->needs_count += count;
  assert_true(heard->needs_count <= 8);
  for (size_t i = 0; i < count; i++)
    kept[i] = (struct ls_event_need){needs[i].units, keep_label(heard, needs[i].label)};
  return kept;
}

static inline enum ls_status on_event(void *context, const struct ls_event *event,
                                      const struct ls_actions *sends) {
  struct heard *heard = context;
  heard->sends_of[heard->events_count] = sends->count;
  struct ls_event *kept = &heard->events[heard->events_count++];
  *kept = *event;
  if (event->kind == LS_EVENT_RESULT && event->result.latest_count > 0) {
    double *times = heard->times + heard->times_count;
    heard->times_count += event->result.latest_count;
    assert_true(heard->times_count <= 64);
    memcpy(times, event->result.latest, event->result.latest_count * sizeof *times);
    kept->result.latest = times;
  }
  if (event->kind == LS_EVENT_RESUMED)
    kept->resumed.held = keep_held(heard, event->resumed.held, event->resumed.held_count);
  if (event->kind == LS_EVENT_JOINED) {
    kept->joined.held = keep_held(heard, event->joined.held, event->joined.held_count);
    kept->joined.labels = keep_label(heard, event->joined.labels);
  }
  if (event->kind == LS_EVENT_ADDED)
    kept->added.needs = keep_needs(heard, event->added.needs, event->added.needs_count);
  if (event->kind == LS_EVENT_ITERATION)
    kept->needs = keep_needs(heard, event->needs, event->needs_count);
  if (event->kind == LS_EVENT_ITERATION && event->idle_count > 0) {
    assert_in_range(event->idle_count, 1, 4);
    memcpy(heard->idle, event->idle, event->idle_count * sizeof *event->idle);
    kept->idle = heard->idle;
  }
  for (size_t i = 0; i < sends->count; i++) {
    heard->sends[heard->sends_count++] = sends->items[i];
    for (size_t k = 0; k < sends->items[i].send.ranges_count; k++)
      heard->ranges[heard->ranges_count++] = sends->ranges[sends->items[i].send.first_range + k];
  }
  return LS_OK;
}

static inline void hear(struct ls_journal *journal, uint32_t session, struct heard *heard) {
  struct ls_error err = {0};
  *heard = (struct heard){0};
  if (ls_journal_each_event(journal, session, on_event, heard, &err) != LS_OK)
    fail_msg("%s", err.text);
}

static inline void add_event(struct ls_journal *journal, enum ls_event_kind kind, uint32_t worker,
                             double now_s) {
  struct ls_event event = {.kind = kind, .worker = worker, .now_s = now_s};
  ls_journal_event(journal, &event);
}

#endif
