#include "protocol/host_list.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/labels.h"

static const double SPEED_LEAST = 1e-6;
enum { NUMBER_LETTERS_MAX = 31 };

/* Where a host stands, for messages. */
struct place {
  const char *source;
  size_t line;
  const char *word;
  size_t length;
  bool is_login; /* in the way of GNU parallel */
};

static enum ls_status refuse(const struct place *place, const char *what, struct ls_error *err) {
  return ls_fail(err, LS_EINVAL, "%s, line %zu: host is '%.*s', expected %s with %s", place->source,
                 place->line, (int)(place->length < 80 ? place->length : 80), place->word,
                 place->is_login ? "[workers/][user@]host, or [workers/]:,"
                                 : "[user@]host[:workers[/speed]][+label]",
                 what);
}

/* ---- one host ---- */

/* What a user or a host may be made of; ssh and shells make nothing else of it. */
static bool is_name(const char *text, size_t length, const char *also) {
  if (length == 0 || text[0] == '-') return false;
  for (size_t i = 0; i < length; ++i) {
    unsigned char letter = (unsigned char)text[i];
    if (letter >= 0x80 || letter == '\0') return false;
    if (!isalnum(letter) && strchr(also, letter) == NULL) return false;
  }
  return true;
}

/* The number that is all of this; a NaN: it is none. */
static double read_number(const char *text, size_t length, const char *letters) {
  char copy[NUMBER_LETTERS_MAX + 1];
  char *end = NULL;
  if (length == 0 || length > NUMBER_LETTERS_MAX) return (double)NAN;
  memcpy(copy, text, length);
  copy[length] = '\0';
  if (strspn(copy, letters) != length) return (double)NAN;
  double number = strtod(copy, &end);
  return *end == '\0' ? number : (double)NAN;
}

/* "4/0.5" */
static enum ls_status read_share(const struct place *place, const char *text, size_t length,
                                 struct ls_host *host, struct ls_error *err) {
  const char *slash = memchr(text, '/', length);
  size_t digits = slash != NULL ? (size_t)(slash - text) : length;
  double workers = read_number(text, digits, "0123456789");
  if (!(workers >= 0 && workers <= LS_HOST_WORKERS_MAX))
    return refuse(place, "0 (its cores) to 4096 workers", err);
  host->workers = (size_t)workers;
  if (slash == NULL) return LS_OK;
  host->speed = read_number(slash + 1, length - digits - 1, "0123456789.eE-");
  if (host->speed >= SPEED_LEAST && host->speed <= 1) return LS_OK;
  return refuse(place, "a speed of more than 0 and at most 1", err);
}

static const char *keep(struct ls_arena *arena, const char *text, size_t length) {
  char *kept = ls_arena_take(arena, length + 1);
  if (kept != NULL) memcpy(kept, text, length);
  return kept;
}

/* The end of the host's name behind `user` letters, and of what may stand around it. */
static bool find_name(const struct place *place, size_t user, size_t *end, size_t *after) {
  const char *text = place->word + user;
  size_t length = place->length - user;
  if (length > 0 && text[0] == '[') {
    const char *bracket = memchr(text, ']', length);
    if (bracket == NULL) return false;
    *end = user + (size_t)(bracket - text);
    *after = *end + 1;
    return is_name(text + 1, (size_t)(bracket - text) - 1, ".:%_-");
  }
  const char *colon = memchr(text, ':', length);
  *end = *after = user + (colon != NULL ? (size_t)(colon - text) : length);
  return is_name(text, *end - user, "._-%");
}

/* What stands in front of a login: "4/". */
static enum ls_status read_number_before(struct place *place, struct ls_host *host,
                                         struct ls_error *err) {
  const char *slash = memchr(place->word, '/', place->length);
  if (place->length > 0 && place->word[0] == '@')
    return refuse(place, "no group: there are no groups here", err);
  if (slash == NULL) return LS_OK;
  size_t digits = (size_t)(slash - place->word);
  double workers = read_number(place->word, digits, "0123456789");
  if (!(workers >= 1 && workers <= LS_HOST_WORKERS_MAX))
    return refuse(place, "1 to 4096 workers", err);
  host->workers = (size_t)workers;
  place->word += digits + 1;
  place->length -= digits + 1;
  return LS_OK;
}

