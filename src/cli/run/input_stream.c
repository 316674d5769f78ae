#include "cli/run/input_stream.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/run/value_store.h"
#include "runtime/os/clock.h"

enum { READ_BYTES = 1 << 17, VALUE_BYTES_MAX = 32 << 20 };

struct ls_input_stream {
  int file;
  const struct ls_input_form *form;
  char *name;
  struct ls_input_cutter cutter; /* {0}: values are as the form has them */
  struct ls_bytes value;         /* that it made */
  struct ls_bytes arrived;       /* bytes that are in no value so far */
  struct ls_input_search search; /* of them: where a value may end */
  uint64_t per_task;             /* so many values make a task */
  struct ls_bytes together; /* those of one, each ended by a zero byte, where there are several */
  struct ls_value_store values;
  uint64_t ended_at; /* the journal's values, which were all at its end; 0: more could come */
  uint64_t taken; /* values that were read; those below the count of the store are compared only */
  bool has_whole; /* a value may have arrived whole, and was not taken */
  bool has_begun; /* a byte order mark was passed over, or there is none */
  bool is_at_end, is_ended;
  off_t bytes; /* of a file, when it was opened; 0: it is none */
};

static void close_file(int file) {
  if (file != STDIN_FILENO) close(file);
}

static off_t measure_file(int file) {
  struct stat facts;
  return fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) ? facts.st_size : 0;
}

/* What is lacking was there when the run began. */
static enum ls_status check_length(const struct ls_input_stream *stream, struct ls_error *err) {
  off_t bytes = measure_file(stream->file);
  if (bytes >= stream->bytes) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "%s: has shrunk while it was read: it had %lld bytes, and ends at %lld now",
                 stream->name, (long long)stream->bytes, (long long)bytes);
}

enum ls_status ls_input_stream_open(int file, const struct ls_input_form *form, const char *name,
                                    struct ls_input_stream **out, struct ls_error *err) {
  struct ls_input_stream *stream = calloc(1, sizeof *stream);
  char *copy = strdup(name);
  if (stream == NULL || copy == NULL) {
    free(stream);
    free(copy);
    close_file(file);
    return ls_fail(err, LS_ENOMEM, "%s: out of memory", name);
  }
  *stream = (struct ls_input_stream){
      .file = file, .form = form, .name = copy, .per_task = 1, .bytes = measure_file(file)};
  *out = stream;
  return LS_OK;
}

enum ls_status ls_input_stream_open_cut(int file, const struct ls_input_cutter *cutter,
                                        const char *name, struct ls_input_stream **out,
                                        struct ls_error *err) {
  /* What the cutter makes is taken as it is. */
  static const struct ls_input_form plain = {0};
  enum ls_status status = ls_input_stream_open(file, &plain, name, out, err);
  /* Larger pipes are filled while blocks are cut; it is no matter when they cannot be had. */
  (void)fcntl(file, F_SETPIPE_SZ, 1 << 20);
  if (status == LS_OK) (*out)->cutter = *cutter;
  return status;
}

static const char *give_hint(const struct ls_input_stream *stream) {
  return stream->cutter.cut != NULL
             ? "; --resume needs the same data again, cut as before (-N, --block, ...)"
             : "; --resume without a command and inputs takes the journal's";
}

void ls_input_stream_group(struct ls_input_stream *stream, uint64_t count) {
  assert(count > 0 && stream->taken == 0);
  stream->per_task = count;
}

/* `recorded`: what the journal has in the place of a value, NULL: the end of its last task. */
static enum ls_status refuse_value(const struct ls_input_stream *stream, const char *recorded,
                                   const char *text, size_t length, struct ls_error *err) {
  char was[200] = "", is[200];
  struct ls_bytes now = {0};
  unsigned long long number = (unsigned long long)(stream->taken / stream->per_task) + 1;
  ls_bytes_append(&now, text, length);
  if (recorded != NULL) ls_console_show(recorded, was, sizeof was);
  ls_console_show(now.failed ? "" : ls_bytes_text(&now), is, sizeof is);
  ls_bytes_close(&now);
  if (recorded == NULL)
    return ls_fail(err, LS_EMISMATCH, "%s: task %llu has '%s' now, and had fewer inputs%s",
                   stream->name, number, is, give_hint(stream));
  return ls_fail(err, LS_EMISMATCH, "%s: task %llu %s '%s' now, %s '%s'%s", stream->name, number,
                 stream->per_task > 1 ? "has" : "is", is, stream->per_task > 1 ? "had" : "was", was,
                 give_hint(stream));
}

