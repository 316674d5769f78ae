/* master_open.c: token, address, coordinator, pool, journal. */
#include "runtime/master_open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/bytes.h"

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
                  "%s: %llu settled %s repeated: the files of %s output are missing or short (a "
                  "power cut loses the last seconds without --sync)",
                  options->journal, (unsigned long long)units, units == 1 ? "task is" : "tasks are",
                  units == 1 ? "its" : "their");
  options->warn(options->context, ls_bytes_text(&text));
  ls_bytes_close(&text);
}

static enum ls_status open_journal(struct ls_master_books *books,
                                   const struct ls_master_options *options, struct ls_error *err) {
  if (options->journal == NULL) return LS_OK;
  struct ls_journal_request request = {.path = options->journal,
                                       .mode = options->journal_mode,
                                       .job = &options->job,
                                       .is_synced = options->is_synced};
  enum ls_status status = ls_journal_open(&request, &books->journal, err);
  if (status != LS_OK) return status;
  struct ls_journal_summary summary;
  status = ls_journal_summary(books->journal, &summary, err);
  if (status != LS_OK) return status;
  warn_of_lost(options, summary.units_repeated);
  books->workers_base = summary.next_worker;
  books->offset_s = summary.elapsed_s;
  /* Commands have one iteration, whatever was asked for behind it. */
  if (!options->app->runs_commands)
    books->iteration = summary.opened > summary.iteration ? summary.opened : summary.iteration;
  books->is_resumed = summary.sessions > 1; /* this one is counted */
  return LS_OK;
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
  *books = (struct ls_master_books){0};
}

/* ---- doors ---- */

static enum ls_status make_token(struct ls_master_doors *doors,
                                 const struct ls_master_options *options, struct ls_error *err) {
  if (options->token != NULL) {
    int length = snprintf(doors->token, sizeof doors->token, "%s", options->token);
    if (length < (int)sizeof doors->token) return LS_OK;
    return ls_fail(err, LS_EINVAL, "the token has %d characters, at most %zu are allowed", length,
                   sizeof doors->token - 1);
  }
  /* A private socket is protected by its folder; a socket on a network asks for a token. */
  if (options->listen == NULL || strncmp(options->listen, "tcp:", 4) != 0) return LS_OK;
  unsigned char chance[16];
  if (getrandom(chance, sizeof chance, 0) != (ssize_t)sizeof chance) {
    return ls_fail(err, LS_EIO, "no random bytes for the token: %s", strerror(errno));
  }
  for (size_t i = 0; i < sizeof chance; ++i) {
    (void)snprintf(doors->token + 2 * i, 3, "%02x", chance[i]);
  }
  return LS_OK;
}

/* A socket of ours lies in a folder that only its owner can enter. */
static enum ls_status make_address(struct ls_master_doors *doors, char *address,
                                   size_t address_bytes, struct ls_error *err) {
  const char *folder = getenv("TMPDIR");
  /* The path of a socket holds at most 107 characters. */
  if (folder == NULL || folder[0] != '/' || strlen(folder) > 70) folder = "/tmp";
  (void)snprintf(doors->directory, sizeof doors->directory, "%s/loadstar-XXXXXX", folder);
  if (mkdtemp(doors->directory) == NULL) {
    enum ls_status status =
        ls_fail(err, LS_EIO, "cannot make a private folder in %s: %s", folder, strerror(errno));
    doors->directory[0] = 0;
    return status;
  }
  (void)snprintf(address, address_bytes, "ipc://%s/master", doors->directory);
  return LS_OK;
}

static enum ls_status listen_there(struct ls_master_doors *doors,
                                   const struct ls_master_options *options, struct ls_error *err) {
  char own[192];
  const char *address = options->listen;
  enum ls_status status = LS_OK;
  if (address == NULL) {
    status = make_address(doors, own, sizeof own, err);
    address = own;
  }
  if (status != LS_OK) return status;
  return ls_endpoints_listen(&doors->endpoints, options->transport, address, err);
}

static enum ls_status open_pool(struct ls_master_doors *doors,
                                const struct ls_master_options *options, struct ls_error *err) {
  if (options->pool == NULL) return LS_OK;
  struct ls_pool_setup setup = options->pool_setup;
  setup.address = ls_endpoints_address(&doors->endpoints, 0);
  setup.token = doors->token;
  return options->pool->open(&setup, &doors->pool, err);
}

enum ls_status ls_master_doors_open(struct ls_master_doors *doors,
                                    const struct ls_master_options *options, struct ls_error *err) {
  enum ls_status status = make_token(doors, options, err);
  if (status == LS_OK) status = listen_there(doors, options, err);
  if (status != LS_OK) return status;
  if (options->announce != NULL) {
    options->announce(options->context, ls_endpoints_address(&doors->endpoints, 0), doors->token);
  }
  return open_pool(doors, options, err);
}

void ls_master_doors_close(struct ls_master_doors *doors, const struct ls_master_options *options,
                           double patience_s) {
  if (doors->pool != NULL) options->pool->close(doors->pool, patience_s);
  ls_endpoints_close(&doors->endpoints, LINGER_S);
  if (doors->directory[0] != 0) (void)rmdir(doors->directory);
  *doors = (struct ls_master_doors){0};
}
