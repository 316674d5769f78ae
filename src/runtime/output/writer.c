/* writer.c: the master's end of its writer. */
#include "runtime/output/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "runtime/os/limits.h"
#include "runtime/os/temporary.h"
#include "runtime/output/writer_private.h"

struct ls_writer {
  struct ls_writer_shared *shared;
  struct ls_bytes waiting; /* records that are not in the stream yet */
  int memory, disk;
  int line; /* to the process: a byte comes when more has left */
  pid_t process;
  bool has_ended;
};

/* While it waits for the last outputs, it looks so often whether the user is in a hurry: the signal
 * may come just before the wait. */
enum { LOOK_MS = 100 };

static const char *const stream_names[2] = {"standard output", "standard error"};

/* ---- the process ---- */

/* Signals of the terminal are for the master, which ends its writer when the time has come. */
static void ignore_signals(void) {
  static const int ignored[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                                SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2};
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; ++i) {
    (void)signal(ignored[i], SIG_IGN);
  }
}

static int compare_numbers(const void *left, const void *right) {
  return *(const int *)left - *(const int *)right;
}

/* A pipe of somebody else's, held open here, would seem to have a reader or a writer left. */
static void close_others(const struct ls_writer_end *end) {
  int kept[] = {end->memory, end->disk, end->files[0], end->files[1], end->line};
  size_t count = sizeof kept / sizeof *kept;
  int from = 0;
  qsort(kept, count, sizeof *kept, compare_numbers);
  for (size_t i = 0; i < count; ++i) {
    if (kept[i] > from) (void)close_range((unsigned)from, (unsigned)kept[i] - 1, 0);
    if (kept[i] >= from) from = kept[i] + 1;
  }
  (void)close_range((unsigned)from, ~0U, 0);
}

_Noreturn static void run_process(const struct ls_writer_end *end, pid_t master) {
  close_others(end);
  ignore_signals();
  (void)prctl(PR_SET_NAME, "loadstar-writer");
  /* What a dead master has not noted as left must not leave: the next one repeats it. */
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() == master) ls_writer_serve(end);
  _exit(0);
}

static void close_file(int *file) {
  if (*file >= 0) (void)close(*file);
  *file = -1;
}

static enum ls_status start(struct ls_writer *writer, const int files[2], bool waits_for_readers,
                            struct ls_error *err) {
  int line[2] = {-1, -1};
  pid_t master = getpid();
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) == 0) writer->process = fork();
  if (writer->process == 0) {
    const struct ls_writer_end end = {.shared = writer->shared,
                                      .memory = writer->memory,
                                      .disk = writer->disk,
                                      .files = {files[0], files[1]},
                                      .waits_for_readers = waits_for_readers,
                                      .line = line[1]};
    (void)close(line[0]);
    run_process(&end, master);
  }
  int reason = errno;
  close_file(&line[1]);
  writer->line = line[0];
  if (writer->process > 0) return LS_OK;
  return ls_fail(err, LS_EIO, "no process for the outputs: %s", ls_limits_words(reason));
}

