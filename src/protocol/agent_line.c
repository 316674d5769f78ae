#include "protocol/agent_line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a kind: its word, and what follows it, a letter each, in this order. Words are the rest. */
static const struct {
  const char *word, *fields;
} kinds[LS_AGENT_KIND_COUNT] = {
    [LS_AGENT_TUNNEL] = {"tunnel", "w"},
    [LS_AGENT_START] = {"start", "snw"},
    [LS_AGENT_SIGNAL] = {"signal", "sg"},
    [LS_AGENT_CLOSE] = {"close", "n"},
    /* A login may print anything: no other program says this. */
    [LS_AGENT_HELLO] = {"loadstar-agent", "vcw"},
    [LS_AGENT_HAS] = {"has", "sp"},
    [LS_AGENT_READY] = {"ready", ""},
    [LS_AGENT_STARTED] = {"started", "sp"},
    [LS_AGENT_UNSTARTED] = {"unstarted", "sw"},
    [LS_AGENT_ENDED] = {"ended", "speg"},
    [LS_AGENT_STOPPED] = {"stopped", "spg"},
    [LS_AGENT_CONTINUED] = {"continued", "sp"},
};

enum { NUMBER_LETTERS_MAX = 31, EXIT_MAX = 255, SIGNAL_MAX = 64 };
static const double NUMBER_MAX = 1e9;

static uint32_t *find_field(struct ls_agent_line *line, char field, uint32_t *most) {
  *most = UINT32_MAX;
  switch (field) {
    case 's':
      *most = LS_AGENT_SLOT_MAX;
      return &line->slot;
    case 'p':
      *most = INT32_MAX;
      return &line->pid;
    case 'c':
      return &line->count;
    case 'v':
      return &line->version;
    case 'e':
      *most = EXIT_MAX;
      return &line->exit_code;
    default:
      *most = SIGNAL_MAX;
      return &line->signal;
  }
}

/* ---- writing ---- */

static void write_words(const char *words, struct ls_bytes *out) {
  ls_bytes_append_char(out, ' ');
  for (const char *c = words; *c != '\0'; ++c) {
    unsigned char letter = (unsigned char)*c;
    ls_bytes_append_char(out, letter < ' ' || letter == 0x7f ? ' ' : *c);
  }
}

void ls_agent_line_write(const struct ls_agent_line *line, struct ls_bytes *out) {
  struct ls_agent_line copy = *line;
  uint32_t most;
  ls_bytes_append_text(out, kinds[line->kind].word);
  for (const char *field = kinds[line->kind].fields; *field != '\0'; ++field) {
    if (*field == 'w') {
      write_words(line->words, out);
    } else if (*field == 'n') {
      ls_bytes_printf(out, " %.17g", line->number);
    } else {
      ls_bytes_printf(out, " %u", *find_field(&copy, *field, &most));
    }
  }
  ls_bytes_append_char(out, '\n');
}

/* ---- reading ---- */

/* The next word behind a blank; false: there is none, or none that a number can be. */
static bool take_number(struct ls_text *rest, const char *letters, char *word) {
  if (rest->length < 2 || rest->data[0] != ' ') return false;
  const char *begin = rest->data + 1;
  const char *blank = memchr(begin, ' ', rest->length - 1);
  size_t length = blank != NULL ? (size_t)(blank - begin) : rest->length - 1;
  if (length == 0 || length > NUMBER_LETTERS_MAX) return false;
  memcpy(word, begin, length);
  word[length] = '\0';
  rest->data += length + 1;
  rest->length -= length + 1;
  return strspn(word, letters) == length;
}

static bool take_whole(struct ls_text *rest, uint32_t most, uint32_t *out) {
  char word[NUMBER_LETTERS_MAX + 1];
  if (!take_number(rest, "0123456789", word)) return false;
  unsigned long long number = strtoull(word, NULL, 10);
  *out = (uint32_t)number;
  return number <= most;
}

static bool take_real(struct ls_text *rest, double *out) {
  char word[NUMBER_LETTERS_MAX + 1], *end = NULL;
  if (!take_number(rest, "0123456789.eE+-", word)) return false;
  *out = strtod(word, &end);
  return *end == '\0' && *out >= 0 && *out <= NUMBER_MAX;
}

/* All that is left, behind a blank. */
static bool take_words(struct ls_text *rest, char *out) {
  if (rest->length < 1 || rest->data[0] != ' ' || rest->length - 1 > LS_AGENT_WORDS_MAX)
    return false;
  size_t length = rest->length - 1;
  for (size_t i = 1; i <= length; ++i) {
    unsigned char letter = (unsigned char)rest->data[i];
    if (letter < ' ' || letter == 0x7f) return false;
  }
  memcpy(out, rest->data + 1, length);
  out[length] = '\0';
  rest->length = 0;
  return true;
}

static bool take_field(struct ls_text *rest, char field, struct ls_agent_line *line) {
  uint32_t most;
  if (field == 'w') return take_words(rest, line->words);
  if (field == 'n') return take_real(rest, &line->number);
  uint32_t *number = find_field(line, field, &most);
  return take_whole(rest, most, number);
}

bool ls_agent_line_read(struct ls_text text, struct ls_agent_line *line) {
  const char *blank = memchr(text.data, ' ', text.length);
  size_t length = blank != NULL ? (size_t)(blank - text.data) : text.length;
  for (int i = 0; i < LS_AGENT_KIND_COUNT; ++i) {
    if (strlen(kinds[i].word) != length || memcmp(kinds[i].word, text.data, length) != 0) continue;
    struct ls_agent_line read = {.kind = (enum ls_agent_kind)i};
    struct ls_text rest = {text.data + length, text.length - length, NULL};
    for (const char *field = kinds[i].fields; *field != '\0'; ++field) {
      if (!take_field(&rest, *field, &read)) return false;
    }
    if (rest.length > 0) return false;
    *line = read;
    return true;
  }
  return false;
}

/* The last one counts: the words of a line reach to its end. */
bool ls_agent_line_find_hello(struct ls_text text, struct ls_agent_line *line) {
  const char *word = kinds[LS_AGENT_HELLO].word;
  for (size_t left = text.length; left > 0; --left) {
    struct ls_text rest = {text.data + left - 1, text.length - left + 1, NULL};
    bool is_here = rest.length >= strlen(word) && memcmp(rest.data, word, strlen(word)) == 0;
    if (is_here && ls_agent_line_read(rest, line) && line->kind == LS_AGENT_HELLO) return true;
  }
  return false;
}
