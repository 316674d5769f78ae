#include "formats/platform_line.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "formats/platform_line_private.h"
#include "model/platform_build.h"

/* What one list of settings has set already: each name once. */
struct settings {
  const struct setting *known;
  size_t seen; /* bits by position in `known` */
  struct ls_worker_model worker;
  char name[LS_LINE_WORD_BYTES]; /* "" when not given */
  enum ls_duration_law law;
  double mean_s, deviation_s; /* 0: no law was given */
};

struct setting {
  const char *name; /* NULL ends a list */
  enum ls_status (*read)(struct ls_line *line, struct settings *settings,
                         const struct setting *self, struct ls_error *err);
  size_t offset; /* of what is set, in struct ls_worker_model or struct ls_platform */
};

enum { SETTINGS_MOST = 32 }; /* fewer than `seen` has bits */

static void *find_field(void *owner, const struct setting *self) {
  return (char *)owner + self->offset;
}

/* LATENCY+PER_UNITx: one or two terms, of which one ends in x. */
static enum ls_status parse_cost(struct ls_line *line, struct ls_cost *cost, struct ls_error *err) {
  static const char expected[] = "a cost >= 0: LATENCY+PER_UNITx such as 0.3+1x, 1x or 0.3";
  bool has_latency = false, has_per_unit = false;
  do {
    ls_line_skip_blanks(line);
    size_t start = line->at;
    double number = 0;
    enum ls_status status = ls_line_read_number(line, expected, &number, err);
    if (status != LS_OK) return status;
    bool is_per_unit = ls_line_take(line, 'x');
    if (is_per_unit ? has_per_unit : has_latency)
      return ls_line_refuse(line, start, "one latency and one cost per unit, which ends in x", err);
    if (is_per_unit) {
      has_per_unit = true;
      cost->per_unit_s = number;
    } else {
      has_latency = true;
      cost->latency_s = number;
    }
  } while (ls_line_take(line, '+'));
  assert(cost->latency_s >= 0 && cost->per_unit_s >= 0);
  return LS_OK;
}

static enum ls_status read_worker_cost(struct ls_line *line, struct settings *settings,
                                       const struct setting *self, struct ls_error *err) {
  return parse_cost(line, find_field(&settings->worker, self), err);
}

static enum ls_status read_worker_number(struct ls_line *line, struct settings *settings,
                                         const struct setting *self, struct ls_error *err) {
  return ls_line_read_number(line, "a number >= 0", find_field(&settings->worker, self), err);
}

static enum ls_status read_name(struct ls_line *line, struct settings *settings,
                                const struct setting *self, struct ls_error *err) {
  (void)self;
  return ls_line_read_word(line, "a name of 1 to 63 letters, digits or -_.:/@#[]", settings->name,
                           err);
}

static enum ls_status read_window(struct ls_line *line, struct settings *settings,
                                  const struct setting *self, struct ls_error *err) {
  (void)self;
  struct ls_worker_model *worker = &settings->worker;
  ls_line_skip_blanks(line);
  size_t start = line->at;
  enum ls_status status =
      ls_line_read_number(line, "a window of units such as 25:450", &worker->window_from, err);
  if (status != LS_OK) return status;
  if (!ls_line_take(line, ':'))
    return ls_line_refuse(line, line->at, "a colon, as in window=25:450", err);
  ls_line_skip_blanks(line);
  if (ls_line_measure_number(line) > 0) {
    status = ls_line_read_number(line, "a number of units", &worker->window_to, err);
    if (status != LS_OK) return status;
  }
  if (!(worker->window_to > 0 && worker->window_to >= worker->window_from))
    return ls_line_refuse(line, start, "a window that ends above 0 and not before it begins", err);
  assert(worker->window_from >= 0);
  return LS_OK;
}

/* LAW:MEAN[:DEVIATION]; the mean takes the place of compute's cost of a unit, wherever that stands.
 */
