#include "simgrid_fixture.h"

static void hosts_links_and_routes_are_collected(void **state) {
  (void)state;
  struct ls_simgrid_document document;
  static const char text[] = ZONE(
      "<host id='m' speed='1Gf'/><host id='w' speed='2Gf' core='3'/>"
      "<link id='b' bandwidth='10MBps' latency='1ms'/><link id='a' bandwidth='5MBps'/>"
      "<route src='m' dst='w'><link_ctn id='a'/><link_ctn id='b' direction='UP'/></route>");
  assert_int_equal(ls_simgrid_parse(&document, (struct ls_text){text, strlen(text), "p.xml"}, NULL),
                   LS_OK);
  assert_int_equal(document.hosts_count, 2);
  assert_string_equal(document.hosts[1].name, "w");
  assert_true(document.hosts[1].speed == 6e9);
  assert_int_equal(document.routes_count, 1);
  /* Latencies add up; the narrowest link decides. */
  assert_true(document.routes[0].latency_s == 1e-3);
  assert_true(document.routes[0].bandwidth == 5e6);
  assert_true(document.routes[0].is_symmetrical);
  ls_simgrid_document_close(&document);
}

static void an_element_that_lacks_or_misspells_something_is_refused_with_its_line(void **state) {
  (void)state;
  expect_refused(ZONE("<zone id='y'/>"), "a second zone");
  expect_refused("<platform version='4.1'><zone id='z' routing='Floyd'/></platform>",
                 "routing is 'Floyd', expected Full");
  expect_refused(ZONE("\n<host id='a' speed='quick'/>"), "line 4: speed is 'quick'");
  expect_refused(ZONE("<host speed='1Gf'/>"), "<host> lacks the attribute id");
  expect_refused(ZONE("<host id='a'/>"), "<host> lacks the attribute speed");
  expect_refused(ZONE("<host id='a' speed='1f' state_file='x'/>"),
                 "attribute state_file of <host>");
  expect_refused(ZONE("<host id='a' speed='1f' core='0'/>"), "core is '0'");
  expect_refused(ZONE("<link id='l' bandwidth='0Bps'/>"), "bandwidth is '0Bps', expected more");
  expect_refused(ZONE("<link id='l' bandwidth='1Bps' latency='-1s'/>"), "latency is '-1s'");
  expect_refused(ZONE("<route src='a' dst='b'><link_ctn id='none'/></route>"),
                 "link 'none' is not declared above");
  expect_refused(ZONE("<route src='a' dst='b' symmetrical='perhaps'/>"), "expected true or false");
  expect_refused(ZONE("<route src='a' dst='b'/><link id='l' bandwidth='1Bps'/>"),
                 "stands after a route");
  /* Which of the two a route goes over would be a guess. */
  expect_refused(ZONE("<link id='l' bandwidth='1Bps'/><link id='k' bandwidth='1Bps'/>\n"
                      "<link id='l' bandwidth='2Bps'/><route src='a' dst='b'/>"),
                 "line 4: two links above are called 'l'");
}

static void properties_are_checked(void **state) {
  (void)state;
#define HOST(property) ZONE("<host id='a' speed='1f'><prop " property "/></host>")
  expect_refused(HOST("id='loadstar.colour' value='1'"), "has no meaning for a host");
  expect_refused(HOST("id='loadstar.delay' value='-1'"),
                 "loadstar.delay is '-1', expected a number");
  expect_refused(HOST("id='loadstar.delay' value='0x10'"),
                 "loadstar.delay is '0x10', expected a number");
  expect_refused(HOST("id='loadstar.delay'"), "<prop> lacks the attribute value");
  expect_refused(HOST("id='loadstar.master' value='x'"), "expected true or false");
  expect_refused(ZONE("<prop id='loadstar.ports' value='four'/>"), "expected one-port");
  expect_refused(ZONE("<prop id='loadstar.limit' value='0.5'/>"), "a whole number");
  expect_refused(ZONE("<prop id='loadstar.speed' value='1'/>"), "has no meaning for a zone");
#undef HOST
  struct ls_simgrid_document document;
  static const char text[] = ZONE(
      "<prop id='author' value='somebody'/>"
      "<host id='a' speed='1f'><prop id='rack' value='7'/></host>");
  assert_int_equal(ls_simgrid_parse(&document, (struct ls_text){text, strlen(text), "p.xml"}, NULL),
                   LS_OK);
  ls_simgrid_document_close(&document);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hosts_links_and_routes_are_collected),
      cmocka_unit_test(an_element_that_lacks_or_misspells_something_is_refused_with_its_line),
      cmocka_unit_test(properties_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
