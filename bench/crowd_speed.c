/* crowd_speed: a master with a thousand workers.
 *
 * Usage: crowd_speed BUILD [PEERS [TURNS [UNITS]]]
 *
 * The master is the real program (the application fibonacci), listening under keys; its workers are
 * PEERS (1,000) of a crowd in this process, which speak the whole protocol.  Each turn measures
 *  - until all have joined, beside as many handshakes with a bare ROUTER of libzmq under CURVE, in
 * a process of its own, which checks nothing and answers a word;
 *  - processor time and memory of that master while all wait and beat;
 *  - UNITS (10^6) empty units by all, beside the same by 2 of a crowd, from the last one's joining.
 * Medians; one JSON line for each; exit status 1: what is to be reached is missed.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include "base/statistics.h"
#include "crowd.h"
#include "runtime/os/clock.h"
#include "runtime/os/limits.h"
#include "runtime/os/program.h"

enum { TURNS_MAX = 99, PEERS_MAX = 4000, FEW = 2, WORD_BYTES = 5, PATH_BYTES = 512 };

/* How long the master is looked at while nothing happens, once the news of all have passed. */
static const double IDLE_S = 5, SETTLE_S = 2;

extern char **environ;

enum figure { FIGURE_JOIN, FIGURE_IDLE, FIGURE_MEMORY, FIGURE_UNITS, FIGURES };
static const struct {
  const char *what;
  double reach;
} figures[FIGURES] = {{"all joined / bare CURVE handshakes", 2},
                      {"processor time of the idle master, cores", 0.03},
                      {"memory of the master, KiB a worker", 64},
                      {"empty units by all / by 2", 2}};

struct bench {
  char program[PATH_BYTES], folder[PATH_BYTES], key[PATH_BYTES + 8], summary[PATH_BYTES + 8];
  char description[LS_PROGRAM_BYTES];
  size_t peers, turns;
  const char *units;
  double values[FIGURES][TURNS_MAX];
  double join_s[TURNS_MAX], units_per_s[TURNS_MAX];
};

static void require(bool is_good, const char *what) {
  if (is_good) return;
  fprintf(stderr, "crowd_speed: %s failed: %s\n", what, strerror(errno));
  exit(1);
}

/* ---- the bare ROUTER ---- */

_Noreturn static void answer_barely(const struct ls_key_file *keys, int told) {
  const int one = 1, backlog = 4096;
  char address[LS_KEY_ADDRESS_BYTES] = "", name[256], word[WORD_BYTES];
  size_t length = sizeof address;
  void *router = zmq_socket(zmq_ctx_new(), ZMQ_ROUTER);
  (void)zmq_setsockopt(router, ZMQ_BACKLOG, &backlog, sizeof backlog);
  (void)zmq_setsockopt(router, ZMQ_CURVE_SERVER, &one, sizeof one);
  (void)zmq_setsockopt(router, ZMQ_CURVE_SECRETKEY, keys->server.secret_key, LS_KEY_BYTES);
  require(zmq_bind(router, "tcp://127.0.0.1:*") == 0 &&
              zmq_getsockopt(router, ZMQ_LAST_ENDPOINT, address, &length) == 0 &&
              write(told, address, sizeof address) == sizeof address,
          "to listen barely");
  for (;;) {
    int size = zmq_recv(router, name, sizeof name, 0);
    (void)zmq_recv(router, word, sizeof word, 0);
    (void)zmq_send(router, name, (size_t)size, ZMQ_SNDMORE);
    (void)zmq_send(router, word, sizeof word, 0);
  }
}

static void set_key(void *socket, int option, const char *key) {
  require(zmq_setsockopt(socket, option, key, strlen(key) + 1) == 0, "a key");
}

static void *connect_barely(void *context, const struct ls_key_file *keys) {
  const int nothing = 0;
  void *socket = zmq_socket(context, ZMQ_DEALER);
  require(socket != NULL, "a socket");
  (void)zmq_setsockopt(socket, ZMQ_LINGER, &nothing, sizeof nothing);
  set_key(socket, ZMQ_CURVE_SERVERKEY, keys->server.public_key);
  set_key(socket, ZMQ_CURVE_PUBLICKEY, keys->client.public_key);
  set_key(socket, ZMQ_CURVE_SECRETKEY, keys->client.secret_key);
  require(zmq_connect(socket, keys->address) == 0 &&
              zmq_send(socket, "hello", WORD_BYTES, 0) == WORD_BYTES,
          "to connect barely");
  return socket;
}

