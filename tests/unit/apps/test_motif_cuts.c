/* Wherever there is room, each seed finds places; and those that tries find stay what they were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cuts.h"
#include "records.h"

enum { COUNT_MAX = 8 };

/* A text of codes: '|' is no letter. */
static struct ls_bytes make_codes(const char *text) {
  struct ls_bytes codes = {0};
  for (const char *c = text; *c != 0; c++) ls_bytes_append_char(&codes, *c == '|' ? NO_LETTER : 1);
  return codes;
}

static enum ls_status draw(const char *text, size_t length, uint64_t seed, size_t *places,
                           size_t count) {
  struct ls_bytes codes = make_codes(text);
  enum ls_status status = cuts_draw(&codes, length, seed, places, count);
  ls_bytes_close(&codes);
  return status;
}

static void assert_cuts(const char *text, size_t length, const size_t *places, size_t count) {
  for (size_t i = 0; i < count; i++) {
    assert_in_range(places[i], 0, strlen(text) - length);
    assert_null(memchr(text + places[i], '|', length));
    for (size_t j = 0; j < i; j++) {
      size_t apart = places[i] > places[j] ? places[i] - places[j] : places[j] - places[i];
      assert_in_range(apart, length, SIZE_MAX);
    }
  }
}

/* Without a letter to spare, or with one, single tries are in each other's way. */
static void tight_genome_has_places_for_every_seed(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t length, count;
  } cases[] = {{"aaaaaaaaaaaaaaaaaaaa", 10, 2},
               {"aaaaaaaaaaaaaaaaaaaaa", 10, 2},
               {"|aaaaaaaaa|aaaa||aaa|aaaaaaaaaaa|", 3, 8},
               {"aaaaaaaa", 1, 8},
               {"|aaaaa|aa|aaaaaaa|aaaaa", 5, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (uint64_t seed = 0; seed < 300; seed++) {
      size_t places[COUNT_MAX];
      assert_int_equal(draw(cases[i].text, cases[i].length, seed, places, cases[i].count), LS_OK);
      assert_cuts(cases[i].text, cases[i].length, places, cases[i].count);
    }
  }
}

/* Three of 40 in 121 letters: tries find places for hardly a seed, and there are four ways. */
static void free_letter_may_be_anywhere(void **state) {
  (void)state;
  char text[122] = {0};
  size_t before[4] = {0}, orders[3] = {0};
  memset(text, 'a', 121);
  for (uint64_t seed = 0; seed < 4000; seed++) {
    size_t places[3], moved = 0;
    assert_int_equal(draw(text, 40, seed, places, 3), LS_OK);
    assert_cuts(text, 40, places, 3);
    for (size_t i = 0; i < 3; i++) moved += places[i] % 40;
    before[moved]++;
    orders[places[0] / 40]++;
  }
  for (size_t i = 0; i < 4; i++) assert_in_range(before[i], 850, 1150);
  for (size_t i = 0; i < 3; i++) assert_in_range(orders[i], 1200, 1470);
}

static void no_room_is_told_for_every_seed(void **state) {
  (void)state;
  size_t places[COUNT_MAX];
  for (uint64_t seed = 0; seed < 20; seed++) {
    assert_int_equal(draw("aaaaaaaaaaaaaaaaaaa", 10, seed, places, 2), LS_EINVAL);
    assert_int_equal(draw("aaaaa|aaaaa|aaaaa", 4, seed, places, 4), LS_EINVAL);
    assert_int_equal(draw("aaa|aaa", 4, seed, places, 1), LS_EINVAL);
    assert_int_equal(draw("", 4, seed, places, 1), LS_EINVAL);
  }
}

/* What earlier versions drew: journals and answers go by the seed. */
static void seeds_keep_their_places(void **state) {
  (void)state;
  size_t places[3];
  char text[1001] = {0};
  memset(text, 'a', 1000);
  assert_int_equal(draw(text, 20, 7, places, 3), LS_OK);
  assert_int_equal(places[0], 64);
  assert_int_equal(places[1], 688);
  assert_int_equal(places[2], 16);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tight_genome_has_places_for_every_seed),
      cmocka_unit_test(free_letter_may_be_anywhere),
      cmocka_unit_test(no_room_is_told_for_every_seed),
      cmocka_unit_test(seeds_keep_their_places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
