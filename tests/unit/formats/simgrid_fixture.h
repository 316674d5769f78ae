/* simgrid_fixture.h: pieces of SimGrid's XML, and what is refused of them. */
#ifndef LS_TESTS_MODEL_SIMGRID_FIXTURE_H
#define LS_TESTS_MODEL_SIMGRID_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "formats/platform_simgrid_private.h"

#define ZONE(...) \
  "<platform version='4.1'>\n<zone id='z' routing='Full'>\n" __VA_ARGS__ "</zone></platform>"

static inline void expect_refused(const char *text, const char *message) {
  struct ls_simgrid_document document;
  struct ls_error err = {0};
  assert_int_equal(ls_simgrid_parse(&document, (struct ls_text){text, strlen(text), "p.xml"}, &err),
                   LS_EINVAL);
  ls_simgrid_document_close(&document);
  if (strstr(err.text, message) == NULL) fail_msg("'%s' does not say '%s'", err.text, message);
}

#endif
