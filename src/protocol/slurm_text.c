#include "protocol/slurm_text.h"

#include <ctype.h>
#include <string.h>

#include "protocol/slurm_time.h"

/* ---- words ---- */

struct word {
  const char *at;
  size_t length;
};

/* The next word of a line, which is shortened by it; its length is 0 at the end. */
static struct word take_word(struct word *line) {
  while (line->length > 0 && *line->at == ' ') ++line->at, --line->length;
  struct word word = {line->at, 0};
  while (word.length < line->length && word.at[word.length] != ' ') ++word.length;
  line->at += word.length;
  line->length -= word.length;
  return word;
}

/* False: it is too long. What cannot be shown on a terminal becomes '?'. */
static bool copy_word(struct word word, char *to, size_t bytes) {
  if (word.length >= bytes) return false;
  for (size_t i = 0; i < word.length; i++)
    to[i] = (char)(iscntrl((unsigned char)word.at[i]) ? '?' : word.at[i]);
  to[word.length] = '\0';
  return true;
}

static bool is_word(struct word word, const char *text) {
  return word.length == strlen(text) && memcmp(word.at, text, word.length) == 0;
}

/* A whole number at the word's beginning, which is cut off. */
static bool take_number(struct word *word, uint64_t *number) {
  size_t digits = 0;
  for (*number = 0; word->length > 0 && isdigit((unsigned char)*word->at); ++digits) {
    *number = 10 * *number + (uint64_t)(*word->at - '0');
    ++word->at, --word->length;
  }
  return digits >= 1 && digits <= 18;
}

/* ---- squeue ---- */

static const struct {
  const char *word;
  enum ls_slurm_state state;
} states[] = {
    {"PENDING", LS_SLURM_PENDING},      {"REQUEUED", LS_SLURM_PENDING},
    {"REQUEUE_FED", LS_SLURM_PENDING},  {"RESV_DEL_HOLD", LS_SLURM_PENDING},
    {"REQUEUE_HOLD", LS_SLURM_HELD},    {"SPECIAL_EXIT", LS_SLURM_HELD},
    {"RUNNING", LS_SLURM_RUNNING},      {"CONFIGURING", LS_SLURM_RUNNING},
    {"RESIZING", LS_SLURM_RUNNING},     {"SIGNALING", LS_SLURM_RUNNING},
    {"STAGE_OUT", LS_SLURM_ENDING},     {"COMPLETING", LS_SLURM_ENDING},
    {"SUSPENDED", LS_SLURM_SUSPENDED},  {"STOPPED", LS_SLURM_SUSPENDED},
    {"PREEMPTED", LS_SLURM_TAKEN},      {"TIMEOUT", LS_SLURM_TAKEN},
    {"DEADLINE", LS_SLURM_TAKEN},       {"CANCELLED", LS_SLURM_TAKEN},
    {"REVOKED", LS_SLURM_TAKEN},        {"NODE_FAIL", LS_SLURM_NODE_FAIL},
    {"FAILED", LS_SLURM_FAILED},        {"BOOT_FAIL", LS_SLURM_FAILED},
    {"OUT_OF_MEMORY", LS_SLURM_FAILED}, {"COMPLETED", LS_SLURM_COMPLETED},
};

static bool read_state(struct word word, struct ls_slurm_line *line) {
  for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
    if (!is_word(word, states[i].word)) continue;
    line->state = states[i].state;
    return copy_word(word, line->word, sizeof line->word);
  }
  return false;
}

/* "12", "12_3", "12_[3-7%2]". */
static bool read_id(struct word word, struct ls_slurm_line *line) {
  line->task = LS_SLURM_TASKS_LEFT;
  if (!take_number(&word, &line->job)) return false;
  if (word.length == 0) return true;
  if (*word.at != '_' || word.length < 2) return false;
  ++word.at, --word.length;
  if (*word.at == '[') return word.at[word.length - 1] == ']';
  return take_number(&word, &line->task) && word.length == 0;
}

/* "launch failed requeued held", and with underscores in other versions: Slurm tried and gave up.
 */
static bool is_failed_launch(const char *reason) {
  return strncmp(reason, "launch", 6) == 0 && strstr(reason, "failed") != NULL;
}

static void read_reason(struct word rest, struct ls_slurm_line *line) {
  while (rest.length > 0 && *rest.at == ' ') ++rest.at, --rest.length;
  while (rest.length > 0 && rest.at[rest.length - 1] == ' ') --rest.length;
  if (rest.length >= sizeof line->reason) rest.length = sizeof line->reason - 1;
  (void)copy_word(rest, line->reason, sizeof line->reason);
  if (strcmp(line->reason, "None") == 0) line->reason[0] = '\0';
}

