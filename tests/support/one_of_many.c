/* one_of_many.c: runs one of the test files that are linked with it.  Usage: PROGRAM NAME, where
 * test_NAME.c is the file. */
#define LS_ONE_OF_MANY_RUNNER
#include "one_of_many.h"

#include <stdio.h>
#include <string.h>

/* Constructors fill it before main. */
static struct ls_test_part *parts;

void ls_test_part_add(struct ls_test_part *part) {
  part->next = parts;
  parts = part;
}

static int is_named(const struct ls_test_part *part, const char *name) {
  const char *slash = strrchr(part->file, '/');
  char file[256];
  snprintf(file, sizeof file, "test_%s.c", name);
  return strcmp(slash ? slash + 1 : part->file, file) == 0;
}

int main(int argc, char **argv) {
  for (const struct ls_test_part *part = parts; argc == 2 && part; part = part->next)
    if (is_named(part, argv[1])) return part->run();
  fprintf(stderr, "usage: %s NAME; its tests:\n", argv[0]);
  for (const struct ls_test_part *part = parts; part; part = part->next)
    fprintf(stderr, "  %s\n", part->file);
  return 2;
}
