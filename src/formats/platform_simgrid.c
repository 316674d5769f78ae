#include "formats/platform_simgrid.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/platform_simgrid_private.h"
#include "model/platform_build.h"

struct ls_simgrid_unit ls_simgrid_unit_default(void) {
  return (struct ls_simgrid_unit){.flops = 1e9, .bytes = 1e6};
}

/* Hosts by name. */
struct directory {
  struct ls_simgrid_host **hosts; /* sorted */
  size_t count;
};

static int compare_hosts(const void *a, const void *b) {
  return strcmp((*(struct ls_simgrid_host *const *)a)->name,
                (*(struct ls_simgrid_host *const *)b)->name);
}

static enum ls_status make_directory(struct ls_simgrid_document *document,
                                     struct directory *directory, struct ls_error *err) {
  size_t count = document->hosts_count;
  const char *source = document->source;
  if (count == 0) return ls_fail(err, LS_EINVAL, "%s: there is no host, expected some", source);
  struct ls_simgrid_host **hosts = calloc(count, sizeof(struct ls_simgrid_host *));
  if (hosts == NULL) return ls_fail(err, LS_ENOMEM, "%s: no memory for %zu hosts", source, count);
  for (size_t i = 0; i < count; i++) hosts[i] = &document->hosts[i];
  qsort(hosts, count, sizeof(struct ls_simgrid_host *), compare_hosts);
  for (size_t i = 1; i < count; i++) {
    assert(compare_hosts(&hosts[i - 1], &hosts[i]) <= 0);
    if (strcmp(hosts[i - 1]->name, hosts[i]->name) != 0) continue;
    enum ls_status status =
        ls_fail(err, LS_EINVAL, "%s: two hosts are called '%.60s'", source, hosts[i]->name);
    free(hosts);
    return status;
  }
  *directory = (struct directory){hosts, count};
  return LS_OK;
}

static struct ls_simgrid_host *find_host(const struct directory *directory, const char *name) {
  assert(directory->count > 0);
  struct ls_simgrid_host key = {.name = (char *)name}, *wanted = &key;
  struct ls_simgrid_host **found =
      bsearch(&wanted, directory->hosts, directory->count, sizeof *directory->hosts, compare_hosts);
  assert(found == NULL || strcmp((*found)->name, name) == 0);
  return found == NULL ? NULL : *found;
}

static struct ls_simgrid_host *find_master(struct ls_simgrid_document *document,
                                           const struct directory *directory) {
  assert(document->hosts_count == directory->count);
  for (size_t i = 0; i < document->hosts_count; i++)
    if (document->hosts[i].is_master) return &document->hosts[i];
  struct ls_simgrid_host *named = find_host(directory, "master");
  return named != NULL ? named : &document->hosts[0];
}

/* Gives the worker at the other end of a route from the master what the route costs. */
static enum ls_status follow_route(const struct ls_simgrid_route *route,
                                   const struct directory *directory,
                                   const struct ls_simgrid_host *master, const char *source,
                                   struct ls_error *err) {
  struct ls_simgrid_host *from = find_host(directory, route->from);
  struct ls_simgrid_host *to = find_host(directory, route->to);
  if (from == NULL || to == NULL)
    return ls_fail(err, LS_EINVAL, "%s: line %zu: the route leads to '%.60s', which is no host",
                   source, route->line, from == NULL ? route->from : route->to);
  struct ls_simgrid_host *worker = NULL;
  if (from == master && to != master) worker = to;
  if (to == master && from != master && route->is_symmetrical) worker = from;
  if (worker == NULL) return LS_OK;
  if (worker->has_route)
    return ls_fail(err, LS_EINVAL, "%s: line %zu: a second route between '%.60s' and the master",
                   source, route->line, worker->name);
  assert(worker != master && route->latency_s >= 0 && route->bandwidth > 0);
  worker->has_route = true;
  worker->route_latency_s = route->latency_s;
  worker->route_bandwidth = route->bandwidth;
  return LS_OK;
}

static bool is_set(const struct ls_simgrid_host *host, const double *field) {
  size_t offset = (size_t)((const char *)field - (const char *)&host->model);
  assert(offset < sizeof host->model);
  for (unsigned i = 0; i < LS_SIMGRID_PROPERTIES; i++)
    if (ls_simgrid_property(i).offset == offset) return (host->set & (1U << i)) != 0;
  return false;
}

