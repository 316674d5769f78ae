#include <stdio.h>

#include "simgrid_fixture.h"

static void malformed_text_names_line_and_column(void **state) {
  (void)state;
  expect_refused("", "p.xml: line 1, column 1: malformed XML: no element found");
  expect_refused("<platform>\n<zone id='z'>\n</platform>",
                 "p.xml: line 3, column 3: malformed XML");
  expect_refused("<platform version='4.1'>", "malformed XML");
  expect_refused("<platform a='1' a='2'/>", "malformed XML: duplicate attribute");
  expect_refused("{}", "p.xml: line 1, column 1: malformed XML");
}

static void what_is_not_understood_is_refused_with_its_line(void **state) {
  (void)state;
  expect_refused("<html/>", "line 1: <html> is not read here");
  static const char *const inner[] = {"zone",     "host", "link",  "route",
                                      "link_ctn", "prop", "config"};
  for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
    /* None of them can be the whole document. */
    char text[64];
    (void)snprintf(text, sizeof text, "<%s id='a' speed='1f'/>", inner[i]);
    expect_refused(text, "is not read here");
  }
  expect_refused(ZONE("<cluster id='c'/>"), "line 3: <cluster> is not read here");
}

/* A billion laughs, and a file of the reader's machine. */
static void declarations_of_the_document_are_refused(void **state) {
  (void)state;
  expect_refused("<!DOCTYPE platform [<!ENTITY a 'aa'><!ENTITY b '&a;&a;'>]><platform/>",
                 "<!DOCTYPE> with declarations");
  expect_refused("<!DOCTYPE platform [<!ENTITY a SYSTEM '/etc/passwd'>]><platform>&a;</platform>",
                 "<!DOCTYPE> with declarations");
  struct ls_simgrid_document document;
  static const char text[] =
      "<?xml version='1.0'?><!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>" ZONE("");
  assert_int_equal(ls_simgrid_parse(&document, (struct ls_text){text, strlen(text), "p.xml"}, NULL),
                   LS_OK);
  ls_simgrid_document_close(&document);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(malformed_text_names_line_and_column),
      cmocka_unit_test(what_is_not_understood_is_refused_with_its_line),
      cmocka_unit_test(declarations_of_the_document_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
