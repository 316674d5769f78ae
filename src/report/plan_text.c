/* plan_text.c: a plan as a table for people: what it reaches, what it could reach, the share of
 * each worker.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/certificate.h"
#include "model/metrics.h"
#include "model/plan_repeat.h"
#include "model/plan_share.h"
#include "report/report.h"
#include "report/text_private.h"

enum { LIST_BYTES_MAX = 240 };

static void write_seconds(const char *label, double seconds, const char *meaning,
                          struct ls_bytes *out) {
  if (!isfinite(seconds)) return;
  /* Rounding leaves a trace where nothing is lost. */
  if (fabs(seconds) < 1e-9) seconds = 0;
  ls_bytes_printf(out, "  %-10s %10.6g s  %s\n", label, seconds, meaning);
}

static void write_certificate(const struct ls_plan *plan, const struct ls_certificate *certificate,
                              struct ls_bytes *out) {
  ls_bytes_printf(out, "%-12s %.6g s (%s)", "lower bound", certificate->bound.bound_s,
                  certificate->bound.name);
  if (isfinite(certificate->gap))
    ls_bytes_printf(out, "; the plan is %.4g %% above it", 100 * certificate->gap);
  ls_bytes_append_char(out, '\n');
  if (plan->chunks_count == 0) return;
  if (certificate->beyond > 0)
    ls_bytes_printf(out,
                    "%-12s chunks of worker %u are up to %.3g times as large as any that was "
                    "measured\n",
                    "beyond", (unsigned)certificate->beyond_worker, certificate->beyond);
  if (certificate->outside != SIZE_MAX) {
    const struct ls_plan_chunk *chunk = &plan->chunks[certificate->outside];
    ls_bytes_printf(
        out, "not valid: chunk %zu of %.6g units is outside the window or room of worker %u\n",
        certificate->outside, chunk->units, chunk->worker);
  }
  ls_bytes_append_text(out, "idle time, mean over the workers by their speed:\n");
  write_seconds("start-up", certificate->start_up_s, "before a worker's first chunk", out);
  write_seconds("port waits", certificate->port_wait_s, "between its chunks", out);
  write_seconds("imbalance", certificate->imbalance_s, "until all have computed", out);
  write_seconds("tail", certificate->tail_s, "until all results are back", out);
}

/* A list is long where there are many workers: cut between two values, and seen to be cut. */
static void write_list(const char *json, struct ls_bytes *out) {
  if (strlen(json) <= LIST_BYTES_MAX) {
    (void)ls_report_clean(json, true, 0, out);
    return;
  }
  size_t length = LIST_BYTES_MAX;
  while (length > 0 && json[length] != ',') length--;
  if (length == 0) length = LIST_BYTES_MAX;
  (void)ls_report_clean(json, true, length, out);
  ls_bytes_append_text(out, json[0] == '[' ? ", ...]" : "...");
}

static void write_parameters(const struct ls_plan *plan, struct ls_bytes *out) {
  if (plan->parameters_count == 0) return;
  ls_bytes_append_text(out, "parameters  ");
  for (size_t i = 0; i < plan->parameters_count; i++) {
    const struct ls_plan_parameter *parameter = &plan->parameters[i];
    ls_bytes_printf(out, "%s %s ", i > 0 ? "," : "", parameter->name);
    if (parameter->json != NULL)
      write_list(parameter->json, out);
    else
      ls_bytes_printf(out, "%.6g", parameter->value);
  }
  ls_bytes_append_char(out, '\n');
}

static size_t measure_names(const struct ls_platform *platform) {
  const size_t least = 6, most = 32;
  size_t widest = least;
  for (size_t i = 0; i < platform->workers_count; i++) {
    size_t width = ls_report_clean(platform->workers[i].name, false, 0, NULL);
    if (width > widest) widest = width;
  }
  return widest < most ? widest : most;
}

static void write_workers(const struct ls_plan *plan, const struct ls_platform *platform,
                          const struct ls_report_options *options,
                          const struct ls_plan_share *shares, struct ls_bytes *out) {
  size_t width = measure_names(platform), unused = 0;
  ls_bytes_append_char(out, '\n');
  ls_report_pad("worker", true, width, out);
  ls_bytes_printf(out, " %7s %12s %10s %10s %10s %10s\n", "chunks", "units", "busy s", "idle s",
                  "first s", "last s");
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_plan_share *share = &shares[i];
    if (share->chunks == 0) {
      unused++;
      continue;
    }
    ls_report_pad(platform->workers[i].name, options->is_ascii != 0, width, out);
    ls_bytes_printf(out, " %7llu %12.8g %10.4g %10.4g %10.4g %10.4g\n",
                    (unsigned long long)share->chunks, share->units, share->busy_s,
                    fmax(0, plan->makespan_s - share->busy_s), share->first_s, share->last_s);
  }
  if (unused > 0) ls_bytes_printf(out, "%zu workers get nothing\n", unused);
}

void ls_report_plan(const struct ls_plan *plan, const struct ls_platform *platform,
                    const struct ls_report_options *options, struct ls_bytes *out) {
  ls_bytes_printf(out, "%-12s %s\n%-12s %.10g units\n", "algorithm", plan->algorithm, "load",
                  plan->load);
  if (plan->outcome != LS_PLAN_OK) {
    ls_bytes_append_text(out, "not applicable: ");
    (void)ls_report_clean(plan->why, options->is_ascii != 0, 0, out);
    ls_bytes_append_char(out, '\n');
    return;
  }
  struct ls_certificate certificate;
  struct ls_plan_share *shares = calloc(platform->workers_count + 1, sizeof *shares);
  if (shares == NULL || ls_certificate_of(plan, platform, &certificate, NULL) != LS_OK) {
    free(shares);
    out->failed = true;
    return;
  }
  ls_plan_shares(plan, platform, shares);
  size_t used = 0;
  for (size_t i = 0; i < platform->workers_count; i++) used += shares[i].chunks > 0;
  ls_bytes_printf(out, "%-12s %.10g s\n", "makespan", plan->makespan_s);
  uint64_t chunks = ls_plan_messages(plan), rounds = ls_plan_rounds(plan);
  ls_bytes_printf(out, "%-12s %llu chunk%s in %llu round%s for %zu of %zu workers\n", "plan",
                  (unsigned long long)chunks, chunks == 1 ? "" : "s", (unsigned long long)rounds,
                  rounds == 1 ? "" : "s", used, platform->workers_count);
  if (ls_plan_repeats(plan))
    ls_bytes_printf(out, "%-12s chunks %zu to %zu, %llu times\n", "repeated", plan->repeat.from,
                    plan->repeat.to - 1, (unsigned long long)plan->repeat.times);
  if (ls_platform_has_prices(platform))
    ls_bytes_printf(out, "%-12s %.6g (cost x seconds up)\n", "price",
                    ls_plan_price(plan, platform, shares));
  write_certificate(plan, &certificate, out);
  write_parameters(plan, out);
  write_workers(plan, platform, options, shares, out);
  free(shares);
}
