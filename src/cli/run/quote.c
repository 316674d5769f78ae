#include "cli/run/quote.h"

#include <stdbool.h>
#include <string.h>

static bool is_harmless(const char *word) {
  static const char harmless[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,+@%";
  return word[0] != '\0' && word[strspn(word, harmless)] == '\0';
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

void ls_quote_word(const char *word, struct ls_bytes *out) {
  if (is_harmless(word)) {
    ls_bytes_append_text(out, word);
    return;
  }
  ls_bytes_append_char(out, '\'');
  for (;;) {
    size_t plain = strcspn(word, "'");
    ls_bytes_append(out, word, plain);
    word += plain;
    if (*word == '\0') break;
    ls_bytes_append_text(out, "'\\''");
    word++;
  }
  ls_bytes_append_char(out, '\'');
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
