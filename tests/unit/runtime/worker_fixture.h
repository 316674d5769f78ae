/* worker_fixture.h: a master written by hand that drives a real worker.
 *
 * The worker runs in a thread (inproc) or in a forked process (ipc); the test says each message of
 * the master and looks at each answer.
 */
#ifndef LS_TEST_WORKER_FIXTURE_H
#define LS_TEST_WORKER_FIXTURE_H

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coordinator/event.h"
#include "protocol/command.h"
#include "protocol/message.h"
#include "runtime/execute/settings.h"
#include "runtime/os/clock.h"
#include "runtime/transport/transport.h"
#include "runtime/transport/transport_wait.h"
#include "runtime/worker/worker.h"

enum { FRAME_MAX = 1 << 20 };

/* Appends the numbers of its units when the words say "print"; unit 666 ends its process. */
static inline enum ls_status fixture_open(int argc, char **argv, void **state,
                                          struct ls_error *err) {
  if (argc > 0 && strcmp(argv[0], "refuse") == 0) {
    return ls_fail(err, LS_EINVAL, "the word is refuse");
  }
  *state = argc > 0 && strcmp(argv[0], "print") == 0 ? (void *)argv : NULL;
  return LS_OK;
}

static inline enum ls_status fixture_compute(void *state, const struct ls_work *work,
                                             struct ls_bytes *output, struct ls_error *err) {
  (void)err;
  if (work->units.first == 666) _exit(66);
  if (state == NULL) return LS_OK;
  ls_bytes_printf(output, "%d+%d:%.*s", (int)work->units.first, (int)work->units.count,
                  (int)work->length, (const char *)work->input);
  return LS_OK;
}

static const struct ls_app fixture_app = {
    .name = "fixture", .open = fixture_open, .compute = fixture_compute};

struct master {
  struct ls_worker_options options;
  struct ls_error err; /* of a worker that is a thread */
  enum ls_status status;
  pthread_t thread;
  pid_t pid; /* of a worker that is a process; 0: a thread */
  char address[128], folder[64];
  int lifeline;         /* our end; -1: none */
  bool has_no_lifeline; /* of a worker that is a process */
  struct ls_endpoint *endpoint;
  struct ls_decoder decoder;
  struct ls_message message; /* the last that arrived, in `frame` */
  char *frame;               /* holds several messages; `offset` is behind the last */
  size_t frame_length, offset;
  uint64_t peer;
  uint64_t era; /* of the master, as WELCOME says */
};

static inline void *fixture_thread(void *context) {
  struct master *master = context;
  master->status = ls_worker_run(&master->options, &master->err);
  return NULL;
}

static inline void fixture_listen(struct master *master) {
  struct ls_error err = {0};
  if (ls_transport_zmq.listen(master->address, NULL, &master->endpoint, &err) != LS_OK) {
    fail_msg("%s", err.text);
  }
}

static inline struct master make_master(const struct ls_app *app) {
  struct master master = {.lifeline = -1};
  master.options = (struct ls_worker_options){.transport = &ls_transport_zmq,
                                              .name = "tester",
                                              .program = "1.0 ab",
                                              .speed = 1,
                                              .lifeline = -1,
                                              .app = app};
  master.frame = malloc(FRAME_MAX);
  return master;
}

static inline void start_thread(struct master *master) {
  static unsigned number;
  (void)snprintf(master->address, sizeof master->address, "inproc://worker-%u", ++number);
  master->options.address = master->address;
  master->options.is_thread = true;
  fixture_listen(master);
  assert_int_equal(pthread_create(&master->thread, NULL, fixture_thread, master), 0);
}

/* The process is forked before the master opens anything of libzmq, and waits at a gate until the
 * master listens. Its exit status is the status of ls_worker_run. */
static inline void start_process(struct master *master) {
  (void)strcpy(master->folder, "/tmp/loadstar-worker-XXXXXX");
  assert_non_null(mkdtemp(master->folder));
  (void)snprintf(master->address, sizeof master->address, "ipc://%s/socket", master->folder);
  master->options.address = master->address;
  int ends[2], gate[2];
  char byte;
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(pipe(gate), 0);
  master->pid = fork();
  assert_true(master->pid >= 0);
  if (master->pid == 0) {
    (void)close(ends[1]);
    (void)close(gate[1]);
    (void)!read(gate[0], &byte, 1);
    (void)close(gate[0]);
    master->options.lifeline = master->has_no_lifeline ? -1 : ends[0];
    struct ls_error err = {0};
    free(master->frame);
    master->frame = NULL;
    enum ls_status status = ls_worker_run(&master->options, &err);
    _exit((int)status);
  }
  (void)close(ends[0]);
  (void)close(gate[0]);
  master->lifeline = ends[1];
  fixture_listen(master);
  (void)close(gate[1]);
}

static inline void say(struct master *master, struct ls_message message) {
  struct ls_bytes bytes = {0};
  ls_message_encode(&message, &bytes);
  assert_int_equal(
      ls_transport_zmq.send(master->endpoint,
                            &(struct ls_frame){master->peer, bytes.data, bytes.length}, 0, NULL),
      LS_OK);
  ls_bytes_close(&bytes);
}

