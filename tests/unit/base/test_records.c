/* Blocks are compared with those of a naive splitter, which looks at every position. */
#include "base/records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/random.h"

struct blocks {
  size_t lengths[4096];
  size_t count;
};

static bool meets(const struct ls_records *records, const char *data, size_t length, size_t at) {
  if (at < records->end_length || length - at < records->start_length) return false;
  if (records->end_length > 0 &&
      memcmp(data + at - records->end_length, records->end, records->end_length) != 0)
    return false;
  return records->start_length == 0 ||
         memcmp(data + at, records->start, records->start_length) == 0;
}

/* The next edge behind the edge `from` that shares no byte of an end text with it. */
static size_t find_naively(const struct ls_records *records, const char *data, size_t length,
                           size_t from) {
  for (size_t at = from + 1; at <= length; at++) {
    if (records->end_length > 0 && at < from + records->end_length) continue;
    if (meets(records, data, length, at)) return at;
  }
  return length;
}

static size_t cut_bytes_naively(const struct ls_cutter *cutter, const char *data, size_t length) {
  if (length <= cutter->bytes_max) return length;
  for (size_t at = cutter->bytes_max; at > 0; at--)
    if (meets(&cutter->records, data, length, at)) return at;
  for (size_t at = cutter->bytes_max + 1; at <= length; at++)
    if (meets(&cutter->records, data, length, at)) return at;
  return length;
}

static size_t cut_records_naively(const struct ls_cutter *cutter, const char *data, size_t length) {
  uint64_t group = cutter->group > 0 ? cutter->group : 1;
  size_t block = 0;
  for (uint64_t records = 0; block < length; records++) {
    if (cutter->records_max > 0 && records == cutter->records_max) break;
    size_t end = block;
    for (uint64_t i = 0; i < group && end < length; i++)
      end = find_naively(&cutter->records, data, length, end);
    if (cutter->bytes_max > 0 && end > cutter->bytes_max && block > 0) break;
    block = end;
    if (cutter->bytes_max > 0 && end > cutter->bytes_max) break;
  }
  return block;
}

static void split_naively(const struct ls_cutter *cutter, const char *data, size_t length,
                          struct blocks *blocks) {
  bool counts = cutter->records_max > 0 || cutter->group > 1;
  blocks->count = 0;
  for (size_t at = 0; at < length;) {
    size_t block = counts ? cut_records_naively(cutter, data + at, length - at)
                          : cut_bytes_naively(cutter, data + at, length - at);
    blocks->lengths[blocks->count++] = block;
    at += block;
  }
}

/* The bytes arrive in portions of random length, at most `portion`. */
static void split(struct ls_cutter cutter, const char *data, size_t length, size_t portion,
                  struct ls_random *random, struct blocks *blocks) {
  size_t begin = 0, arrived = 0;
  blocks->count = 0;
  for (;;) {
    bool is_end = arrived == length;
    size_t block;
    while ((block = ls_cutter_cut(&cutter, data + begin, arrived - begin, is_end)) > 0) {
      assert_true(block <= arrived - begin);
      blocks->lengths[blocks->count++] = block;
      begin += block;
    }
    if (is_end) break;
    size_t more = 1 + (size_t)ls_random_below(random, portion);
    arrived = length - arrived < more ? length : arrived + more;
  }
  assert_int_equal(begin, length);
}

static void compare(const struct ls_cutter *cutter, const char *data, size_t length,
                    struct ls_random *random) {
  static struct blocks expected, got;
  split_naively(cutter, data, length, &expected);
  static const size_t portions[] = {1, 3, 50, 100000};
  for (size_t i = 0; i < sizeof portions / sizeof *portions; i++) {
    split(*cutter, data, length, portions[i], random, &got);
    assert_int_equal(got.count, expected.count);
    assert_memory_equal(got.lengths, expected.lengths, got.count * sizeof *got.lengths);
  }
}