enum ls_status ls_writer_open(const int files[2], bool waits_for_readers, struct ls_writer **out,
                              struct ls_error *err) {
  struct ls_writer *writer = calloc(1, sizeof *writer);
  if (writer == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for a writer");
  *writer = (struct ls_writer){.line = -1, .process = -1};
  writer->memory = memfd_create("loadstar-outputs", MFD_CLOEXEC);
  writer->disk = ls_temporary_file(NULL); /* only needed when much waits: missed only then */
  void *shared =
      mmap(NULL, sizeof *writer->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared != MAP_FAILED) writer->shared = shared;
  enum ls_status status = LS_OK;
  if (writer->shared == NULL || writer->memory < 0) {
    status = ls_fail(err, LS_EIO, "no memory to share with a writer: %s", strerror(errno));
  } else {
    atomic_store(&writer->shared->spill, UINT64_MAX);
    status = start(writer, files, waits_for_readers, err);
  }
  if (status == LS_OK) {
    *out = writer;
  } else {
    ls_writer_close(writer);
  }
  return status;
}

void ls_writer_close(struct ls_writer *writer) {
  if (writer == NULL) return;
  if (writer->process > 0) {
    (void)kill(writer->process, SIGKILL);
    while (waitpid(writer->process, NULL, 0) < 0 && errno == EINTR) continue;
  }
  close_file(&writer->line);
  close_file(&writer->memory);
  close_file(&writer->disk);
  if (writer->shared != NULL) (void)munmap(writer->shared, sizeof *writer->shared);
  ls_bytes_close(&writer->waiting);
  free(writer);
}

/* ---- the stream ---- */

uint64_t ls_writer_given(const struct ls_writer *writer) {
  return atomic_load(&writer->shared->given) + writer->waiting.length;
}

uint64_t ls_writer_left(const struct ls_writer *writer) {
  return atomic_load(&writer->shared->left);
}

bool ls_writer_is_behind(const struct ls_writer *writer) {
  return ls_writer_given(writer) - ls_writer_left(writer) > LS_WRITER_BEHIND;
}

int ls_writer_file(const struct ls_writer *writer) {
  return writer->line;
}

static enum ls_status check(const struct ls_writer *writer, struct ls_error *err) {
  int reason = atomic_load(&writer->shared->reason);
  int stream = atomic_load(&writer->shared->failed_stream);
  const char *name = stream < 0 ? "the file that keeps outputs" : stream_names[stream];
  if (reason == EPIPE) return ls_fail(err, LS_ECLOSED, "%s: no process reads it any more", name);
  if (reason != 0) return ls_fail(err, LS_EIO, "%s: %s", name, strerror(reason));
  if (!writer->has_ended) return LS_OK;
  return ls_fail(err, LS_EIO, "the process that writes the outputs was ended by another process");
}

static bool write_at(int file, const char *data, size_t length, uint64_t offset) {
  while (length > 0) {
    ssize_t written = pwrite(file, data, length, (off_t)offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    data += written;
    length -= (size_t)written;
    offset += (uint64_t)written;
  }
  return true;
}

/* While nothing waits both files are empty, and memory is enough again. */
static void reset(struct ls_writer *writer, uint64_t given) {
  if (ls_writer_left(writer) < given) return;
  atomic_store(&writer->shared->origin, given);
  atomic_store(&writer->shared->spill, UINT64_MAX);
  (void)!ftruncate(writer->memory, 0);
  if (writer->disk >= 0) (void)!ftruncate(writer->disk, 0);
}

/* What waits moves into the stream. */
static enum ls_status hand_over(struct ls_writer *writer, struct ls_error *err) {
  uint64_t given = atomic_load(&writer->shared->given);
  struct ls_bytes *waiting = &writer->waiting;
  if (waiting->failed) return ls_fail(err, LS_ENOMEM, "out of memory for outputs");
  if (waiting->length == 0) return LS_OK;
  reset(writer, given);
  uint64_t spill = atomic_load(&writer->shared->spill);
  bool is_in_memory = given < spill;
  if (is_in_memory &&
      given + waiting->length - ls_writer_left(writer) > (uint64_t)LS_WRITER_MEMORY_MAX) {
    atomic_store(&writer->shared->spill, given);
    is_in_memory = false;
  }
  int file = is_in_memory ? writer->memory : writer->disk;
  uint64_t offset = given - atomic_load(&writer->shared->origin);
  if (!write_at(file, waiting->data, waiting->length, offset)) {
    if (!is_in_memory) return ls_temporary_fail("what waits until it is read", err);
    return ls_fail(err, LS_EIO, "outputs cannot be kept in memory until they are read: %s",
                   strerror(errno));
  }
  atomic_store(&writer->shared->given, given + waiting->length);
  ls_bytes_clear(waiting);
  /* A full line wakes it, too. */
  (void)!send(writer->line, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
  return LS_OK;
}

static void add_record(struct ls_writer *writer, enum ls_writer_stream stream, const void *data,
                       size_t length) {
  const struct ls_writer_header header = {(uint32_t)stream, (uint32_t)length};
  ls_bytes_append(&writer->waiting, &header, sizeof header);
  ls_bytes_append(&writer->waiting, data, length);
}

enum ls_status ls_writer_add(struct ls_writer *writer, enum ls_writer_stream stream,
                             const void *data, size_t length, struct ls_error *err) {
  enum ls_status status = check(writer, err);
  const char *bytes = data;
  while (status == LS_OK && length > 0) {
    size_t taken = length < LS_WRITER_BLOCK_BYTES ? length : LS_WRITER_BLOCK_BYTES;
    add_record(writer, stream, bytes, taken);
    bytes += taken;
    length -= taken;
    if (writer->waiting.length >= LS_WRITER_BLOCK_BYTES) status = hand_over(writer, err);
  }
  return status;
}

enum ls_status ls_writer_add_part(struct ls_writer *writer, enum ls_writer_stream stream,
                                  const struct ls_writer_part *part, struct ls_error *err) {
  char block[LS_WRITER_BLOCK_BYTES];
  enum ls_status status = LS_OK;
  uint64_t done = 0;
  while (status == LS_OK && done < part->length) {
    size_t wanted =
        part->length - done < sizeof block ? (size_t)(part->length - done) : sizeof block;
    ssize_t got = pread(part->file, block, wanted, (off_t)(part->offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ls_fail(err, LS_EIO, "an output cannot be read: %s", strerror(errno));
    if (got == 0) break;
    status = ls_writer_add(writer, stream, block, (size_t)got, err);
    done += (uint64_t)got;
  }
  return status;
}

enum ls_status ls_writer_attend(struct ls_writer *writer, struct ls_error *err) {
  char bytes[256];
  ssize_t got = 1;
  while (!writer->has_ended && got > 0) {
    got = recv(writer->line, bytes, sizeof bytes, MSG_DONTWAIT);
    writer->has_ended = got == 0;
  }
  enum ls_status status = check(writer, err);
  return status == LS_OK ? hand_over(writer, err) : status;
}

enum ls_status ls_writer_finish(struct ls_writer *writer, bool (*is_hurried)(void),
                                struct ls_error *err) {
  enum ls_status status = ls_writer_attend(writer, err);
  while (status == LS_OK && ls_writer_left(writer) < ls_writer_given(writer)) {
    struct pollfd news = {.fd = writer->line, .events = POLLIN};
    if (is_hurried != NULL && is_hurried()) {
      return ls_fail(err, LS_EINTERRUPTED, "outputs wait for their reader");
    }
    (void)poll(&news, 1, LOOK_MS);
    status = ls_writer_attend(writer, err);
  }
  return status;
}