bool ls_slurm_line_read(const char *text, size_t length, struct ls_slurm_line *line) {
  struct word rest = {text, length};
  struct ls_slurm_line read = {.job = 0};
  char used[32];
  if (!read_id(take_word(&rest), &read) || !read_state(take_word(&rest), &read)) return false;
  /* Without a colon it would be minutes. */
  if (!copy_word(take_word(&rest), used, sizeof used)) return false;
  bool is_known = strchr(used, ':') != NULL && ls_slurm_time_read(used, &read.used_s);
  if (!is_known && strcmp(used, "INVALID") != 0) return false;
  struct word start = take_word(&rest);
  if (start.length == 0 || !copy_word(start, read.start, sizeof read.start)) return false;
  if (strcmp(read.start, "N/A") == 0) read.start[0] = '\0';
  read_reason(rest, &read);
  if (read.state == LS_SLURM_PENDING && is_failed_launch(read.reason)) read.state = LS_SLURM_HELD;
  *line = read;
  return true;
}

bool ls_slurm_state_is_final(enum ls_slurm_state state) {
  return state >= LS_SLURM_TAKEN;
}

bool ls_slurm_task_read(const char *text, size_t length, uint64_t *job, uint64_t *task) {
  struct ls_slurm_line line;
  if (!read_id((struct word){text, length}, &line) || line.task == LS_SLURM_TASKS_LEFT)
    return false;
  *job = line.job;
  *task = line.task;
  return true;
}

/* ---- sbatch ---- */

bool ls_slurm_reply_read(const char *text, size_t length, uint64_t *job) {
  struct word line = {text, length};
  while (line.length > 0 && isspace((unsigned char)line.at[line.length - 1])) --line.length;
  uint64_t number = 0;
  if (!take_number(&line, &number) || number == 0) return false;
  if (line.length > 0 && *line.at != ';') return false;
  for (size_t i = 0; i < line.length; i++)
    if (!isgraph((unsigned char)line.at[i])) return false;
  *job = number;
  return true;
}

static bool has_any(const char *words, const char *const *parts) {
  for (; *parts != NULL; ++parts)
    if (strstr(words, *parts) != NULL) return true;
  return false;
}

/* The words of Slurm's slurm_errno.c; of several kinds, as in "Invalid account or
 * account/partition combination" and "job submit limit, user's size and/or time limits", the first
 * list that has one decides. */
enum ls_slurm_refusal ls_slurm_refusal_of(const char *words) {
  static const char *const later[] = {"temporar",
                                      "try again",
                                      "submit limit",
                                      "submitjob",
                                      "submitlimit",
                                      "maxjob",
                                      "busy",
                                      "policy",
                                      "timed out",
                                      "timeout",
                                      "time-out",
                                      "unable to contact",
                                      "connection refused",
                                      "connect failure",
                                      "zero bytes were transmitted",
                                      "slurm backup controller",
                                      "standby mode",
                                      "too many",
                                      NULL};
  static const char *const never[] = {"invalid",
                                      "unrecognized",
                                      "not available",
                                      "not be satisfied",
                                      "can not be",
                                      "more processors requested",
                                      "node count",
                                      "denied",
                                      "not permitted",
                                      "not allowed",
                                      "unable to open",
                                      "required",
                                      NULL};
  char small[256];
  size_t length = 0;
  for (; words[length] != '\0' && length < sizeof small - 1; ++length)
    small[length] = (char)tolower((unsigned char)words[length]);
  small[length] = '\0';
  if (has_any(small, later)) return LS_SLURM_NOT_NOW;
  return has_any(small, never) ? LS_SLURM_NEVER : LS_SLURM_UNCLEAR;
}

/* Behind "sbatch: ", "error: " and such, of which there may be several. */
static struct word skip_names(struct word line) {
  static const char *const names[] = {"sbatch: ", "squeue: ", "scancel: ", "error: ", "fatal: "};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t length = strlen(names[i]);
    if (line.length < length || memcmp(line.at, names[i], length) != 0) continue;
    line.at += length;
    line.length -= length;
  }
  return line;
}

void ls_slurm_last_words(const char *text, size_t length, char *words, size_t words_bytes) {
  static const char advice[] = "Try \"", failed[] = "Batch job submission failed: ";
  struct word last = {text, 0};
  for (size_t at = 0; at < length;) {
    const char *end = memchr(text + at, '\n', length - at);
    struct word line = {text + at, end != NULL ? (size_t)(end - text) - at : length - at};
    at += line.length + 1;
    line = skip_names(line);
    bool is_advice =
        line.length >= sizeof advice - 1 && memcmp(line.at, advice, sizeof advice - 1) == 0;
    if (line.length > 0 && !is_advice) last = line;
  }
  size_t skipped = sizeof failed - 1;
  if (last.length > skipped && memcmp(last.at, failed, skipped) == 0) {
    last.at += skipped;
    last.length -= skipped;
  }
  if (last.length >= words_bytes) last.length = words_bytes - 1;
  (void)copy_word(last, words, words_bytes);
}
