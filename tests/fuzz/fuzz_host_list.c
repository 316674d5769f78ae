/* Any text is refused in words, or names hosts that no shell and no ssh takes for something else.
 */
#include <assert.h>
#include <string.h>

#include "fuzz.h"
#include "protocol/host_list.h"

bool fuzz_accepts;

static void check(const struct ls_host *host) {
  assert(host->name[0] != '\0' && host->target[0] != '-' && host->name[0] != '-');
  assert(strpbrk(host->target, " \t\n'\"\\;&|<>()`*?[]{}#~") == NULL);
  assert(host->workers <= LS_HOST_WORKERS_MAX && host->speed > 0 && host->speed <= 1);
  (void)host;
}

static void try_logins(struct ls_text text) {
  struct ls_host_list list = {0};
  struct ls_error err = {0};
  if (ls_host_list_add_logins(text, &list, &err) == LS_OK) {
    fuzz_accepts = true;
  } else {
    assert(err.text[0] != '\0');
  }
  for (size_t i = 0; i < list.count; i++) check(&list.items[i]);
  ls_host_list_close(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct ls_text text = {(const char *)data, size, "fuzz"};
  struct ls_host_list list;
  struct ls_error err = {0};
  fuzz_accepts = false;
  try_logins(text);
  if (ls_host_list_read(text, &list, &err) != LS_OK) {
    assert(err.text[0] != '\0');
    return 0;
  }
  fuzz_accepts = true;
  for (size_t i = 0; i < list.count; i++) check(&list.items[i]);
  ls_host_list_close(&list);
  return 0;
}
