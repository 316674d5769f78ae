/* test_event_kinds.c: every kind of event and of action is made and taken, in the simulator and in
 * runs.
 *
 * The table names, for each kind, the file of each driver that makes the event or takes the action;
 * the sources are read to see that it does.  A kind without a row fails, and so does a row that is
 * no longer true: also one that says that a driver has nothing to do with a kind.
 */
#include <ctype.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "coordinator/action.h"
#include "coordinator/event.h"

/* A driver's file; or, with a reason, none. */
struct part {
  const char *file, *reason;
};

struct row {
  const char *kind;
  const char *coordinator; /* takes the event or makes the action */
  struct part simulator, run;
};

#define KIND(kind) [kind] = {#kind
#define FILE_OF(file) \
  { file, NULL }
#define NONE(reason) \
  { NULL, reason }
#define WITH_POOLS NONE("comes with the pools")

/* clang-format off */
static const struct row events[LS_EVENT_COUNT] = {
    KIND(LS_EVENT_JOINED), "step.c", FILE_OF("presence.c"), FILE_OF("master_events.c")},
    KIND(LS_EVENT_READY), "step.c", FILE_OF("dispatcher.c"), FILE_OF("master_events.c")},
    KIND(LS_EVENT_RESULT), "step.c", FILE_OF("mail.c"), FILE_OF("master_events.c")},
    KIND(LS_EVENT_HEARTBEAT), "step.c", NONE("no simulated worker falls silent"),
        FILE_OF("master_events.c")},
    KIND(LS_EVENT_LEAVING), "step.c", NONE("a simulated worker goes without notice"), WITH_POOLS},
    KIND(LS_EVENT_LOST), "step.c", FILE_OF("presence.c"), FILE_OF("master_events.c")},
    KIND(LS_EVENT_SUSPENDED), "step.c", FILE_OF("presence.c"), WITH_POOLS},
    KIND(LS_EVENT_RESUMED), "step.c", FILE_OF("presence.c"), WITH_POOLS},
    KIND(LS_EVENT_GRANTED), "step.c", FILE_OF("presence.c"), WITH_POOLS},
    KIND(LS_EVENT_REFUSED), "step.c", NONE("a simulated request waits until it is granted"),
        WITH_POOLS},
    KIND(LS_EVENT_ADVICE), "step.c", NONE("the adviser simulates; nobody advises its simulations"),
        FILE_OF("master_events.c")},
    KIND(LS_EVENT_TIMER), "step.c", FILE_OF("simulate.c"), FILE_OF("master_events.c")},
    KIND(LS_EVENT_ITERATION), "step.c", FILE_OF("iterations.c"), FILE_OF("master.c")},
    KIND(LS_EVENT_FREE), "step.c", FILE_OF("dispatcher.c"), FILE_OF("master_events.c")},
    KIND(LS_EVENT_STOP), "step.c", NONE("no user interrupts a simulation"),
        FILE_OF("master_events.c")},
};

static const struct row actions[LS_ACTION_COUNT] = {
    KIND(LS_ACTION_SEND), "handle_requests.c", FILE_OF("dispatcher.c"),
        FILE_OF("master_actions.c")},
    KIND(LS_ACTION_FETCH), "handle_returns.c", FILE_OF("dispatcher.c"),
        FILE_OF("master_actions.c")},
    KIND(LS_ACTION_CANCEL), "handle_replicas.c", FILE_OF("dispatcher.c"),
        FILE_OF("master_actions.c")},
    KIND(LS_ACTION_RELEASE), "handle_iterations.c", FILE_OF("dispatcher.c"),
        FILE_OF("master_actions.c")},
    KIND(LS_ACTION_REQUEST_WORKERS), "handle_workers.c", FILE_OF("dispatcher.c"),
        FILE_OF("master_actions.c")},
    KIND(LS_ACTION_SET_PREFETCH), "handle_advice.c", FILE_OF("dispatcher.c"),
        FILE_OF("master_actions.c")},
    KIND(LS_ACTION_WAKE_AT), "step.c", FILE_OF("dispatcher.c"), FILE_OF("master_actions.c")},
    KIND(LS_ACTION_SETTLE), "handle_results.c", FILE_OF("dispatcher.c"),
        FILE_OF("master_actions.c")},
    KIND(LS_ACTION_ITERATION_DONE), "handle_iterations.c", FILE_OF("dispatcher.c"),
        FILE_OF("master_actions.c")},
    KIND(LS_ACTION_AWAIT_FREE), "handle_requests.c", FILE_OF("dispatcher.c"),
        NONE("only a paced master is asked, and a real one is not paced")},
    KIND(LS_ACTION_FINISH), "handle_iterations.c", FILE_OF("dispatcher.c"),
        FILE_OF("master_actions.c")},
};
/* clang-format on */

