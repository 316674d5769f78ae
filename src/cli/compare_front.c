#include "cli/compare_front.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/console.h"
#include "cli/terms_options.h"
#include "report/plot.h"

/* Crews that are tried of each way: all of up to nine different workers. */
enum { TRIES_MAX = 512 };

struct entry {
  size_t way;
  const struct ls_crew *crew;
};

/* All that was tried, and the front of it, the fastest first. */
struct front {
  struct ls_crews *crews; /* of each way */
  struct entry *entries;
  struct ls_offer *offers; /* of the entries */
  size_t tried;
  struct entry *best;
  struct ls_offer *best_offers;
  size_t count;
  struct ls_deal deal; /* of the front */
  bool is_complete;
};

static enum ls_status search_all(const struct ls_front_request *request, struct front *front,
                                 struct ls_error *err) {
  enum ls_status status = LS_OK;
  front->is_complete = true;
  for (size_t i = 0; i < request->ways_count && status == LS_OK; i++) {
    const struct ls_front_way *way = &request->ways[i];
    struct ls_crew_search search = {.platform = request->platform,
                                    .least = request->least,
                                    .most = request->most,
                                    .tries_max = TRIES_MAX,
                                    .judge = way->judge,
                                    .context = way->context};
    status = ls_crews_search(&search, &front->crews[i], err);
    front->tried += front->crews[i].count;
    front->is_complete &= front->crews[i].is_complete;
  }
  return status;
}

static int compare_entries(const void *left, const void *right) {
  const struct entry *a = left, *b = right;
  double a_s = a->crew->offer.time_s, b_s = b->crew->offer.time_s;
  return a_s < b_s ? -1 : a_s > b_s;
}

/* No two on the front take the same time. */
static enum ls_status collect(const struct ls_front_request *request, struct front *front,
                              struct ls_error *err) {
  size_t room = front->tried + 1, next = 0;
  bool *is_front = calloc(room, sizeof *is_front);
  front->entries = calloc(room, sizeof *front->entries);
  front->offers = calloc(room, sizeof *front->offers);
  front->best = calloc(room, sizeof *front->best);
  front->best_offers = calloc(room, sizeof *front->best_offers);
  if (is_front == NULL || front->entries == NULL || front->offers == NULL || front->best == NULL ||
      front->best_offers == NULL) {
    free(is_front);
    return ls_fail(err, LS_ENOMEM, "no memory for %zu subsets of workers", front->tried);
  }
  for (size_t i = 0; i < request->ways_count; i++)
    for (size_t j = 0; j < front->crews[i].count; j++, next++) {
      front->entries[next] = (struct entry){i, &front->crews[i].items[j]};
      front->offers[next] = front->crews[i].items[j].offer;
    }
  (void)ls_offers_front(front->offers, front->tried, is_front);
  for (size_t i = 0; i < front->tried; i++)
    if (is_front[i]) front->best[front->count++] = front->entries[i];
  free(is_front);
  qsort(front->best, front->count, sizeof *front->best, compare_entries);
  for (size_t i = 0; i < front->count; i++) front->best_offers[i] = front->best[i].crew->offer;
  return LS_OK;
}

void ls_front_write_names(const struct ls_platform *platform, const struct ls_crew *crew,
                          struct ls_bytes *out) {
  for (size_t i = 0; i < crew->count;) {
    size_t last = i;
    while (last + 1 < crew->count && crew->workers[last + 1] == crew->workers[last] + 1) last++;
    if (last < i + 2) last = i;
    ls_bytes_printf(out, "%s%s", i > 0 ? ", " : "", platform->workers[crew->workers[i]].name);
    if (last > i) ls_bytes_printf(out, " to %s", platform->workers[crew->workers[last]].name);
    i = last + 1;
  }
}