/* The journal has a value in its place: it must be the same. */
static enum ls_status compare_value(struct ls_input_stream *stream, const char *text, size_t length,
                                    struct ls_error *err) {
  const char *recorded = NULL;
  enum ls_status status = ls_value_store_read(&stream->values, stream->taken, &recorded, err);
  if (status != LS_OK) return status;
  if (strlen(recorded) == length && memcmp(recorded, text, length) == 0) return LS_OK;
  return refuse_value(stream, recorded, text, length, err);
}

/* Would the value join a task that was complete without it? */
static bool is_late(const struct ls_input_stream *stream) {
  return stream->ended_at > 0 && stream->taken == stream->ended_at &&
         stream->ended_at % stream->per_task > 0;
}

/* Takes the input, or passes it over; the one that ends its source ends the stream. */
static enum ls_status add_value(struct ls_input_stream *stream, const char *text, size_t length,
                                struct ls_error *err) {
  const struct ls_input input = {text, length, stream->name, stream->taken + 1};
  enum ls_input_fate fate = ls_input_form_judge(stream->form, text, length);
  if (fate == LS_INPUT_SKIPPED) return LS_OK;
  if (fate == LS_INPUT_LAST) {
    stream->is_at_end = true;
    return LS_OK;
  }
  enum ls_status status = ls_input_check(&input, err);
  if (status != LS_OK) return status;
  if (is_late(stream)) return refuse_value(stream, NULL, text, length, err);
  status = ls_input_stream_is_known(stream) ? ls_value_store_add(&stream->values, text, length, err)
                                            : compare_value(stream, text, length, err);
  if (status == LS_OK) stream->taken++;
  return status;
}

/* A byte order mark is no data; false: what has come may be the beginning of one. */
static bool pass_mark(struct ls_input_stream *stream) {
  struct ls_bytes *arrived = &stream->arrived;
  size_t length = arrived->length;
  bool is_part = length == 0 ||
                 (length < LS_TEXT_MARK_BYTES && memcmp(arrived->data, LS_TEXT_MARK, length) == 0);
  if (stream->has_begun) return true;
  if (is_part && !stream->is_at_end) return false;
  stream->has_begun = true;
  size_t mark = length > 0 ? ls_text_mark(arrived->data, length) : 0;
  if (mark > 0) memmove(arrived->data, arrived->data + mark, length - mark);
  arrived->length -= mark;
  return true;
}

/* Takes up to `*most` values from what has arrived, and counts them down. */
static enum ls_status cut_values(struct ls_input_stream *stream, uint64_t *most,
                                 struct ls_error *err) {
  struct ls_bytes *arrived = &stream->arrived;
  enum ls_status status = LS_OK;
  size_t at = 0, length = 0;
  stream->has_whole = false;
  if (!pass_mark(stream)) return LS_OK;
  stream->has_whole = *most == 0 && arrived->length > stream->search.at;
  while (*most > 0 && at < arrived->length && status == LS_OK &&
         ls_input_form_cut(stream->form, arrived->data + at, arrived->length - at, &stream->search,
                           &length)) {
    bool was_at_end = stream->is_at_end;
    status = add_value(stream, arrived->data + at, length, err);
    at += length + ls_input_form_stop_bytes(stream->form);
    stream->search = (struct ls_input_search){0};
    /* Nothing behind the end counts. */
    if (stream->is_at_end && !was_at_end) at = arrived->length;
    *most -= 1;
    stream->has_whole = *most == 0 && arrived->length > at;
  }
  if (at > 0) {
    memmove(arrived->data, arrived->data + at, arrived->length - at);
    arrived->length -= at;
  }
  if (status == LS_OK && stream->search.at > VALUE_BYTES_MAX)
    status = ls_fail(err, LS_EINVAL, "%s: value %llu is longer than %d bytes", stream->name,
                     (unsigned long long)stream->taken + 1, (int)VALUE_BYTES_MAX);
  return status;
}

/* Adds what can be read at once; false: nothing can. */
static bool read_some(struct ls_input_stream *stream, enum ls_status *status,
                      struct ls_error *err) {
  struct pollfd ready = {.fd = stream->file, .events = POLLIN};
  if (poll(&ready, 1, 0) <= 0) return false;
  char block[READ_BYTES];
  ssize_t got = read(stream->file, block, sizeof block);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (got < 0) {
    *status = ls_fail(err, LS_EINVAL, "%s: %s", stream->name, strerror(errno));
    return false;
  }
  ls_bytes_append(&stream->arrived, block, (size_t)got);
  if (stream->arrived.failed) *status = ls_fail(err, LS_ENOMEM, "%s: out of memory", stream->name);
  stream->is_at_end = got == 0;
  if (stream->is_at_end && *status == LS_OK) *status = check_length(stream, err);
  return *status == LS_OK;
}

