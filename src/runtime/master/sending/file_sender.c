#include "runtime/master/sending/file_sender.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A worker that connects anew may ask again for what it had asked for. */
enum { WANTS_MAX = 4 * LS_PIECES_AHEAD, PIECES_PER_ROUND = 8 };

static bool is_same(const unsigned char *a, const void *b) {
  return memcmp(a, b, LS_CONTENT_BYTES) == 0;
}

static size_t count_wants(const struct ls_file_sender *sender, uint32_t worker) {
  size_t count = 0;
  for (size_t i = 0; i < sender->count; ++i) count += sender->wants[i].worker == worker;
  return count;
}

/* The course of a content to a worker; NULL: none. */
static struct ls_file_course *find_course(const struct ls_file_sender *sender, uint32_t worker,
                                          const unsigned char *name) {
  for (size_t i = 0; i < sender->courses_count; ++i) {
    struct ls_file_course *course = &sender->courses[i];
    if (course->worker == worker && is_same(course->name, name)) return course;
  }
  return NULL;
}

static void drop_course(struct ls_file_sender *sender, struct ls_file_course *course) {
  *course = sender->courses[--sender->courses_count];
}

static enum ls_status begin_course(struct ls_file_sender *sender, const struct ls_file_want *want,
                                   double now_s, struct ls_error *err) {
  struct ls_file_course *course = find_course(sender, want->worker, want->name);
  if (course == NULL) {
    if (ls_array_reserve((void **)&sender->courses, &sender->courses_capacity,
                         sender->courses_count + 1, sizeof *sender->courses) != LS_OK)
      return ls_fail(err, LS_ENOMEM, "out of memory for the files of workers");
    course = &sender->courses[sender->courses_count++];
  }
  *course = (struct ls_file_course){
      .worker = want->worker, .begun_s = now_s, .told_s = now_s + ls_slow_next_s(0)};
  memcpy(course->name, want->name, LS_CONTENT_BYTES);
  return LS_OK;
}

enum ls_status ls_file_sender_ask(struct ls_file_sender *sender, const struct ls_file_want *want,
                                  double now_s, struct ls_error *err) {
  if (count_wants(sender, want->worker) >= WANTS_MAX)
    return ls_fail(err, LS_ECORRUPT, "worker %u wants more than %d pieces at once", want->worker,
                   WANTS_MAX);
  if (ls_array_reserve((void **)&sender->wants, &sender->capacity, sender->count + 1,
                       sizeof *sender->wants) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for the files of workers");
  enum ls_status status = LS_OK;
  if (want->offset == 0) status = begin_course(sender, want, now_s, err);
  if (status == LS_OK) sender->wants[sender->count++] = *want;
  return status;
}

void ls_file_sender_forget(struct ls_file_sender *sender, uint32_t worker) {
  size_t left = 0;
  for (size_t i = 0; i < sender->count; ++i) {
    if (sender->wants[i].worker != worker) sender->wants[left++] = sender->wants[i];
  }
  sender->count = left;
  for (size_t i = sender->courses_count; i-- > 0;) {
    if (sender->courses[i].worker == worker) drop_course(sender, &sender->courses[i]);
  }
}

bool ls_file_sender_is_waiting(const struct ls_file_sender *sender) {
  return sender->count > 0;
}

/* ---- pieces ---- */

static enum ls_status read_part(struct ls_file_sender *sender, const struct ls_file_want *want,
                                struct ls_error *err) {
  const struct ls_file_source *source = sender->source;
  const struct ls_file_part part = {want->name, want->offset};
  sender->bytes->length = 0;
  if (source == NULL) return ls_fail(err, LS_EINVAL, "this run sends no files");
  return source->read(source->context, &part, sender->bytes, err);
}

/* Posts what one want gets; true: it was the last piece. */
static bool answer(struct ls_file_sender *sender, const struct ls_file_want *want,
                   struct ls_outbox *outbox) {
  struct ls_error err = {0};
  struct ls_file_bytes *bytes = sender->bytes;
  struct ls_message message = {
      .kind = LS_MESSAGE_PIECE, .content = {want->name, LS_CONTENT_BYTES}, .offset = want->offset};
  if (read_part(sender, want, &err) != LS_OK) {
    message.kind = LS_MESSAGE_ABSENT;
    message.text = (struct ls_blob){err.text, strlen(err.text)};
  }
  message.input = (struct ls_blob){bytes->data, bytes->length};
  ls_outbox_post(outbox, want->to, &message);
  sender->bytes_sent += bytes->length;
  return message.kind == LS_MESSAGE_PIECE && want->offset + bytes->length >= bytes->total;
}

static void end_course(struct ls_file_sender *sender, const struct ls_file_want *want,
                       double now_s) {
  struct ls_file_course *course = find_course(sender, want->worker, want->name);
  if (course == NULL) return;
  struct ls_file_sent sent = {.bytes = sender->bytes->total, .seconds = now_s - course->begun_s};
  memcpy(sent.name, want->name, LS_CONTENT_BYTES);
  drop_course(sender, course);
  if (sender->told != NULL) sender->told(sender->context, want->worker, &sent);
}

static void note_course(struct ls_file_sender *sender, const struct ls_file_want *want) {
  struct ls_file_course *course = find_course(sender, want->worker, want->name);
  if (course == NULL) return;
  course->sent = want->offset;
  course->total = sender->bytes->total;
}

bool ls_file_sender_find_slow(struct ls_file_sender *sender, double now_s, uint32_t *worker,
                              struct ls_slow *slow) {
  for (size_t i = 0; i < sender->courses_count; ++i) {
    struct ls_file_course *course = &sender->courses[i];
    if (now_s < course->told_s) continue;
    double seconds = now_s - course->begun_s;
    course->told_s = course->begun_s + ls_slow_next_s(seconds);
    *worker = course->worker;
    *slow = (struct ls_slow){"a file", course->sent, course->total, seconds};
    return true;
  }
  return false;
}

static bool was_served(const struct ls_file_sender *sender, uint32_t worker, size_t before) {
  for (size_t i = 0; i < before; ++i) {
    if (sender->wants[i].worker == worker && sender->wants[i].was_served) return true;
  }
  return false;
}

static void drop_served(struct ls_file_sender *sender) {
  size_t left = 0;
  for (size_t i = 0; i < sender->count; ++i) {
    if (!sender->wants[i].was_served) sender->wants[left++] = sender->wants[i];
  }
  sender->count = left;
}

enum ls_status ls_file_sender_post(struct ls_file_sender *sender, struct ls_outbox *outbox,
                                   double now_s, struct ls_error *err) {
  if (sender->count == 0) return LS_OK;
  if (sender->bytes == NULL) sender->bytes = malloc(sizeof *sender->bytes);
  if (sender->bytes == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for a piece of a file");
  for (size_t i = 0, served = 0; i < sender->count && served < PIECES_PER_ROUND; ++i) {
    struct ls_file_want *want = &sender->wants[i];
    if (was_served(sender, want->worker, i)) continue;
    want->was_served = true;
    ++served;
    bool is_last = answer(sender, want, outbox);
    note_course(sender, want);
    if (is_last) end_course(sender, want, now_s);
  }
  drop_served(sender);
  return LS_OK;
}

void ls_file_sender_close(struct ls_file_sender *sender) {
  free(sender->wants);
  free(sender->courses);
  free(sender->bytes);
  *sender = (struct ls_file_sender){0};
}
