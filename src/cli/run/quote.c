#include "cli/run/quote.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

/* Letters that need no quotes in any shell, and those that need none where a shell reads as /bin/sh
 * does: fish takes %self for a number, so % may not come first. */
static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
static const char harmless_more[] = ":,+@%";

static bool is_harmless(enum ls_quoting quoting, const char *word) {
  bool has_more = quoting == LS_QUOTING_SH || quoting == LS_QUOTING_FISH;
  if (word[0] == '\0' || word[0] == '%') return false;
  while (*word != '\0' &&
         (strchr(harmless, *word) != NULL || (has_more && strchr(harmless_more, *word) != NULL)))
    word++;
  return *word == '\0';
}

static bool has_control(const char *word) {
  for (; *word != '\0'; word++)
    if ((unsigned char)*word < 0x20 || *word == 0x7f) return true;
  return false;
}

static void append_escaped(const char *word, struct ls_bytes *out) {
  ls_bytes_append_text(out, "$'");
  for (; *word != '\0'; word++) {
    unsigned char c = (unsigned char)*word;
    if (c == '\n')
      ls_bytes_append_text(out, "\\n");
    else if (c == '\t')
      ls_bytes_append_text(out, "\\t");
    else if (c < 0x20 || c == 0x7f)
      ls_bytes_printf(out, "\\x%02x", c);
    else if (c == '\'' || c == '\\')
      ls_bytes_printf(out, "\\%c", c);
    else
      ls_bytes_append_char(out, (char)c);
  }
  ls_bytes_append_char(out, '\'');
}

/* Must the letter stand outside the single quotes, behind a backslash? fish reads \\ and \' within
 * them, sh does not: outside both read the same. csh looks there for ! of its history, and for what
 * a backslash is before if backslash_quote is set. */
static bool is_apart(enum ls_quoting quoting, const char *letter) {
  if (*letter == '\'') return true;
  if (quoting == LS_QUOTING_CSH) return *letter == '\\' || *letter == '!';
  return *letter == '\\' && (letter[1] == '\\' || letter[1] == '\'' || letter[1] == '\0');
}

static void append_letter(enum ls_quoting quoting, const char *letter, struct ls_bytes *out) {
  if (quoting == LS_QUOTING_RC) {
    ls_bytes_append_text(out, *letter == '\'' ? "'" : "");
    ls_bytes_append_char(out, *letter);
  } else if (is_apart(quoting, letter)) {
    ls_bytes_printf(out, "'\\%c'", *letter);
  } else {
    ls_bytes_append_text(out, quoting == LS_QUOTING_CSH && *letter == '\n' ? "\\" : "");
    ls_bytes_append_char(out, *letter);
  }
}

void ls_quote_word_for(enum ls_quoting quoting, const char *word, struct ls_bytes *out) {
  assert(quoting != LS_QUOTING_UNKNOWN);
  if (is_harmless(quoting, word)) {
    ls_bytes_append_text(out, word);
    return;
  }
  ls_bytes_append_char(out, '\'');
  for (; *word != '\0'; word++) append_letter(quoting, word, out);
  ls_bytes_append_char(out, '\'');
}

void ls_quote_word(const char *word, struct ls_bytes *out) {
  ls_quote_word_for(LS_QUOTING_SH, word, out);
}

void ls_quote_line(const char *const *words, size_t count, struct ls_bytes *out) {
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ls_bytes_append_char(out, ' ');
    if (has_control(words[i]))
      append_escaped(words[i], out);
    else
      ls_quote_word(words[i], out);
  }
}
