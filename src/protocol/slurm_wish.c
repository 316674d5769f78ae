#include "protocol/slurm_wish.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/labels.h"
#include "protocol/slurm_time.h"

/* The longest notice that --signal takes. */
enum { NOTICE_MAX_S = 65535, WORD_BYTES = LS_SLURM_TEXT_BYTES };

enum kind {
  KIND_TEXT,
  KIND_NUMBER,
  KIND_TIME,
  KIND_HOURS,
  KIND_NOTICE,
  KIND_MEMORY,
  KIND_LABELS,
  KIND_SWITCH
};

struct field {
  const char *key;
  enum kind kind;
  size_t offset;
  uint64_t most; /* of numbers, whose least is 1 */
};

#define AT(member) offsetof(struct ls_slurm_wish, member)

static const struct field fields[] = {
    {"partition", KIND_TEXT, AT(partition), 0},
    {"account", KIND_TEXT, AT(account), 0},
    {"qos", KIND_TEXT, AT(qos), 0},
    {"time", KIND_TIME, AT(time_s), 0},
    {"nodes", KIND_NUMBER, AT(nodes), LS_SLURM_NODES_MAX},
    {"workers", KIND_NUMBER, AT(workers), LS_SLURM_WORKERS_MAX},
    {"cpus", KIND_NUMBER, AT(cpus), LS_SLURM_NODES_MAX},
    {"mem", KIND_MEMORY, AT(memory), 0},
    {"constraint", KIND_TEXT, AT(constraint), 0},
    {"per-job", KIND_NUMBER, AT(nodes_per_job), LS_SLURM_NODES_MAX},
    {"backlog", KIND_NUMBER, AT(backlog), LS_SLURM_NODES_MAX},
    {"hours", KIND_HOURS, AT(hours), 0},
    {"notice", KIND_NOTICE, AT(notice_s), 0},
    {"label", KIND_LABELS, AT(labels), 0},
    {"requeue", KIND_SWITCH, AT(requeues), 0},
};

enum { FIELDS = sizeof fields / sizeof *fields };

/* A key or value; longer ones are cut, and refused for their length. */
struct word {
  char text[WORD_BYTES];
  size_t length;
};

static struct word cut_word(const char *text, size_t length) {
  struct word word = {.length = length};
  size_t kept = length < WORD_BYTES - 1 ? length : WORD_BYTES - 1;
  memcpy(word.text, text, kept);
  /* Refusals are shown on a terminal. */
  for (size_t i = 0; i < kept; i++)
    if (iscntrl((unsigned char)word.text[i])) word.text[i] = '?';
  return word;
}

static bool read_whole(const char *text, uint64_t least, uint64_t most, uint64_t *number) {
  char *end;
  if (!isdigit((unsigned char)*text)) return false;
  unsigned long long read = strtoull(text, &end, 10);
  if (*end != '\0' || end - text > 19 || read < least || read > most) return false;
  *number = read;
  return true;
}

static bool read_real(const char *text, double *number) {
  char *end;
  if (!isdigit((unsigned char)*text) && *text != '.') return false;
  *number = strtod(text, &end);
  return *end == '\0' && *number > 0 && *number <= 1e9;
}

static bool is_plain(const char *text) {
  if (*text == '\0' || *text == '-') return false;
  for (; *text != '\0'; ++text)
    if (isspace((unsigned char)*text) || *text == '?') return false;
  return true;
}

static bool is_memory(const char *text) {
  size_t digits = strspn(text, "0123456789");
  const char *unit = text + digits;
  return digits >= 1 && digits <= 12 &&
         (*unit == '\0' || (strchr("KMGT", *unit) != NULL && unit[1] == '\0'));
}

static enum ls_status refuse(const struct field *field, const struct word *value,
                             struct ls_error *err) {
  static const char *const expected[] = {
      [KIND_TEXT] = "a name without blanks, of at most 127 letters",
      [KIND_TIME] = LS_SLURM_TIME_EXPECTED ", more than 0",
      [KIND_HOURS] = "hours of nodes, more than 0",
      [KIND_MEMORY] = "a number and K, M, G or T",
      [KIND_LABELS] = "labels of " LS_LABEL_EXPECTED ", with + between them",
  };
  if (field->kind == KIND_NUMBER || field->kind == KIND_NOTICE)
    return ls_fail(err, LS_EINVAL, "--slurm: %s is '%s', expected %sfrom 1 to %llu", field->key,
                   value->text, field->kind == KIND_NOTICE ? "seconds " : "a whole number ",
                   (unsigned long long)(field->kind == KIND_NOTICE ? NOTICE_MAX_S : field->most));
  return ls_fail(err, LS_EINVAL, "--slurm: %s is '%s', expected %s", field->key, value->text,
                 expected[field->kind]);
}

