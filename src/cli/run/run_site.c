#include "cli/run/run_site.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/run/run_pools.h"
#include "runtime/master/master_key.h"
#include "runtime/os/limits.h"

/* A worker on this machine: its connection, and the large outputs that it sends on both streams.
 * The run itself: the journal, the outputs of one round, sockets, files of results. Workers that
 * join from elsewhere need a half of all. */
enum { DESCRIPTORS_OF_WORKER = 3, DESCRIPTORS_OF_RUN = 72 };

/* More workers than this for each core are worth a remark. */
enum { CROWD_PER_CORE = 64 };

static size_t count_fitting(const struct ls_run_options *options, size_t descriptors) {
  if (ls_run_pools_is_remote(options)) descriptors /= 2;
  if (descriptors < DESCRIPTORS_OF_RUN) return 0;
  return (descriptors - DESCRIPTORS_OF_RUN) / DESCRIPTORS_OF_WORKER;
}

/* A number that was not meant would make as many processes. */
static void remark_crowd(const struct ls_run_options *options, const char *name, size_t workers) {
  size_t cores = ls_run_pools_cores();
  if (options->is_quiet || options->has_worker_by_task || workers <= CROWD_PER_CORE * cores) return;
  fprintf(stderr,
          "%s: %zu workers on %zu usable core%s: only tasks that mostly wait gain from more "
          "workers than cores\n",
          name, workers, cores, cores == 1 ? "" : "s");
}

enum ls_status ls_run_site_limit_workers(struct ls_run_options *options, const char *name,
                                         struct ls_error *err) {
  ls_limits_raise();
  size_t descriptors = ls_limits_descriptors_left();
  size_t fitting = count_fitting(options, descriptors);
  size_t wanted = ls_run_pools_own(options);
  remark_crowd(options, name, wanted < fitting ? wanted : fitting);
  options->workers_most = fitting < LS_RUN_WORKERS_MAX ? fitting : LS_RUN_WORKERS_MAX;
  if (wanted <= fitting) return LS_OK;
  if (fitting == 0) {
    return ls_fail(
        err, LS_ENOWORKERS,
        "%zu descriptors (ulimit -n, less those in use) are too few for a worker, "
        "expected at least %d",
        descriptors,
        (ls_run_pools_is_remote(options) ? 2 : 1) * (DESCRIPTORS_OF_RUN + DESCRIPTORS_OF_WORKER));
  }
  if (options->speeds_count > 0 || options->platform != NULL || options->plan != NULL) {
    return ls_fail(err, LS_EINVAL,
                   "%zu descriptors (ulimit -n, less those in use) are enough for %zu of %zu "
                   "workers",
                   descriptors, fitting, wanted);
  }
  options->workers = fitting;
  if (!options->is_quiet && !options->has_worker_by_task) {
    fprintf(
        stderr,
        "%s: %zu descriptors (ulimit -n, less those in use) are enough for %zu of %zu workers\n",
        name, descriptors, fitting, wanted);
  }
  return LS_OK;
}

/* A run that goes on is to be found where it was, under the keys that it had. */
static enum ls_status read_record(const struct ls_run_options *options, struct ls_key_file *keys,
                                  bool *is_there, struct ls_error *err) {
  struct ls_bytes path = {0};
  *is_there = false;
  bool goes_on = options->is_resumed || options->repeats_failures;
  if (!goes_on || options->is_insecure) return LS_OK;
  enum ls_status status = ls_master_key_name_record(options->journal, &path, err);
  if (status == LS_OK && access(ls_bytes_text(&path), F_OK) == 0) {
    status = ls_keys_read(ls_bytes_text(&path), true, keys, err);
    *is_there = status == LS_OK;
  }
  ls_bytes_close(&path);
  return status;
}

enum ls_status ls_run_site_assemble(const struct ls_run_options *options, struct ls_site *site,
                                    struct ls_error *err) {
  struct ls_key_file keys;
  bool has_keys = false;
  *site = ls_site_here();
  bool is_for_pools = options->listen == NULL;
  if (is_for_pools && options->elsewhere.door == NULL) return LS_OK;
  enum ls_status status = read_record(options, &keys, &has_keys, err);
  if (status != LS_OK) return status;
  const struct ls_site_listening wish = {
      .address = is_for_pools ? options->elsewhere.door : options->listen,
      .advertise = options->advertise,
      .is_insecure = options->is_insecure,
      .is_for_pools = is_for_pools,
      .keys = has_keys ? &keys : NULL};
  return ls_site_listen(site, &wish, err);
}

void ls_run_site_describe(const struct ls_run_options *options, struct ls_bytes *out) {
  if (options->listen == NULL) return;
  ls_bytes_append_text(out, options->listen);
  ls_bytes_append_text(out, options->is_insecure ? ", insecure" : ", under a key");
}
