/* master_workers.c: the workers that have joined, and the large outputs that they are sending. */
#include "runtime/master_private.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/temporary.h"

void ls_master_note_failure(struct ls_master *master, enum ls_status status,
                            const struct ls_error *err) {
  if (status == LS_OK || master->failure.status != LS_OK) return;
  master->failure = *err;
  master->failure.status = status;
}

/* The newest workers stand last, and are the ones that speak; hundreds of workers are few. */
uint32_t ls_master_find(const struct ls_master *master, uint64_t peer) {
  for (size_t i = master->workers_count; i > 0; --i) {
    const struct ls_peer *worker = &master->workers[i - 1];
    if (worker->is_connected && worker->peer == peer) return (uint32_t)(i - 1);
  }
  return LS_WORKER_NONE;
}

static void refuse(struct ls_master *master, uint64_t peer, const char *why) {
  struct ls_message message = {.kind = LS_MESSAGE_REFUSED, .text = {why, strlen(why)}};
  ls_master_post(master, peer, &message);
}

/* Takes as long for a wrong token as for a right one. */
static bool is_token(const char *token, const struct ls_blob *given) {
  size_t length = strlen(token);
  if (length == 0) return true;
  unsigned difference = given->length != length;
  for (size_t i = 0; i < length && i < given->length; ++i) {
    difference |= (unsigned)(((const unsigned char *)given->data)[i] ^ (unsigned char)token[i]);
  }
  return difference == 0;
}

/* A process of the pool stays in its slot until its end was told: so it is known whose end it is.
 */
static bool is_free(const struct ls_master *master, size_t number) {
  if (number >= master->workers_count) return true;
  const struct ls_peer *worker = &master->workers[number];
  return !worker->is_connected && !worker->has_process;
}

/* A worker of the pool gets the slot of its place there, so that plans and weights mean the
 * machines that the user named; whoever finds that taken, or comes from outside, gets the lowest
 * slot that is free and not kept for a worker of the pool that never came. */
static uint32_t choose_slot(const struct ls_master *master, uint32_t place) {
  size_t workers = master->options->config.workers, kept = master->options->pool_setup.slots;
  if (kept > workers) kept = workers;
  if (master->pool == NULL) kept = 0;
  if (place >= 1 && place <= workers && is_free(master, place - 1)) return place - 1;
  size_t number = 0;
  while (!is_free(master, number) || (number < kept && (number >= master->workers_count ||
                                                        master->workers[number].facts.slot == 0)))
    ++number;
  return (uint32_t)number;
}

static struct ls_peer *make_room(struct ls_master *master, uint32_t number) {
  struct ls_error err;
  enum ls_status status = ls_array_reserve((void **)&master->workers, &master->workers_capacity,
                                           (size_t)number + 1, sizeof *master->workers);
  if (status != LS_OK) {
    (void)ls_fail(&err, status, "out of memory for worker %u", number);
    ls_master_note_failure(master, status, &err);
    return NULL;
  }
  while (master->workers_count <= number) {
    master->workers[master->workers_count++] =
        (struct ls_peer){.spools = {-1, -1}, .facts = {.left_s = (double)NAN}};
  }
  return &master->workers[number];
}

static void journal_worker(struct ls_master *master, uint32_t number) {
  if (master->journal == NULL) return;
  const struct ls_master_worker *facts = &master->workers[number].facts;
  ls_journal_worker(master->journal,
                    &(struct ls_journal_worker){.worker = master->workers_base + number,
                                                .slot = facts->slot,
                                                .name = facts->name,
                                                .joined_s = facts->joined_s,
                                                .left_s = facts->left_s,
                                                .away_s = facts->away_s,
                                                .price_per_s = facts->price_per_s});
}

/* A process id from another machine may equal one of ours: the name must be the pool's, too. */
static uint32_t give_place(struct ls_master *master, const struct ls_message *hello) {
  if (master->pool != NULL) {
    uint32_t slot = master->options->pool->slot(master->pool, (pid_t)hello->process_id);
    char name[32];
    int length = snprintf(name, sizeof name, "local-%u", slot);
    if (slot > 0 && hello->name.length == (size_t)length &&
        memcmp(hello->name.data, name, (size_t)length) == 0) {
      return slot;
    }
  }
  return (uint32_t)master->options->pool_setup.slots + ++master->slots_outside;
}

/* Nothing but the times when somebody was there, and what was done, remains of a former worker. */
static void move_in(struct ls_peer *worker, const struct ls_message *hello, double now_s) {
  struct ls_master_worker facts = worker->facts;
  if (facts.slot == 0) {
    facts.joined_s = now_s;
  } else {
    facts.away_s += now_s - facts.left_s;
  }
  facts.left_s = (double)NAN;
  int length = hello->name.length < sizeof facts.name - 1 ? (int)hello->name.length
                                                          : (int)sizeof facts.name - 1;
  (void)snprintf(facts.name, sizeof facts.name, "%.*s", length, (const char *)hello->name.data);
  *worker = (struct ls_peer){.facts = facts,
                             .process_id = hello->process_id,
                             .is_connected = true,
                             .since_s = now_s,
                             .last_end_s = now_s,
                             .spools = {-1, -1}};
}