static const char *const ends[] = {"\n", "", "\r\n", "a", "aa", "\n\n", "ab", "", "aba"};
static const char *const starts[] = {"", ">", "", "b", "", "a", "ab", "aa", "ba"};

static void blocks_are_those_of_a_naive_splitter(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 7, "records");
  for (size_t round = 0; round < 6000; round++) {
    size_t kind = round % (sizeof ends / sizeof *ends);
    struct ls_cutter cutter = {
        .records = {.end = ends[kind],
                    .start = starts[kind],
                    .end_length = strlen(ends[kind]),
                    .start_length = strlen(starts[kind])},
        .group = ls_random_below(&random, 3) > 0 ? 1 : 1 + ls_random_below(&random, 4),
        .records_max = ls_random_below(&random, 2) * ls_random_below(&random, 5),
        .bytes_max = (size_t)ls_random_below(&random, 30)};
    if (cutter.records_max == 0 && cutter.bytes_max == 0) cutter.bytes_max = 1;
    static const char letters[] = "aab\n\r>\0x";
    char data[300];
    size_t length = (size_t)ls_random_below(&random, sizeof data);
    size_t few = 2 + (size_t)ls_random_below(&random, sizeof letters - 3);
    for (size_t i = 0; i < length; i++) data[i] = letters[ls_random_below(&random, few)];
    compare(&cutter, data, length, &random);
  }
}

/* A record is a line whose first letter differs from that of the line before. */
static size_t find_change(void *context, const char *data, size_t length, size_t from,
                          bool is_end) {
  size_t *calls = context;
  ++*calls;
  for (size_t at = from; at < length; at++) {
    if (data[at] != '\n') continue;
    if (at + 1 == length) return is_end ? length : LS_RECORD_NONE;
    if (data[at + 1] != data[from]) return at + 1;
  }
  return is_end ? length : LS_RECORD_NONE;
}

static void function_finds_edges(void **state) {
  (void)state;
  static const char data[] = "a1\na2\nb1\nc1\nc2\nc3\na4";
  struct ls_random random;
  ls_random_init(&random, 1, "records");
  size_t calls = 0;
  struct ls_cutter cutter = {.records = {.find = find_change, .context = &calls}, .records_max = 1};
  static const size_t expected[] = {6, 3, 9, 2};
  static struct blocks got;
  for (size_t portion = 1; portion < 30; portion++) {
    split(cutter, data, sizeof data - 1, portion, &random, &got);
    assert_int_equal(got.count, 4);
    assert_memory_equal(got.lengths, expected, sizeof expected);
  }
  cutter.records_max = 0;
  cutter.bytes_max = 9;
  split(cutter, data, sizeof data - 1, 1, &random, &got);
  assert_int_equal(got.count, 3);
  assert_int_equal(got.lengths[0], 9);
  assert_int_equal(got.lengths[1], 9);
}

/* A function that reads the record from its begin is asked a few times, not for every portion. */
static void function_is_asked_as_the_record_doubles(void **state) {
  (void)state;
  static char data[1 << 20];
  memset(data, 'x', sizeof data);
  size_t calls = 0;
  struct ls_cutter cutter = {.records = {.find = find_change, .context = &calls}, .bytes_max = 10};
  for (size_t arrived = 1; arrived < sizeof data; arrived += 100)
    assert_int_equal(ls_cutter_cut(&cutter, data, arrived, false), 0);
  assert_in_range(calls, 1, 40);
  assert_int_equal(ls_cutter_cut(&cutter, data, sizeof data, true), sizeof data);
}

/* A hundred MiB that arrive by 64 KiB: were each portion to search them all, this would take
 * minutes. */
