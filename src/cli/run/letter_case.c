#include "cli/run/letter_case.h"

#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <wchar.h>
#include <wctype.h>

/* Bytes of the character at `text`, and what it is; a byte that begins none is one of its own. */
static size_t read_character(const char *text, size_t length, wchar_t *letter) {
  mbstate_t state = {0};
  size_t bytes = mbrtowc(letter, text, length, &state);
  bool is_letter = bytes > 0 && bytes <= length;
  if (!is_letter) *letter = L'\0';
  return is_letter ? bytes : 1;
}

static void append_letter(wchar_t letter, struct ls_bytes *out) {
  char bytes[MB_LEN_MAX];
  mbstate_t state = {0};
  size_t length = wcrtomb(bytes, letter, &state);
  if (length != (size_t)-1) ls_bytes_append(out, bytes, length);
}

static void append_all(const char *text, size_t length, enum ls_letter_case wanted,
                       struct ls_bytes *out) {
  for (size_t at = 0; at < length;) {
    wchar_t letter;
    size_t bytes = read_character(text + at, length - at, &letter);
    wint_t other = wanted == LS_CASE_UPPER ? towupper((wint_t)letter) : towlower((wint_t)letter);
    if (letter == L'\0' || other == (wint_t)letter)
      ls_bytes_append(out, text + at, bytes);
    else
      append_letter((wchar_t)other, out);
    at += bytes;
  }
}

void ls_letter_case_append(const char *text, size_t length, enum ls_letter_case wanted,
                           struct ls_bytes *out) {
  if (wanted == LS_CASE_KEPT) {
    ls_bytes_append(out, text, length);
    return;
  }
  /* The C library has it built in; where it has not, the letters of ASCII are those that change. */
  locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  locale_t before = unicode != (locale_t)0 ? uselocale(unicode) : (locale_t)0;
  append_all(text, length, wanted, out);
  if (unicode == (locale_t)0) return;
  uselocale(before);
  freelocale(unicode);
}

size_t ls_letter_case_first(const char *text, size_t length) {
  if (length == 0) return 0;
  size_t bytes = 1;
  while (bytes < length && (text[bytes] & 0xC0) == 0x80) bytes++;
  return (text[0] & 0xC0) == 0xC0 ? bytes : 1;
}