/* Signs of what GNU parallel takes, and we say otherwise. */
static enum ls_status check_login(const struct place *place, struct ls_error *err) {
  const char *at = memchr(place->word, '@', place->length);
  const char *colon = memchr(place->word, ':', place->length);
  if (memchr(place->word, ' ', place->length) != NULL)
    return refuse(place, "no command of ssh: that is said by --ssh-command", err);
  if (at != NULL && colon != NULL && colon < at)
    return refuse(place, "no password: a key or an agent of ssh has it", err);
  return LS_OK;
}

static enum ls_status read_name(struct ls_arena *arena, const struct place *place,
                                struct ls_host *host, struct ls_error *err);

/* As GNU parallel writes it; workers 0: as many as the machine has cores. */
static enum ls_status read_login(struct ls_arena *arena, const struct place *given,
                                 struct ls_host *host, struct ls_error *err) {
  struct place place = *given;
  *host = (struct ls_host){.workers = 0, .speed = 1, .labels = ""};
  if (place.length > LS_HOST_LETTERS_MAX) return refuse(given, "at most 255 letters", err);
  enum ls_status status = check_login(given, err);
  if (status == LS_OK) status = read_number_before(&place, host, err);
  if (status != LS_OK) return status;
  host->is_here = place.length == 1 && place.word[0] == ':';
  if (host->is_here) host->name = host->target = ":";
  if (host->is_here) return LS_OK;
  status = read_name(arena, &place, host, NULL);
  if (status == LS_OK) return LS_OK;
  if (status == LS_ENOMEM)
    return ls_fail(err, status, "%s: out of memory for hosts", given->source);
  bool has_port = place.length > 1 && memchr(place.word, ':', place.length) != NULL;
  return refuse(given,
                has_port ? "no port, which the configuration of ssh knows (an IPv6 address in [])"
                         : "letters, digits and . _ - in user and host",
                err);
}

/* "+gpu+big" behind the host, taken off it. A plus may stand in a user, too. */
static enum ls_status take_labels(struct ls_arena *arena, struct place *place, struct ls_host *host,
                                  struct ls_error *err) {
  const char *at = memchr(place->word, '@', place->length);
  size_t user = at != NULL ? (size_t)(at - place->word) + 1 : 0;
  const char *plus = memchr(place->word + user, '+', place->length - user);
  if (plus == NULL) return LS_OK;
  char text[LS_HOST_LETTERS_MAX + 1], labels[LS_LABELS_BYTES] = "";
  size_t before = (size_t)(plus - place->word), length = place->length - before - 1;
  memcpy(text, plus + 1, length);
  text[length] = '\0';
  if (strlen(text) < length || ls_labels_read(labels, "", text, '+', NULL) != LS_OK)
    return refuse(place, "labels of " LS_LABEL_EXPECTED " after a +", err);
  place->length = before;
  host->labels = keep(arena, labels, strlen(labels));
  if (host->labels != NULL) return LS_OK;
  return ls_fail(err, LS_ENOMEM, "%s: out of memory for hosts", place->source);
}

static enum ls_status read_host(struct ls_arena *arena, const struct place *given,
                                struct ls_host *host, struct ls_error *err) {
  struct place place = *given;
  *host = (struct ls_host){.workers = 1, .speed = 1, .labels = ""};
  if (place.length > LS_HOST_LETTERS_MAX) return refuse(given, "at most 255 letters", err);
  enum ls_status status = take_labels(arena, &place, host, err);
  return status == LS_OK ? read_name(arena, &place, host, err) : status;
}