/* One value more, if there is one in what has arrived. */
static enum ls_status cut_value(struct ls_input_stream *stream, uint64_t *most, bool *is_cut,
                                struct ls_error *err) {
  struct ls_bytes *arrived = &stream->arrived;
  struct ls_input_cut cut = {.is_end = stream->is_at_end, .value = &stream->value};
  ls_bytes_clear(&stream->value);
  enum ls_status status = stream->cutter.cut(stream->cutter.context, arrived, &cut, err);
  if (status != LS_OK) return status;
  if (stream->value.failed) return ls_fail(err, LS_ENOMEM, "%s: out of memory", stream->name);
  *is_cut = cut.used > 0;
  if (cut.used > 0) memmove(arrived->data, arrived->data + cut.used, arrived->length - cut.used);
  arrived->length -= cut.used;
  if (stream->value.length == 0) return LS_OK;
  *most -= 1;
  return add_value(stream, ls_bytes_text(&stream->value), stream->value.length, err);
}

static enum ls_status take_cut(struct ls_input_stream *stream, uint64_t most,
                               struct ls_error *err) {
  enum ls_status status = LS_OK;
  bool is_cut = true;
  while (status == LS_OK && most > 0 && !stream->is_ended) {
    status = cut_value(stream, &most, &is_cut, err);
    if (status != LS_OK || is_cut) continue;
    stream->is_ended = stream->is_at_end;
    if (!stream->is_ended && !read_some(stream, &status, err)) break;
  }
  stream->has_whole = most == 0 && stream->arrived.length > 0;
  if (stream->is_ended) ls_bytes_close(&stream->arrived);
  return status;
}

static enum ls_status take_values(struct ls_input_stream *stream, uint64_t most,
                                  struct ls_error *err) {
  if (stream->cutter.cut != NULL) return take_cut(stream, most, err);
  enum ls_status status = cut_values(stream, &most, err);
  while (status == LS_OK && most > 0 && !stream->is_at_end && read_some(stream, &status, err))
    status = cut_values(stream, &most, err);
  if (status != LS_OK || !stream->is_at_end || stream->has_whole || stream->is_ended) return status;
  /* What no byte ends is the last value. */
  if (stream->arrived.length > 0) {
    if (most == 0) return LS_OK;
    status = add_value(stream, stream->arrived.data, stream->arrived.length, err);
  }
  stream->is_ended = status == LS_OK;
  ls_bytes_close(&stream->arrived);
  stream->search = (struct ls_input_search){0};
  return status;
}

/* All of the journal's values must have come. */
static enum ls_status check_end(const struct ls_input_stream *stream, struct ls_error *err) {
  uint64_t known = stream->values.count;
  if (!stream->is_ended || stream->taken == known) return LS_OK;
  return ls_fail(err, LS_EMISMATCH, "%s: the run has %llu %s, the journal has %llu%s", stream->name,
                 (unsigned long long)stream->taken, stream->per_task > 1 ? "inputs" : "tasks",
                 (unsigned long long)known, give_hint(stream));
}

/* Before any of them is handed out. */
static void keep_values(struct ls_input_stream *stream) {
  struct ls_value_store *values = &stream->values;
  if (values->journal == NULL) return;
  bool is_changed = values->kept < values->count || stream->is_ended;
  ls_value_store_keep(values);
  if (is_changed)
    ls_journal_units(values->journal, ls_input_stream_count(stream), !stream->is_ended);
}

enum ls_status ls_input_stream_read(struct ls_input_stream *stream, uint64_t most,
                                    struct ls_error *err) {
  enum ls_status status = take_values(stream, most, err);
  if (status == LS_OK) status = check_end(stream, err);
  /* An end that is refused is none of the journal's. */
  if (status == LS_OK || !stream->is_ended) keep_values(stream);
  return status;
}

/* Of blocks the journal knows no more than which they were. */
static enum ls_status read_known(struct ls_input_stream *stream, struct ls_error *err) {
  enum ls_status status = LS_OK;
  while (status == LS_OK && stream->taken < stream->values.count && !stream->is_ended) {
    struct pollfd ready = {.fd = ls_input_stream_file(stream), .events = POLLIN};
    if (ready.fd >= 0) (void)poll(&ready, 1, -1);
    status = take_values(stream, stream->values.count - stream->taken, err);
  }
  return status;
}

