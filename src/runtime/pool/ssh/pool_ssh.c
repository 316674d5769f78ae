/* pool_ssh.c: workers on hosts to which ssh leads: slots of the agents there. */
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/os/clock.h"
#include "runtime/pool/pool_news.h"
#include "runtime/pool/ssh/ssh_hosts.h"

enum { PLACE_BYTES = 32 };
/* A worker that fails so soon after its start would fail again. */
static const double THRIVES_AFTER_S = 10;

enum place_state {
  PLACE_FREE,
  PLACE_ASKED,   /* its host is to start a worker, once its line is open */
  PLACE_STARTED, /* the host has been told to */
  PLACE_GRANTED,
  PLACE_DOOMED /* it was to end while no line led there; told as lost already */
};

struct place {
  struct ls_ssh_host *host;
  uint32_t index; /* of those of its host */
  enum place_state state;
  uint32_t pid;
  double since_s;
  bool is_seen; /* the agent has it, says the line that opens */
};

struct ls_pool {
  struct ls_ssh_hosts *hosts; /* the setup's */
  struct place *places;       /* slot - first; those of a host follow each other */
  size_t slots;
  uint32_t first;
  size_t waiting; /* wanted, and without a place yet */
  size_t excess;  /* wanted beyond the slots, and not refused yet */
  struct ls_pool_news_queue news;
  char refusal[80];
};

/* ---- news ---- */

static uint32_t slot_of(const struct ls_pool *pool, const struct place *place) {
  return pool->first + (uint32_t)(place - pool->places);
}

/* Tells of a place; `news` has the rest. Without memory it is lost: then the line of the host is
 * given up, and all is told anew. */
static void tell(struct ls_pool *pool, const struct place *place, struct ls_pool_news news) {
  news.slot = slot_of(pool, place);
  news.pid = place->pid;
  if (!ls_pool_news_push(&pool->news, &news)) ls_ssh_link_hang_up(&place->host->link);
}

/* ---- starting ---- */

static void start_worker(struct ls_pool *pool, struct place *place) {
  const struct ls_host *facts = place->host->facts;
  struct ls_agent_line start = {
      .kind = LS_AGENT_START, .slot = slot_of(pool, place), .number = facts->speed};
  (void)snprintf(start.words, sizeof start.words, "%.50s-%u", facts->name, place->index + 1);
  place->state = PLACE_STARTED;
  place->since_s = ls_clock_s();
  ls_ssh_host_say(place->host, &start);
}

/* The lowest slots first, of hosts that do not rest: plans and weights mean them. */
static void start_waiting(struct ls_pool *pool) {
  double now_s = ls_clock_s();
  for (size_t i = 0; i < pool->slots; ++i) {
    struct place *place = &pool->places[i];
    bool rests = now_s < place->host->again_s;
    if (place->state == PLACE_FREE && pool->waiting > 0 && !rests) {
      place->state = PLACE_ASKED;
      place->host->is_wanted = true;
      --pool->waiting;
    }
    if (place->state == PLACE_ASKED && !rests && place->host->state == LS_SSH_OPEN)
      start_worker(pool, place);
  }
}

/* As many may wait for a place as there are, and the rest can never come: pool_fork.c. */
static void request_workers(struct ls_pool *pool, size_t n) {
  size_t room = pool->slots - pool->waiting;
  pool->waiting += n < room ? n : room;
  pool->excess += n < room ? 0 : n - room;
  start_waiting(pool);
}

static void free_place(struct place *place) {
  place->state = PLACE_FREE;
  place->pid = 0;
  place->is_seen = false;
}

/* ---- ending ---- */

static void signal_place(const struct ls_pool *pool, const struct place *place, uint32_t number) {
  const struct ls_agent_line line = {
      .kind = LS_AGENT_SIGNAL, .slot = slot_of(pool, place), .signal = number};
  ls_ssh_host_say(place->host, &line);
}

/* Where no line leads the worker is given up, and ended when one does. */
static void kill_worker(struct ls_pool *pool, uint32_t slot) {
  if (slot < pool->first || slot - pool->first >= pool->slots) return;
  struct place *place = &pool->places[slot - pool->first];
  if (place->state != PLACE_STARTED && place->state != PLACE_GRANTED) return;
  if (place->host->state == LS_SSH_OPEN) {
    signal_place(pool, place, SIGKILL);
    return;
  }
  if (place->state != PLACE_GRANTED) return;
  tell(pool, place,
       (struct ls_pool_news){.kind = LS_POOL_LOST,
                             .cause = LS_LOSS_RECLAIMED,
                             .words = "abandoned, since its host does not answer"});
  place->state = PLACE_DOOMED;
}

/* ---- what the hosts tell ---- */

