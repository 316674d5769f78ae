/* Golden traces: a text file of events with the notes and actions that must follow each of them.
 *
 * Usage: test_traces FILE...     LS_TRACE_REWRITE=1 in the environment writes the files anew; the
 * difference is then reviewed like code.
 *
 * A file begins with comments (#) and settings ("policy ss", "workers 2"), then comes one event per
 * line ("> 1.5 READY 0 x4") followed by what it caused, indented: notes in words, then "= ACTION".
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "coordinator/coordinator.h"

enum { LINE_BYTES = 512, FILES_MAX = 64, PLAN_MAX = 32, RANGES_MAX = 16, CHOICES_MAX = 8 };

struct trace {
  struct ls_coordinator_config config;
  struct ls_plan plan;
  struct ls_plan_chunk chunks[PLAN_MAX]; /* of the plan */
  struct ls_coordinator_choice choices[CHOICES_MAX];
  struct ls_range done[RANGES_MAX], failed[RANGES_MAX];
  struct ls_event_held held[RANGES_MAX];
  struct ls_coordinator_past past;
  struct ls_coordinator *coordinator;
  struct ls_actions actions;
  struct ls_bytes expected, got;
};

static void read_text(const char *path, struct ls_bytes *text) {
  char buffer[4096];
  size_t length;
  FILE *file = fopen(path, "r");
  if (file == NULL) fail_msg("%s: cannot be read", path);
  while ((length = fread(buffer, 1, sizeof buffer, file)) > 0) {
    ls_bytes_append(text, buffer, length);
  }
  fclose(file);
}

static void write_text(const char *path, const struct ls_bytes *text) {
  FILE *file = fopen(path, "w");
  if (file == NULL) fail_msg("%s: cannot be written", path);
  assert_int_equal(fwrite(ls_bytes_text(text), 1, text->length, file), text->length);
  assert_int_equal(fclose(file), 0);
}

static void add_past(struct trace *trace, const char *kind, uint64_t first, uint64_t count) {
  struct ls_coordinator_past *past = &trace->past;
  bool is_done = strcmp(kind, "past-done") == 0;
  size_t *ranges = is_done ? &past->done_count : &past->failed_count;
  assert_in_range(*ranges, 0, RANGES_MAX - 1);
  (is_done ? trace->done : trace->failed)[(*ranges)++] = (struct ls_range){first, count};
}

static void add_choice(struct trace *trace, const char *name) {
  struct ls_coordinator_config *config = &trace->config;
  assert_in_range(config->choices_count, 0, CHOICES_MAX - 1);
  struct ls_coordinator_choice *choice = &trace->choices[config->choices_count++];
  choice->chunking = ls_chunking_find(name);
  if (choice->chunking == NULL) fail_msg("unknown policy: %s", name);
  ls_arguments_init(&choice->arguments, choice->chunking->parameters);
  config->choices = trace->choices;
}

static void read_setting(struct trace *trace, const char *line) {
  struct ls_coordinator_config *config = &trace->config;
  char name[32], value[64];
  uint64_t first = 0, second = 0;
  if (sscanf(line, "%31s %63s", name, value) != 2) fail_msg("not a setting: %s", line);
  if (strcmp(name, "policy") == 0) {
    config->chunking = ls_chunking_find(value);
    if (config->chunking == NULL) fail_msg("unknown policy: %s", line);
    ls_arguments_init(&config->arguments, config->chunking->parameters);
  } else if (strcmp(name, "choice") == 0) {
    add_choice(trace, value);
  } else if (strcmp(name, "order") == 0) {
    config->ordering = ls_ordering_find(value);
    if (config->ordering == NULL) fail_msg("unknown order: %s", line);
  } else if (strcmp(name, "workers") == 0) {
    config->workers = strtoull(value, NULL, 10);
  } else if (strcmp(name, "seed") == 0) {
    config->seed = strtoull(value, NULL, 10);
  } else if (strcmp(name, "retries") == 0) {
    config->retries = (uint32_t)strtoul(value, NULL, 10);
  } else if (strcmp(name, "kills-max") == 0) {
    config->kills_max = (uint32_t)strtoul(value, NULL, 10);
  } else if (strcmp(name, "silence") == 0) {
    config->silence_s = strtod(value, NULL);
  } else if (strcmp(name, "patience") == 0) {
    config->patience_s = strtod(value, NULL);
  } else if (strcmp(name, "heartbeat") == 0) {
    config->heartbeat_s = strtod(value, NULL);
  } else if (strcmp(name, "grant") == 0) {
    config->grant_s = strtod(value, NULL);
  } else if (strcmp(name, "deadline") == 0) {
    config->deadline_s = strtod(value, NULL);
  } else if (strcmp(name, "past-iteration") == 0) {
    trace->past.iteration = (uint32_t)strtoul(value, NULL, 10);
  } else if (sscanf(value, "%" SCNu64 "+%" SCNu64, &first, &second) == 2 &&
             (strcmp(name, "past-done") == 0 || strcmp(name, "past-failed") == 0)) {
    add_past(trace, name, first, second);
  } else if (strcmp(name, "plan") == 0 &&
             sscanf(value, "%" SCNu64 ":%" SCNu64, &first, &second) == 2) {
    assert_in_range(trace->plan.chunks_count, 0, PLAN_MAX - 1);
    trace->chunks[trace->plan.chunks_count++] =
        (struct ls_plan_chunk){.worker = (uint32_t)first, .units = (double)second};
  } else {
    fail_msg("unknown setting: %s", line);
  }
}