enum ls_status ls_input_stream_record(struct ls_input_stream *stream, struct ls_journal *journal,
                                      struct ls_error *err) {
  struct ls_value_store *values = &stream->values;
  struct ls_journal_inputs_known known;
  enum ls_status status = ls_journal_inputs_known(journal, &known, err);
  if (status != LS_OK) return status;
  if (known.sources > 1)
    return ls_fail(err, LS_EMISMATCH, "the run has 1 input source, the journal has %zu%s",
                   known.sources, give_hint(stream));
  /* A source without values is one, too. */
  if (known.sources == 0) ls_journal_inputs(journal, &(struct ls_journal_inputs){.count = 0});
  struct ls_value_store own = *values;
  *values = (struct ls_value_store){0};
  status = ls_value_store_record(values, journal, known.values, err);
  stream->ended_at = known.is_open ? 0 : known.values;
  /* What has come goes the way of all that will. */
  stream->taken = 0;
  for (uint64_t i = 0; i < own.count && status == LS_OK; i++) {
    const char *text = NULL;
    status = ls_value_store_read(&own, i, &text, err);
    if (status == LS_OK) status = add_value(stream, text, strlen(text), err);
  }
  ls_value_store_close(&own);
  if (status == LS_OK && stream->cutter.cut != NULL) status = read_known(stream, err);
  if (status == LS_OK) status = check_end(stream, err);
  if (status == LS_OK) keep_values(stream);
  return status;
}

enum ls_status ls_input_stream_wait(struct ls_input_stream *stream, uint64_t most, double seconds,
                                    struct ls_error *err) {
  double until_s = ls_clock_s() + seconds;
  uint64_t enough = stream->taken + most;
  for (;;) {
    enum ls_status status = ls_input_stream_read(stream, enough - stream->taken, err);
    double left_s = until_s - ls_clock_s();
    if (status != LS_OK || stream->is_ended || stream->taken >= enough || left_s <= 0)
      return status;
    struct pollfd ready = {.fd = stream->file, .events = POLLIN};
    (void)poll(&ready, 1, (int)ceil(1000 * left_s));
  }
}

/* What is not a whole task waits for more, until nothing more comes. */
uint64_t ls_input_stream_count(const struct ls_input_stream *stream) {
  uint64_t values = stream->values.count, rest = values % stream->per_task;
  bool is_whole = stream->is_ended || (stream->ended_at > 0 && values == stream->ended_at);
  return values / stream->per_task + (is_whole && rest > 0);
}

bool ls_input_stream_is_ended(const struct ls_input_stream *stream) {
  return stream->is_ended;
}

int ls_input_stream_file(const struct ls_input_stream *stream) {
  return stream->has_whole || stream->is_at_end ? -1 : stream->file;
}

bool ls_input_stream_is_known(const struct ls_input_stream *stream) {
  return stream->taken >= stream->values.count;
}

bool ls_input_stream_is_recorded(const struct ls_input_stream *stream) {
  return stream->values.journal != NULL;
}

/* Each value is borrowed from the store until the next one is read. */
static enum ls_status put_together(struct ls_input_stream *stream, struct ls_range some,
                                   const char **values, struct ls_error *err) {
  ls_bytes_clear(&stream->together);
  for (uint64_t i = 0; i < some.count; i++) {
    const char *value = NULL;
    enum ls_status status = ls_value_store_read(&stream->values, some.first + i, &value, err);
    if (status != LS_OK) return status;
    ls_bytes_append(&stream->together, value, strlen(value) + 1);
  }
  if (stream->together.failed) return ls_fail(err, LS_ENOMEM, "%s: out of memory", stream->name);
  const char *next = stream->together.data;
  for (uint64_t i = 0; i < some.count; i++, next += strlen(next) + 1) values[i] = next;
  return LS_OK;
}

/* The values of tasks. */
static struct ls_range find_values(const struct ls_input_stream *stream, struct ls_range tasks) {
  struct ls_range some = {tasks.first * stream->per_task, tasks.count * stream->per_task};
  if (some.first + some.count > stream->values.count)
    some.count = stream->values.count - some.first;
  return some;
}

enum ls_status ls_input_stream_values(struct ls_input_stream *stream, uint64_t task,
                                      const char **values, struct ls_error *err) {
  struct ls_range some = find_values(stream, (struct ls_range){task, 1});
  if (stream->per_task == 1) return ls_value_store_read(&stream->values, task, values, err);
  for (uint64_t i = some.count; i < stream->per_task; i++) values[i] = NULL;
  return put_together(stream, some, values, err);
}

void ls_input_stream_release(struct ls_input_stream *stream, struct ls_range tasks) {
  ls_value_store_release(&stream->values, find_values(stream, tasks));
}

void ls_input_stream_close(struct ls_input_stream *stream) {
  if (stream == NULL) return;
  ls_value_store_close(&stream->values);
  ls_bytes_close(&stream->arrived);
  ls_bytes_close(&stream->value);
  ls_bytes_close(&stream->together);
  close_file(stream->file);
  free(stream->name);
  free(stream);
}