static struct place *find_place(const struct ls_pool *pool, const struct ls_ssh_host *host,
                                uint32_t slot) {
  if (slot < pool->first || slot - pool->first >= pool->slots) return NULL;
  struct place *place = &pool->places[slot - pool->first];
  return place->host == host ? place : NULL;
}

static void grant(struct ls_pool *pool, struct place *place) {
  place->state = PLACE_GRANTED;
  tell(pool, place, (struct ls_pool_news){.kind = LS_POOL_GRANTED});
}

/* Whoever fails as soon as it has begun would fail again: nobody is started there for a while. */
static void on_end(struct ls_pool *pool, struct place *place, const struct ls_agent_line *line) {
  char end[LS_SSH_LINK_LAST_BYTES + 64], words[LS_POOL_NEWS_WORDS_BYTES];
  struct ls_ssh_host *host = place->host;
  bool is_well = line->exit_code == 0 && line->signal == 0;
  ls_pool_end_words(
      &(struct ls_pool_end){
          .exit_code = (int)line->exit_code, .signal = (int)line->signal, .last = host->link.last},
      end, sizeof end);
  if (line->exit_code != 0 && ls_clock_s() <= place->since_s + THRIVES_AFTER_S &&
      place->state != PLACE_DOOMED) {
    (void)snprintf(words, sizeof words, "a worker %s", end);
    /* Its last words may still be on their way, behind the news of its end. */
    bool is_again = host->backoff.tries > 0 && ls_clock_s() >= host->again_s;
    bool is_known = host->link.last[0] != '\0' || is_again;
    ls_ssh_host_rest(pool->hosts, host, is_known ? words : NULL);
  }
  (void)snprintf(words, sizeof words, "at %.60s: %s", host->facts->name, end);
  place->pid = line->pid;
  if (place->state != PLACE_DOOMED) {
    tell(pool, place,
         (struct ls_pool_news){.kind = LS_POOL_LOST,
                               .cause = is_well ? LS_LOSS_LEFT : LS_LOSS_CRASHED,
                               .exit_code = (int)line->exit_code,
                               .signal = (int)line->signal,
                               .words = words});
  }
  free_place(place);
}

static void on_line(void *context, struct ls_ssh_host *host, const struct ls_agent_line *line) {
  struct ls_pool *pool = context;
  struct place *place = find_place(pool, host, line->slot);
  if (place == NULL) return;
  switch (line->kind) {
    case LS_AGENT_HAS:
      place->is_seen = true;
      place->pid = line->pid;
      break;
    case LS_AGENT_STARTED:
      place->pid = line->pid;
      if (place->state == PLACE_STARTED) grant(pool, place);
      break;
    case LS_AGENT_UNSTARTED:
      if (place->state != PLACE_STARTED) break;
      ls_ssh_host_rest(pool->hosts, host, line->words);
      free_place(place);
      (void)ls_pool_news_push(
          &pool->news,
          &(struct ls_pool_news){.kind = LS_POOL_REFUSED, .count = 1, .words = line->words});
      break;
    case LS_AGENT_ENDED:
      if (place->state >= PLACE_STARTED) on_end(pool, place, line);
      break;
    case LS_AGENT_STOPPED:
    case LS_AGENT_CONTINUED:
      if (place->state != PLACE_GRANTED) break;
      tell(pool, place,
           (struct ls_pool_news){
               .kind = line->kind == LS_AGENT_STOPPED ? LS_POOL_SUSPENDED : LS_POOL_RESUMED,
               .words = line->kind == LS_AGENT_STOPPED ? "stopped" : NULL});
      break;
    default:
      break;
  }
}

/* The agent has this worker: of this line's predecessor, or of an earlier session of the run. Who
 * was given up and lives is as good as a new one. */
static void keep_seen(struct ls_pool *pool, struct place *place) {
  bool is_asked = place->state == PLACE_ASKED;
  if (place->state == PLACE_GRANTED) return;
  if (is_asked || pool->waiting > 0) {
    pool->waiting -= !is_asked;
    place->since_s = ls_clock_s();
    grant(pool, place);
    return;
  }
  place->state = PLACE_DOOMED;
  signal_place(pool, place, SIGKILL);
}

static void forget_unseen(struct ls_pool *pool, struct place *place) {
  if (place->state == PLACE_GRANTED) {
    tell(pool, place,
         (struct ls_pool_news){.kind = LS_POOL_LOST,
                               .cause = LS_LOSS_RECLAIMED,
                               .words = "ended while its host could not be heard"});
  }
  if (place->state == PLACE_GRANTED || place->state == PLACE_DOOMED) free_place(place);
}

static void on_open(void *context, struct ls_ssh_host *host) {
  struct ls_pool *pool = context;
  for (size_t i = 0; i < pool->slots; ++i) {
    struct place *place = &pool->places[i];
    if (place->host != host) continue;
    if (place->is_seen) {
      keep_seen(pool, place);
    } else {
      forget_unseen(pool, place);
    }
    place->is_seen = false;
  }
  start_waiting(pool);
}

