/* Any text is refused in words by each form of an option's value, or means what the form allows. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare_policies.h"
#include "cli/console.h"
#include "cli/run/halt.h"
#include "cli/run/policy_name.h"
#include "cli/run/run_options.h"
#include "cli/run/run_values.h"
#include "fuzz.h"
#include "runtime/master/site.h"
#include "runtime/transport/transport_zmq_address.h"

bool fuzz_accepts;

/* Every answer is one of the two: a value, or words. */
static bool is_read(enum ls_status status, struct ls_error *err) {
  assert(status == LS_OK || (status == LS_EINVAL && err->text[0] != '\0'));
  *err = (struct ls_error){0};
  fuzz_accepts = fuzz_accepts || status == LS_OK;
  return status == LS_OK;
}

static void read_numbers(const char *text, struct ls_error *err) {
  const struct ls_whole_range whole = {3, 1000};
  const struct ls_real_range real = {0.5, 1e6};
  uint64_t count = 0;
  double number = (double)NAN;
  if (is_read(ls_console_whole("--count", text, whole, &count, err), err))
    assert(count >= whole.least && count <= whole.most);
  if (is_read(ls_console_real("--seconds", text, real, &number, err), err))
    assert(number >= real.least && number <= real.most);
}

static void read_halt(const char *text, struct ls_error *err) {
  struct ls_halt halt;
  if (!is_read(ls_halt_parse(&halt, text, err), err)) return;
  assert(ls_halt_wish(&halt, 100, 0, 0) == LS_WISH_GO_ON);
  if (halt.reason == LS_HALT_NEVER) return;
  assert(halt.percent > 0 ? halt.percent <= 100 : halt.count >= 1);
  uint64_t failed = halt.reason == LS_HALT_SUCCESS ? 0 : UINT64_MAX, done = UINT64_MAX - failed;
  assert(ls_halt_wish(&halt, 100, done, failed) ==
         (halt.is_hard ? LS_WISH_STOP_NOW : LS_WISH_STOP));
}

static void read_speeds(const char *text, struct ls_error *err) {
  double *speeds = NULL;
  size_t count = 0;
  if (is_read(ls_run_speeds_read(text, &speeds, &count, err), err)) {
    assert(count >= 1 && count <= LS_RUN_WORKERS_MAX);
    for (size_t i = 0; i < count; i++) assert(speeds[i] > 0 && speeds[i] <= 1);
  }
  free(speeds);
}

static void read_addresses(const char *text, struct ls_error *err) {
  char host[LS_ADDRESS_BYTES];
  (void)is_read(ls_site_check_address(text, err), err);
  if (!is_read(ls_address_check(text, err), err) || !ls_address_has_scheme(text, "tcp://")) return;
  const char *port = ls_address_split(text, host);
  assert(strlen(host) + strlen(port) < strlen(text));
  assert(strcmp(port, "*") == 0 || strtoul(port, NULL, 10) <= UINT16_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct ls_error err = {0};
  struct ls_worker_range range;
  char *text = strndup((const char *)data, size), name[LS_POLICY_NAME_BYTES];
  if (text == NULL) abort();
  fuzz_accepts = false;
  read_numbers(text, &err);
  read_halt(text, &err);
  read_speeds(text, &err);
  read_addresses(text, &err);
  if (is_read(ls_worker_range_read(&range, text, &err), &err))
    assert(range.least >= 1 && range.least <= range.most);
  const char *value = ls_policy_name_cut(text, name);
  assert(strchr(name, ':') == NULL && (value == NULL) == (strchr(text, ':') == NULL));
  free(text);
  return 0;
}