static void long_record_is_searched_once(void **state) {
  (void)state;
  size_t length = (size_t)100 << 20;
  char *data = malloc(length);
  assert_non_null(data);
  memset(data, 'x', length);
  data[length - 2] = '\n';
  for (int kind = 0; kind < 2; kind++) {
    struct ls_cutter cutter = {.records = {.end = "\n", .end_length = 1, .start = ""},
                               .records_max = kind == 0 ? 0 : 1,
                               .bytes_max = kind == 0 ? 1 << 20 : 0};
    for (size_t arrived = 1 << 16; arrived < length; arrived += 1 << 16)
      assert_int_equal(ls_cutter_cut(&cutter, data, arrived, false), 0);
    assert_int_equal(ls_cutter_cut(&cutter, data, length, false), length - 1);
  }
  free(data);
}

static void edges_are_found_from_any_place(void **state) {
  (void)state;
  struct ls_records lines = {.end = "\n", .end_length = 1, .start = ""};
  assert_int_equal(ls_records_first(&lines, "ab\ncd\n", 6, 0), 3);
  assert_int_equal(ls_records_first(&lines, "ab\ncd\n", 6, 3), 6);
  assert_int_equal(ls_records_first(&lines, "ab\ncd\n", 6, 6), LS_RECORD_NONE);
  assert_int_equal(ls_records_last(&lines, "ab\ncd\n", 6, 5), 3);
  assert_int_equal(ls_records_last(&lines, "ab\ncd\n", 6, 2), LS_RECORD_NONE);
  struct ls_records fasta = {.end = "", .start = ">", .start_length = 1};
  assert_int_equal(ls_records_first(&fasta, ">a\n>b\n", 6, 0), 3);
  assert_int_equal(ls_records_last(&fasta, ">a\n>b\n", 6, 3), 3);
  assert_int_equal(ls_records_last(&fasta, ">a\n>b\n", 6, 2), LS_RECORD_NONE);
}

/* Texts that stand in front of each record: the first one ends nothing. Further ones end an empty
 * record. */
static void texts_in_front_of_the_first_record_are_part_of_it(void **state) {
  (void)state;
  static const struct {
    const char *data;
    uint64_t records_max;
    size_t bytes_max;
    size_t lengths[4];
    size_t count;
  } cases[] = {{"--a--b--", 1, 0, {5, 3}, 2},  {"----a----b", 1, 0, {7, 2, 1}, 3},
               {"--a--b", 2, 0, {6}, 1},       {"--", 1, 0, {2}, 1},
               {"----", 1, 0, {4}, 1},         {"a----b", 1, 0, {3, 2, 1}, 3},
               {"--abcd--e", 0, 3, {8, 1}, 2}, {"--a--b", 0, 100, {6}, 1}};
  struct ls_random random;
  ls_random_init(&random, 7, "leading");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct ls_cutter cutter = {.records = {.end = "--", .end_length = 2, .start = ""},
                                     .records_max = cases[i].records_max,
                                     .bytes_max = cases[i].bytes_max,
                                     .skips_leading = true};
    static struct blocks got;
    for (size_t portion = 1; portion < 12; portion++) {
      split(cutter, cases[i].data, strlen(cases[i].data), portion, &random, &got);
      assert_int_equal(got.count, cases[i].count);
      assert_memory_equal(got.lengths, cases[i].lengths, got.count * sizeof *got.lengths);
    }
  }
}

static void nothing_has_no_block(void **state) {
  (void)state;
  struct ls_cutter cutter = {.records = {.end = "\n", .end_length = 1, .start = ""},
                             .bytes_max = 10};
  assert_int_equal(ls_cutter_cut(&cutter, "", 0, false), 0);
  assert_int_equal(ls_cutter_cut(&cutter, "", 0, true), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_are_those_of_a_naive_splitter),
      cmocka_unit_test(function_finds_edges),
      cmocka_unit_test(function_is_asked_as_the_record_doubles),
      cmocka_unit_test(long_record_is_searched_once),
      cmocka_unit_test(edges_are_found_from_any_place),
      cmocka_unit_test(texts_in_front_of_the_first_record_are_part_of_it),
      cmocka_unit_test(nothing_has_no_block),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
