#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "motif_case.h"

static const char LINES[] = ">one\r\nACGTACGTAA\r\nCCGG\r\n>two\nacgtNacgtacgt\nTTTTTTTTTT\n";
static const struct ls_text GENOME = {LINES, sizeof LINES - 1, "genome.fna"};

static bool same_letters(const uint8_t *letters, const char *text) {
  for (size_t i = 0; text[i] != 0; i++) {
    if (records_letter(letters[i]) != text[i]) return false;
  }
  return true;
}

static void seed_says_every_letter(void **state) {
  (void)state;
  struct sequences one, same, other;
  size_t counts[4] = {0};
  assert_int_equal(sequences_open(&one, 10, 1000, NULL), LS_OK);
  assert_int_equal(sequences_open(&same, 10, 1000, NULL), LS_OK);
  assert_int_equal(sequences_open(&other, 10, 1000, NULL), LS_OK);
  sequences_draw(&one, 7);
  sequences_draw(&same, 7);
  sequences_draw(&other, 8);
  assert_memory_equal(one.letters, same.letters, 10000);
  assert_memory_not_equal(one.letters, other.letters, 10000);
  for (size_t i = 0; i < 10000; i++) counts[one.letters[i]]++;
  for (size_t i = 0; i < 4; i++) assert_in_range(counts[i], 2350, 2650);
  sequences_close(&one);
  sequences_close(&same);
  sequences_close(&other);
}

static void draw_and_plant(struct sequences *sequences, struct planted *planted, uint64_t seed) {
  assert_int_equal(sequences_open(sequences, 20, 50, NULL), LS_OK);
  sequences_draw(sequences, seed);
  assert_int_equal(sequences_plant(sequences, planted, 39, seed, NULL), LS_OK);
}

static void planted_motif_differs_in_as_many_letters_as_asked_for(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 50; seed++) {
    struct planted planted = {.length = 12, .mutations = seed % 13};
    struct sequences before, after;
    draw_and_plant(&after, &planted, seed);
    assert_int_equal(sequences_open(&before, 20, 50, NULL), LS_OK);
    sequences_draw(&before, seed);
    for (size_t i = 0; i < 20; i++) {
      size_t differing = 0;
      assert_in_range(planted.starts[i], 0, 38);
      for (size_t j = 0; j < 50; j++) {
        bool is_planted = j >= planted.starts[i] && j < planted.starts[i] + 12;
        uint8_t letter = sequences_at(&after, i)[j];
        if (is_planted) differing += letter != planted.letters[j - planted.starts[i]];
        if (!is_planted) assert_int_equal(letter, sequences_at(&before, i)[j]);
        assert_in_range(letter, 0, 3);
      }
      assert_int_equal(differing, planted.mutations);
    }
    planted_close(&planted);
    sequences_close(&before);
    sequences_close(&after);
  }
}

/* Neither the other record nor the letter N is in any of them, and each stands in the text. */
static void sequences_are_cut_from_single_records(void **state) {
  (void)state;
  static const char *const records[] = {"ACGTACGTAACCGG", "ACGT", "ACGTACGTTTTTTTTTTT"};
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct sequences cut;
    assert_int_equal(sequences_open(&cut, 3, 6, NULL), LS_OK);
    assert_int_equal(sequences_cut(&cut, &GENOME, seed, NULL), LS_OK);
    for (size_t i = 0; i < 3; i++) {
      char text[7] = {0};
      bool is_found = false;
      for (size_t j = 0; j < 6; j++) text[j] = records_letter(sequences_at(&cut, i)[j]);
      for (size_t j = 0; j < 3; j++) is_found = is_found || strstr(records[j], text) != NULL;
      assert_true(is_found);
    }
    sequences_close(&cut);
  }
}

/* The usual input of other programs: each sequence a record. */
static void records_as_long_as_sequences_are_each_taken_once(void **state) {
  (void)state;
  const struct ls_text fasta = {">\nAAAA\n>\nCCCC\n>\nGGGG\n>\nTTTT", 27, "four"};
  struct sequences cut;
  size_t seen[4] = {0};
  assert_int_equal(sequences_open(&cut, 4, 4, NULL), LS_OK);
  assert_int_equal(sequences_cut(&cut, &fasta, 3, NULL), LS_OK);
  for (size_t i = 0; i < 4; i++) seen[sequences_at(&cut, i)[0]]++;
  for (size_t i = 0; i < 4; i++) assert_int_equal(seen[i], 1);
  sequences_close(&cut);
}

static void refuse(const char *text, const char *words) {
  struct ls_error err = {0};
  struct sequences cut;
  const struct ls_text fasta = {text, strlen(text), "given.fna"};
  assert_int_equal(sequences_open(&cut, 3, 6, NULL), LS_OK);
  assert_int_equal(sequences_cut(&cut, &fasta, 1, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "given.fna"));
  assert_non_null(strstr(err.text, words));
  sequences_close(&cut);
}