static enum ls_outcome find_outcome(const char *word, const char *line) {
  for (int i = 0; i < LS_OUTCOME_COUNT; i++) {
    if (strncmp(word, ls_outcome_name((enum ls_outcome)i), 4) == 0) return (enum ls_outcome)i;
  }
  fail_msg("unknown outcome: %s", line);
  return LS_OUTCOME_COUNT;
}

static struct ls_event_result read_result(const char *rest, const char *line) {
  struct ls_event_result result = {.seconds = 1};
  char outcome[32] = "";
  if (sscanf(rest, " %*u %" SCNu64 " %" SCNu64 "+%" SCNu64 " %31s", &result.chunk,
             &result.units.first, &result.units.count, outcome) != 4) {
    fail_msg("no result: %s", line);
  }
  result.outcome = find_outcome(outcome, line);
  return result;
}

/* "held CHUNK FIRST+COUNT", for each: all that it has. */
static struct ls_event_resumed read_resumed(struct trace *trace, const char *rest) {
  struct ls_event_resumed resumed = {.held = trace->held};
  while ((rest = strstr(rest, "held")) != NULL) {
    struct ls_event_held *held = &trace->held[resumed.held_count];
    resumed.is_told = true;
    rest += 4;
    if (sscanf(rest, " %" SCNu64 " %" SCNu64 "+%" SCNu64, &held->chunk, &held->units.first,
               &held->units.count) == 3)
      resumed.held_count++;
    assert_in_range(resumed.held_count, 0, RANGES_MAX - 1);
  }
  return resumed;
}

/* "lifetime SECONDS", "lifeline", and what it has if it was lost before. */
static struct ls_event_joined read_joined(struct trace *trace, const char *rest) {
  const char *lifetime = strstr(rest, "lifetime ");
  struct ls_event_resumed back = read_resumed(trace, rest);
  return (struct ls_event_joined){.lifetime_s = lifetime != NULL ? strtod(lifetime + 9, NULL) : 0,
                                  .has_lifeline = strstr(rest, "lifeline") != NULL,
                                  .held = back.held,
                                  .held_count = back.held_count};
}

/* The number of the name that the text has; 0: it has none. */
static int find_name(const char *rest, const char *(*name)(int), int count) {
  for (int i = 1; i < count; i++)
    if (strstr(rest, name(i)) != NULL) return i;
  return 0;
}

static const char *name_away(int reason) {
  return ls_away_name((enum ls_away)reason);
}

static const char *name_loss(int cause) {
  return ls_loss_name((enum ls_loss)cause);
}

/* What workers say of themselves. */
static void read_worker(struct trace *trace, struct ls_event *event, const char *rest) {
  const char *answer = strstr(rest, "answer ");
  if (event->kind == LS_EVENT_JOINED) event->joined = read_joined(trace, rest);
  if (event->kind == LS_EVENT_RESUMED) event->resumed = read_resumed(trace, rest);
  if (event->kind == LS_EVENT_HEARTBEAT && answer != NULL)
    event->answer_s = strtod(answer + 7, NULL);
  if (event->kind == LS_EVENT_LOST)
    event->lost = (enum ls_loss)find_name(rest, name_loss, LS_LOSS_COUNT);
  if (event->kind == LS_EVENT_SUSPENDED)
    event->suspended = (struct ls_event_suspended){
        .reason = (enum ls_away)find_name(rest, name_away, LS_AWAY_COUNT),
        .is_vacated = strstr(rest, "vacated") != NULL};
}

/* "> SECONDS KIND [WORKER [CHUNK FIRST+COUNT OUTCOME]] [xCOUNT] [hard]"; of ADVICE, the first
 * number is that of the workers, xCOUNT the prefetch, and "policy NUMBER" one of the choices. */
