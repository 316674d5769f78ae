/* master_open.c: doors, coordinator, pools, journal. */
#include "runtime/master/master_open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "runtime/journal/journal_sent.h"
#include "runtime/master/master_key.h"
#include "runtime/pool/keeper.h"

static const double LINGER_S = 0.5;

/* ---- books ---- */

static enum ls_status create_coordinator(struct ls_master_books *books,
                                         const struct ls_master_options *options,
                                         struct ls_error *err) {
  struct ls_coordinator_config config = options->config;
  config.weights_count = config.workers;
  enum ls_status status = ls_coordinator_create(&config, &books->coordinator, err);
  if (status != LS_OK || options->times == NULL) return status;
  /* The declared times are all that is known of the times to come, too. */
  struct ls_coordinator_times times = {options->times, options->times, options->times_count};
  return ls_coordinator_declare(books->coordinator, &times, err);
}

static void warn_of_lost(const struct ls_master_options *options, uint64_t units) {
  struct ls_bytes text = {0};
  if (units == 0 || options->warn == NULL) return;
  ls_bytes_printf(&text,
                  "%s: %llu settled %s repeated: %s outputs are missing, short or "
                  "damaged (a power cut loses the last seconds without --sync)",
                  options->journal, (unsigned long long)units, units == 1 ? "task is" : "tasks are",
                  units == 1 ? "its" : "their");
  options->warn(options->context, ls_bytes_text(&text));
  ls_bytes_close(&text);
}

static void warn_of_damage(const struct ls_master_options *options, uint64_t rows) {
  struct ls_bytes text = {0};
  if (rows == 0 || options->warn == NULL) return;
  ls_bytes_printf(&text,
                  "%s: the file is damaged: %llu result%s not as written, and what they were of is "
                  "repeated",
                  options->journal, (unsigned long long)rows, rows == 1 ? " is" : "s are");
  options->warn(options->context, ls_bytes_text(&text));
  ls_bytes_close(&text);
}

static void warn_of_log(const struct ls_master_options *options, bool is_lost) {
  struct ls_bytes text = {0};
  if (!is_lost || options->warn == NULL) return;
  ls_bytes_printf(
      &text,
      "%s: its last master was killed, and what it left next to the file (%s-wal) is not "
      "there: tasks that it had done may be repeated",
      options->journal, options->journal);
  options->warn(options->context, ls_bytes_text(&text));
  ls_bytes_close(&text);
}

static enum ls_status open_journal(struct ls_master_books *books,
                                   const struct ls_master_options *options, struct ls_error *err) {
  if (options->journal == NULL) return LS_OK;
  struct ls_journal_request request = {.path = options->journal,
                                       .mode = options->journal_mode,
                                       .job = &options->job,
                                       .is_synced = options->is_synced,
                                       .inputs = options->inputs,
                                       .context = options->context};
  enum ls_status status = ls_journal_open(&request, &books->journal, err);
  if (status != LS_OK) return status;
  struct ls_journal_summary summary;
  status = ls_journal_summary(books->journal, &summary, err);
  if (status != LS_OK) return status;
  warn_of_lost(options, summary.units_repeated);
  warn_of_damage(options, summary.rows_repeated);
  warn_of_log(options, summary.has_lost_log);
  books->workers_base = summary.next_worker;
  books->offset_s = summary.elapsed_s;
  /* Commands have one iteration, whatever was asked for behind it. */
  if (!options->app->runs_commands)
    books->iteration = summary.opened > summary.iteration ? summary.opened : summary.iteration;
  books->is_resumed = summary.sessions > 1; /* this one is counted */
  memcpy(books->run, summary.run, sizeof books->run);
  return books->is_resumed ? ls_journal_read_sent(books->journal, &books->sent_before, err) : LS_OK;
}

enum ls_status ls_master_books_open(struct ls_master_books *books,
                                    const struct ls_master_options *options, struct ls_error *err) {
  enum ls_status status = create_coordinator(books, options, err);
  if (status == LS_OK) status = open_journal(books, options, err);
  if (status != LS_OK || options->begin == NULL) return status;
  return options->begin(options->context, err);
}

void ls_master_books_close(struct ls_master_books *books) {
  ls_journal_close(books->journal);
  ls_coordinator_destroy(books->coordinator);
  ls_ranges_close(&books->sent_before);
  *books = (struct ls_master_books){0};
}

/* ---- doors ---- */

/* The first port that is free. */
static enum ls_status listen_there(struct ls_master_doors *doors, const struct ls_site_door *door,
                                   const struct ls_curve *curve, const char *address,
                                   struct ls_error *err) {
  char host[LS_SITE_ADDRESS_BYTES], next[LS_SITE_ADDRESS_BYTES];
  enum ls_status status =
      ls_endpoints_listen(&doors->endpoints, door->transport, address, curve, err);
  if (status != LS_EBUSY || door->ports_more == 0) return status;
  const char *colon = strrchr(address, ':');
  unsigned long first = strtoul(colon + 1, NULL, 10);
  (void)snprintf(host, sizeof host, "%.*s", (int)(colon - address), address);
  for (unsigned i = 1; i <= door->ports_more && status == LS_EBUSY; ++i) {
    (void)snprintf(next, sizeof next, "%.240s:%lu", host, first + i);
    status = ls_endpoints_listen(&doors->endpoints, door->transport, next, curve, err);
  }
  if (status != LS_EBUSY) return status;
  return ls_fail(err, LS_EBUSY, "cannot listen on %s-%lu: all these ports are taken", address,
                 first + door->ports_more);
}