static void what_is_no_genome_is_refused_by_name(void **state) {
  (void)state;
  refuse("", "line 1");
  refuse("ACGTACGTACGTACGTACGTACGT", "does not begin with '>'");
  refuse("\x1f\x8b", "is compressed");
  refuse(">short\nACGTACGTACGT\n", "no room for 3 sequences of 6 letters");
  refuse(">holes\nACGTANACGTANACGTANACGTANACGTAN\n", "no room for 3 sequences of 6 letters");
}

static void files_are_read_and_named(void **state) {
  (void)state;
  struct ls_error err = {0};
  struct sequences cut, same;
  char path[] = "/tmp/motif-XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0 && write(file, GENOME.data, GENOME.length) == (ssize_t)GENOME.length);
  assert_int_equal(sequences_open(&cut, 2, 6, NULL), LS_OK);
  assert_int_equal(sequences_open(&same, 2, 6, NULL), LS_OK);
  assert_int_equal(sequences_read(&cut, path, 5, NULL), LS_OK);
  assert_int_equal(sequences_cut(&same, &GENOME, 5, NULL), LS_OK);
  assert_memory_equal(cut.letters, same.letters, 12);
  assert_int_equal(sequences_read(&cut, "/nowhere.fna", 5, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "/nowhere.fna"));
  assert_int_equal(sequences_read(&cut, "/tmp", 5, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "/tmp: is a folder"));
  assert_int_equal(sequences_read(&cut, "/dev/zero", 5, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "/dev/zero: is a device"));
  assert_true(close(file) == 0 && unlink(path) == 0);
  assert_true(same_letters((const uint8_t[]){0, 1, 2, 3}, "ACGT"));
  sequences_close(&cut);
  sequences_close(&same);
}

static char *write_file(char *path, const char *text) {
  int file = mkstemp(path);
  assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
  assert_int_equal(close(file), 0);
  return path;
}

/* Each record is a sequence, in the order of the file, as long as it is. */
static void records_are_taken_as_they_stand(void **state) {
  (void)state;
  char path[] = "/tmp/motif-XXXXXX", one[] = "/tmp/motif-XXXXXX";
  struct sequences own;
  struct ls_error err = {0};
  struct space space;
  (void)write_file(path, LINES);
  assert_int_equal(sequences_read_records(&own, path, SEQUENCES_MAX, NULL), LS_OK);
  assert_int_equal(own.count, 2);
  assert_int_equal(own.lengths[0], 14);
  assert_int_equal(own.lengths[1], 23);
  assert_true(same_letters(sequences_at(&own, 0), "ACGTACGTAACCGG"));
  assert_true(same_letters(sequences_at(&own, 1), "ACGTNACGTACGTTTTTTTTTTT"));
  assert_string_equal(own.origins[0].record, "one");
  assert_string_equal(own.origins[1].record, "two");
  assert_false(sequences_are_plain(&own));
  assert_int_equal(space_open(&space, &own, 14, true, NULL), LS_OK);
  assert_int_equal(space.vectors, 1 * 10);
  space_close(&space);
  assert_int_equal(space_open(&space, &own, 14, false, &err), LS_EINVAL);
  assert_string_equal(err.text, "motif: one has 14 letters, expected at least 15");
  sequences_close(&own);
  (void)write_file(one, ">alone\nACGT\n");
  assert_int_equal(sequences_read_records(&own, one, SEQUENCES_MAX, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "has 1 records, expected 2 to 62"));
  assert_true(unlink(path) == 0 && unlink(one) == 0);
}

/* A sequence that was cut says from where. */
static void cut_sequences_know_their_records(void **state) {
  (void)state;
  static const char *const records[] = {"ACGTACGTAACCGG", "ACGTNACGTACGTTTTTTTTTTT"};
  for (uint64_t seed = 0; seed < 50; seed++) {
    struct sequences cut;
    assert_int_equal(sequences_open(&cut, 3, 6, NULL), LS_OK);
    assert_int_equal(sequences_cut(&cut, &GENOME, seed, NULL), LS_OK);
    for (size_t i = 0; i < 3; i++) {
      const struct origin *origin = &cut.origins[i];
      const char *record = records[strcmp(origin->record, "two") == 0];
      for (size_t j = 0; j < 6; j++) {
        assert_int_equal(records_letter(sequences_at(&cut, i)[j]), record[origin->offset + j]);
      }
    }
    sequences_close(&cut);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(seed_says_every_letter),
      cmocka_unit_test(planted_motif_differs_in_as_many_letters_as_asked_for),
      cmocka_unit_test(sequences_are_cut_from_single_records),
      cmocka_unit_test(records_as_long_as_sequences_are_each_taken_once),
      cmocka_unit_test(what_is_no_genome_is_refused_by_name),
      cmocka_unit_test(files_are_read_and_named),
      cmocka_unit_test(records_are_taken_as_they_stand),
      cmocka_unit_test(cut_sequences_know_their_records),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
