/* Quoted words are read by shells as they were. */
#include "../../../support/test_folder.h"

#include "base/random.h"
#include "cli/run/quote.h"

/* What a shell reads when it is given the quoted text as one word.  The text goes through a file,
 * so that popen's own shell does not read it. */
static void ask_shell(const char *folder, const char *quoted, char *out, size_t bytes) {
  char script[TEST_FOLDER_BYTES + 8], command[TEST_FOLDER_BYTES + 16];
  (void)snprintf(script, sizeof script, "%s/script", folder);
  (void)snprintf(command, sizeof command, "sh %s", script);
  FILE *file = fopen(script, "w");
  assert_non_null(file);
  assert_true(fprintf(file, "printf %%s %s", quoted) > 0);
  assert_int_equal(fclose(file), 0);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  size_t length = fread(out, 1, bytes - 1, pipe);
  out[length] = '\0';
  assert_int_equal(pclose(pipe), 0);
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
  char folder[TEST_FOLDER_BYTES];
  test_folder_make(folder);
  ls_random_init(&random, 7, "quote");
  for (int i = 0; i < 40; i++) {
    char word[24], read[256];
    size_t length = 1 + (size_t)ls_random_below(&random, sizeof word - 2);
    for (size_t j = 0; j < length; j++) word[j] = (char)(1 + ls_random_below(&random, 255));
    word[length] = '\0';
    struct ls_bytes out = {0};
    ls_quote_word(word, &out);
    ask_shell(folder, ls_bytes_text(&out), read, sizeof read);
    assert_string_equal(read, word);
    ls_bytes_close(&out);
  }
  test_folder_remove(folder);
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
