#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

enum { WORDS_MAX = 32 };

/* The words of a line, by spaces. */
static enum ls_status read_line(const char *line, struct words *words, struct ls_error *err) {
  char copy[512], *argv[WORDS_MAX] = {copy}, *rest;
  int argc = 0;
  (void)strcpy(copy, line);
  for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    argv[argc++] = word;
  }
  return words_read(words, argc, argv, err);
}

static void words_say_what_they_say(void **state) {
  (void)state;
  struct words words;
  assert_int_equal(read_line("motif --random", &words, NULL), LS_OK);
  assert_true(words.fasta == NULL && words.sequences == 6 && words.length == 8);
  assert_true(words.letters == 20 && words_positions(&words) == 13 && words.seed == 1);
  assert_true(words.share == 1 && words.shares == 1 && words.masters == 0);
  assert_int_equal(read_line("motif --random -t 5 -l 3 -m 30 --seed 9 --positions thesis --plant 2 "
                             "--search branch --share 2/3 --check",
                             &words, NULL),
                   LS_OK);
  assert_true(words.sequences == 5 && words.length == 3 && words.letters == 30);
  assert_true(words.seed == 9 && words_positions(&words) == 27 && words.is_branching);
  assert_true(words.has_plant && words.mutations == 2 && words.is_checked && !words.is_serial);
  assert_true(words.share == 2 && words.shares == 3);
  assert_int_equal(read_line("motif --random --masters=4 --serial", &words, NULL), LS_OK);
  assert_true(words.masters == 4 && words.is_serial);
}

static void wrong_words_are_named(void **state) {
  (void)state;
  static const struct {
    const char *line, *named;
  } cases[] = {
      {"motif", "--fasta FILE, --records FILE or --random"},
      {"motif --random --fasta x", "exclude each other"},
      {"motif --random --colour", "'--colour' is no option"},
      {"motif --random -t", "'-t' is no option or lacks"},
      {"motif --random more", "unexpected word 'more'"},
      {"motif --random -t 1", "--sequences is '1', expected a whole number from 2 to 62"},
      {"motif --random -t 63", "--sequences is '63'"},
      {"motif --random -l 0", "--length is '0'"},
      {"motif --random -l 8x", "--length is '8x'"},
      {"motif --random --seed -1", "--seed is '-1'"},
      {"motif --random -l 8 -m 7", "--letters is 7, expected at least 8"},
      {"motif --random -l 8 -m 8 --positions thesis", "--letters is 8, expected at least 9"},
      {"motif --records f --random", "--fasta, --records and --random exclude each other"},
      {"motif --records f --seed 2", "--seed goes with --fasta and --random"},
      {"motif --random --positions some", "--positions is 'some', expected thesis or all"},
      {"motif --random --search deep", "--search is 'deep', expected brute or branch"},
      {"motif --random -l 3 --plant 4", "--plant is 4, expected at most the length 3"},
      {"motif --random --share 0/2", "--share is '0/2'"},
      {"motif --random --share 3/2", "--share is '3/2'"},
      {"motif --random --share 2", "--share is '2'"},
      {"motif --random --share 1/2 --masters 2", "exclude each other"},
      {"motif --random --data bits", "--data is 'bits', expected numbers or rows"},
      {"motif --random --data rows --search branch", "--data rows goes with --search brute"},
      {"motif --random --masters 0", "--masters is '0'"},
      {"motif --random -m 10 --search branch --share 1/4", "by 3 at most"},
      {"motif --random -m 10 --search branch --masters 4", "by 3 at most"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct words words;
    struct ls_error err = {0};
    enum ls_status status = read_line(cases[i].line, &words, &err);
    if (status != LS_EINVAL || strstr(err.text, cases[i].named) == NULL) {
      fail_msg("%s: %s", cases[i].line, err.text);
    }
  }
}

static void shares_follow_each_other_and_differ_by_one(void **state) {
  (void)state;
  static const uint64_t counts[] = {0, 1, 5, 13, 1000003, INT64_MAX};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    for (uint64_t shares = 1; shares <= 100; shares++) {
      uint64_t end = 0, least = UINT64_MAX, most = 0;
      for (uint64_t number = 1; number <= shares; number++) {
        struct ls_range share = words_share(counts[i], number, shares);
        assert_true(share.first == end);
        end += share.count;
        if (share.count < least) least = share.count;
        if (share.count > most) most = share.count;
      }
      assert_true(end == counts[i] && most - least <= 1);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_say_what_they_say),
      cmocka_unit_test(wrong_words_are_named),
      cmocka_unit_test(shares_follow_each_other_and_differ_by_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