static enum ls_status read_task_seconds(struct ls_line *line, struct settings *settings,
                                        const struct setting *self, struct ls_error *err) {
  (void)self;
  static const char expected[] =
      "LAW:MEAN:DEVIATION with a law of constant, normal, gamma, lognormal, exponential, "
      "shifted-exponential, pareto, stragglers";
  char word[LS_LINE_WORD_BYTES];
  ls_line_skip_blanks(line);
  size_t start = line->at;
  enum ls_status status = ls_line_read_word(line, expected, word, err);
  if (status != LS_OK) return status;
  /* A word of these files may hold colons and digits: the law ends before them. */
  word[strcspn(word, ":")] = '\0';
  line->at = start + strlen(word);
  if (!ls_duration_law_find(word, &settings->law) || !ls_line_take(line, ':'))
    return ls_line_refuse(line, start, expected, err);
  ls_line_skip_blanks(line);
  start = line->at;
  status = ls_line_read_number(line, "a mean > 0 in seconds", &settings->mean_s, err);
  if (status == LS_OK && !ls_unit_mean_is_good(settings->mean_s))
    return ls_line_refuse(line, start, "a mean > 0 in seconds (1e-200 to 1e200)", err);
  bool has_deviation = status == LS_OK && ls_line_take(line, ':');
  if (status != LS_OK) return status;
  if (!has_deviation)
    return ls_duration_law_is_fixed(settings->law)
               ? LS_OK
               : ls_line_refuse(line, line->at, "a colon and the deviation in seconds", err);
  ls_line_skip_blanks(line);
  start = line->at;
  status = ls_line_read_number(line, "a deviation in seconds", &settings->deviation_s, err);
  if (status == LS_OK && !ls_unit_deviation_is_good(settings->mean_s, settings->deviation_s))
    return ls_line_refuse(line, start, "a deviation of at most a million times the mean", err);
  return status;
}

static enum ls_status read_on_master(struct ls_line *line, struct settings *settings,
                                     const struct setting *self, struct ls_error *err) {
  (void)self;
  char word[LS_LINE_WORD_BYTES];
  ls_line_skip_blanks(line);
  size_t start = line->at;
  enum ls_status status = ls_line_read_word(line, "true or false", word, err);
  if (status != LS_OK) return status;
  settings->worker.is_on_master = strcmp(word, "true") == 0;
  if (!settings->worker.is_on_master && strcmp(word, "false") != 0)
    return ls_line_refuse(line, start, "true or false", err);
  return LS_OK;
}

static const struct setting name_setting = {"name", read_name, 0};
static const struct setting delay_setting = {"delay", read_worker_number,
                                             offsetof(struct ls_worker_model, delay_s)};
static const struct setting last_settings[] = {
    {"window", read_window, 0},
    {"room", read_worker_number, offsetof(struct ls_worker_model, room_units)},
    {"cost", read_worker_number, offsetof(struct ls_worker_model, price_per_s)},
    {"on_master", read_on_master, 0},
    {"task_seconds", read_task_seconds, 0},
    {NULL, NULL, 0}};
enum {
  WORKER_SETTINGS =
      2 + LS_OPERATION_COUNT - LS_OPERATION_OF_WORKER + sizeof last_settings / sizeof *last_settings
};

/* The stations in the order in which a chunk passes them. */
static void list_worker_settings(struct setting settings[WORKER_SETTINGS]) {
  *settings++ = name_setting;
  for (int i = LS_OPERATION_OF_WORKER; i < LS_OPERATION_COUNT; i++) {
    *settings++ = (struct setting){
        ls_operation_name((enum ls_operation)i), read_worker_cost,
        offsetof(struct ls_worker_model, costs) + (size_t)i * sizeof(struct ls_cost)};
    if (i == LS_OPERATION_TRANSFER) *settings++ = delay_setting;
  }
  memcpy(settings, last_settings, sizeof last_settings);
}

static enum ls_status read_ports(struct ls_line *line, struct settings *settings,
                                 const struct setting *self, struct ls_error *err) {
  (void)settings;
  (void)self;
  char word[LS_LINE_WORD_BYTES];
  ls_line_skip_blanks(line);
  size_t start = line->at;
  enum ls_status status = ls_line_read_word(line, "one-port, two-port or multi-port", word, err);
  if (status != LS_OK) return status;
  for (int i = 0; i <= LS_PORTS_MULTI; i++) {
    if (strcmp(ls_platform_port_names[i], word) != 0) continue;
    line->platform->ports = (enum ls_ports)i;
    return LS_OK;
  }
  return ls_line_refuse(line, start, "one-port, two-port or multi-port", err);
}

