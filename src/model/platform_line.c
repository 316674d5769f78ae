#include "model/platform_line.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/platform_private.h"

enum { WORD_BYTES = 64 };

/* A place in the text. */
struct line {
  struct ls_text text;
  size_t at;
  struct ls_platform *platform;
  size_t capacity;
};

/* What one list of settings has set already: each name once. */
struct settings {
  const struct setting *known;
  size_t seen; /* bits by position in `known` */
  struct ls_worker_model worker;
  char name[WORD_BYTES]; /* "" when not given */
};

struct setting {
  const char *name; /* NULL ends a list */
  enum ls_status (*read)(struct line *line, struct settings *settings, const struct setting *self,
                         struct ls_error *err);
  size_t offset; /* of what is set, in struct ls_worker_model or struct ls_platform */
};

enum { SETTINGS_MOST = 32 }; /* fewer than `seen` has bits */

static void skip_blanks(struct line *line) {
  while (line->at < line->text.length && strchr(" \t\r\n", line->text.data[line->at]) != NULL &&
         line->text.data[line->at] != '\0')
    line->at++;
}

static char peek(const struct line *line) {
  return line->at < line->text.length ? line->text.data[line->at] : '\0';
}

/* Takes the character, after blanks, if it is the next one. */
static bool take(struct line *line, char c) {
  skip_blanks(line);
  if (line->at >= line->text.length || line->text.data[line->at] != c) return false;
  line->at++;
  return true;
}

/* "SOURCE: column 12: 'abc' stands where ... was expected". */
static enum ls_status refuse(struct line *line, size_t at, const char *expected,
                             struct ls_error *err) {
  char shown[24];
  size_t used = 0;
  for (size_t i = at; i < line->text.length && used < sizeof shown - 4; i++) {
    char c = line->text.data[i];
    shown[used++] = c < 0x20 || c > 0x7e ? '?' : c;
  }
  bool is_cut = at + used < line->text.length;
  shown[used] = '\0';
  if (at >= line->text.length)
    return ls_fail(err, LS_EINVAL, "%s: column %zu: the text ends, expected %s", line->text.source,
                   at + 1, expected);
  return ls_fail(err, LS_EINVAL, "%s: column %zu: found '%s%s', expected %s", line->text.source,
                 at + 1, shown, is_cut ? "..." : "", expected);
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* The length of "12", "0.5", ".5", "1e-3" at the place; 0: there is no number. strtod would take
 * "0x1" for hexadecimal, "inf" and "nan". */
static size_t measure_number(const struct line *line) {
  const char *text = line->text.data + line->at;
  size_t left = line->text.length - line->at, count = 0, digits = 0;
  bool has_point = false;
  for (; count < left && (is_digit(text[count]) || (text[count] == '.' && !has_point)); count++) {
    if (text[count] == '.')
      has_point = true;
    else
      digits++;
  }
  if (digits == 0) return 0;
  size_t mark = count;
  if (mark < left && (text[mark] == 'e' || text[mark] == 'E')) {
    mark++;
    if (mark < left && (text[mark] == '+' || text[mark] == '-')) mark++;
    size_t first = mark;
    while (mark < left && is_digit(text[mark])) mark++;
    if (mark > first) count = mark;
  }
  return count;
}

static enum ls_status read_number(struct line *line, const char *expected, double *number,
                                  struct ls_error *err) {
  skip_blanks(line);
  size_t count = measure_number(line);
  char word[WORD_BYTES];
  if (count == 0 || count >= sizeof word) return refuse(line, line->at, expected, err);
  memcpy(word, line->text.data + line->at, count);
  word[count] = '\0';
  double value = strtod(word, NULL);
  if (!isfinite(value)) return refuse(line, line->at, "a number that is finite", err);
  *number = value;
  line->at += count;
  return LS_OK;
}

/* Letters, digits and what names of machines hold. */
static bool is_word_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c != '\0' && strchr("-_.:/@#[]", c) != NULL);
}

