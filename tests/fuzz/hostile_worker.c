/* hostile_worker: a run goes on, and its outputs are exact, whatever a worker says that lies.
 *
 * Usage: hostile_worker PROGRAM SEED MESSAGES
 * Starts `PROGRAM run` of some hundred tasks with a worker of its own, and one that joins, both
 * honest. Then it joins itself, says so many things that are wrong, and joins again whenever it is
 * sent away. A connection of it claims results and sessions that it does not have; or asks for
 * units, keeps most of them, and tells absurd times of the others; or says the same again and again
 * and reads no answer. In the end the run succeeds, each task's output is there once, no control
 * character was printed, and the master has had little more memory than before.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include "hostile_message.h"
#include "model/outcome.h"
#include "runtime/os/clock.h"

enum { UNITS = 400, BATCH_MOST = 20, BATCHES_MOST = 60, ANSWER_MS = 2000 };
/* A queue without a bound would hold 100 MiB of such answers. */
enum { DEAF_MESSAGES = 400000 };
static const double LIMIT_S = 240;
static const long MEMORY_MORE_KIB = 64 << 10;

static struct {
  char folder[64], address[128];
  pid_t master, honest;
  void *context, *socket;
  struct hostile_facts facts;
  struct ls_decoder decoder;
  bool is_welcome, was_answered;
  uint64_t said, joined, sent_away, answered;
} world;

static int failures;

static void end_process(pid_t process) {
  if (process > 0 && kill(process, SIGKILL) == 0) (void)waitpid(process, NULL, 0);
}

static _Noreturn void fail(const char *what) {
  fprintf(stderr, "hostile_worker: %s\n", what);
  end_process(world.master);
  end_process(world.honest);
  exit(1);
}

static void check(const char *what, bool is_so) {
  printf("%s: %s\n", is_so ? "ok" : "FAILED", what);
  failures += !is_so;
}

static void pause_shortly(void) {
  (void)nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
}

/* ---- the run ---- */

static void redirect(int descriptor, const char *path) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(127);
}

static pid_t start(char *const *words, const char *out, const char *err) {
  pid_t process = fork();
  if (process != 0) return process;
  redirect(STDOUT_FILENO, out);
  redirect(STDERR_FILENO, err);
  (void)execv(words[0], words);
  _exit(127);
}

static void start_master(char *program) {
  static char numbers[UNITS][8];
  char script[160];
  const char *const first[] = {"run",        "-j1",       "--listen", "tcp://127.0.0.1:*",
                               "--insecure", "--silence", "2",        "--losses",
                               "0",          "--",        "sh",       "-c",
                               script,       ":::"};
  const size_t count = sizeof first / sizeof *first;
  char *words[sizeof first / sizeof *first + UNITS + 2] = {program};
  (void)snprintf(script, sizeof script,
                 "sleep 0.02; [ $0 -lt %d ] || while [ -e hold ]; do sleep 0.05; done; echo $0",
                 UNITS);
  for (size_t i = 0; i < count; i++) words[1 + i] = (char *)(uintptr_t)first[i];
  for (int i = 0; i < UNITS; i++) {
    (void)snprintf(numbers[i], sizeof numbers[i], "%d", i + 1);
    words[1 + count + (size_t)i] = numbers[i];
  }
  world.master = start(words, "out", "err");
}

static size_t read_file(const char *path, char *text, size_t text_bytes) {
  FILE *file = fopen(path, "r");
  size_t length = file != NULL ? fread(text, 1, text_bytes - 1, file) : 0;
  if (file != NULL) fclose(file);
  text[length] = '\0';
  return length;
}

static void find_address(void) {
  static const char before[] = "--connect ";
  static char text[1 << 16];
  double until_s = ls_clock_s() + LIMIT_S;
  for (;;) {
    (void)read_file("err", text, sizeof text);
    const char *at = strstr(text, before);
    if (at != NULL && strchr(at, '\n') != NULL) {
      (void)snprintf(world.address, sizeof world.address, "%.*s",
                     (int)strcspn(at + strlen(before), "\n"), at + strlen(before));
      return;
    }
    if (ls_clock_s() > until_s || waitpid(world.master, NULL, WNOHANG) != 0)
      fail("the run does not listen");
    pause_shortly();
  }
}