static struct ls_event read_event(struct trace *trace, const char *line) {
  struct ls_event event = {.kind = LS_EVENT_COUNT};
  char name[32];
  int used = 0;
  uint64_t worker = 0;
  if (sscanf(line, "> %lf %31s%n", &event.now_s, name, &used) != 2) fail_msg("no event: %s", line);
  for (int i = 0; i < LS_EVENT_COUNT; i++) {
    if (strcmp(name, ls_event_name((enum ls_event_kind)i)) == 0) event.kind = (enum ls_event_kind)i;
  }
  const char *rest = line + used;
  const char *times = strstr(rest, " x");
  uint64_t count = times != NULL ? strtoull(times + 2, NULL, 10) : 0;
  if (sscanf(rest, " %" SCNu64, &worker) == 1) event.worker = (uint32_t)worker;
  if (event.kind == LS_EVENT_READY) event.ready_units = count;
  if (event.kind == LS_EVENT_GRANTED) event.granted = count;
  if (event.kind == LS_EVENT_REFUSED) event.refused = count;
  if (event.kind == LS_EVENT_ITERATION) {
    event.iteration_units = count;
    event.is_incomplete = strstr(rest, "incomplete") != NULL;
  }
  if (event.kind == LS_EVENT_ADDED)
    event.added = (struct ls_event_added){.units = count, .is_last = strstr(rest, "last") != NULL};
  read_worker(trace, &event, rest);
  if (event.kind == LS_EVENT_STOP) event.is_hard = strstr(rest, "hard") != NULL;
  if (event.kind == LS_EVENT_ADVICE) {
    const char *policy = strstr(rest, "policy ");
    event.advice = (struct ls_event_advice){.prefetch = count, .workers = worker};
    if (policy != NULL) event.advice.policy = strtoull(policy + 7, NULL, 10);
  }
  if (event.kind == LS_EVENT_RESULT) event.result = read_result(rest, line);
  return event;
}

static void open_coordinator(struct trace *trace) {
  struct ls_error err = {0};
  struct ls_coordinator_past *past = &trace->past;
  if (trace->coordinator != NULL) return;
  trace->config.workers_max = trace->config.workers + 8;
  trace->plan.chunks = trace->chunks;
  trace->config.plan = trace->plan.chunks_count > 0 ? &trace->plan : NULL;
  trace->config.is_exact = true;
  if (ls_coordinator_create(&trace->config, &trace->coordinator, &err) != LS_OK) {
    fail_msg("%s", err.text);
  }
  if (past->done_count + past->failed_count == 0 && past->iteration == 0) return;
  past->done = trace->done;
  past->failed = trace->failed;
  if (ls_coordinator_restore(trace->coordinator, past, &err) != LS_OK) fail_msg("%s", err.text);
}

static void play_event(struct trace *trace, const char *line) {
  struct ls_event event = read_event(trace, line);
  struct ls_error err = {0};
  open_coordinator(trace);
  if (ls_coordinator_step(trace->coordinator, &event, &trace->actions, &err) != LS_OK) {
    ls_bytes_printf(&trace->got, "  ! %s\n", err.text);
    return;
  }
  for (size_t i = 0; i < trace->actions.notes_count; i++) {
    ls_bytes_append_text(&trace->got, "  ");
    ls_note_write(&trace->actions.notes[i], "unit", &trace->got);
    ls_bytes_append_char(&trace->got, '\n');
  }
  for (size_t i = 0; i < trace->actions.count; i++) {
    ls_bytes_append_text(&trace->got, "  = ");
    ls_action_write(&trace->actions, &trace->actions.items[i], &trace->got);
    ls_bytes_append_char(&trace->got, '\n');
  }
}

/* The lines that are not an answer are kept; the answers are made anew. */
static void play(struct trace *trace) {
  char line[LINE_BYTES];
  const char *text = ls_bytes_text(&trace->expected);
  while (*text != '\0') {
    size_t length = strcspn(text, "\n");
    assert_in_range(length, 0, LINE_BYTES - 1);
    memcpy(line, text, length);
    line[length] = '\0';
    text += length + (text[length] == '\n');
    if (strncmp(line, "  ", 2) == 0) continue;
    ls_bytes_printf(&trace->got, "%s\n", line);
    if (line[0] == '#' || line[0] == '\0') continue;
    if (line[0] == '>') {
      play_event(trace, line);
    } else {
      read_setting(trace, line);
    }
  }
}

static void the_trace_is_as_recorded(void **state) {
  const char *path = *state;
  struct trace *trace = calloc(1, sizeof *trace);
  assert_non_null(trace);
  const double unknown = strtod("nan", NULL);
  trace->config = (struct ls_coordinator_config){.workers = 1,
                                                 .mean_seconds = unknown,
                                                 .deviation_seconds = unknown,
                                                 .overhead_seconds = unknown};
  trace->actions.wants_notes = 1;
  read_text(path, &trace->expected);
  play(trace);
  const char *rewrite = getenv("LS_TRACE_REWRITE");
  if (rewrite != NULL && strcmp(rewrite, "1") == 0) {
    write_text(path, &trace->got);
  } else {
    assert_string_equal(ls_bytes_text(&trace->got), ls_bytes_text(&trace->expected));
  }
  ls_coordinator_destroy(trace->coordinator);
  ls_actions_close(&trace->actions);
  ls_bytes_close(&trace->expected);
  ls_bytes_close(&trace->got);
  free(trace);
}

int main(int count, char **paths) {
  struct CMUnitTest tests[FILES_MAX];
  size_t files = 0;
  for (int i = 1; i < count && files < FILES_MAX; i++) {
    tests[files++] = (struct CMUnitTest){paths[i], the_trace_is_as_recorded, NULL, NULL, paths[i]};
  }
  if (files == 0) return EXIT_FAILURE;
  return _cmocka_run_group_tests("traces", tests, files, NULL, NULL);
}
