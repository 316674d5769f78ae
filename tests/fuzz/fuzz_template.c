/* Any command is refused in words, or becomes words; what a shell reads of quoted values is what
 * the task has.
 *
 * The input: a line of values, separated by tabs, then the words of the command, one a line; a
 * first byte 's' has the words given to a shell.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/command_words.h"
#include "cli/run/quote.h"
#include "cli/run/template.h"
#include "fuzz.h"

enum { PARTS_MAX = 16 };

bool fuzz_accepts;

/* Cuts at each separator; so many parts. */
static size_t cut(char *text, const char *separator, const char *parts[PARTS_MAX]) {
  size_t count = 0;
  for (char *part; count < PARTS_MAX && (part = strsep(&text, separator)) != NULL;)
    parts[count++] = part;
  return count;
}

/* The word as /bin/sh reads it; nothing in it may have another meaning. */
static void check_quoted(const char *word) {
  struct ls_bytes quoted = {0}, read = {0};
  ls_quote_word(word, &quoted);
  bool is_within = false;
  for (const char *c = ls_bytes_text(&quoted); *c != '\0'; c++) {
    if (*c == '\'') {
      is_within = !is_within;
      continue;
    }
    assert(is_within || strchr(" \t\n;&|<>()$`\"*?[#~!{}", *c) == NULL);
    if (!is_within && *c == '\\') c++;
    assert(*c != '\0');
    ls_bytes_append_char(&read, *c);
  }
  assert(!quoted.failed && !is_within && quoted.length > 0);
  assert(strcmp(ls_bytes_text(&read), word) == 0);
  ls_bytes_close(&quoted);
  ls_bytes_close(&read);
}

static void check_line(const struct ls_expansion *expansion) {
  struct ls_bytes line = {0};
  ls_quote_line(expansion->words, expansion->words_count, &line);
  assert(!line.failed);
  for (size_t i = 0; i < line.length; i++)
    assert((unsigned char)line.data[i] >= 0x20 && line.data[i] != 0x7f);
  ls_bytes_close(&line);
}

/* Only an expression may fail: by taking too long. */
static bool has_expression(const struct ls_template *compiled) {
  for (size_t i = 0; i < compiled->segments_count; i++)
    if (compiled->segments[i].change.substitution != NULL) return true;
  return false;
}

static void expand(const struct ls_template *compiled, const char *const *values) {
  struct ls_expansion expansion = {0};
  struct ls_error err = {0};
  for (uint32_t slot = 1; slot <= 2; slot++) {
    struct ls_template_task task = {.values = values, .sequence = UINT64_MAX, .slot = slot};
    enum ls_status status = ls_template_expand(compiled, &task, &expansion, &err);
    if (status != LS_OK) {
      assert(has_expression(compiled) && status == LS_EINVAL && err.text[0] != '\0');
      break;
    }
    assert(expansion.words_count >= 1);
    if (compiled->is_shell) {
      assert(expansion.words_count == 3 && strcmp(expansion.words[0], "/bin/sh") == 0);
    }
    check_line(&expansion);
  }
  ls_expansion_close(&expansion);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *lines[PARTS_MAX], *values[PARTS_MAX];
  char *text = strndup((const char *)data, size);
  if (text == NULL) abort();
  fuzz_accepts = false;
  size_t lines_count = cut(text, "\n", lines);
  bool is_shell = lines[0][0] == 's';
  size_t values_count = cut((char *)lines[0] + is_shell, "\t", values);
  const struct ls_command_line command = {
      .words = lines + 1, .words_count = lines_count - 1, .is_shell = is_shell};
  const struct ls_grammar grammar = {.has_plus = size % 2 == 1, .sources_count = values_count};
  struct ls_template compiled = {0};
  struct ls_error err = {0};
  for (size_t i = 0; i < values_count; i++) check_quoted(values[i]);
  if (ls_template_init(&compiled, &command, &grammar, &err) == LS_OK) {
    fuzz_accepts = true;
    const struct ls_command_words words = {
        .command = &command, .compiled = &compiled, .grammar = &grammar};
    if (ls_command_words_check(&words, &err) != LS_OK) assert(err.text[0] != '\0');
    expand(&compiled, values);
    ls_template_close(&compiled);
  } else {
    assert(err.status == LS_EINVAL && err.text[0] != '\0');
  }
  free(text);
  return 0;
}
