#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pack_cli_fixture.h"

#include <jansson.h>

static json_t *write_by(const char *const *words) {
  struct tables tables;
  struct ls_pack_options options;
  struct ls_pack_division division;
  struct ls_bytes out = {0};
  take_options(&options, words);
  take_tables(&tables, "a,4\nb,3\n\"c \"\"d\",3\nd,2\n", "a,5\n", NULL);
  assert_int_equal(ls_pack_divide(&options, &tables.tasks, &division, NULL), LS_OK);
  ls_pack_json_write(&options, &tables.tasks, &division, &out);
  json_t *document = json_loads(ls_bytes_text(&out), 0, NULL);
  if (document == NULL) fail_msg("no JSON: %s", ls_bytes_text(&out));
  ls_bytes_close(&out);
  ls_pack_division_close(&division);
  ls_pack_options_close(&options);
  close_tables(&tables);
  return document;
}

static void each_mode_is_json_with_all_names(void **state) {
  (void)state;
  static const char *const modes[][5] = {{"f", "-k", "2", NULL},
                                         {"f", "--job-seconds", "6", NULL},
                                         {"f", "--unknown-speeds", "2", "--speeds=1,2", NULL}};
  for (size_t i = 0; i < 3; i++) {
    json_t *document = write_by(modes[i]), *parts = json_object_get(document, "parts");
    size_t names = 0;
    for (size_t k = 0; k < json_array_size(parts); k++)
      names += json_array_size(json_object_get(json_array_get(parts, k), "tasks"));
    assert_int_equal(names, 4);
    assert_int_equal(json_integer_value(json_object_get(document, "count")),
                     json_array_size(parts));
    assert_int_equal(json_is_object(json_object_get(document, "expected")), i < 2);
    assert_true(json_array_size(json_object_get(document, "neighbours")) >= 2);
    json_decref(document);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_mode_is_json_with_all_names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
