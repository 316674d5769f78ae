/* pool_slurm_fixture.h: a pool of jobs among commands of our own, which say what a test wants. */
#ifndef LS_TESTS_UNIT_RUNTIME_POOL_SLURM_FIXTURE_H
#define LS_TESTS_UNIT_RUNTIME_POOL_SLURM_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protocol/key_file.h"
#include "runtime/os/clock.h"
#include "runtime/os/keys.h"
#include "runtime/pool/slurm/pool_slurm.h"

static char folder[64], warnings[2000];
static struct ls_key_file keys;
static struct ls_slurm_setup own;

/* ---- files ---- */

static inline const char *name(const char *file) {
  static char path[4][200];
  static int next;
  char *made = path[next++ % 4];
  (void)snprintf(made, sizeof path[0], "%s/%s", folder, file);
  return made;
}

static inline void write_text(const char *file, const char *text) {
  FILE *out = fopen(name(file), "w");
  assert_non_null(out);
  fputs(text, out);
  fclose(out);
}

static inline const char *read_text(const char *file) {
  static char text[4000];
  FILE *in = fopen(name(file), "r");
  size_t length = in != NULL ? fread(text, 1, sizeof text - 1, in) : 0;
  if (in != NULL) fclose(in);
  text[length] = '\0';
  return text;
}

/* A command in PATH; $D is the folder. */
static inline void write_command(const char *command, const char *text) {
  char file[100], script[1000];
  (void)snprintf(file, sizeof file, "bin/%s", command);
  (void)snprintf(script, sizeof script, "#!/bin/sh\nD=%s\n%s\n", folder, text);
  write_text(file, script);
  assert_int_equal(chmod(name(file), 0755), 0);
}

static inline void keep_warning(void *context, const char *text) {
  (void)context;
  size_t length = strlen(warnings);
  (void)snprintf(warnings + length, sizeof warnings - length, "%s\n", text);
}

static inline int open_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/loadstar-slurm-XXXXXX");
  if (mkdtemp(folder) == NULL || mkdir(name("bin"), 0755) != 0) return -1;
  char path[300];
  (void)snprintf(path, sizeof path, "%s:/usr/bin:/bin", name("bin"));
  (void)setenv("PATH", path, 1);
  warnings[0] = '\0';
  own = (struct ls_slurm_setup){.workers = 2,
                                .program = "/bin/true",
                                .directory = folder,
                                .heartbeat_s = 0.05,
                                .warn = keep_warning};
  write_command("sbatch", "echo \"$@\" >>$D/sbatch.log; echo 7");
  write_command("squeue", "cat $D/queue 2>/dev/null; true");
  write_command("scancel", "echo \"$@\" >>$D/scancel.log; rm -f $D/queue");
  assert_int_equal(ls_keys_make(&keys, NULL), LS_OK);
  (void)snprintf(keys.address, sizeof keys.address, "tcp://127.0.0.1:1");
  keys.is_master = false;
  return ls_slurm_wish_read("nodes=3,partition=p", &own.wish, NULL) == LS_OK ? 0 : -1;
}

static inline int close_folder(void **state) {
  (void)state;
  char command[100];
  (void)snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

/* ---- the pool ---- */

static inline struct ls_pool *open_pool(void) {
  struct ls_pool *pool = NULL;
  struct ls_error err = {0};
  struct ls_pool_setup setup = {.keys = &keys, .first_slot = 3, .slots = 6, .own = &own};
  if (ls_pool_slurm.open(&setup, &pool, &err) != LS_OK) fail_msg("%s", err.text);
  return pool;
}

/* The next news, waited for as a master does; a poll never waits itself. */
static inline struct ls_pool_news hear(struct ls_pool *pool) {
  struct ls_pool_news news;
  double until_s = ls_clock_s() + 60;
  for (;;) {
    double began_s = ls_clock_s();
    bool is_told = ls_pool_slurm.poll(pool, &news);
    assert_true(ls_clock_s() - began_s < 30);
    if (is_told && news.kind < LS_POOL_PENDING) return news;
    if (ls_clock_s() > until_s) fail_msg("no news within a minute; %s", warnings);
    double wait_s = ls_pool_slurm.patience_s(pool);
    struct pollfd file = {.fd = ls_pool_slurm.file(pool), .events = POLLIN};
    (void)poll(&file, 1, wait_s < 0.2 ? (int)(1000 * wait_s) + 1 : 200);
  }
}

/* For as long as nobody has anything to say. */
static inline void idle(struct ls_pool *pool, double seconds) {
  struct ls_pool_news news;
  for (double until_s = ls_clock_s() + seconds; ls_clock_s() < until_s;) {
    if (ls_pool_slurm.poll(pool, &news) && news.kind < LS_POOL_PENDING)
      fail_msg("news %d", (int)news.kind);
    (void)poll(NULL, 0, 5);
  }
}

static inline uint32_t claim(struct ls_pool *pool, const char *place) {
  const struct ls_pool_claim said = {
      .name = "n", .name_length = 1, .place = place, .place_length = strlen(place)};
  return ls_pool_slurm.slot(pool, &said);
}

#define IN_FOLDER(name) cmocka_unit_test_setup_teardown(name, open_folder, close_folder)

#endif
