/* Quoted words are read by shells as they were. */
#include "../../../support/test_folder.h"

#include "base/random.h"
#include "cli/run/quote.h"
#include "cli/run/shell_words.h"

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
  ls_bytes_clear(&out);
  ls_quote_word_for(LS_QUOTING_RC, "it's", &out);
  assert_string_equal(ls_bytes_text(&out), "'it''s'");
  ls_bytes_clear(&out);
  ls_quote_word_for(LS_QUOTING_CSH, "a!\\\n", &out);
  assert_string_equal(ls_bytes_text(&out), "'a'\\!''\\\\'\\\n'");
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

enum { WORDS_MOST = 800, WORD_BYTES = 8 };

struct words {
  char items[WORDS_MOST][WORD_BYTES];
  size_t count;
};

static void add_word(struct words *words, const char *text) {
  assert_true(words->count < WORDS_MOST);
  (void)snprintf(words->items[words->count++], WORD_BYTES, "%s", text);
}

/* Each byte, alone and within others, and all triples of what some shell takes for more than a
 * letter. rc takes a byte 255 for the end of the line, and runs nothing then. */
static void make_words(enum ls_quoting quoting, struct words *words) {
  static const char special[] = "'\\!\na$";
  words->count = 0;
  add_word(words, "");
  for (int byte = 1; byte < (quoting == LS_QUOTING_RC ? 255 : 256); byte++) {
    add_word(words, (const char[]){(char)byte, '\0'});
    add_word(words, (const char[]){'a', (char)byte, 'b', '\0'});
  }
  for (size_t i = 0; i < 6 * 6 * 6; i++)
    add_word(words, (const char[]){special[i / 36], special[i / 6 % 6], special[i % 6], '\0'});
}

/* The words of a line that such a shell reads, which begins a program that prints them. */
static void check_shell(const char *folder, const char *name, struct words *words) {
  char path[TEST_FOLDER_BYTES + 8], command[TEST_FOLDER_BYTES + 96];
  const struct ls_shell_words shell = ls_shell_words_of(name);
  struct ls_bytes line = {0};
  assert_int_not_equal(shell.quoting, LS_QUOTING_UNKNOWN);
  make_words(shell.quoting, words);
  ls_bytes_append_text(&line, "env printf '%s\\000'");
  for (size_t i = 0; i < words->count; i++) {
    ls_bytes_append_char(&line, ' ');
    ls_quote_word_for(shell.quoting, words->items[i], &line);
  }
  (void)snprintf(path, sizeof path, "%s/line", folder);
  (void)snprintf(command, sizeof command, "HOME=%s; export HOME; exec %s%s -c \"$(cat %s)\"",
                 folder, name, shell.count > 2 ? " sh" : "", path);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(line.data, 1, line.length, file), line.length);
  assert_int_equal(fclose(file), 0);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  for (size_t i = 0; i < words->count; i++) {
    char read[4 * WORD_BYTES] = {0};
    for (size_t at = 0; at + 1 < sizeof read; at++) {
      int c = fgetc(pipe);
      if (c == EOF || c == '\0') break;
      read[at] = (char)c;
    }
    if (strcmp(read, words->items[i]) != 0) print_error("%s, word %zu\n", name, i);
    assert_string_equal(read, words->items[i]);
  }
  assert_int_equal(fgetc(pipe), EOF);
  assert_int_equal(pclose(pipe), 0);
  ls_bytes_close(&line);
}

/* All that are known and installed; sh always is. */
static void each_shell_reads_what_was_quoted_for_it(void **state) {
  (void)state;
  static struct words words;
  struct ls_bytes names = {0};
  char folder[TEST_FOLDER_BYTES], test[96];
  size_t checked = 0;
  test_folder_make(folder);
  ls_shell_list(&names);
  char *rest = names.data;
  assert_false(names.failed);
  for (char *name; (name = strtok_r(rest, ", ", &rest)) != NULL;) {
    (void)snprintf(test, sizeof test, "command -v %s >/dev/null 2>&1", name);
    if (system(test) != 0) continue;
    print_message("%s\n", name);
    check_shell(folder, name, &words);
    checked++;
  }
  assert_true(checked > 0);
  ls_bytes_close(&names);
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

/* What the line says in place of a control character: such a character would act on a terminal. */
static void write_escape(int byte, char *out, size_t bytes) {
  if (byte == '\n')
    (void)snprintf(out, bytes, "\\n");
  else if (byte == '\t')
    (void)snprintf(out, bytes, "\\t");
  else
    (void)snprintf(out, bytes, "\\x%02x", (unsigned)byte);
}

/* A word that ends with digits, which are none of the escape's; and bytes of UTF-8, which stay. */
static void each_control_character_is_escaped(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  for (int byte = 1; byte < 256; byte++) {
    char escape[8], expected[24];
    const char text[] = {'a', (char)byte, '0', 'f', '\0'}, *const words[] = {text};
    bool is_control = byte < 0x20 || byte == 0x7f;
    write_escape(byte, escape, sizeof escape);
    (void)snprintf(expected, sizeof expected, "$'a%s0f'", escape);
    ls_bytes_clear(&out);
    ls_quote_line(words, 1, &out);
    if (is_control) assert_string_equal(ls_bytes_text(&out), expected);
    assert_int_equal(strncmp(ls_bytes_text(&out), "$'", 2) == 0, is_control);
  }
  ls_bytes_close(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(harmless_words_stay_as_they_are),
                                     cmocka_unit_test(the_shell_reads_what_was_quoted),
                                     cmocka_unit_test(each_shell_reads_what_was_quoted_for_it),
                                     cmocka_unit_test(a_line_has_no_control_characters),
                                     cmocka_unit_test(each_control_character_is_escaped)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
