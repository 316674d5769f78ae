/* pool_fork.c: workers as processes on this machine, which a keeper starts and watches. */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/os/process.h"
#include "runtime/pool/keeper.h"
#include "runtime/pool/pool.h"
#include "runtime/pool/pool_news.h"

/* So many starts keep the keeper busy; it does all that it was told before it closes.  So many
 * keepers in a row may end before they have started anybody. */
enum { NAME_BYTES = 32, WHY_BYTES = 320, STARTS_MAX = 64, FRUITLESS_MAX = 3 };

enum place_state {
  PLACE_FREE,
  PLACE_ASKED,
  PLACE_GRANTED,
  PLACE_ORPHANED, /* its worker had a keeper that has ended, and goes, too: that is not told yet */
};

struct place {
  enum place_state state;
  int64_t pid;
};

struct ls_pool {
  struct ls_keeper *keeper; /* the setup's */
  double *speeds;
  size_t speeds_count;
  struct place *places; /* slot - first */
  size_t slots, asked, granted, orphaned;
  uint32_t first;
  size_t lowest;                    /* no place below is free */
  size_t waiting;                   /* wanted, as soon as a slot is free and the keeper has time */
  size_t excess;                    /* wanted beyond the slots, and not refused yet */
  unsigned keepers_lost, fruitless; /* keepers that have ended; since the last start */
  double limit_s;                   /* of a task; 0: none */
  bool is_given_up;                 /* the keeper has ended, and there is no other one */
  char why[WHY_BYTES], words[WHY_BYTES];
  char ended[WHY_BYTES]; /* how the last keeper that ended did so */
  char address[LS_KEEPER_WORDS_MAX + 1], folder[LS_KEEPER_WORDS_MAX + 1];
};

/* ---- opening ---- */

static enum ls_status check_setup(const struct ls_pool_setup *setup, struct ls_error *err) {
  if (setup->slots == 0 || setup->own == NULL) {
    return ls_fail(err, LS_EINVAL, "pool fork: %zu slots and %s supervisor, expected at least one",
                   setup->slots, setup->own == NULL ? "no" : "a");
  }
  for (size_t i = 0; i < setup->speeds_count; ++i) {
    if (!(setup->speeds[i] > 0 && setup->speeds[i] <= 1)) {
      return ls_fail(err, LS_EINVAL, "pool fork: speed %zu is %g, must be > 0 and at most 1", i,
                     setup->speeds[i]);
    }
  }
  const char *texts[] = {setup->address, setup->folder};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    size_t length = texts[i] != NULL ? strlen(texts[i]) : 0;
    if (length > LS_KEEPER_WORDS_MAX) {
      return ls_fail(err, LS_EINVAL, "pool fork: '%.40s...' has %zu characters, at most %d can be",
                     texts[i], length, LS_KEEPER_WORDS_MAX);
    }
  }
  return LS_OK;
}

static void destroy_pool(struct ls_pool *pool) {
  free(pool->speeds);
  free(pool->places);
  free(pool);
}

static void order(struct ls_pool *pool, const struct ls_keeper_record *record) {
  ls_keeper_line_post(ls_keeper_line(pool->keeper), record);
}

static void order_words(struct ls_pool *pool, enum ls_keeper_kind kind, const char *words) {
  struct ls_keeper_record record = {.kind = kind};
  (void)snprintf(record.words, sizeof record.words, "%s", words);
  order(pool, &record);
}

static void order_limit(struct ls_pool *pool) {
  struct ls_keeper_record record = {.kind = LS_KEEPER_LIMIT, .number = pool->limit_s};
  order(pool, &record);
}

/* What every worker is to know, and the limit. */
static void instruct_keeper(struct ls_pool *pool) {
  order_words(pool, LS_KEEPER_ADDRESS, pool->address);
  order_words(pool, LS_KEEPER_FOLDER, pool->folder);
  if (pool->limit_s > 0) order_limit(pool);
}

static void copy_words(char to[LS_KEEPER_WORDS_MAX + 1], const char *words) {
  (void)snprintf(to, LS_KEEPER_WORDS_MAX + 1, "%s", words != NULL ? words : "");
}

