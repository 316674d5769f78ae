/* option_key.h: the key of an option of any dialect, by its long name.
 */
#ifndef TEST_OPTION_KEY_H
#define TEST_OPTION_KEY_H

#include <string.h>

#include "cli/run/run_option_table.h"

static inline int find_key(const char *name) {
  const struct argp_option *const *const lists[] = {ls_run_option_tables, ls_run_dialect_tables};
  for (size_t i = 0; i < 2; i++)
    for (size_t k = 0; lists[i][k] != NULL; k++)
      for (const struct argp_option *option = lists[i][k];
           option->name != NULL || option->doc != NULL; option++)
        if (option->name != NULL && strcmp(option->name, name) == 0) return option->key;
  fail_msg("no option %s", name);
  return 0;
}

#endif
