#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "cli/run/quote.h"

/* What the shell `name` reads when it is given the quoted text as one word. */
static void ask_shell(const char *name, const char *quoted, char *out, size_t bytes) {
  struct ls_bytes line = {0};
  ls_bytes_printf(&line, "printf %%s ");
  ls_bytes_append_text(&line, quoted);
  /* The text goes through a file, so that popen's own shell does not read it. */
  FILE *file = fopen("/tmp/test-quote-script", "w");
  assert_non_null(file);
  fwrite(line.data, 1, line.length, file);
  fclose(file);
  char command[64];
  snprintf(command, sizeof command, "%s /tmp/test-quote-script", name);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  size_t length = fread(out, 1, bytes - 1, pipe);
  out[length] = '\0';
  pclose(pipe);
  ls_bytes_close(&line);
}

static void harmless_words_stay_as_they_are(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  ls_quote_word("dir/file-1.tar.gz", &out);
  assert_string_equal(ls_bytes_text(&out), "dir/file-1.tar.gz");
  ls_bytes_clear(&out);
  ls_quote_word("", &out);
  assert_string_equal(ls_bytes_text(&out), "''");
  ls_bytes_clear(&out);
  ls_quote_word("it's", &out);
  assert_string_equal(ls_bytes_text(&out), "'it'\\''s'");
  ls_bytes_close(&out);
}

static void the_shell_reads_what_was_quoted(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 7, "quote");
  for (int i = 0; i < 40; i++) {
    char word[24], read[256];
    size_t length = 1 + (size_t)ls_random_below(&random, sizeof word - 2);
    for (size_t j = 0; j < length; j++) word[j] = (char)(1 + ls_random_below(&random, 255));
    word[length] = '\0';
    struct ls_bytes out = {0};
    ls_quote_word(word, &out);
    ask_shell("sh", ls_bytes_text(&out), read, sizeof read);
    assert_string_equal(read, word);
    ls_bytes_close(&out);
  }
}

static void a_line_has_no_control_characters(void **state) {
  (void)state;
  static const char *const words[] = {"a b", "new\nline\ttab", "plain", "it's\n\\"};
  struct ls_bytes out = {0};
  ls_quote_line(words, 4, &out);
  assert_string_equal(ls_bytes_text(&out), "'a b' $'new\\nline\\ttab' plain $'it\\'s\\n\\\\'");
  for (size_t i = 0; i < out.length; i++) assert_true((unsigned char)out.data[i] >= 0x20);
  ls_bytes_close(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(harmless_words_stay_as_they_are),
                                     cmocka_unit_test(the_shell_reads_what_was_quoted),
                                     cmocka_unit_test(a_line_has_no_control_characters)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
