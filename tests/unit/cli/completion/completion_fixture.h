/* completion_fixture.h: a program of one subcommand, whose script a test looks at. */
#ifndef TEST_COMPLETION_FIXTURE_H
#define TEST_COMPLETION_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/completion/completion_script.h"

static const char completed_program[] =
    "[{\"name\": \"run\", \"summary\": \"what the tasks' user wants\", \"table\":"
    "  {\"usage\": \"[--] COMMAND [WORD...]\", \"words\": null, \"options\": ["
    "   {\"long\": \"order\", \"short\": \"o\", \"synonyms\": [{\"long\": \"sort\", \"short\": "
    "null}],"
    "    \"argument\": \"NAME[:X]\", \"argument_optional\": false, \"help\": \"It's [an] order: "
    "all\","
    "    \"words\": [\"fifo\", \"random\"]},"
    "   {\"long\": \"csv\", \"short\": null, \"synonyms\": [], \"argument\": \"FILE\","
    "    \"argument_optional\": true, \"help\": \"Rows\", \"words\": null},"
    "   {\"long\": \"out\", \"short\": null, \"synonyms\": [], \"argument\": \"DIR\","
    "    \"argument_optional\": false, \"help\": \"A folder\", \"words\": null},"
    "   {\"long\": \"quiet\", \"short\": \"q\", \"synonyms\": [], \"argument\": null,"
    "    \"argument_optional\": false, \"help\": \"Nothing\", \"words\": null}]}},"
    " {\"name\": \"list\", \"summary\": \"names\", \"table\":"
    "  {\"usage\": \"[NAME]\", \"words\": [\"one\", \"two\"], \"options\": ["
    "   {\"long\": \"seed\", \"short\": null, \"synonyms\": [], \"argument\": \"N\","
    "    \"argument_optional\": false, \"help\": \"A seed\", \"words\": null}]}}]";

/* Has the script all of these pieces (NULL-terminated)? */
static inline void expect_script(void (*write)(const struct ls_completion *, struct ls_bytes *),
                                 const char *const *pieces) {
  struct ls_completion completion = {.program = "my-tool",
                                     .function = "my_tool",
                                     .subcommands = json_loads(completed_program, 0, NULL)};
  assert_non_null(completion.subcommands);
  struct ls_bytes script = {0};
  write(&completion, &script);
  for (; *pieces != NULL; pieces++)
    if (strstr(ls_bytes_text(&script), *pieces) == NULL)
      fail_msg("%s is not in:\n%s", *pieces, ls_bytes_text(&script));
  ls_bytes_close(&script);
  json_decref(completion.subcommands);
}

#endif
