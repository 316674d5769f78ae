/* platform_simgrid_write.c: a platform as SimGrid's XML. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/platform_simgrid.h"
#include "formats/platform_simgrid_private.h"
#include "model/platform_build.h"

enum { MASTER_NAME_BYTES = 48 };

/* Stands for "infinitely fast", which SimGrid does not know; the property beside it says 0. */
static const double FAST = 1e18;

static void write_text(const char *text, struct ls_bytes *out) {
  for (; *text != '\0'; text++) {
    if (*text == '&')
      ls_bytes_append_text(out, "&amp;");
    else if (*text == '<')
      ls_bytes_append_text(out, "&lt;");
    else if (*text == '"')
      ls_bytes_append_text(out, "&quot;");
    else
      ls_bytes_append_char(out, *text);
  }
}

static void write_property(const char *indent, const char *name, double value,
                           struct ls_bytes *out) {
  assert(isfinite(value) && value >= 0);
  ls_bytes_printf(out, "%s<prop id=\"%s\" value=\"%.17g\"/>\n", indent, name, value);
}

/* Speed or bandwidth for a cost per unit; a number that can be read, whatever the cost. */
static double find_rate(double unit, double per_unit_s) {
  assert(unit > 0 && per_unit_s >= 0);
  double rate = per_unit_s > 0 ? fmax(DBL_MIN, fmin(unit / per_unit_s, DBL_MAX)) : FAST;
  assert(rate > 0 && isfinite(rate));
  return rate;
}

/* Does the rate give back the cost, to the last digit? */
static bool is_told_by_rate(double unit, double per_unit_s) {
  double told = unit / find_rate(unit, per_unit_s);
  assert(told >= 0);
  return !(told < per_unit_s) && !(told > per_unit_s);
}

/* What the attributes cannot say, or would say with other digits than the platform's. */
static bool is_property(const struct ls_worker_model *worker, const struct ls_simgrid_unit *unit,
                        size_t offset, double value) {
  assert(offset < sizeof *worker);
  if (offset == offsetof(struct ls_worker_model, costs[LS_OPERATION_TRANSFER].latency_s))
    return false;
  if (offset == offsetof(struct ls_worker_model, costs[LS_OPERATION_COMPUTE].per_unit_s))
    return !is_told_by_rate(unit->flops, value);
  if (offset == offsetof(struct ls_worker_model, costs[LS_OPERATION_TRANSFER].per_unit_s))
    return !is_told_by_rate(unit->bytes, value);
  if (offset == offsetof(struct ls_worker_model, window_to) ||
      offset == offsetof(struct ls_worker_model, room_units))
    return isfinite(value);
  if (offset == offsetof(struct ls_worker_model, price_per_s)) return value < 1 || value > 1;
  return value > 0;
}

static void write_host(const struct ls_worker_model *worker, const struct ls_simgrid_unit *unit,
                       struct ls_bytes *out) {
  assert(unit->flops > 0);
  ls_bytes_append_text(out, "    <host id=\"");
  write_text(worker->name, out);
  ls_bytes_printf(out, "\" speed=\"%.17gf\">\n",
                  find_rate(unit->flops, worker->costs[LS_OPERATION_COMPUTE].per_unit_s));
  for (size_t i = 0; i < LS_SIMGRID_PROPERTIES; i++) {
    struct ls_simgrid_property property = ls_simgrid_property(i);
    double value;
    memcpy(&value, (const char *)worker + property.offset, sizeof value);
    if (is_property(worker, unit, property.offset, value))
      write_property("      ", property.name, value, out);
  }
  if (worker->unit_law != LS_DURATION_CONSTANT)
    ls_bytes_printf(out, "      <prop id=\"loadstar.task_seconds.law\" value=\"%s\"/>\n",
                    ls_duration_law_name(worker->unit_law));
  if (worker->is_on_master)
    ls_bytes_append_text(out, "      <prop id=\"loadstar.on_master\" value=\"true\"/>\n");
  ls_bytes_append_text(out, "    </host>\n");
}