/* The master, and what it started: one of them is the process of its own worker. */
static void find_processes(void) {
  struct hostile_facts *facts = &world.facts;
  facts->processes[facts->processes_count++] = (uint64_t)world.master;
  for (size_t i = 0; i < facts->processes_count; i++) {
    char path[96], text[512], *at = text;
    (void)snprintf(path, sizeof path, "/proc/%llu/task/%llu/children",
                   (unsigned long long)facts->processes[i],
                   (unsigned long long)facts->processes[i]);
    (void)read_file(path, text, sizeof text);
    for (unsigned long child; (child = strtoul(at, &at, 10)) > 0;)
      if (facts->processes_count < HOSTILE_PROCESSES)
        facts->processes[facts->processes_count++] = child;
  }
}

static long read_memory_kib(void) {
  static const char before[] = "VmHWM:";
  char path[64], text[4096];
  (void)snprintf(path, sizeof path, "/proc/%ld/status", (long)world.master);
  (void)read_file(path, text, sizeof text);
  const char *at = strstr(text, before);
  return at != NULL ? strtol(at + strlen(before), NULL, 10) : 0;
}

/* ---- the connection ---- */

static void connect_world(bool is_deaf) {
  const int none = 0, wait_ms = 5000, never = -1, frames = is_deaf ? 1 : 0, bytes = 4096;
  if (world.socket != NULL) zmq_close(world.socket);
  void *socket = world.socket = zmq_socket(world.context, ZMQ_DEALER);
  if (zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof none) != 0 ||
      zmq_setsockopt(socket, ZMQ_SNDTIMEO, &wait_ms, sizeof wait_ms) != 0 ||
      zmq_setsockopt(socket, ZMQ_RECONNECT_IVL, &never, sizeof never) != 0 ||
      zmq_setsockopt(socket, ZMQ_RCVHWM, &frames, sizeof frames) != 0 ||
      (is_deaf && zmq_setsockopt(socket, ZMQ_RCVBUF, &bytes, sizeof bytes) != 0) ||
      zmq_connect(socket, world.address) != 0)
    fail(zmq_strerror(zmq_errno()));
  world.is_welcome = false;
}

/* False: nothing is taken any more. */
static bool send_bytes(const struct ls_bytes *bytes) {
  if (bytes->failed) fail("no memory");
  world.said++;
  return zmq_send(world.socket, bytes->data, bytes->length, 0) >= 0;
}

static bool say(const struct ls_message *message) {
  struct ls_bytes bytes = {0};
  ls_message_encode(message, &bytes);
  bool is_sent = send_bytes(&bytes);
  ls_bytes_close(&bytes);
  return is_sent;
}

static void answer_unit(const struct ls_message *chunk, uint64_t unit) {
  struct ls_random *random = &world.facts.random;
  char output[16];
  int length = snprintf(output, sizeof output, "%llu\n", (unsigned long long)unit + 1);
  const double latest[] = {hostile_seconds(random)};
  world.answered++;
  (void)say(&(struct ls_message){.kind = LS_MESSAGE_RESULT,
                                 .chunk = chunk->chunk,
                                 .iteration = chunk->iteration,
                                 .range = {unit, 1},
                                 .outcome = LS_OUTCOME_DONE,
                                 .receive_s = hostile_seconds(random),
                                 .compute_s = hostile_seconds(random),
                                 .squares = hostile_seconds(random),
                                 .latest = latest,
                                 .latest_count = 1,
                                 .output = {output, (size_t)length}});
}

/* Of what it was given a little is computed, in times that no clock tells: the rest waits for it.
 * The last task is not: the run would end. */
static void answer_chunk(const struct ls_message *chunk) {
  const uint64_t unit = chunk->ranges[0].first;
  if (unit < UNITS - 1 && ls_random_below(&world.facts.random, 10) == 0) answer_unit(chunk, unit);
}

/* A master tells whom it refuses which program it wants. */
static void hear_refusal(const struct ls_message *refused) {
  static const char before[] = "the master's is ";
  char words[256];
  (void)snprintf(words, sizeof words, "%.*s", (int)refused->text.length,
                 (const char *)refused->text.data);
  const char *at = strstr(words, before);
  if (at != NULL && world.facts.program[0] == '?')
    (void)snprintf(world.facts.program, sizeof world.facts.program, "%s", at + strlen(before));
}