static inline void say_kind(struct master *master, enum ls_message_kind kind) {
  say(master, (struct ls_message){.kind = kind});
}

/* The next message; a frame may hold several. */
static inline const struct ls_message *hear_any(struct master *master) {
  struct ls_frame frame;
  double until_s = ls_clock_s() + 60;
  while (master->offset == master->frame_length) {
    if (ls_transport_zmq.receive(master->endpoint, &frame)) {
      assert_true(frame.length <= FRAME_MAX);
      memcpy(master->frame, frame.data, frame.length);
      master->frame_length = frame.length;
      master->offset = 0;
      master->peer = frame.peer;
    } else {
      if (ls_clock_s() > until_s) fail_msg("the worker said nothing for a minute");
      (void)ls_transport_wait(&ls_transport_zmq, master->endpoint, &(struct ls_wait_files){0}, 1.0);
    }
  }
  struct ls_error err = {0};
  struct ls_blob blob = {master->frame, master->frame_length};
  if (ls_message_decode_next(&master->decoder, &blob, &master->offset, &master->message, &err) !=
      LS_OK) {
    fail_msg("%s", err.text);
  }
  return &master->message;
}

/* The next message but heartbeats, unless one is wanted; it must be of this kind. */
static inline const struct ls_message *hear(struct master *master, enum ls_message_kind kind) {
  const struct ls_message *message = hear_any(master);
  while (message->kind == LS_MESSAGE_HEARTBEAT && kind != LS_MESSAGE_HEARTBEAT) {
    message = hear_any(master);
  }
  if (message->kind != kind) {
    fail_msg("heard %s, expected %s", ls_message_name(message->kind), ls_message_name(kind));
  }
  return message;
}

/* Settings whose words are one word; beats are rare unless a test wants them. */
static inline struct ls_settings make_settings(char **words) {
  size_t count = 0;
  while (words[count] != NULL) ++count;
  return (struct ls_settings){.words = words,
                              .words_count = count,
                              .side.prefetch = 1,
                              .heartbeat_s = 1000,
                              .silence_s = 1000};
}

/* A HELLO is answered: the worker has this number and this cookie; "": it cannot come back. */
static inline void welcome_as(struct master *master, struct ls_settings settings, uint32_t worker,
                              const char *cookie) {
  struct ls_bytes text = {0};
  ls_settings_write(&settings, &text);
  say(master, (struct ls_message){.kind = LS_MESSAGE_WELCOME,
                                  .version = LS_PROTOCOL_VERSION,
                                  .worker = worker,
                                  .era = master->era,
                                  .cookie = {cookie, strlen(cookie)},
                                  .run = {"the run, as ever", strlen(cookie)},
                                  .text = {text.data, text.length}});
  ls_bytes_close(&text);
}

static inline void welcome(struct master *master, struct ls_settings settings) {
  const struct ls_message *hello = hear(master, LS_MESSAGE_HELLO);
  assert_int_equal(hello->version, LS_PROTOCOL_VERSION);
  welcome_as(master, settings, 0, "");
}

/* The connection is cut; the same master listens anew. */
static inline void cut_line(struct master *master) {
  ls_transport_zmq.close(master->endpoint, 0);
  master->endpoint = NULL;
  master->offset = master->frame_length = 0;
  fixture_listen(master);
}

static inline void send_chunk(struct master *master, uint64_t chunk, struct ls_range range,
                              const struct ls_bytes *input) {
  struct ls_message message = {
      .kind = LS_MESSAGE_CHUNK, .chunk = chunk, .ranges = &range, .ranges_count = 1};
  if (input != NULL) message.input = (struct ls_blob){input->data, input->length};
  say(master, message);
}

/* A chunk of one unit: a shell script. */
static inline void send_script(struct master *master, uint64_t chunk, const char *script) {
  const char *const argv[] = {"sh", "-c", script};
  struct ls_bytes input = {0};
  ls_command_encode(argv, 3, NULL, &input);
  send_chunk(master, chunk, (struct ls_range){chunk, 1}, &input);
  ls_bytes_close(&input);
}

/* Waits for the end of the worker; its status. */
static inline enum ls_status finish(struct master *master) {
  if (master->pid != 0) {
    int state = 0;
    assert_int_equal(waitpid(master->pid, &state, 0), master->pid);
    assert_true(WIFEXITED(state));
    master->status = (enum ls_status)WEXITSTATUS(state);
  } else {
    assert_int_equal(pthread_join(master->thread, NULL), 0);
  }
  if (master->endpoint != NULL) ls_transport_zmq.close(master->endpoint, 0);
  if (master->lifeline >= 0) (void)close(master->lifeline);
  if (master->folder[0] != '\0') (void)rmdir(master->folder);
  ls_decoder_close(&master->decoder);
  free(master->frame);
  return master->status;
}

static inline enum ls_status release(struct master *master) {
  say_kind(master, LS_MESSAGE_RELEASE);
  return finish(master);
}

#endif