static enum ls_status read_word(struct line *line, const char *expected, char word[WORD_BYTES],
                                struct ls_error *err) {
  skip_blanks(line);
  size_t count = 0;
  while (line->at + count < line->text.length &&
         is_word_character(line->text.data[line->at + count]))
    count++;
  if (count == 0 || count >= WORD_BYTES) return refuse(line, line->at, expected, err);
  memcpy(word, line->text.data + line->at, count);
  word[count] = '\0';
  line->at += count;
  return LS_OK;
}

static void *find_field(void *owner, const struct setting *self) {
  return (char *)owner + self->offset;
}

/* LATENCY+PER_UNITx: one or two terms, of which one ends in x. */
static enum ls_status parse_cost(struct line *line, struct ls_cost *cost, struct ls_error *err) {
  static const char expected[] = "a cost >= 0: LATENCY+PER_UNITx such as 0.3+1x, 1x or 0.3";
  bool has_latency = false, has_per_unit = false;
  do {
    skip_blanks(line);
    size_t start = line->at;
    double number = 0;
    enum ls_status status = read_number(line, expected, &number, err);
    if (status != LS_OK) return status;
    bool is_per_unit = take(line, 'x');
    if (is_per_unit ? has_per_unit : has_latency)
      return refuse(line, start, "one latency and one cost per unit, which ends in x", err);
    if (is_per_unit) {
      has_per_unit = true;
      cost->per_unit_s = number;
    } else {
      has_latency = true;
      cost->latency_s = number;
    }
  } while (take(line, '+'));
  return LS_OK;
}

static enum ls_status read_worker_cost(struct line *line, struct settings *settings,
                                       const struct setting *self, struct ls_error *err) {
  return parse_cost(line, find_field(&settings->worker, self), err);
}

static enum ls_status read_worker_number(struct line *line, struct settings *settings,
                                         const struct setting *self, struct ls_error *err) {
  return read_number(line, "a number >= 0", find_field(&settings->worker, self), err);
}

static enum ls_status read_name(struct line *line, struct settings *settings,
                                const struct setting *self, struct ls_error *err) {
  (void)self;
  return read_word(line, "a name of 1 to 63 letters, digits or -_.:/@#[]", settings->name, err);
}

static enum ls_status read_window(struct line *line, struct settings *settings,
                                  const struct setting *self, struct ls_error *err) {
  (void)self;
  struct ls_worker_model *worker = &settings->worker;
  skip_blanks(line);
  size_t start = line->at;
  enum ls_status status =
      read_number(line, "a window of units such as 25:450", &worker->window_from, err);
  if (status != LS_OK) return status;
  if (!take(line, ':')) return refuse(line, line->at, "a colon, as in window=25:450", err);
  skip_blanks(line);
  if (measure_number(line) > 0) {
    status = read_number(line, "a number of units", &worker->window_to, err);
    if (status != LS_OK) return status;
  }
  if (!(worker->window_to > 0 && worker->window_to >= worker->window_from))
    return refuse(line, start, "a window that ends above 0 and not before it begins", err);
  return LS_OK;
}

static enum ls_status read_on_master(struct line *line, struct settings *settings,
                                     const struct setting *self, struct ls_error *err) {
  (void)self;
  char word[WORD_BYTES];
  skip_blanks(line);
  size_t start = line->at;
  enum ls_status status = read_word(line, "true or false", word, err);
  if (status != LS_OK) return status;
  settings->worker.is_on_master = strcmp(word, "true") == 0;
  if (!settings->worker.is_on_master && strcmp(word, "false") != 0)
    return refuse(line, start, "true or false", err);
  return LS_OK;
}