/* What the master alone may know is none of theirs. */
static void keep_keys(struct ls_master_doors *doors, const struct ls_key_file *keys) {
  doors->keys = *keys;
  doors->keys.is_master = false;
  explicit_bzero(doors->keys.server.secret_key, sizeof doors->keys.server.secret_key);
}

static enum ls_status announce(struct ls_master_doors *doors,
                               const struct ls_master_options *options, uint32_t index,
                               struct ls_error *err) {
  const struct ls_site_door *door = &options->site->doors[index];
  const char *bound = ls_endpoints_address(&doors->endpoints, index);
  struct ls_key_file keys = options->site->keys;
  struct ls_bytes key = {0};
  enum ls_status status = LS_OK;
  ls_site_advertise(door, bound, keys.address);
  (void)snprintf(keys.bound, sizeof keys.bound, "%s", bound);
  if (door->has_keys) {
    const struct ls_master_key_door told = {&keys, door->is_for_pools};
    status = ls_master_key_publish(options, &told, &doors->folder, &key, err);
    if (doors->keys.run[0] == '\0') keep_keys(doors, &keys);
  }
  if (status == LS_OK && options->announce != NULL && !door->is_for_pools)
    options->announce(options->context, keys.address, door->has_keys ? ls_bytes_text(&key) : NULL);
  ls_bytes_close(&key);
  explicit_bzero(&keys, sizeof keys);
  return status;
}

/* Also where it starts no workers: those of MPI, and such as join, end nothing for a dead master.
 */
static void entrust_folder(struct ls_keeper *keeper, const char *folder) {
  struct ls_keeper_record order = {.kind = LS_KEEPER_FOLDER};
  if (keeper == NULL) return;
  (void)snprintf(order.words, sizeof order.words, "%s", folder);
  ls_keeper_line_post(ls_keeper_line(keeper), &order);
}

static enum ls_status open_door(struct ls_master_doors *doors,
                                const struct ls_master_options *options, uint32_t index,
                                struct ls_error *err) {
  const struct ls_site_door *door = &options->site->doors[index];
  const struct ls_curve curve = ls_keys_of_master(&options->site->keys);
  char own[192];
  const char *bound = door->address;
  enum ls_status status = LS_OK;
  if (bound[0] == '\0') {
    /* A socket of ours lies in a folder that only its owner can enter. */
    status = ls_temporary_folder_open(&doors->folder, err);
    if (status == LS_OK) entrust_folder(options->site->keeper, doors->folder.path);
    (void)snprintf(own, sizeof own, "ipc://%s/master", doors->folder.path);
    bound = own;
  }
  if (status == LS_OK) {
    status = listen_there(doors, door, door->has_keys ? &curve : NULL, bound, err);
  }
  return status == LS_OK && door->is_open ? announce(doors, options, index, err) : status;
}

static enum ls_status open_pools(struct ls_master_doors *doors,
                                 const struct ls_master_options *options, struct ls_error *err) {
  size_t count = options->site->pools_count;
  struct ls_pool_choice *choices = calloc(count + 1, sizeof *choices);
  if (choices == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for %zu pools", count);
  for (size_t i = 0; i < count; ++i) {
    choices[i] = options->site->pools[i];
    choices[i].setup.address = ls_endpoints_address(&doors->endpoints, 0);
    choices[i].setup.folder = doors->folder.path;
    choices[i].setup.keys = doors->keys.run[0] != '\0' ? &doors->keys : NULL;
    choices[i].setup.key_path = options->key;
  }
  enum ls_status status = ls_pools_open(&doors->pools, choices, count, err);
  free(choices);
  if (status == LS_OK && options->timeout_s > 0) ls_pools_limit(&doors->pools, options->timeout_s);
  return status;
}

enum ls_status ls_master_doors_open(struct ls_master_doors *doors,
                                    const struct ls_master_options *options, struct ls_error *err) {
  enum ls_status status = LS_OK;
  doors->folder.lock = -1;
  for (uint32_t i = 0; i < options->site->doors_count && status == LS_OK; ++i) {
    status = open_door(doors, options, i, err);
  }
  return status == LS_OK ? open_pools(doors, options, err) : status;
}

void ls_master_doors_close(struct ls_master_doors *doors, double patience_s) {
  ls_pools_close(&doors->pools, patience_s);
  ls_endpoints_close(&doors->endpoints, LINGER_S);
  if (doors->folder.path[0] != '\0') ls_temporary_folder_close(&doors->folder);
  explicit_bzero(&doors->keys, sizeof doors->keys);
  *doors = (struct ls_master_doors){.folder = {.lock = -1}};
}