static void hear(const struct ls_message *message) {
  struct hostile_facts *facts = &world.facts;
  if (message->kind == LS_MESSAGE_CHUNK) answer_chunk(message);
  if (message->kind == LS_MESSAGE_RELEASE) world.is_welcome = false;
  world.sent_away += message->kind == LS_MESSAGE_RELEASE;
  world.was_answered |= message->kind == LS_MESSAGE_WELCOME || message->kind == LS_MESSAGE_REFUSED;
  if (message->kind == LS_MESSAGE_REFUSED) hear_refusal(message);
  if (message->kind != LS_MESSAGE_WELCOME) return;
  world.is_welcome = true;
  world.joined++;
  facts->has_cookie = message->cookie.length == LS_COOKIE_BYTES;
  facts->worker = message->worker;
  facts->era = message->era;
  if (facts->has_cookie) memcpy(facts->cookie, message->cookie.data, LS_COOKIE_BYTES);
  if (message->run.length == LS_COOKIE_BYTES)
    memcpy(facts->run, message->run.data, LS_COOKIE_BYTES);
}

/* All that has come; waits for so long that something does. False: nothing has. */
static bool listen_for(long wait_ms) {
  zmq_pollitem_t item = {.socket = world.socket, .events = ZMQ_POLLIN};
  if (zmq_poll(&item, 1, wait_ms) <= 0) return false;
  zmq_msg_t frame;
  zmq_msg_init(&frame);
  while (zmq_msg_recv(&frame, world.socket, ZMQ_DONTWAIT) >= 0) {
    struct ls_blob blob = {zmq_msg_data(&frame), zmq_msg_size(&frame)};
    for (size_t offset = 0; offset < blob.length;) {
      struct ls_message message;
      struct ls_error err = {0};
      if (ls_message_decode_next(&world.decoder, &blob, &offset, &message, &err) != LS_OK)
        fail(err.text);
      hear(&message);
    }
  }
  zmq_msg_close(&frame);
  return true;
}

/* Greets, and waits for the answer; false: there is none. */
static bool greet(void) {
  const struct ls_message hello = hostile_hello(&world.facts);
  world.was_answered = false;
  if (!say(&hello)) return false;
  while (!world.was_answered && listen_for(ANSWER_MS)) {}
  return world.was_answered;
}

static void show_last_words(void) {
  static char text[1 << 22];
  size_t length = read_file("err", text, sizeof text);
  printf("%s\n", length > 2000 ? text + length - 2000 : text);
}

/* ---- what it does ---- */

/* What it said is judged when its greeting is answered: it is there, or it joins again. */
static void say_batches(bool is_asking, uint64_t until) {
  struct ls_bytes frame = {0};
  bool is_open = true;
  for (int batch = 0; batch < BATCHES_MOST && is_open && world.said < until; batch++) {
    uint64_t count = 1 + ls_random_below(&world.facts.random, BATCH_MOST);
    for (uint64_t i = 0; i < count && is_open; i++) {
      hostile_frame(&world.facts, is_asking, &frame);
      is_open = send_bytes(&frame);
    }
    is_open = is_open && greet();
  }
  ls_bytes_close(&frame);
}

/* The same question again and again; the first part of its answers is never read. */
static void ask_and_read_nothing(uint64_t count, bool is_greeting) {
  static const char other[] = "a program that is not the master's, with a long name";
  struct ls_message message = hostile_hello(&world.facts);
  if (is_greeting)
    message.text = (struct ls_blob){other, strlen(other)};
  else
    message = (struct ls_message){.kind = LS_MESSAGE_REQUEST, .units = 1};
  for (uint64_t i = 0; i < count && say(&message); i++) {}
}

static void attack(uint64_t messages) {
  struct ls_random *random = &world.facts.random;
  uint64_t until = world.said + messages;
  while (world.said < until) {
    uint64_t way = ls_random_below(random, 8);
    world.facts.has_cookie = false; /* a session that asked may have results */
    connect_world(way == 0);
    if (waitpid(world.master, NULL, WNOHANG) != 0) {
      show_last_words();
      fail("the run ended before it was to");
    }
    if (!greet() || !world.is_welcome) continue;
    if (way == 0)
      ask_and_read_nothing(ls_random_below(random, 2000), ls_random_below(random, 2) > 0);
    else
      say_batches(way < 4, until);
  }
  connect_world(true);
  if (greet()) ask_and_read_nothing(DEAF_MESSAGES, true);
}

/* ---- what comes of it ---- */

