#include "runtime/os/line_limits.h"

#include <string.h>
#include <unistd.h>

/* Linux: MAX_ARG_STRLEN, and the most for words and environment however large the stack may be;
 * POSIX leaves 2048 bytes to programs that change their environment, as xargs does. */
enum { WORD_BYTES = 128 << 10, ALL_BYTES_MOST = 6 << 20, MARGIN_BYTES = 2048, LEAST_BYTES = 4096 };

struct ls_line_limits ls_line_limits_find(uint64_t line_bytes_max, char *const *environment) {
  long known = sysconf(_SC_ARG_MAX);
  uint64_t all = known > 0 && known < ALL_BYTES_MOST ? (uint64_t)known : ALL_BYTES_MOST;
  uint64_t taken = MARGIN_BYTES + 2 * sizeof(char *); /* both lists end in NULL */
  for (char *const *entry = environment; *entry != NULL; ++entry)
    taken += strlen(*entry) + 1 + sizeof(char *);
  return (struct ls_line_limits){.bytes = all > taken + LEAST_BYTES ? all - taken : LEAST_BYTES,
                                 .line_bytes = line_bytes_max > 0 ? line_bytes_max : UINT64_MAX,
                                 .word_bytes = WORD_BYTES};
}
