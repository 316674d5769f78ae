#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "cli/parallel_words.h"

enum { WORDS_MAX = 32 };

static struct ls_bytes joined;
static struct ls_error err;

/* What a line of words separated by spaces becomes. */
static const char *translate(const char *line) {
  static char copy[512];
  char *words[WORDS_MAX] = {NULL};
  int count = 0;
  strcpy(copy, line);
  words[count++] = (char *)"x parallel";
  for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
    words[count++] = word;
  words[count] = NULL;
  char *given[WORDS_MAX];
  memcpy(given, words, sizeof given);
  struct ls_parallel_words made = {0};
  ls_bytes_clear(&joined);
  err = (struct ls_error){0};
  if (ls_parallel_words_read(&made, count, words, &err) != LS_OK)
    ls_bytes_append_text(&joined, err.text);
  else
    for (size_t i = 1; i < made.count; i++)
      ls_bytes_printf(&joined, "%s%s", i > 1 ? " " : "", made.items[i]);
  ls_parallel_words_close(&made);
  /* An option that got its dashes is a word of its own, which a program keeps to its end. */
  for (int i = 1; i < count; i++)
    if (words[i] != given[i]) free(words[i]);
  return ls_bytes_text(&joined);
}

static void options_of_gnu_parallel_become_ours(void **state) {
  (void)state;
  static const struct {
    const char *theirs, *ours;
  } rows[] = {{"", "--shell --"},
              {"echo ::: 1", "--shell -- echo ::: 1"},
              {"-q echo {}", "-- echo {}"},
              {"-j8 -k echo", "--workers=8 --keep-order --shell -- echo"},
              {"-kj 8 echo -k", "--keep-order --workers=8 --shell -- echo -k"},
              {"-P +2 --jobs 3 x", "--workers=+2 --workers=3 --shell -- x"},
              {"--retries 3 x", "--retries=2 --shell -- x"},
              {"--retries 0 x", "--retries=1000000 --shell -- x"},
              {"-k --no-keep-order x", "--shell -- x"},
              {"--tag --tagstring={#} x", "--tag --tagstring={#} --shell -- x"},
              {"--shuf --bar x", "--order=random --progress --shell -- x"},
              {"-i x", "--shell -- x"},
              {"-i%% x", "--replace-string=%% --shell -- x"},
              {"-l -l3 x", "--max-lines=1 --max-lines=3 --shell -- x"},
              {"-v --silent x", "--shell -- x"},
              {"-v -t x", "--print-commands --show-commands --shell -- x"},
              {"--gnu --will-cite --group --cleanup x", "--shell -- x"},
              {"--basefile a --return b x", "--stage-common=a --stage-out=b --shell -- x"},
              {"--haltonerror 2 x", "--halt=2 --shell -- x"},
              {"--joblog l --resume x", "--joblog=l --resume --shell -- x"},
              {"-n0 -n 2 x", "--max-replace-args=0 --max-args=2 --shell -- x"},
              {"-- -x", "--shell -- -x"},
              {"--retry-failed --joblog l ignored", "--retry-failed --joblog=l --shell --"},
              {"--pipe x", "--pipe --block=1M --shell -- x"},
              {"--pipepart -a f x", "--pipe-part --arg-file=f --block=-10 --shell -- x"},
              {"--pipe --blocksize 2M x", "--pipe --block=2M --shell -- x"},
              {"--pipe --tee x", "--pipe --tee --shell -- x"},
              {"-X x", "--context-fill --max-chars=63664 --shell -- x"},
              {"-m -N2 x", "--many --max-replace-args=2 --shell -- x"},
              {"--results d x", "--results-tree=d --shell -- x"},
              {"--policy gss --json x", "--policy=gss --json --shell -- x"},
              /* The journal knows whether there was a shell. */
              {"--resume --journal j", "--resume --journal=j --"},
              {"--resume-failed --journal j x", "--resume-failed --journal=j --shell -- x"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_string_equal(translate(rows[i].theirs), rows[i].ours);
  }
}

static void the_shell_may_be_named(void **state) {
  (void)state;
  setenv("PARALLEL_SHELL", "/bin/dash", 1);
  assert_string_equal(translate("x"), "--shell=/bin/dash -- x");
  assert_string_equal(translate("-q x"), "-- x");
  setenv("PARALLEL_SHELL", "", 1);
  assert_string_equal(translate("x"), "--shell -- x");
  unsetenv("PARALLEL_SHELL");
}

static void what_is_not_taken_says_why(void **state) {
  (void)state;
  static const struct {
    const char *line, *text;
  } rows[] = {{"--tmux x", "--tmux is not taken: use --line-buffer"},
              {"--tmuxpane x", "--tmux is not taken: "},
              {"--filter 1 x", "--filter is not taken: no Perl"},
              {"-p x", "--interactive is not taken: use --dry-run"},
              {"--retries x y", "--retries is 'x', expected a whole number"},
              {"--retries -1 y", "--retries is '-1'"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *text = translate(rows[i].line);
    assert_int_equal(err.status, LS_EINVAL);
    if (strncmp(text, rows[i].text, strlen(rows[i].text)) != 0) print_error("%s\n", text);
    assert_memory_equal(text, rows[i].text, strlen(rows[i].text));
  }
}

int main(void) {
  unsetenv("PARALLEL_SHELL");
  const struct CMUnitTest tests[] = {cmocka_unit_test(options_of_gnu_parallel_become_ours),
                                     cmocka_unit_test(the_shell_may_be_named),
                                     cmocka_unit_test(what_is_not_taken_says_why)};
  int result = cmocka_run_group_tests(tests, NULL, NULL);
  ls_bytes_close(&joined);
  return result;
}