/* Seconds until all have been answered. */
static double greet_barely(size_t peers) {
  static void *sockets[PEERS_MAX];
  struct ls_key_file keys;
  struct ls_error err;
  char word[WORD_BYTES];
  int told[2];
  require(ls_keys_make(&keys, &err) == LS_OK && pipe(told) == 0, "to begin");
  pid_t router = fork();
  if (router == 0) answer_barely(&keys, told[1]);
  require(router > 0 && read(told[0], keys.address, sizeof keys.address) == sizeof keys.address,
          "a bare ROUTER");
  double begun_s = ls_clock_s();
  void *context = zmq_ctx_new();
  require(zmq_ctx_set(context, ZMQ_MAX_SOCKETS, PEERS_MAX + 10) == 0, "room for sockets");
  for (size_t i = 0; i < peers; i++) sockets[i] = connect_barely(context, &keys);
  for (size_t i = 0; i < peers; i++)
    require(zmq_recv(sockets[i], word, sizeof word, 0) == WORD_BYTES, "to be answered");
  double seconds = ls_clock_s() - begun_s;
  for (size_t i = 0; i < peers; i++) (void)zmq_close(sockets[i]);
  (void)zmq_ctx_term(context);
  (void)kill(router, SIGKILL);
  (void)waitpid(router, NULL, 0);
  (void)close(told[0]);
  (void)close(told[1]);
  return seconds;
}

/* ---- the master ---- */

struct master {
  pid_t pid;
  struct ls_key_file keys;
  long bytes; /* of its memory, before anybody came */
};

/* Of /proc/PID/status, in KiB. */
static long read_memory(pid_t pid) {
  char path[64], line[128];
  long kibibytes = -1;
  (void)snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  FILE *file = fopen(path, "r");
  require(file != NULL, path);
  while (fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "VmRSS: %ld", &kibibytes) == 1) break;
  (void)fclose(file);
  return kibibytes;
}

static double read_processor_s(pid_t pid) {
  clockid_t clock;
  struct timespec used;
  require(clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &used) == 0,
          "the processor time of the master");
  return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

/* A run that hands out nothing before so many are there. */
static struct master start_master(struct bench *bench, size_t workers_min) {
  struct master master;
  struct ls_error err;
  char least[32], summary[PATH_BYTES + 16];
  (void)snprintf(least, sizeof least, "%zu", workers_min);
  (void)snprintf(summary, sizeof summary, "--json=%s", bench->summary);
  char *words[] = {bench->program,
                   "run",
                   "--quiet",
                   "--no-local",
                   "--listen",
                   "tcp://127.0.0.1:*",
                   "--key",
                   bench->key,
                   "--policy",
                   "ss",
                   "--prefetch",
                   "64",
                   "--workers-min",
                   least,
                   summary,
                   "--",
                   "--units",
                   (char *)(size_t)bench->units,
                   "--seconds",
                   "0",
                   NULL};
  (void)unlink(bench->key);
  require(posix_spawn(&master.pid, bench->program, NULL, NULL, words, environ) == 0,
          bench->program);
  while (access(bench->key, F_OK) != 0) {
    require(waitpid(master.pid, NULL, WNOHANG) == 0, "the master");
    (void)usleep(5000);
  }
  if (ls_keys_read(bench->key, false, &master.keys, &err) != LS_OK) {
    fprintf(stderr, "crowd_speed: %s\n", err.text);
    exit(1);
  }
  master.bytes = read_memory(master.pid);
  return master;
}

static void serve_for(struct ls_crowd *crowd, double seconds) {
  double until_s = ls_clock_s() + seconds;
  while (ls_clock_s() < until_s) crowd_serve(crowd, until_s - ls_clock_s());
}

/* All join, and wait for one more. */
static void measure_joining(struct bench *bench, size_t turn) {
  struct master master = start_master(bench, bench->peers + 1);
  double begun_s = ls_clock_s();
  struct ls_crowd *crowd = crowd_open(&master.keys, bench->peers, bench->description);
  while (crowd_joined(crowd) < bench->peers) {
    require(waitpid(master.pid, NULL, WNOHANG) == 0, "the master");
    crowd_serve(crowd, 1);
  }
  bench->join_s[turn] = ls_clock_s() - begun_s;
  serve_for(crowd, SETTLE_S);
  double before_s = read_processor_s(master.pid), from_s = ls_clock_s();
  serve_for(crowd, IDLE_S);
  double used_s = read_processor_s(master.pid) - before_s;
  bench->values[FIGURE_IDLE][turn] = used_s / (ls_clock_s() - from_s);
  bench->values[FIGURE_MEMORY][turn] =
      (double)(read_memory(master.pid) - master.bytes) / (double)bench->peers;
  require(crowd_gone(crowd) == 0, "to keep all workers");
  (void)kill(master.pid, SIGKILL);
  (void)waitpid(master.pid, NULL, 0);
  crowd_close(crowd);
  bench->values[FIGURE_JOIN][turn] = bench->join_s[turn] / greet_barely(bench->peers);
}

