#include "runtime/execute/ending.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const double default_wait_s = 1;
enum { WORD_BYTES = 16, MILLISECONDS_MOST = 86400000 };

struct ls_ending ls_ending_default(void) {
  return (struct ls_ending){.steps = {{SIGTERM, default_wait_s}, {SIGKILL, 0}}, .count = 2};
}

double ls_ending_length_s(const struct ls_ending *ending) {
  double length_s = 0;
  for (size_t i = 0; i + 1 < ending->count; i++) length_s += ending->steps[i].wait_s;
  return length_s;
}

/* 0: it is none. */
static int find_signal(const char *word) {
  char *end = NULL;
  long number = strtol(word, &end, 10);
  if (end != word && *end == '\0') return number >= 1 && number < NSIG ? (int)number : 0;
  if (strncmp(word, "SIG", 3) == 0) word += 3;
  for (int i = 1; i < NSIG; i++) {
    const char *name = sigabbrev_np(i);
    if (name != NULL && strcmp(name, word) == 0) return i;
  }
  return 0;
}

static bool read_wait(const char *word, double *wait_s) {
  char *end = NULL;
  double milliseconds = strtod(word, &end);
  bool is_number = word[0] >= '0' && word[0] <= '9' && *end == '\0';
  if (!is_number || !(milliseconds <= MILLISECONDS_MOST)) return false;
  *wait_s = 1e-3 * milliseconds;
  return true;
}

/* The word up to the next comma; false: it is too long, or there is none. */
static bool take_word(const char **text, char word[WORD_BYTES]) {
  size_t length = strcspn(*text, ",");
  if (length == 0 || length >= WORD_BYTES) return false;
  memcpy(word, *text, length);
  word[length] = '\0';
  *text += length + ((*text)[length] == ',');
  return true;
}

static bool read_steps(const char *text, struct ls_ending *ending) {
  char word[WORD_BYTES];
  bool is_signal = true, is_read = text[0] != '\0';
  while (is_read && text[0] != '\0') {
    is_read = take_word(&text, word);
    if (!is_read) break;
    struct ls_ending_step *step = &ending->steps[ending->count - (is_signal ? 0 : 1)];
    if (is_signal) {
      step->signal = find_signal(word);
      is_read = step->signal != 0 && ending->count < LS_ENDING_STEPS_MAX;
      ending->count += is_read;
    } else {
      is_read = read_wait(word, &step->wait_s);
    }
    is_signal = !is_signal;
  }
  return is_read;
}

enum ls_status ls_ending_read(const char *text, struct ls_ending *ending, struct ls_error *err) {
  struct ls_ending made = {.count = 0};
  if (!read_steps(text, &made))
    return ls_fail(err, LS_EINVAL,
                   "'%.60s', expected signals with milliseconds between them, such as "
                   "TERM,200,TERM,100,KILL,25",
                   text);
  if (made.steps[made.count - 1].signal != SIGKILL)
    made.steps[made.count++] = (struct ls_ending_step){.signal = SIGKILL};
  *ending = made;
  return LS_OK;
}