static int await_master(void) {
  int status = 0;
  double until_s = ls_clock_s() + LIMIT_S;
  while (waitpid(world.master, &status, WNOHANG) == 0) {
    if (ls_clock_s() > until_s) fail("the run does not end");
    pause_shortly();
  }
  world.master = 0;
  return status;
}

static bool is_exact(void) {
  static char text[1 << 20];
  static int seen[UNITS + 1];
  bool is_so = true;
  size_t length = read_file("out", text, sizeof text);
  for (char *at = text, *end; at < text + length; at = end + 1) {
    long number = strtol(at, &end, 10);
    if (end == at || *end != '\n' || number < 1 || number > UNITS || seen[number]++ > 0) {
      printf("output: %.60s\n", at);
      return false;
    }
  }
  for (int i = 1; i <= UNITS; i++) is_so = is_so && seen[i] == 1;
  return is_so;
}

static bool is_plain(const char *path) {
  FILE *file = fopen(path, "r");
  int c = 0, before = 0;
  bool is_so = file != NULL;
  while (is_so && (c = getc(file)) != EOF) {
    is_so = (c >= ' ' || c == '\n' || c == '\t') && c != 0x7f && !(before == 0xc2 && c < 0xa0);
    before = c;
  }
  if (file != NULL) fclose(file);
  return is_so;
}

static void judge(long idle_kib, long most_kib) {
  unlink("hold");
  int status = await_master();
  printf(
      "%llu messages, joined %llu times, sent away %llu times, %llu results of tasks; "
      "memory %ld KiB, at first %ld\n",
      (unsigned long long)world.said, (unsigned long long)world.joined,
      (unsigned long long)world.sent_away, (unsigned long long)world.answered, most_kib, idle_kib);
  check("the run succeeds", WIFEXITED(status) && WEXITSTATUS(status) == 0);
  check("each task's output is there once", is_exact());
  check("no control character was printed", is_plain("err"));
  check("it was sent away, and joined again", world.sent_away > 0 && world.joined > 1);
  check("it was given tasks, too", world.answered > 0);
  /* What a sanitizer keeps of freed memory tells nothing. */
  if (getenv("ASAN_OPTIONS") == NULL)
    check("memory is bounded",
          idle_kib > 0 && most_kib > 0 && most_kib - idle_kib <= MEMORY_MORE_KIB);
  if (failures > 0) show_last_words();
}

static void remove_folder(void) {
  char command[128];
  (void)snprintf(command, sizeof command, "rm -rf %s", world.folder);
  if (system(command) != 0) perror(command);
}

static void prepare(char *program, uint64_t seed) {
  (void)snprintf(world.folder, sizeof world.folder, "/tmp/hostile-worker-XXXXXX");
  if (mkdtemp(world.folder) == NULL || chdir(world.folder) != 0) fail("no folder");
  (void)atexit(remove_folder);
  int hold = open("hold", O_WRONLY | O_CREAT, 0600);
  if (hold < 0) fail("no file");
  close(hold);
  /* Freed memory that is written to at once would tell of nothing. */
  (void)unsetenv("MALLOC_PERTURB_");
  world.facts.units = UNITS;
  world.facts.program[0] = '?';
  ls_random_init(&world.facts.random, seed, "hostile worker");
  start_master(program);
  find_address();
  char *words[] = {program, (char *)(uintptr_t) "worker", (char *)(uintptr_t) "--connect",
                   world.address, NULL};
  world.honest = start(words, "worker_out", "worker_err");
  world.context = zmq_ctx_new();
}

int main(int argc, char **argv) {
  char *program = argc == 4 ? realpath(argv[1], NULL) : NULL;
  if (program == NULL) {
    fprintf(stderr, "usage: hostile_worker PROGRAM SEED MESSAGES\n");
    return 2;
  }
  (void)setvbuf(stdout, NULL, _IOLBF, 0);
  prepare(program, strtoull(argv[2], NULL, 10));
  connect_world(false);
  if (!greet() || world.facts.program[1] == '\0') fail("the master does not name its program");
  find_processes();
  long idle_kib = read_memory_kib();
  attack(strtoull(argv[3], NULL, 10));
  long most_kib = read_memory_kib();
  zmq_close(world.socket);
  zmq_ctx_term(world.context);
  judge(idle_kib, most_kib);
  end_process(world.honest);
  ls_decoder_close(&world.decoder);
  free(program);
  return failures > 0;
}
