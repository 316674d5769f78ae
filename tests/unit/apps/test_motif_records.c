#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "records.h"

static void read_text(const char *text, struct records *records) {
  const struct ls_text fasta = {text, strlen(text), "given.fna"};
  assert_int_equal(records_read(records, &fasta, NULL), LS_OK);
}

static void records_have_names_and_codes(void **state) {
  (void)state;
  struct records records;
  read_text(">one of many\r\nAC\r\nGT\r\n>\nacgtn\n>three\tx\n\nT T", &records);
  assert_int_equal(records.count, 3);
  assert_string_equal(records.items[0].name, "one");
  assert_string_equal(records.items[1].name, "record 2");
  assert_string_equal(records.items[2].name, "three");
  assert_int_equal(records.items[0].count, 4);
  assert_int_equal(records.items[1].count, 5);
  assert_int_equal(records.items[2].count, 2);
  assert_memory_equal(records.codes.data + records.items[0].first, "\0\1\2\3", 4);
  assert_memory_equal(records.codes.data + records.items[1].first, "\0\1\2\3\4", 5);
  records_close(&records);
}

static void each_place_is_of_its_record(void **state) {
  (void)state;
  struct records records;
  read_text(">a\nACGT\n>empty\n>b\nGG\n", &records);
  for (size_t i = 0; i < records.count; i++) {
    for (size_t j = 0; j < records.items[i].count; j++) {
      assert_ptr_equal(records_find(&records, records.items[i].first + j), &records.items[i]);
    }
  }
  records_close(&records);
}

static void letters_that_are_none_are_n(void **state) {
  (void)state;
  assert_int_equal(records_letter(0), 'A');
  assert_int_equal(records_letter(3), 'T');
  assert_int_equal(records_letter(NO_LETTER), 'N');
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(records_have_names_and_codes),
      cmocka_unit_test(each_place_is_of_its_record),
      cmocka_unit_test(letters_that_are_none_are_n),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