static enum ls_status open_fork(const struct ls_pool_setup *setup, struct ls_pool **out,
                                struct ls_error *err) {
  enum ls_status status = check_setup(setup, err);
  if (status != LS_OK) return status;
  struct ls_pool *pool = calloc(1, sizeof *pool);
  if (pool == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for the pool");
  pool->keeper = setup->own;
  pool->slots = setup->slots;
  pool->first = setup->first_slot > 0 ? setup->first_slot : 1;
  pool->places = calloc(setup->slots, sizeof *pool->places);
  pool->speeds_count = setup->speeds != NULL ? setup->speeds_count : 0;
  pool->speeds = calloc(pool->speeds_count + 1, sizeof *pool->speeds);
  if (pool->places == NULL || pool->speeds == NULL) {
    destroy_pool(pool);
    return ls_fail(err, LS_ENOMEM, "out of memory for the pool");
  }
  for (size_t i = 0; i < pool->speeds_count; ++i) pool->speeds[i] = setup->speeds[i];
  copy_words(pool->address, setup->address);
  copy_words(pool->folder, setup->folder);
  instruct_keeper(pool);
  *out = pool;
  return LS_OK;
}

/* ---- requests ---- */

static bool has_keeper(const struct ls_pool *pool) {
  return !ls_keeper_line(pool->keeper)->is_broken;
}

static void start_worker(struct ls_pool *pool, size_t index) {
  double speed = pool->speeds_count > 0 ? pool->speeds[index % pool->speeds_count] : 1.0;
  struct ls_keeper_record record = {
      .kind = LS_KEEPER_START, .slot = pool->first + (uint32_t)index, .number = speed};
  pool->places[index].state = PLACE_ASKED;
  ++pool->asked;
  order(pool, &record);
}

/* The lowest slots first: plans and weights mean them. */
static void start_waiting(struct ls_pool *pool) {
  for (; pool->lowest < pool->slots && has_keeper(pool); ++pool->lowest) {
    if (pool->places[pool->lowest].state != PLACE_FREE) continue;
    if (pool->waiting == 0 || pool->asked >= STARTS_MAX) return;
    --pool->waiting;
    start_worker(pool, pool->lowest);
  }
}

/* A worker whose end has not been told yet keeps its slot, and its replacement waits for that: so
 * as many may wait as there are slots, and the rest can never come. */
static void request_workers(struct ls_pool *pool, size_t n) {
  size_t room = pool->is_given_up ? 0 : pool->slots - pool->waiting;
  pool->waiting += n < room ? n : room;
  pool->excess += n < room ? 0 : n - room;
  start_waiting(pool);
}

static void kill_worker(struct ls_pool *pool, uint32_t slot) {
  if (slot < pool->first || slot - pool->first >= pool->slots) return;
  enum place_state state = pool->places[slot - pool->first].state;
  if (state == PLACE_FREE || state == PLACE_ORPHANED) return;
  struct ls_keeper_record record = {.kind = LS_KEEPER_SIGNAL, .slot = slot, .signal = SIGKILL};
  order(pool, &record);
}

static void limit_tasks(struct ls_pool *pool, double seconds) {
  pool->limit_s = seconds;
  order_limit(pool);
}

/* ---- news ---- */

static void free_place(struct ls_pool *pool, size_t index) {
  enum place_state state = pool->places[index].state;
  pool->asked -= state == PLACE_ASKED;
  pool->granted -= state == PLACE_GRANTED;
  pool->orphaned -= state == PLACE_ORPHANED;
  pool->places[index] = (struct place){.state = PLACE_FREE};
  if (index < pool->lowest) pool->lowest = index;
}

static bool tell_refused(struct ls_pool *pool, size_t count, bool is_final,
                         struct ls_pool_news *news) {
  *news = (struct ls_pool_news){
      .kind = LS_POOL_REFUSED, .count = count, .is_final = is_final, .words = pool->why};
  return true;
}

static bool tell_excess(struct ls_pool *pool, struct ls_pool_news *news) {
  size_t count = pool->excess;
  pool->excess = 0;
  if (!pool->is_given_up) {
    (void)snprintf(pool->why, sizeof pool->why, "there is room for %zu local workers", pool->slots);
  }
  return tell_refused(pool, count, true, news);
}

/* ---- the end of a keeper ---- */

/* Nobody knows anything of its workers any more, which go when they notice.  Who was to be started
 * waits again: if it was, its pool will not know it (see find_slot). */
static void leave_workers(struct ls_pool *pool) {
  for (size_t i = 0; i < pool->slots; ++i) {
    enum place_state state = pool->places[i].state;
    if (state == PLACE_ASKED) {
      ++pool->waiting;
      free_place(pool, i);
    } else if (state == PLACE_GRANTED) {
      pool->places[i].state = PLACE_ORPHANED;
      --pool->granted;
      ++pool->orphaned;
    }
  }
}

/* One that ends before it has started anybody, again and again, is not replaced for ever. */
static void replace_keeper(struct ls_pool *pool) {
  struct ls_error err = {0};
  (void)snprintf(pool->ended, sizeof pool->ended,
                 "the supervisor of the local workers has ended (%s)",
                 ls_keeper_end_words(pool->keeper));
  leave_workers(pool);
  ++pool->keepers_lost;
  bool is_useless = ++pool->fruitless > FRUITLESS_MAX;
  if (!is_useless && ls_keeper_restart(pool->keeper, &err) == LS_OK) {
    instruct_keeper(pool);
    start_waiting(pool);
    return;
  }
  pool->is_given_up = true;
  (void)snprintf(pool->why, sizeof pool->why, "%.120s%s%.180s", pool->ended, is_useless ? "" : "; ",
                 is_useless ? "" : err.text);
  pool->excess += pool->waiting;
  pool->waiting = 0;
}

/* Who has killed it nobody knows. Once that is nobody's fault; where it happens again and again it
 * is one of the tasks, which else would do it for ever. */
static bool tell_orphaned(struct ls_pool *pool, struct ls_pool_news *news) {
  size_t i = 0;
  while (pool->places[i].state != PLACE_ORPHANED) ++i;
  *news =
      (struct ls_pool_news){.kind = LS_POOL_LOST,
                            .slot = pool->first + (uint32_t)i,
                            .pid = pool->places[i].pid,
                            .cause = pool->keepers_lost > 1 ? LS_LOSS_CRASHED : LS_LOSS_RECLAIMED,
                            .signal = SIGKILL,
                            .words = pool->ended};
  free_place(pool, i);
  start_waiting(pool);
  return true;
}

/* ---- what it tells ---- */

static bool tell_lost(struct ls_pool *pool, const struct ls_keeper_record *record,
                      struct ls_pool_news *news) {
  bool is_well = record->signal == 0 && record->exit_code == 0;
  const struct ls_pool_end end = {.exit_code = record->exit_code, .signal = record->signal};
  ls_pool_end_words(&end, pool->words, sizeof pool->words);
  news->kind = LS_POOL_LOST;
  news->cause = is_well ? LS_LOSS_LEFT : LS_LOSS_CRASHED;
  news->exit_code = record->exit_code;
  news->signal = record->signal;
  news->words = pool->words;
  free_place(pool, record->slot - pool->first);
  start_waiting(pool);
  return true;
}

/* false: it says nothing of ours. */
static bool translate(struct ls_pool *pool, const struct ls_keeper_record *record,
                      struct ls_pool_news *news) {
  if (record->slot < pool->first || record->slot - pool->first >= pool->slots) return false;
  struct place *place = &pool->places[record->slot - pool->first];
  *news = (struct ls_pool_news){.slot = record->slot, .pid = record->pid};
  switch ((enum ls_keeper_kind)record->kind) {
    case LS_KEEPER_STARTED:
      place->state = PLACE_GRANTED;
      place->pid = record->pid;
      --pool->asked;
      ++pool->granted;
      pool->why[0] = '\0';
      pool->fruitless = 0;
      start_waiting(pool);
      news->kind = LS_POOL_GRANTED;
      return true;
    case LS_KEEPER_UNSTARTED:
      free_place(pool, record->slot - pool->first);
      (void)snprintf(pool->why, sizeof pool->why, "%s", record->words);
      start_waiting(pool);
      (void)tell_refused(pool, 1, false, news);
      news->is_barred = true;
      return true;
    case LS_KEEPER_ENDED:
      return tell_lost(pool, record, news);
    case LS_KEEPER_STOPPED:
      (void)snprintf(pool->words, sizeof pool->words, "stopped by signal %d (%s)", record->signal,
                     strsignal(record->signal));
      news->kind = LS_POOL_SUSPENDED;
      news->words = pool->words;
      return true;
    case LS_KEEPER_CONTINUED:
      news->kind = LS_POOL_RESUMED;
      return true;
    default:
      return false;
  }
}

static bool poll_news(struct ls_pool *pool, struct ls_pool_news *news) {
  struct ls_keeper_line *line = ls_keeper_line(pool->keeper);
  struct ls_keeper_record record;
  if (pool->orphaned > 0) return tell_orphaned(pool, news);
  if (pool->excess > 0) return tell_excess(pool, news);
  ls_keeper_line_flush(line);
  /* What it told before it died is heard first. */
  while (ls_keeper_line_take(line, &record)) {
    if (translate(pool, &record, news)) return true;
  }
  if (!line->is_broken || pool->is_given_up) return false;
  replace_keeper(pool);
  if (pool->orphaned > 0) return tell_orphaned(pool, news);
  return pool->excess > 0 && tell_excess(pool, news);
}

static int get_file(const struct ls_pool *pool) {
  /* The end of a line stays readable for ever. */
  return pool->is_given_up ? -1 : ls_keeper_line(pool->keeper)->file;
}

static double get_patience_s(const struct ls_pool *pool) {
  const struct ls_keeper_line *line = ls_keeper_line(pool->keeper);
  if (pool->excess + pool->orphaned > 0 || (line->is_broken && !pool->is_given_up)) return 0;
  /* Orders that the keeper has not taken yet are offered again. */
  return ls_keeper_line_is_waiting(line) ? 0.01 : (double)INFINITY;
}

/* ---- facts ---- */

/* The number in "local-3"; 0: it is no such name. */
static uint32_t read_name(const struct ls_pool_claim *claim) {
  char name[NAME_BYTES], again[NAME_BYTES];
  if (claim->name_length >= sizeof name) return 0;
  memcpy(name, claim->name, claim->name_length);
  name[claim->name_length] = '\0';
  uint32_t slot = 0;
  if (sscanf(name, "local-%" SCNu32, &slot) != 1) return 0;
  (void)snprintf(again, sizeof again, "local-%" PRIu32, slot);
  return strcmp(name, again) == 0 ? slot : 0;
}

/* A process id of another machine may equal one of ours, and anybody there may say it: the door
 * counts, and the name.  The id of a worker that is being started is not known yet; one that a
 * former keeper has started is a child of nobody of ours. */
static uint32_t find_slot(const struct ls_pool *pool, const struct ls_pool_claim *claim) {
  uint32_t slot = claim->is_private ? read_name(claim) : 0;
  if (slot < pool->first || slot - pool->first >= pool->slots) return 0;
  const struct place *place = &pool->places[slot - pool->first];
  bool is_there = place->state == PLACE_GRANTED && (uint64_t)place->pid == claim->pid;
  if (place->state == PLACE_ASKED && claim->pid > 0 && claim->pid <= INT_MAX) {
    is_there = ls_process_parent((pid_t)claim->pid) == ls_keeper_process(pool->keeper);
  }
  return is_there ? slot : 0;
}

static struct ls_pool_counts get_counts(const struct ls_pool *pool) {
  return (struct ls_pool_counts){.wanted = pool->asked + pool->waiting + pool->excess,
                                 .granted = pool->granted,
                                 .why = pool->why[0] != '\0' ? pool->why : NULL};
}

static void close_fork(struct ls_pool *pool, double patience_s) {
  if (pool == NULL) return;
  ls_keeper_end(pool->keeper, patience_s);
  destroy_pool(pool);
}

const struct ls_pool_kind ls_pool_fork = {.name = "fork",
                                          .grant_s = 0.1,
                                          .has_lifelines = true,
                                          .open = open_fork,
                                          .request = request_workers,
                                          .kill = kill_worker,
                                          .limit = limit_tasks,
                                          .poll = poll_news,
                                          .file = get_file,
                                          .patience_s = get_patience_s,
                                          .slot = find_slot,
                                          .counts = get_counts,
                                          .close = close_fork};
