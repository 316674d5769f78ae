/* ssh_fixture.h: a program in place of ssh, which plays an agent by a script; the real one is tried
 * in tests/cli/test-ssh. */
#ifndef LS_TEST_SUPPORT_SSH_FIXTURE_H
#define LS_TEST_SUPPORT_SSH_FIXTURE_H

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/os/clock.h"
#include "runtime/os/keys.h"
#include "runtime/pool/ssh/ssh_hosts.h"

enum { WARNINGS_MAX = 16 };

struct ssh_scene {
  char folder[40], command[64];
  struct ls_ssh_hosts hosts;
  char warnings[WARNINGS_MAX][400];
  size_t warnings_count;
};

/* An agent with four cores that starts what it is told to, as processes 1000 + slot that a signal
 * ends; `$host` is the host, `$folder` the scene's. */
#define SSH_AGENT                                           \
  "echo loadstar-agent 1 4 $folder\n"                       \
  "while read -r word slot rest; do case $word in\n"        \
  "  tunnel) echo ready;;\n"                                \
  "  start) echo started $slot $((1000 + slot));;\n"        \
  "  signal) echo ended $slot $((1000 + slot)) 0 $rest;;\n" \
  "  close) exit 0;;\n"                                     \
  "esac; done\n"

static inline void ssh_warn(void *context, const char *text) {
  struct ssh_scene *scene = context;
  if (scene->warnings_count == WARNINGS_MAX) return;
  (void)snprintf(scene->warnings[scene->warnings_count++], sizeof scene->warnings[0], "%s", text);
}

/* `script`: what ssh does behind its login; the short ssh that lays a tunnel succeeds. */
static inline void ssh_write(struct ssh_scene *scene, const char *script) {
  FILE *out = fopen(scene->command, "w");
  assert_non_null(out);
  (void)fprintf(out,
                "#!/bin/sh\nfolder=%s\ncase \"$*\" in *'-O forward'*) exit 0;; esac\n"
                "while [ $# -gt 2 ]; do shift; done; host=$1\n%s",
                scene->folder, script);
  assert_int_equal(fclose(out), 0);
  assert_int_equal(chmod(scene->command, 0700), 0);
}

static inline void ssh_open(struct ssh_scene *scene, const char *script,
                            const struct ls_host *hosts, size_t count) {
  *scene = (struct ssh_scene){0};
  struct ls_error err = {0};
  strcpy(scene->folder, "/tmp/loadstar-ssh-XXXXXX");
  assert_non_null(mkdtemp(scene->folder));
  (void)snprintf(scene->command, sizeof scene->command, "%s/ssh", scene->folder);
  ssh_write(scene, script);
  const struct ls_ssh_setup setup = {.hosts = hosts,
                                     .count = count,
                                     .command = scene->command,
                                     .program = "/opt/load star",
                                     .run = "0123",
                                     .warn = ssh_warn,
                                     .context = scene};
  if (ls_ssh_hosts_open(&setup, &scene->hosts, &err) != LS_OK) fail_msg("%s", err.text);
}

static inline struct ls_key_file ssh_keys(void) {
  struct ls_key_file keys;
  assert_int_equal(ls_keys_make(&keys, NULL), LS_OK);
  keys.is_master = false;
  strcpy(keys.address, "tcp://127.0.0.1:5555");
  strcpy(keys.bound, "tcp://127.0.0.1:5555");
  return keys;
}

static inline void ssh_close(struct ssh_scene *scene) {
  char command[80];
  ls_ssh_hosts_close(&scene->hosts, 0);
  (void)snprintf(command, sizeof command, "rm -rf %s", scene->folder);
  assert_int_equal(system(command), 0);
}

#endif