static const struct setting worker_settings[] = {
    {"name", read_name, 0},
    {"send", read_worker_cost, offsetof(struct ls_worker_model, send)},
    {"transfer", read_worker_cost, offsetof(struct ls_worker_model, transfer)},
    {"delay", read_worker_number, offsetof(struct ls_worker_model, delay_s)},
    {"receive", read_worker_cost, offsetof(struct ls_worker_model, receive)},
    {"compute", read_worker_cost, offsetof(struct ls_worker_model, compute)},
    {"reply", read_worker_cost, offsetof(struct ls_worker_model, reply)},
    {"window", read_window, 0},
    {"cost", read_worker_number, offsetof(struct ls_worker_model, price_per_s)},
    {"on_master", read_on_master, 0},
    {NULL, NULL, 0}};

static enum ls_status read_ports(struct line *line, struct settings *settings,
                                 const struct setting *self, struct ls_error *err) {
  (void)settings;
  (void)self;
  char word[WORD_BYTES];
  skip_blanks(line);
  size_t start = line->at;
  enum ls_status status = read_word(line, "one-port, two-port or multi-port", word, err);
  if (status != LS_OK) return status;
  for (int i = 0; i <= LS_PORTS_MULTI; i++) {
    if (strcmp(ls_platform_port_names[i], word) != 0) continue;
    line->platform->ports = (enum ls_ports)i;
    return LS_OK;
  }
  return refuse(line, start, "one-port, two-port or multi-port", err);
}

/* alpha of multi-port, or share of the master: from 0 (share: above it) to 1. */
static enum ls_status read_share(struct line *line, struct settings *settings,
                                 const struct setting *self, struct ls_error *err) {
  (void)settings;
  skip_blanks(line);
  size_t start = line->at;
  double *value = find_field(line->platform, self);
  enum ls_status status = read_number(line, "a number from 0 to 1", value, err);
  if (status != LS_OK) return status;
  bool is_share = strcmp(self->name, "share") == 0;
  if (!(*value <= 1) || (is_share && !(*value > 0)))
    return refuse(line, start, is_share ? "a number above 0, at most 1" : "a number from 0 to 1",
                  err);
  return LS_OK;
}

static enum ls_status read_limit(struct line *line, struct settings *settings,
                                 const struct setting *self, struct ls_error *err) {
  (void)settings;
  (void)self;
  const double most = 9007199254740992.0; /* 2^53 */
  double number = 0;
  skip_blanks(line);
  size_t start = line->at;
  enum ls_status status = read_number(line, "a whole number >= 1", &number, err);
  if (status != LS_OK) return status;
  if (!(number >= 1 && number <= most) || floor(number) < number)
    return refuse(line, start, "a whole number >= 1", err);
  line->platform->ports_limit = (uint64_t)number;
  return LS_OK;
}

static enum ls_status read_prepare(struct line *line, struct settings *settings,
                                   const struct setting *self, struct ls_error *err) {
  (void)settings;
  (void)self;
  return parse_cost(line, &line->platform->prepare, err);
}

static const struct setting platform_settings[] = {
    {"ports", read_ports, 0},
    {"alpha", read_share, offsetof(struct ls_platform, ports_alpha)},
    {"limit", read_limit, 0},
    {"prepare", read_prepare, 0},
    {"share", read_share, offsetof(struct ls_platform, master_share)},
    {NULL, NULL, 0}};

/* "a setting: ports, alpha, ...". */
static enum ls_status refuse_setting(struct line *line, size_t at, const struct setting *known,
                                     struct ls_error *err) {
  char expected[160];
  size_t used = (size_t)snprintf(expected, sizeof expected, "NAME=VALUE with a name of");
  for (size_t i = 0; known[i].name != NULL && used < sizeof expected; i++)
    used += (size_t)snprintf(expected + used, sizeof expected - used, "%s %s", i > 0 ? "," : "",
                             known[i].name);
  return refuse(line, at, expected, err);
}