/* Whether "best", which takes its time, was asked, or there is none: policies are not searched. */
static bool has_search(const struct ls_front_request *request) {
  bool has = strcmp(request->kind, "algorithm") != 0;
  for (size_t i = 0; i < request->ways_count; i++)
    has = has || strcmp(request->ways[i].name, "best") == 0;
  return has;
}

static void write_choice(const struct ls_front_request *request, const struct front *front,
                         struct ls_bytes *out) {
  const struct entry *chosen = &front->best[front->deal.index];
  ls_terms_describe(&request->terms, front->deal.is_met, &chosen->crew->offer, out);
  ls_bytes_printf(out, ", %s on %zu worker%s", request->ways[chosen->way].name, chosen->crew->count,
                  chosen->crew->count == 1 ? "" : "s");
}

static void write_table(const struct ls_front_request *request, const struct front *front,
                        struct ls_bytes *out) {
  size_t width = strlen(request->kind);
  for (size_t i = 0; i < front->count; i++) {
    size_t length = strlen(request->ways[front->best[i].way].name);
    if (length > width) width = length;
  }
  ls_bytes_printf(out, "  %12s %12s  %-*s %7s  which\n", "makespan s", "price", (int)width,
                  request->kind, "workers");
  for (size_t i = 0; i < front->count; i++) {
    const struct ls_crew *crew = front->best[i].crew;
    ls_bytes_printf(out, "%c %12.8g %12.6g  %-*s %7zu  ", i == front->deal.index ? '*' : ' ',
                    crew->offer.time_s, crew->offer.price, (int)width,
                    request->ways[front->best[i].way].name, crew->count);
    ls_front_write_names(request->platform, crew, out);
    ls_bytes_append_char(out, '\n');
  }
  ls_bytes_printf(out, "%zu of %zu tried are on the front%s\n", front->count, front->tried,
                  front->is_complete ? ", of every choice of workers" : "");
  write_choice(request, front, out);
  ls_bytes_append_char(out, '\n');
  if (!front->deal.is_met && !has_search(request))
    ls_bytes_append_text(out, "of plans that formulas give: -a best searches for better ones\n");
}

static void write_entry(const struct ls_front_request *request, const struct entry *entry,
                        struct ls_bytes *out) {
  const struct ls_crew *crew = entry->crew;
  ls_bytes_printf(out, "{\"%s\": ", request->kind);
  ls_json_write_string(out, request->ways[entry->way].name);
  ls_json_write_field(out, ", ", "makespan", crew->offer.time_s);
  ls_json_write_field(out, ", ", "price", crew->offer.price);
  ls_bytes_append_text(out, ", \"workers\": [");
  for (size_t i = 0; i < crew->count; i++)
    ls_bytes_printf(out, "%s%zu", i > 0 ? ", " : "", crew->workers[i]);
  ls_bytes_append_text(out, "], \"names\": [");
  for (size_t i = 0; i < crew->count; i++) {
    if (i > 0) ls_bytes_append_text(out, ", ");
    ls_json_write_string(out, request->platform->workers[crew->workers[i]].name);
  }
  ls_bytes_append_text(out, "]}");
}

static void write_json(const struct ls_front_request *request, const struct front *front,
                       struct ls_bytes *out) {
  struct ls_bytes why = {0};
  if (front->count > 0) write_choice(request, front, &why);
  ls_json_write_field(out, "{ ", "load", request->load);
  ls_json_write_field(out, ", ", "deadline", request->terms.deadline_s);
  ls_json_write_field(out, ", ", "price_max", request->terms.price_max);
  ls_bytes_printf(out, ", \"tried\": %zu, \"complete\": %s, \"front\": [", front->tried,
                  front->is_complete ? "true" : "false");
  for (size_t i = 0; i < front->count; i++) {
    ls_bytes_append_text(out, i == 0 ? "\n  " : ",\n  ");
    write_entry(request, &front->best[i], out);
  }
  ls_bytes_printf(out, "],\n  \"met\": %s, \"chosen\": ",
                  front->count > 0 && front->deal.is_met ? "true" : "false");
  if (front->count > 0)
    write_entry(request, &front->best[front->deal.index], out);
  else
    ls_bytes_append_text(out, "null");
  ls_bytes_append_text(out, ", \"why\": ");
  ls_json_write_string(out,
                       front->count > 0 ? ls_bytes_text(&why) : "nothing applies to any workers");
  ls_bytes_append_text(out, " }\n");
  out->failed |= why.failed;
  ls_bytes_close(&why);
}