/* Seconds from the joining of the last one that was waited for to the last result, by the master's
 * summary. */
static double read_summary(const struct bench *bench, size_t peers) {
  static double joined_s[2 * PEERS_MAX];
  json_error_t error;
  json_t *summary = json_load_file(bench->summary, 0, &error), *worker;
  size_t i, count = 0;
  require(summary != NULL, "the summary of the run");
  double makespan_s = json_number_value(json_object_get(summary, "makespan"));
  json_int_t done = json_integer_value(json_object_get(summary, "done"));
  json_array_foreach(json_object_get(summary, "workers"), i, worker) {
    if (count < 2 * PEERS_MAX)
      joined_s[count++] = json_number_value(json_object_get(worker, "joined"));
  }
  require(done == strtoll(bench->units, NULL, 10) && count >= peers, "to count every unit once");
  ls_sort_ascending(joined_s, count);
  json_decref(summary);
  return makespan_s - joined_s[peers - 1];
}

static double measure_units(struct bench *bench, size_t peers) {
  struct master master = start_master(bench, peers);
  struct ls_crowd *crowd = crowd_open(&master.keys, peers, bench->description);
  int state = 0;
  while (waitpid(master.pid, &state, WNOHANG) == 0) crowd_serve(crowd, 1);
  require(state == 0, "the run");
  crowd_close(crowd);
  return read_summary(bench, peers);
}

/* ---- figures ---- */

static double find_median(double *values, size_t count) {
  ls_sort_ascending(values, count);
  return values[count / 2];
}

static bool show(struct bench *bench, enum figure figure) {
  double *values = bench->values[figure], median = find_median(values, bench->turns);
  printf(
      "{\"what\": \"%zu workers: %s\", \"turns\": %zu, \"median\": %.4g, \"worst\": %.4g, "
      "\"reach\": %g}\n",
      bench->peers, figures[figure].what, bench->turns, median, values[bench->turns - 1],
      figures[figure].reach);
  return median <= figures[figure].reach;
}

static void open_bench(struct bench *bench, const char *build) {
  const char *folder = getenv("TMPDIR");
  char path[PATH_BYTES];
  (void)snprintf(path, sizeof path, "%s/apps/fibonacci", build);
  require(strlen(path) < sizeof bench->program && realpath(path, bench->program) != NULL, path);
  (void)snprintf(bench->folder, sizeof bench->folder, "%s/crowd-speed-XXXXXX",
                 folder != NULL ? folder : "/tmp");
  require(mkdtemp(bench->folder) != NULL, bench->folder);
  (void)snprintf(bench->key, sizeof bench->key, "%s/key", bench->folder);
  (void)snprintf(bench->summary, sizeof bench->summary, "%s/json", bench->folder);
  ls_program_describe_file(bench->program, bench->description);
}

int main(int argc, char **argv) {
  static struct bench bench;
  bool is_reached = true;
  bench.peers = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
  bench.turns = argc > 3 ? strtoull(argv[3], NULL, 10) : 5;
  bench.units = argc > 4 ? argv[4] : "1000000";
  if (argc < 2 || bench.peers < 1 || bench.peers > PEERS_MAX || bench.turns < 1 ||
      bench.turns > TURNS_MAX) {
    fprintf(stderr, "usage: crowd_speed BUILD [PEERS 1 to %d [TURNS 1 to %d [UNITS]]]\n", PEERS_MAX,
            TURNS_MAX);
    return 2;
  }
  ls_limits_raise();
  open_bench(&bench, argv[1]);
  for (size_t turn = 0; turn < bench.turns; turn++) {
    measure_joining(&bench, turn);
    double all_s = measure_units(&bench, bench.peers);
    bench.units_per_s[turn] = strtod(bench.units, NULL) / all_s;
    bench.values[FIGURE_UNITS][turn] = all_s / measure_units(&bench, FEW);
  }
  for (enum figure figure = 0; figure < FIGURES; figure++) is_reached &= show(&bench, figure);
  printf("{\"what\": \"%zu workers\", \"joined_s\": %.3g, \"units_per_s\": %.4g}\n", bench.peers,
         find_median(bench.join_s, bench.turns), find_median(bench.units_per_s, bench.turns));
  (void)unlink(bench.key);
  (void)unlink(bench.summary);
  (void)rmdir(bench.folder);
  return is_reached ? 0 : 1;
}