/* alpha of multi-port, or share of the master: from 0 (share: above it) to 1. */
static enum ls_status read_share(struct ls_line *line, struct settings *settings,
                                 const struct setting *self, struct ls_error *err) {
  (void)settings;
  ls_line_skip_blanks(line);
  size_t start = line->at;
  double *value = find_field(line->platform, self);
  enum ls_status status = ls_line_read_number(line, "a number from 0 to 1", value, err);
  if (status != LS_OK) return status;
  assert(*value >= 0);
  bool is_share = strcmp(self->name, "share") == 0;
  if (!(*value <= 1) || (is_share && !(*value > 0)))
    return ls_line_refuse(line, start,
                          is_share ? "a number above 0, at most 1" : "a number from 0 to 1", err);
  return LS_OK;
}

/* Of multi-port's transfers, or of readers at the storage. */
static enum ls_status read_limit(struct ls_line *line, struct settings *settings,
                                 const struct setting *self, struct ls_error *err) {
  (void)settings;
  const double most = 9007199254740992.0; /* 2^53 */
  double number = 0;
  ls_line_skip_blanks(line);
  size_t start = line->at;
  enum ls_status status = ls_line_read_number(line, "a whole number >= 1", &number, err);
  if (status != LS_OK) return status;
  if (!(number >= 1 && number <= most) || floor(number) < number)
    return ls_line_refuse(line, start, "a whole number >= 1", err);
  uint64_t *limit = find_field(line->platform, self);
  *limit = (uint64_t)number;
  assert(*limit >= 1);
  return LS_OK;
}

static enum ls_status read_prepare(struct ls_line *line, struct settings *settings,
                                   const struct setting *self, struct ls_error *err) {
  (void)settings;
  (void)self;
  return parse_cost(line, &line->platform->prepare, err);
}

static const struct setting platform_settings[] = {
    {"ports", read_ports, 0},
    {"alpha", read_share, offsetof(struct ls_platform, ports_alpha)},
    {"limit", read_limit, offsetof(struct ls_platform, ports_limit)},
    {"prepare", read_prepare, 0},
    {"share", read_share, offsetof(struct ls_platform, master_share)},
    {"readers", read_limit, offsetof(struct ls_platform, storage_readers)},
    {NULL, NULL, 0}};

/* "a setting: ports, alpha, ...", and which one is meant by `word`; NULL: none is there. */
static enum ls_status refuse_setting(struct ls_line *line, size_t at, const char *word,
                                     const struct setting *known, struct ls_error *err) {
  char expected[240];
  const char *names[SETTINGS_MOST], *nearest = NULL;
  size_t used = (size_t)snprintf(expected, sizeof expected, "NAME=VALUE with a name of");
  for (size_t i = 0; known[i].name != NULL && used < sizeof expected; i++)
    used += (size_t)snprintf(expected + used, sizeof expected - used, "%s %s", i > 0 ? "," : "",
                             known[i].name);
  size_t count = 0;
  for (; known[count].name != NULL && count < SETTINGS_MOST; count++)
    names[count] = known[count].name;
  if (word != NULL) nearest = ls_nearest_name(word, names, count);
  if (nearest != NULL && used < sizeof expected)
    (void)snprintf(expected + used, sizeof expected - used, "; did you mean '%s'?", nearest);
  assert(at <= line->text.length);
  return ls_line_refuse(line, at, expected, err);
}

/* NAME = VALUE. */
static enum ls_status read_setting(struct ls_line *line, struct settings *settings,
                                   struct ls_error *err) {
  char word[LS_LINE_WORD_BYTES];
  ls_line_skip_blanks(line);
  size_t start = line->at, i = 0;
  if (ls_line_read_word(line, "", word, NULL) != LS_OK)
    return refuse_setting(line, start, NULL, settings->known, err);
  while (settings->known[i].name != NULL && strcmp(settings->known[i].name, word) != 0) i++;
  assert(i < SETTINGS_MOST);
  if (settings->known[i].name == NULL)
    return refuse_setting(line, start, word, settings->known, err);
  if (!ls_line_take(line, '=')) return refuse_setting(line, start, NULL, settings->known, err);
  if ((settings->seen & ((size_t)1 << i)) != 0)
    return ls_line_refuse(line, start, "each setting only once", err);
  settings->seen |= (size_t)1 << i;
  assert(line->at > start);
  return settings->known[i].read(line, settings, &settings->known[i], err);
}