/* ---- the sources ---- */

enum { FILE_BYTES_MAX = 100000 };

static const char *root;

/* The file's text is static, until the next call. */
static const char *read_source(const char *folder, const char *file) {
  static char text[FILE_BYTES_MAX];
  char path[1024];
  (void)snprintf(path, sizeof path, "%s/src/%s/%s", root, folder, file);
  FILE *in = fopen(path, "r");
  if (in == NULL) fail_msg("%s cannot be read", path);
  size_t length = fread(text, 1, sizeof text - 1, in);
  (void)fclose(in);
  assert_true(length < sizeof text - 1);
  text[length] = '\0';
  return text;
}

static bool is_word(char byte) {
  return isalnum((unsigned char)byte) || byte == '_';
}

static bool stands_before(const char *text, const char *at, const char *words) {
  size_t length = strlen(words);
  return (size_t)(at - text) >= length && memcmp(at - length, words, length) == 0;
}

/* A kind is taken where it is compared, and made where it is named otherwise. */
static bool mentions(const char *text, const char *kind, bool is_taken) {
  size_t length = strlen(kind);
  for (const char *at = text; (at = strstr(at, kind)) != NULL; at += length) {
    if (is_word(at[length]) || (at > text && is_word(at[-1]))) continue;
    bool is_compared = stands_before(text, at, "case ") || stands_before(text, at, "== ") ||
                       stands_before(text, at, "!= ");
    if (is_compared == is_taken) return true;
  }
  return false;
}

/* The first source of the folder that makes or takes the kind; NULL: none does. */
static const char *find_mention(const char *folder, const char *kind, bool is_taken) {
  static char found[256];
  char path[1024];
  (void)snprintf(path, sizeof path, "%s/src/%s", root, folder);
  DIR *directory = opendir(path);
  assert_non_null(directory);
  bool is_found = false;
  for (struct dirent *entry; !is_found && (entry = readdir(directory)) != NULL;) {
    size_t length = strlen(entry->d_name);
    if (length < 2 || strcmp(entry->d_name + length - 2, ".c") != 0) continue;
    is_found = mentions(read_source(folder, entry->d_name), kind, is_taken);
    (void)snprintf(found, sizeof found, "%s", entry->d_name);
  }
  (void)closedir(directory);
  return is_found ? found : NULL;
}

/* ---- the tests ---- */

static void check_file(const char *folder, const char *file, const char *kind, bool is_taken) {
  if (!mentions(read_source(folder, file), kind, is_taken))
    fail_msg("src/%s/%s does not %s %s", folder, file, is_taken ? "take" : "make", kind);
}

static void check_part(const char *folder, const struct part *part, const char *kind,
                       bool is_taken) {
  if (part->file != NULL) {
    check_file(folder, part->file, kind, is_taken);
    return;
  }
  assert_non_null(part->reason);
  const char *file = find_mention(folder, kind, is_taken);
  if (file != NULL)
    fail_msg("src/%s/%s does %s %s, and the row says: %s", folder, file, is_taken ? "take" : "make",
             kind, part->reason);
}

static void check_rows(const struct row *rows, size_t count, bool are_events) {
  for (size_t i = 0; i < count; i++) {
    if (rows[i].kind == NULL) fail_msg("%s %zu has no row", are_events ? "event" : "action", i);
    check_file("coordinator", rows[i].coordinator, rows[i].kind, are_events);
    check_part("simulate", &rows[i].simulator, rows[i].kind, !are_events);
    check_part("runtime", &rows[i].run, rows[i].kind, !are_events);
  }
}

static void every_event_is_made_in_both_drivers_and_taken(void **state) {
  (void)state;
  check_rows(events, LS_EVENT_COUNT, true);
}

static void every_action_is_made_and_taken_in_both_drivers(void **state) {
  (void)state;
  check_rows(actions, LS_ACTION_COUNT, false);
}

/* What the others rest on. */
static void a_kind_is_taken_where_it_is_compared(void **state) {
  (void)state;
  assert_true(mentions("case KIND:", "KIND", true));
  assert_false(mentions("case KIND:", "KIND", false));
  assert_true(mentions("if (kind == KIND)", "KIND", true));
  assert_true(mentions(".kind = KIND}", "KIND", false));
  assert_false(mentions(".kind = KIND}", "KIND", true));
  assert_false(mentions("case KIND_OTHER: AKIND", "KIND", true));
  assert_false(mentions("case KIND_OTHER: AKIND", "KIND", false));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_kind_is_taken_where_it_is_compared),
      cmocka_unit_test(every_event_is_made_in_both_drivers_and_taken),
      cmocka_unit_test(every_action_is_made_and_taken_in_both_drivers),
  };
  if (argc != 2) return 2;
  root = argv[1];
  return cmocka_run_group_tests(tests, NULL, NULL);
}