/* Who was to come there comes from elsewhere, if there is room; who is there stays, for the
 * connection of a worker decides about its units. */
static void on_loss(void *context, struct ls_ssh_host *host) {
  struct ls_pool *pool = context;
  bool is_wanted = false;
  for (size_t i = 0; i < pool->slots; ++i) {
    struct place *place = &pool->places[i];
    if (place->host != host) continue;
    place->is_seen = false;
    pool->waiting += place->state == PLACE_ASKED || place->state == PLACE_STARTED;
    if (place->state == PLACE_ASKED) free_place(place);
    /* Perhaps it was started: then it ends when the host can be told. */
    if (place->state == PLACE_STARTED) place->state = PLACE_DOOMED;
    is_wanted = is_wanted || place->state != PLACE_FREE;
  }
  host->is_wanted = is_wanted;
  start_waiting(pool);
}

/* ---- opening ---- */

static enum ls_status check_setup(const struct ls_pool_setup *setup, struct ls_error *err) {
  const struct ls_ssh_hosts *hosts = setup->own;
  size_t workers = 0;
  for (size_t i = 0; hosts != NULL && i < hosts->count; ++i) workers += hosts->items[i].workers;
  if (setup->slots == 0 || setup->slots != workers)
    return ls_fail(err, LS_EINVAL, "pool ssh: %zu slots, and hosts with %zu workers", setup->slots,
                   workers);
  return setup->keys != NULL
             ? LS_OK
             : ls_fail(err, LS_EINVAL, "pool ssh: its workers have no listener with keys");
}

static enum ls_status open_ssh(const struct ls_pool_setup *setup, struct ls_pool **out,
                               struct ls_error *err) {
  enum ls_status status = check_setup(setup, err);
  if (status != LS_OK) return status;
  struct ls_pool *pool = calloc(1, sizeof *pool);
  struct place *places = calloc(setup->slots, sizeof *places);
  if (pool == NULL || places == NULL) {
    free(pool);
    free(places);
    return ls_fail(err, LS_ENOMEM, "out of memory for the pool");
  }
  *pool = (struct ls_pool){.hosts = setup->own,
                           .places = places,
                           .slots = setup->slots,
                           .first = setup->first_slot > 0 ? setup->first_slot : 1};
  for (size_t i = 0; i < pool->hosts->count; ++i) {
    struct ls_ssh_host *host = &pool->hosts->items[i];
    for (size_t k = 0; k < host->workers; ++k)
      *places++ = (struct place){.host = host, .index = (uint32_t)k};
  }
  const struct ls_ssh_listener listener = {pool, on_line, on_open, on_loss};
  status = ls_ssh_hosts_serve(pool->hosts, setup->keys, &listener, err);
  if (status != LS_OK) {
    free(pool->places);
    free(pool);
    return status;
  }
  *out = pool;
  return LS_OK;
}

/* ---- the pool ---- */

static bool poll_news(struct ls_pool *pool, struct ls_pool_news *news) {
  if (ls_pool_news_pop(&pool->news, news)) return true;
  if (pool->excess > 0) {
    (void)snprintf(pool->refusal, sizeof pool->refusal,
                   "there is room for %zu workers on the hosts of --ssh", pool->slots);
    *news = (struct ls_pool_news){
        .kind = LS_POOL_REFUSED, .count = pool->excess, .is_final = true, .words = pool->refusal};
    pool->excess = 0;
    return true;
  }
  ls_ssh_hosts_step(pool->hosts);
  start_waiting(pool);
  return ls_pool_news_pop(&pool->news, news);
}

static int get_file(const struct ls_pool *pool) {
  return pool->hosts->watch;
}

static double get_patience_s(const struct ls_pool *pool) {
  if (pool->news.count > 0 || pool->excess > 0) return 0;
  double seconds = ls_ssh_hosts_patience_s(pool->hosts), now_s = ls_clock_s();
  for (size_t i = 0; i < pool->slots; ++i) {
    const struct place *place = &pool->places[i];
    bool is_due = (place->state == PLACE_FREE && pool->waiting > 0) ||
                  (place->state == PLACE_ASKED && place->host->state == LS_SSH_OPEN);
    if (is_due) seconds = fmin(seconds, fmax(0, place->host->again_s - now_s));
  }
  return seconds;
}