/* The settings, which differ in the workers' slots and rooms. */
static void write_welcome(struct ls_master *master, uint32_t number) {
  const struct ls_master_options *options = master->options;
  const struct ls_coordinator_config *config = &options->config;
  struct ls_settings settings = {.words = (char **)options->words,
                                 .directory = (char *)options->directory,
                                 .slot = master->workers[number].facts.slot,
                                 .side = ls_side_settings_of(config),
                                 .timeout_s = options->timeout_s,
                                 .heartbeat_s = options->heartbeat_s,
                                 .silence_s = config->silence_s,
                                 .has_replicas = config->replication != NULL};
  settings.side.prefetch = options->prefetch;
  if (number < config->rooms_count) settings.side.room = config->rooms[number].units;
  while (options->words != NULL && options->words[settings.words_count] != NULL) {
    ++settings.words_count;
  }
  ls_bytes_clear(&master->welcome);
  ls_settings_write(&settings, &master->welcome);
  if (master->welcome.failed) ls_master_fail_memory(master);
}

uint32_t ls_master_admit(struct ls_master *master, uint64_t peer, const struct ls_message *hello) {
  if (hello->version != LS_PROTOCOL_VERSION) {
    char why[96];
    (void)snprintf(why, sizeof why, "the master speaks version %d of the protocol, not %u",
                   LS_PROTOCOL_VERSION, hello->version);
    refuse(master, peer, why);
    return LS_WORKER_NONE;
  }
  if (!is_token(master->token, &hello->text)) {
    refuse(master, peer, "the token is not the one of this run (LOADSTAR_TOKEN)");
    return LS_WORKER_NONE;
  }
  if (master->is_finished || ls_master_find(master, peer) != LS_WORKER_NONE) {
    refuse(master, peer, master->is_finished ? "the run is over" : "joined already");
    return LS_WORKER_NONE;
  }
  uint32_t place = give_place(master, hello);
  uint32_t number = choose_slot(master, place);
  struct ls_peer *worker = make_room(master, number);
  if (worker == NULL) return LS_WORKER_NONE;
  move_in(worker, hello, master->now_s);
  worker->peer = peer;
  worker->has_process = master->pool != NULL && place <= master->options->pool_setup.slots;
  worker->facts.slot = place;
  worker->facts.price_per_s =
      number < master->options->prices_count ? master->options->prices[number] : 1;
  master->joins_failed = 0;
  journal_worker(master, number);
  write_welcome(master, number);
  struct ls_message welcome = {.kind = LS_MESSAGE_WELCOME,
                               .version = LS_PROTOCOL_VERSION,
                               .worker = number,
                               .text = {master->welcome.data, master->welcome.length}};
  ls_master_post(master, peer, &welcome);
  /* The settings are those of the start; advice may have come since. */
  if (master->prefetch != master->options->prefetch) {
    struct ls_message prefetch = {.kind = LS_MESSAGE_PREFETCH, .units = master->prefetch};
    ls_master_post(master, peer, &prefetch);
  }
  return number;
}

void ls_master_dismiss(struct ls_master *master, uint32_t number) {
  struct ls_peer *worker = &master->workers[number];
  for (int i = 0; i < 2; ++i) {
    if (worker->spools[i] >= 0) (void)close(worker->spools[i]);
    worker->spools[i] = -1;
    worker->spool_bytes[i] = 0;
  }
  if (!worker->is_connected) return;
  if (worker->asks_first > 0) --master->gathered;
  worker->asks_first = 0;
  worker->is_connected = false;
  worker->facts.left_s = master->now_s;
  journal_worker(master, number);
}

void ls_master_spool(struct ls_master *master, uint32_t number, const struct ls_message *piece) {
  struct ls_peer *worker = &master->workers[number];
  int which = piece->stream == LS_STREAM_ERR;
  struct ls_error err;
  if (worker->spools[which] < 0) worker->spools[which] = ls_temporary_file(&err);
  if (worker->spools[which] < 0) {
    ls_master_note_failure(master, LS_EIO, &err);
    return;
  }
  const char *data = piece->output.data;
  size_t left = piece->output.length;
  while (left > 0) {
    ssize_t written = write(worker->spools[which], data, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      (void)ls_fail(&err, LS_EIO, "cannot keep the output of unit %llu: %s",
                    (unsigned long long)piece->range.first, strerror(errno));
      ls_master_note_failure(master, LS_EIO, &err);
      return;
    }
    data += written;
    left -= (size_t)written;
  }
  worker->spool_bytes[which] += piece->output.length;
}