static void write_head(const struct ls_platform *platform, struct ls_bytes *out) {
  assert((unsigned)platform->ports <= LS_PORTS_MULTI);
  ls_bytes_append_text(out,
                       "<?xml version='1.0'?>\n"
                       "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                       "<platform version=\"4.1\">\n  <zone id=\"star\" routing=\"Full\">\n");
  ls_bytes_printf(out, "    <prop id=\"loadstar.ports\" value=\"%s\"/>\n",
                  ls_platform_port_names[platform->ports]);
  if (platform->ports == LS_PORTS_MULTI) {
    write_property("    ", "loadstar.alpha", platform->ports_alpha, out);
    if (platform->ports_limit > 0)
      write_property("    ", "loadstar.limit", (double)platform->ports_limit, out);
  }
  write_property("    ", "loadstar.share", platform->master_share, out);
  if (platform->storage_readers > 0)
    write_property("    ", "loadstar.storage.readers", (double)platform->storage_readers, out);
  if (platform->prepare.latency_s > 0)
    write_property("    ", "loadstar.prepare.latency", platform->prepare.latency_s, out);
  if (platform->prepare.per_unit_s > 0)
    write_property("    ", "loadstar.prepare.per_unit", platform->prepare.per_unit_s, out);
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_name(const char *text) {
  for (; *text != '\0'; text++)
    if ((unsigned char)*text < 0x20) return false;
  return true;
}

/* Hosts are found by name: all differ, and the master's differs from them. */
static enum ls_status choose_names(const struct ls_platform *platform, const char **names,
                                   char master[MASTER_NAME_BYTES], struct ls_error *err) {
  size_t count = platform->workers_count;
  assert(count > 0);
  for (size_t i = 0; i < count; i++) {
    names[i] = platform->workers[i].name;
    if (!is_name(names[i]))
      return ls_fail(err, LS_EINVAL, "worker %zu: its name holds a control character", i);
  }
  qsort(names, count, sizeof(const char *), compare_names);
  for (size_t i = 1; i < count; i++) {
    assert(compare_names(&names[i - 1], &names[i]) <= 0);
    if (strcmp(names[i - 1], names[i]) == 0)
      return ls_fail(err, LS_EINVAL, "two workers are called '%.60s', which SimGrid cannot hold",
                     names[i]);
  }
  (void)snprintf(master, MASTER_NAME_BYTES, "master");
  const char *key = master;
  for (size_t i = 0; bsearch(&key, names, count, sizeof(const char *), compare_names) != NULL; i++)
    (void)snprintf(master, MASTER_NAME_BYTES, "master-%zu", i);
  return LS_OK;
}

enum ls_status ls_platform_write_simgrid(const struct ls_platform *platform,
                                         const struct ls_simgrid_unit *unit, struct ls_bytes *out,
                                         struct ls_error *err) {
  char master[MASTER_NAME_BYTES];
  assert(unit->flops > 0 && unit->bytes > 0);
  for (size_t i = 0; i < platform->workers_count; i++)
    if (platform->workers[i].windows_count > 0)
      return ls_fail(
          err, LS_EINVAL,
          "worker %zu: has %u windows with costs of their own, which SimGrid's XML has no "
          "words for; write JSON",
          i, (unsigned)platform->workers[i].windows_count);
  const char **names = calloc(platform->workers_count, sizeof(const char *));
  if (names == NULL) return ls_fail(err, LS_ENOMEM, "no memory for the names of workers");
  enum ls_status status = choose_names(platform, names, master, err);
  free(names);
  if (status != LS_OK) return status;
  write_head(platform, out);
  ls_bytes_printf(out,
                  "    <host id=\"%s\" speed=\"1Gf\">\n"
                  "      <prop id=\"loadstar.master\" value=\"true\"/>\n    </host>\n",
                  master);
  for (size_t i = 0; i < platform->workers_count; i++) write_host(&platform->workers[i], unit, out);
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_cost *transfer = &platform->workers[i].costs[LS_OPERATION_TRANSFER];
    ls_bytes_printf(out, "    <link id=\"link-%zu\" bandwidth=\"%.17gBps\" latency=\"%.17gs\"/>\n",
                    i, find_rate(unit->bytes, transfer->per_unit_s), transfer->latency_s);
  }
  for (size_t i = 0; i < platform->workers_count; i++) {
    ls_bytes_printf(out, "    <route src=\"%s\" dst=\"", master);
    write_text(platform->workers[i].name, out);
    ls_bytes_printf(out, "\"><link_ctn id=\"link-%zu\"/></route>\n", i);
  }
  ls_bytes_append_text(out, "  </zone>\n</platform>\n");
  return LS_OK;
}