/* A route without links costs nothing. Properties win. */
static enum ls_status cost_worker(struct ls_simgrid_host *host, const struct ls_simgrid_unit *unit,
                                  const char *source, struct ls_error *err) {
  assert(host->has_route && unit->bytes > 0 && unit->flops > 0);
  struct ls_worker_model *model = &host->model;
  if (!is_set(host, &model->costs[LS_OPERATION_TRANSFER].latency_s))
    model->costs[LS_OPERATION_TRANSFER].latency_s = host->route_latency_s;
  if (!is_set(host, &model->costs[LS_OPERATION_TRANSFER].per_unit_s))
    model->costs[LS_OPERATION_TRANSFER].per_unit_s =
        isfinite(host->route_bandwidth) ? unit->bytes / host->route_bandwidth : 0;
  if (is_set(host, &model->costs[LS_OPERATION_COMPUTE].per_unit_s)) return LS_OK;
  if (!(host->speed > 0))
    return ls_fail(err, LS_EINVAL, "%s: host '%.60s': speed is %g, expected more than 0", source,
                   host->name, host->speed);
  model->costs[LS_OPERATION_COMPUTE].per_unit_s = unit->flops / host->speed;
  assert(model->costs[LS_OPERATION_COMPUTE].per_unit_s >= 0 &&
         model->costs[LS_OPERATION_TRANSFER].per_unit_s >= 0);
  return LS_OK;
}

static enum ls_status make_workers(struct ls_simgrid_document *document,
                                   const struct ls_simgrid_host *master,
                                   const struct ls_simgrid_unit *unit, struct ls_platform *made,
                                   struct ls_error *err) {
  const char *source = document->source;
  assert(made->workers_count == 0);
  size_t capacity = 0;
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < document->hosts_count && status == LS_OK; i++) {
    struct ls_simgrid_host *host = &document->hosts[i];
    if (host == master || !host->has_route) continue;
    if (host->is_master)
      return ls_fail(err, LS_EINVAL, "%s: '%.60s' and '%.60s' are both the master", source,
                     master->name, host->name);
    status = cost_worker(host, unit, source, err);
    if (status != LS_OK) return status;
    status = ls_platform_add_copies(made, &capacity, host->name, 1, &host->model);
    if (status != LS_OK) return ls_fail(err, status, "%s: no memory for workers", source);
  }
  if (status == LS_OK && made->workers_count == 0)
    return ls_fail(err, LS_EINVAL, "%s: no route leads from the master '%.60s' to another host",
                   source, master->name);
  /* All but the master, at most. */
  assert(made->workers_count < document->hosts_count);
  return status;
}

enum ls_status ls_platform_read_simgrid(struct ls_platform *platform, struct ls_text text,
                                        const struct ls_simgrid_unit *unit, struct ls_error *err) {
  struct ls_simgrid_document document;
  struct directory directory = {NULL, 0};
  struct ls_platform made = {.workers_count = 0};
  enum ls_status status = LS_OK;
  if (!(unit->flops > 0 && isfinite(unit->flops) && unit->bytes > 0 && isfinite(unit->bytes)))
    return ls_fail(err, LS_EINVAL, "a unit is %g flops and %g bytes, both must be > 0", unit->flops,
                   unit->bytes);
  status = ls_simgrid_parse(&document, text, err);
  if (status == LS_OK) status = make_directory(&document, &directory, err);
  if (status != LS_OK) goto done;
  const struct ls_simgrid_host *master = find_master(&document, &directory);
  for (size_t i = 0; i < document.routes_count && status == LS_OK; i++)
    status = follow_route(&document.routes[i], &directory, master, text.source, err);
  made = document.globals;
  if (status == LS_OK) status = make_workers(&document, master, unit, &made, err);
  if (status == LS_OK) {
    status = ls_platform_check(&made, err);
    if (status != LS_OK) status = ls_fail_while(err, status, "%s", text.source);
  }
  assert(status != LS_OK || made.workers_count > 0);
  if (status == LS_OK)
    *platform = made;
  else
    ls_platform_close(&made);
done:
  free(directory.hosts);
  ls_simgrid_document_close(&document);
  return status;
}