static enum ls_status take_value(struct ls_slurm_wish *wish, const struct field *field,
                                 const struct word *value, struct ls_error *err) {
  char *at = (char *)wish + field->offset;
  const char *text = value->text;
  double number = 0;
  uint64_t whole = 0;
  bool is_good = value->length < WORD_BYTES;
  switch (field->kind) {
    case KIND_TEXT:
    case KIND_MEMORY:
      is_good = is_good && (field->kind == KIND_TEXT ? is_plain(text) : is_memory(text));
      if (is_good) memcpy(at, text, value->length + 1);
      break;
    case KIND_NUMBER:
      is_good = is_good && read_whole(text, 1, field->most, &whole);
      if (is_good) memcpy(at, &whole, sizeof whole);
      break;
    case KIND_NOTICE:
      is_good = is_good && read_whole(text, 1, NOTICE_MAX_S, &whole);
      number = (double)whole;
      break;
    case KIND_TIME:
      is_good = is_good && ls_slurm_time_read(text, &number) && number > 0;
      break;
    case KIND_HOURS:
      is_good = is_good && read_real(text, &number);
      break;
    case KIND_LABELS:
      is_good = is_good && ls_labels_read(wish->labels, "--slurm", text, '+', NULL) == LS_OK;
      break;
    case KIND_SWITCH:
      break;
  }
  if (!is_good) return refuse(field, value, err);
  if (number > 0) memcpy(at, &number, sizeof number);
  return LS_OK;
}

static const struct field *find_field(const char *key) {
  for (size_t i = 0; i < FIELDS; i++)
    if (strcmp(fields[i].key, key) == 0) return &fields[i];
  return NULL;
}

/* "KEY=VALUE", or "requeue". */
static enum ls_status take_item(struct ls_slurm_wish *wish, const char *item, size_t length,
                                uint32_t *given, struct ls_error *err) {
  const char *equals = memchr(item, '=', length);
  struct word key = cut_word(item, equals != NULL ? (size_t)(equals - item) : length);
  const struct field *field = find_field(key.text);
  if (field == NULL)
    return ls_fail(
        err, LS_EINVAL,
        "--slurm: '%s' is no key, expected partition, account, qos, time, nodes, "
        "workers, cpus, mem, constraint, per-job, backlog, hours, notice, label or requeue",
        key.text);
  uint32_t bit = 1u << (field - fields);
  if ((*given & bit) != 0)
    return ls_fail(err, LS_EINVAL, "--slurm: %s is given twice, expected once", field->key);
  *given |= bit;
  if (field->kind == KIND_SWITCH) {
    if (equals != NULL)
      return ls_fail(err, LS_EINVAL, "--slurm: %s takes no value, expected the word alone",
                     field->key);
    wish->requeues = true;
    return LS_OK;
  }
  if (equals == NULL)
    return ls_fail(err, LS_EINVAL, "--slurm: %s has no value, expected %s=VALUE", field->key,
                   field->key);
  struct word value = cut_word(equals + 1, (size_t)(item + length - equals - 1));
  return take_value(wish, field, &value, err);
}

static enum ls_status check(const struct ls_slurm_wish *wish, struct ls_error *err) {
  unsigned long long nodes = wish->nodes, per_job = wish->nodes_per_job;
  if (nodes % per_job != 0)
    return ls_fail(err, LS_EINVAL,
                   "--slurm: nodes is %llu and per-job is %llu, expected nodes to be a multiple of "
                   "per-job",
                   nodes, per_job);
  if (wish->hours > 0 && !(wish->time_s > 0))
    return ls_fail(err, LS_EINVAL,
                   "--slurm: hours is '%.6g', expected with it time=, which says "
                   "what a job may cost",
                   wish->hours);
  if (wish->workers * nodes > LS_SLURM_WORKERS_MAX)
    return ls_fail(err, LS_EINVAL,
                   "--slurm: workers is %llu on %llu nodes, expected at most %d in "
                   "all",
                   (unsigned long long)wish->workers, nodes, LS_SLURM_WORKERS_MAX);
  return LS_OK;
}

enum ls_status ls_slurm_wish_read(const char *text, struct ls_slurm_wish *wish,
                                  struct ls_error *err) {
  struct ls_slurm_wish read = {.nodes = 0, .nodes_per_job = 1, .backlog = 2};
  uint32_t given = 0;
  enum ls_status status = LS_OK;
  for (const char *item = text; status == LS_OK;) {
    size_t length = strcspn(item, ",");
    status = take_item(&read, item, length, &given, err);
    if (item[length] == '\0') break;
    item += length + 1;
  }
  if (read.nodes == 0) read.nodes = read.nodes_per_job;
  if (status == LS_OK) status = check(&read, err);
  if (status == LS_OK) *wish = read;
  return status;
}