/* What was tried as points, the front as a line, the choice on it. */
static enum ls_status draw(const struct ls_front_request *request, const struct front *front,
                           struct ls_error *err) {
  double *x = calloc(front->tried + front->count + 1, 2 * sizeof *x);
  if (x == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for a drawing of %zu subsets", front->tried);
  double *y = x + front->tried + front->count;
  for (size_t i = 0; i < front->tried + front->count; i++) {
    const struct ls_offer *offer =
        i < front->tried ? &front->offers[i] : &front->best_offers[i - front->tried];
    x[i] = offer->time_s;
    y[i] = offer->price;
  }
  const double *front_x = x + front->tried, *front_y = y + front->tried;
  size_t chosen = front->deal.index;
  const struct ls_plot_series series[] = {
      {.name = "tried", .x = x, .y = y, .count = front->tried, .has_points = true},
      {.name = "front",
       .x = front_x,
       .y = front_y,
       .count = front->count,
       .has_points = true,
       .has_line = true},
      {.name = "chosen",
       .x = front_x + chosen,
       .y = front_y + chosen,
       .count = 1,
       .has_points = true}};
  char title[96];
  struct ls_bytes subtitle = {0}, drawing = {0};
  (void)snprintf(title, sizeof title, "%.10g units: time against price", request->load);
  write_choice(request, front, &subtitle);
  struct ls_plot plot = {.title = title,
                         .subtitle = ls_bytes_text(&subtitle),
                         .x = {.label = "makespan, s", .has_zero = true},
                         .y = {.label = "price"},
                         .series = series,
                         .series_count = sizeof series / sizeof *series};
  ls_plot_write(&plot, &drawing);
  enum ls_status status = ls_console_write_file(request->picture, &drawing, err);
  ls_bytes_close(&subtitle);
  ls_bytes_close(&drawing);
  free(x);
  return status;
}

static enum ls_status show(const struct ls_front_request *request, const struct front *front,
                           struct ls_error *err) {
  struct ls_bytes text = {0};
  if (request->wants_json)
    write_json(request, front, &text);
  else if (front->count > 0)
    write_table(request, front, &text);
  else
    ls_bytes_printf(&text, "no %s applies to any workers\n", request->kind);
  enum ls_status status = ls_console_write_file("-", &text, err);
  ls_bytes_close(&text);
  if (status == LS_OK && request->picture != NULL && front->count > 0)
    status = draw(request, front, err);
  return status;
}

enum ls_status ls_compare_front(const struct ls_front_request *request, bool *holds,
                                struct ls_error *err) {
  struct front front = {.crews = calloc(request->ways_count, sizeof *front.crews)};
  enum ls_status status =
      front.crews == NULL ? ls_fail(err, LS_ENOMEM, "no memory for %zu ways", request->ways_count)
                          : search_all(request, &front, err);
  if (status == LS_OK) status = collect(request, &front, err);
  if (status == LS_OK) {
    bool has_deal = ls_offers_choose(front.best_offers, front.count, &request->terms, &front.deal);
    *holds = has_deal && front.deal.is_met;
    status = show(request, &front, err);
  }
  for (size_t i = 0; front.crews != NULL && i < request->ways_count; i++)
    ls_crews_close(&front.crews[i]);
  free(front.crews);
  free(front.entries);
  free(front.offers);
  free(front.best);
  free(front.best_offers);
  return status;
}