static enum ls_status read_name(struct ls_arena *arena, const struct place *place,
                                struct ls_host *host, struct ls_error *err) {
  const char *at = memchr(place->word, '@', place->length);
  size_t user = at != NULL ? (size_t)(at - place->word) + 1 : 0, end = 0, after = 0;
  if (user > 0 && !is_name(place->word, user - 1, "._-+"))
    return refuse(place, "letters, digits and . _ - in its user", err);
  if (!find_name(place, user, &end, &after))
    return refuse(place, "letters, digits and . _ - in its host", err);
  if (after < place->length) {
    if (place->is_login || place->word[after] != ':')
      return refuse(place, "a colon after its host", err);
    enum ls_status status =
        read_share(place, place->word + after + 1, place->length - after - 1, host, err);
    if (status != LS_OK) return status;
  }
  size_t bracket = place->word[user] == '[' ? 1 : 0;
  host->name = keep(arena, place->word + user + bracket, end - user - bracket);
  /* ssh takes an address without its brackets. */
  char target[LS_HOST_LETTERS_MAX + 1];
  memcpy(target, place->word, user);
  memcpy(target + user, place->word + user + bracket, end - user - bracket);
  host->target = keep(arena, target, end - bracket);
  return host->name != NULL && host->target != NULL
             ? LS_OK
             : ls_fail(err, LS_ENOMEM, "%s: out of memory for hosts", place->source);
}

/* ---- the list ---- */

static enum ls_status add_host(struct ls_host_list *list, const struct place *place,
                               struct ls_error *err) {
  if (list->count == LS_HOSTS_MAX)
    return ls_fail(err, LS_EINVAL, "%s, line %zu: there are more than %d hosts", place->source,
                   place->line, LS_HOSTS_MAX);
  struct ls_host *items =
      ls_arena_array(&list->arena, list->items, list->count + 1, sizeof *list->items);
  if (items == NULL) return ls_fail(err, LS_ENOMEM, "%s: out of memory for hosts", place->source);
  list->items = items;
  struct ls_host *host = &items[list->count];
  enum ls_status status = place->is_login ? read_login(&list->arena, place, host, err)
                                          : read_host(&list->arena, place, host, err);
  bool is_new = status == LS_OK;
  for (size_t i = 0; i < list->count && is_new && place->is_login; i++)
    is_new = strcmp(items[i].target, host->target) != 0;
  list->count += is_new;
  return status;
}

static size_t skip_blanks(const char *text, size_t from, size_t to) {
  while (from < to && (text[from] == ' ' || text[from] == '\t' || text[from] == '\r')) ++from;
  return from;
}

/* The hosts of a line, which ends where a comment begins. */
static enum ls_status read_line(struct ls_host_list *list, struct place place, size_t length,
                                struct ls_error *err) {
  const char *line = place.word;
  const char *comment = memchr(line, '#', length);
  size_t end = comment != NULL ? (size_t)(comment - line) : length;
  if (skip_blanks(line, 0, end) == end) return LS_OK;
  for (size_t at = 0; at <= end;) {
    const char *comma = memchr(line + at, ',', end - at);
    size_t to = comma != NULL ? (size_t)(comma - line) : end, last = to;
    size_t from = skip_blanks(line, at, to);
    while (last > from && isspace((unsigned char)line[last - 1])) --last;
    place.word = line + from;
    place.length = last - from;
    enum ls_status status = add_host(list, &place, err);
    if (status != LS_OK) return status;
    at = to + 1;
  }
  return LS_OK;
}

static enum ls_status read_lines(struct ls_text text, bool is_login, struct ls_host_list *list,
                                 struct ls_error *err) {
  enum ls_status status = LS_OK;
  struct place place = {.source = text.source, .is_login = is_login};
  for (size_t at = 0; at < text.length && status == LS_OK;) {
    const char *line = text.data + at;
    const char *newline = memchr(line, '\n', text.length - at);
    size_t length = newline != NULL ? (size_t)(newline - line) : text.length - at;
    ++place.line;
    place.word = line;
    status = read_line(list, place, length, err);
    at += length + 1;
  }
  if (status == LS_OK && list->count == 0)
    status = ls_fail(err, LS_EINVAL, "%s: there is no host, expected at least one", text.source);
  return status;
}

enum ls_status ls_host_list_add_logins(struct ls_text text, struct ls_host_list *list,
                                       struct ls_error *err) {
  return read_lines(text, true, list, err);
}

enum ls_status ls_host_list_read(struct ls_text text, struct ls_host_list *list,
                                 struct ls_error *err) {
  struct ls_host_list made = {0};
  enum ls_status status = read_lines(text, false, &made, err);
  if (status == LS_OK) {
    *list = made;
  } else {
    ls_host_list_close(&made);
  }
  return status;
}

void ls_host_list_close(struct ls_host_list *list) {
  ls_arena_close(&list->arena);
  *list = (struct ls_host_list){0};
}