/* "ssh:7"; its keys say that it is of this run. */
static uint32_t find_slot(const struct ls_pool *pool, const struct ls_pool_claim *claim) {
  char text[PLACE_BYTES], again[PLACE_BYTES];
  uint32_t slot = 0;
  if (claim->place_length >= sizeof text) return 0;
  memcpy(text, claim->place, claim->place_length);
  text[claim->place_length] = '\0';
  if (sscanf(text, "ssh:%" SCNu32, &slot) != 1) return 0;
  (void)snprintf(again, sizeof again, "ssh:%" PRIu32, slot);
  if (strcmp(text, again) != 0 || slot < pool->first || slot - pool->first >= pool->slots) return 0;
  const struct place *place = &pool->places[slot - pool->first];
  /* The id of a worker that is being started is not known yet. */
  bool is_there =
      place->state == PLACE_STARTED || (place->state == PLACE_GRANTED && place->pid == claim->pid);
  /* A new one may be unable to do anything, for want of a folder say. */
  if (is_there && ls_clock_s() > place->since_s + THRIVES_AFTER_S) ls_ssh_host_praise(place->host);
  return is_there ? slot : 0;
}

static void see_worker(struct ls_pool *pool, uint32_t slot, enum ls_pool_sight sight) {
  if (sight != LS_POOL_SAW_WORK || slot < pool->first || slot - pool->first >= pool->slots) return;
  ls_ssh_host_praise(pool->places[slot - pool->first].host);
}

/* Is there no host of that name, as ssh says it? A resolver that fails for now is no reason. */
static bool is_unknown(const struct ls_ssh_host *host) {
  static const char *const reasons[] = {"Name or service not known", "Name does not resolve",
                                        "No address associated with hostname"};
  if (strstr(host->complaint, "Could not resolve hostname") == NULL) return false;
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; ++i)
    if (strstr(host->complaint, reasons[i]) != NULL) return true;
  return false;
}

static struct ls_pool_counts get_counts(const struct ls_pool *pool) {
  struct ls_pool_counts counts = {.wanted = pool->waiting + pool->excess,
                                  .hindered = pool->waiting};
  for (size_t i = 0; i < pool->slots; ++i) {
    enum place_state state = pool->places[i].state;
    bool is_wanted = state == PLACE_ASKED || state == PLACE_STARTED;
    counts.wanted += is_wanted;
    counts.hindered += is_wanted && pool->places[i].host->complaint[0] != '\0';
    counts.granted += state == PLACE_GRANTED;
  }
  for (size_t i = 0; i < pool->hosts->count && counts.why == NULL; ++i) {
    const char *complaint = pool->hosts->items[i].complaint;
    if (complaint[0] != '\0') counts.why = complaint;
  }
  size_t unknown = 0;
  for (size_t i = 0; i < pool->hosts->count; ++i) unknown += is_unknown(&pool->hosts->items[i]);
  if (unknown == pool->hosts->count) counts.hopeless = counts.wanted;
  return counts;
}

/* A run may be over before ssh says anything of a host, for better or worse. Told in one line. */
static void tell_silent(const struct ls_ssh_hosts *hosts) {
  const struct ls_ssh_host *first = NULL;
  size_t more = 0;
  for (size_t i = 0; i < hosts->count; ++i) {
    const struct ls_ssh_host *host = &hosts->items[i];
    if (host->state != LS_SSH_LOGIN || host->complaint[0] != '\0') continue;
    more += first != NULL;
    if (first == NULL) first = host;
  }
  if (first == NULL || hosts->setup.warn == NULL) return;
  char workers[40] = "the workers", others[60] = "", text[240];
  if (first->workers > 0)
    (void)snprintf(workers, sizeof workers, "the %zu worker%s", first->workers,
                   first->workers == 1 ? "" : "s");
  if (more > 0)
    (void)snprintf(others, sizeof others, ", and of %zu more host%s", more, more == 1 ? "" : "s");
  (void)snprintf(text, sizeof text,
                 "none of %s on %.60s%s came: ssh had not answered when the run was over", workers,
                 first->facts->target, others);
  hosts->setup.warn(hosts->setup.context, text);
}

static void close_ssh(struct ls_pool *pool, double patience_s) {
  if (pool == NULL) return;
  tell_silent(pool->hosts);
  pool->hosts->listener = (struct ls_ssh_listener){0};
  for (size_t i = 0; i < pool->slots; ++i)
    pool->places[i].host->is_inhabited |= pool->places[i].state >= PLACE_STARTED;
  ls_ssh_hosts_close(pool->hosts, patience_s);
  free(pool->places);
  ls_pool_news_close(&pool->news);
  free(pool);
}

const struct ls_pool_kind ls_pool_ssh = {.name = "ssh",
                                         .grant_s = 5,
                                         .open = open_ssh,
                                         .request = request_workers,
                                         .kill = kill_worker,
                                         .poll = poll_news,
                                         .file = get_file,
                                         .patience_s = get_patience_s,
                                         .slot = find_slot,
                                         .see = see_worker,
                                         .counts = get_counts,
                                         .close = close_ssh};
