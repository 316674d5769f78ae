#include "cli/compare_sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise/sites.h"
#include "base/json.h"
#include "cli/console.h"

enum site { NEAR, FAR, ALL, SITES };

static const char *const site_names[SITES] = {"near", "far", "all"};

/* The best way of each crew; the offers of the crews are those. */
struct sites {
  struct ls_crew crews[SITES];
  size_t ways[SITES];
};

static enum ls_status refuse_one_site(const struct ls_platform *platform, struct ls_error *err) {
  double least_s = (double)INFINITY, most_s = 0;
  for (size_t i = 0; i < platform->workers_count; i++) {
    double delay_s = ls_worker_unit_delay(&platform->workers[i]);
    least_s = fmin(least_s, delay_s);
    most_s = fmax(most_s, delay_s);
  }
  return ls_fail(err, LS_EINVAL,
                 "--sites: the delay of a unit is %g to %g s, expected some workers that are much "
                 "farther than the others, 8 times and more",
                 least_s, most_s);
}

static enum ls_status find(const struct ls_platform *platform, struct sites *sites,
                           struct ls_error *err) {
  size_t count = platform->workers_count, far = 0;
  bool *is_far = calloc(count, sizeof *is_far);
  for (int i = 0; i < SITES; i++)
    sites->crews[i] = (struct ls_crew){.workers = calloc(count, sizeof(size_t)),
                                       .offer = {(double)INFINITY, (double)INFINITY}};
  enum ls_status status = is_far == NULL || sites->crews[NEAR].workers == NULL ||
                                  sites->crews[FAR].workers == NULL ||
                                  sites->crews[ALL].workers == NULL
                              ? ls_fail(err, LS_ENOMEM, "no memory for %zu workers", count)
                              : ls_sites_find(platform, is_far, &far, err);
  if (status == LS_OK && far == 0) status = refuse_one_site(platform, err);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    struct ls_crew *site = &sites->crews[is_far[i] ? FAR : NEAR], *all = &sites->crews[ALL];
    site->workers[site->count++] = i;
    all->workers[all->count++] = i;
  }
  free(is_far);
  return status;
}

static enum ls_status judge(const struct ls_front_request *request, struct sites *sites,
                            struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < request->ways_count && status == LS_OK; i++) {
    struct ls_crew tried[SITES];
    memcpy(tried, sites->crews, sizeof tried);
    status = request->ways[i].judge(request->ways[i].context, tried, SITES, err);
    for (int k = 0; k < SITES && status == LS_OK; k++) {
      if (!(tried[k].offer.time_s < sites->crews[k].offer.time_s)) continue;
      sites->crews[k].offer = tried[k].offer;
      sites->ways[k] = i;
    }
  }
  return status;
}

static bool pays(const struct sites *sites) {
  return ls_sites_pay(sites->crews[NEAR].offer.time_s, sites->crews[ALL].offer.time_s);
}

static void write_verdict(const struct sites *sites, struct ls_bytes *out) {
  ls_sites_describe(sites->crews[FAR].count, sites->crews[NEAR].offer.time_s,
                    sites->crews[ALL].offer.time_s, out);
}

static void write_table(const struct ls_front_request *request, const struct sites *sites,
                        struct ls_bytes *out) {
  ls_bytes_printf(out, "%-4s %7s %12s %12s  %s: which\n", "site", "workers", "makespan s", "price",
                  request->kind);
  for (int k = 0; k < SITES; k++) {
    const struct ls_crew *crew = &sites->crews[k];
    ls_bytes_printf(out, "%-4s %7zu ", site_names[k], crew->count);
    if (isfinite(crew->offer.time_s))
      ls_bytes_printf(out, "%12.8g %12.6g  %s: ", crew->offer.time_s, crew->offer.price,
                      request->ways[sites->ways[k]].name);
    else
      ls_bytes_printf(out, "%12s %12s  none applies: ", "-", "-");
    ls_front_write_names(request->platform, crew, out);
    ls_bytes_append_char(out, '\n');
  }
  write_verdict(sites, out);
  ls_bytes_append_char(out, '\n');
}

static void write_json(const struct ls_front_request *request, const struct sites *sites,
                       struct ls_bytes *out) {
  struct ls_bytes why = {0};
  write_verdict(sites, &why);
  ls_json_write_field(out, "{ ", "load", request->load);
  ls_bytes_append_text(out, ", \"sites\": [");
  for (int k = 0; k < SITES; k++) {
    const struct ls_crew *crew = &sites->crews[k];
    ls_bytes_printf(out, "%s\n  {\"site\": \"%s\", \"%s\": ", k > 0 ? "," : "", site_names[k],
                    request->kind);
    if (isfinite(crew->offer.time_s))
      ls_json_write_string(out, request->ways[sites->ways[k]].name);
    else
      ls_bytes_append_text(out, "null");
    ls_json_write_field(out, ", ", "makespan", crew->offer.time_s);
    ls_json_write_field(out, ", ", "price", crew->offer.price);
    ls_bytes_append_text(out, ", \"workers\": [");
    for (size_t i = 0; i < crew->count; i++)
      ls_bytes_printf(out, "%s%zu", i > 0 ? ", " : "", crew->workers[i]);
    ls_bytes_append_text(out, "]}");
  }
  ls_bytes_printf(out, "],\n  \"pays\": %s, \"why\": ", pays(sites) ? "true" : "false");
  ls_json_write_string(out, ls_bytes_text(&why));
  ls_bytes_append_text(out, " }\n");
  out->failed |= why.failed;
  ls_bytes_close(&why);
}

enum ls_status ls_compare_sites(const struct ls_front_request *request, bool *holds,
                                struct ls_error *err) {
  struct sites sites = {0};
  enum ls_status status = find(request->platform, &sites, err);
  if (status == LS_OK) status = judge(request, &sites, err);
  if (status == LS_OK) {
    struct ls_bytes text = {0};
    *holds = isfinite(sites.crews[NEAR].offer.time_s) && isfinite(sites.crews[ALL].offer.time_s);
    (request->wants_json ? write_json : write_table)(request, &sites, &text);
    status = ls_console_write_file("-", &text, err);
    ls_bytes_close(&text);
  }
  for (int i = 0; i < SITES; i++) free(sites.crews[i].workers);
  return status;
}