static enum ls_status read_settings(struct ls_line *line, struct settings *settings,
                                    struct ls_error *err) {
  do {
    enum ls_status status = read_setting(line, settings, err);
    if (status != LS_OK) return status;
  } while (ls_line_take(line, ','));
  assert(settings->seen != 0);
  return LS_OK;
}

/* The number of workers of a group, in front of its bracket: "10x(", "10(", "(". */
static enum ls_status read_count(struct ls_line *line, uint64_t *count, struct ls_error *err) {
  ls_line_skip_blanks(line);
  size_t start = line->at;
  double number = 1;
  if (ls_line_is_digit(ls_line_peek(line))) {
    enum ls_status status = ls_line_read_number(line, "a number of workers", &number, err);
    if (status != LS_OK) return status;
    (void)ls_line_take(line, 'x');
  }
  assert(line->platform->workers_count <= LS_PLATFORM_WORKERS_MOST);
  double most = (double)(LS_PLATFORM_WORKERS_MOST - line->platform->workers_count);
  if (!(number >= 1 && number <= most) || floor(number) < number) {
    char expected[64];
    (void)snprintf(expected, sizeof expected, "a whole number of workers from 1 to %.0f", most);
    return ls_line_refuse(line, start, expected, err);
  }
  if (!ls_line_take(line, '('))
    return ls_line_refuse(line, line->at, "( and the costs of the workers", err);
  assert(line->at > start);
  *count = (uint64_t)number;
  return LS_OK;
}

static enum ls_status read_group(struct ls_line *line, struct ls_error *err) {
  struct setting known[WORKER_SETTINGS];
  struct settings settings = {.known = known, .worker = ls_platform_free_worker()};
  list_worker_settings(known);
  uint64_t count = 0;
  enum ls_status status = read_count(line, &count, err);
  if (status != LS_OK) return status;
  if (!ls_line_take(line, ')')) {
    status = read_settings(line, &settings, err);
    if (status != LS_OK) return status;
    if (!ls_line_take(line, ')')) return ls_line_refuse(line, line->at, "a comma or )", err);
  }
  assert(count >= 1);
  if (settings.mean_s > 0)
    ls_worker_spread_units(&settings.worker, settings.law, settings.mean_s, settings.deviation_s);
  status = ls_platform_add_copies(line->platform, &line->capacity,
                                  settings.name[0] == '\0' ? NULL : settings.name, count,
                                  &settings.worker);
  return status == LS_OK ? LS_OK
                         : ls_fail(err, status, "%s: no memory for workers", line->text.source);
}

static enum ls_status read_parts(struct ls_line *line, struct ls_error *err) {
  struct settings settings = {.known = platform_settings};
  do {
    ls_line_skip_blanks(line);
    bool is_group = ls_line_is_digit(ls_line_peek(line)) || ls_line_peek(line) == '(';
    enum ls_status status = is_group ? read_group(line, err) : read_settings(line, &settings, err);
    if (status != LS_OK) return status;
  } while (ls_line_take(line, ';') || ls_line_take(line, '+'));
  ls_line_skip_blanks(line);
  if (line->at < line->text.length)
    return ls_line_refuse(line, line->at, "; and more, or the end", err);
  if (line->platform->workers_count == 0)
    return ls_line_refuse(line, line->at, "a group of workers such as 10x(compute=1x)", err);
  assert(line->at == line->text.length);
  bool has_multi = (settings.seen & 6) != 0; /* alpha, limit */
  if (has_multi && line->platform->ports != LS_PORTS_MULTI)
    return ls_fail(err, LS_EINVAL, "%s: alpha and limit are given, expected ports=multi-port, too",
                   line->text.source);
  return LS_OK;
}

enum ls_status ls_platform_read_line(struct ls_platform *platform, struct ls_text text,
                                     struct ls_error *err) {
  struct ls_platform made = ls_platform_without_workers();
  struct ls_line line = {.text = text, .platform = &made};
  enum ls_status status = read_parts(&line, err);
  if (status == LS_OK) status = ls_platform_check(&made, err);
  if (status != LS_OK) {
    ls_platform_close(&made);
    return status;
  }
  assert(made.workers_count <= LS_PLATFORM_WORKERS_MOST);
  *platform = made;
  return LS_OK;
}