/* NAME = VALUE. */
static enum ls_status read_setting(struct line *line, struct settings *settings,
                                   struct ls_error *err) {
  char word[WORD_BYTES];
  skip_blanks(line);
  size_t start = line->at, i = 0;
  if (read_word(line, "", word, NULL) != LS_OK)
    return refuse_setting(line, start, settings->known, err);
  while (settings->known[i].name != NULL && strcmp(settings->known[i].name, word) != 0) i++;
  assert(i < SETTINGS_MOST);
  if (settings->known[i].name == NULL || !take(line, '='))
    return refuse_setting(line, start, settings->known, err);
  if ((settings->seen & ((size_t)1 << i)) != 0)
    return refuse(line, start, "each setting only once", err);
  settings->seen |= (size_t)1 << i;
  return settings->known[i].read(line, settings, &settings->known[i], err);
}

static enum ls_status read_settings(struct line *line, struct settings *settings,
                                    struct ls_error *err) {
  do {
    enum ls_status status = read_setting(line, settings, err);
    if (status != LS_OK) return status;
  } while (take(line, ','));
  return LS_OK;
}

/* The number of workers of a group, in front of its bracket: "10x(", "10(", "(". */
static enum ls_status read_count(struct line *line, uint64_t *count, struct ls_error *err) {
  skip_blanks(line);
  size_t start = line->at;
  double number = 1;
  if (is_digit(peek(line))) {
    enum ls_status status = read_number(line, "a number of workers", &number, err);
    if (status != LS_OK) return status;
    (void)take(line, 'x');
  }
  double most = (double)(LS_PLATFORM_WORKERS_MOST - line->platform->workers_count);
  if (!(number >= 1 && number <= most) || floor(number) < number) {
    char expected[64];
    (void)snprintf(expected, sizeof expected, "a whole number of workers from 1 to %.0f", most);
    return refuse(line, start, expected, err);
  }
  if (!take(line, '(')) return refuse(line, line->at, "( and the costs of the workers", err);
  *count = (uint64_t)number;
  return LS_OK;
}

static enum ls_status read_group(struct line *line, struct ls_error *err) {
  struct settings settings = {.known = worker_settings, .worker = ls_platform_free_worker()};
  uint64_t count = 0;
  enum ls_status status = read_count(line, &count, err);
  if (status != LS_OK) return status;
  if (!take(line, ')')) {
    status = read_settings(line, &settings, err);
    if (status != LS_OK) return status;
    if (!take(line, ')')) return refuse(line, line->at, "a comma or )", err);
  }
  status = ls_platform_add_copies(line->platform, &line->capacity,
                                  settings.name[0] == '\0' ? NULL : settings.name, count,
                                  &settings.worker);
  return status == LS_OK ? LS_OK
                         : ls_fail(err, status, "%s: no memory for workers", line->text.source);
}

static enum ls_status read_parts(struct line *line, struct ls_error *err) {
  struct settings settings = {.known = platform_settings};
  do {
    skip_blanks(line);
    bool is_group = is_digit(peek(line)) || peek(line) == '(';
    enum ls_status status = is_group ? read_group(line, err) : read_settings(line, &settings, err);
    if (status != LS_OK) return status;
  } while (take(line, ';') || take(line, '+'));
  skip_blanks(line);
  if (line->at < line->text.length) return refuse(line, line->at, "; and more, or the end", err);
  if (line->platform->workers_count == 0)
    return refuse(line, line->at, "a group of workers such as 10x(compute=1x)", err);
  bool has_multi = (settings.seen & 6) != 0; /* alpha, limit */
  if (has_multi && line->platform->ports != LS_PORTS_MULTI)
    return ls_fail(err, LS_EINVAL, "%s: alpha and limit are given, expected ports=multi-port, too",
                   line->text.source);
  return LS_OK;
}

enum ls_status ls_platform_read_line(struct ls_platform *platform, struct ls_text text,
                                     struct ls_error *err) {
  struct ls_platform made = ls_platform_without_workers();
  struct line line = {.text = text, .platform = &made};
  enum ls_status status = read_parts(&line, err);
  if (status == LS_OK) status = ls_platform_check(&made, err);
  if (status != LS_OK) {
    ls_platform_close(&made);
    return status;
  }
  *platform = made;
  return LS_OK;
}
