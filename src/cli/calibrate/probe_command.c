/* probe_command.c: --probe measures a command, with the size in place of {}. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "cli/calibrate/probe_subject.h"

/* The word with each {} replaced by the size. */
static void write_word(const char *word, double size, struct ls_bytes *out) {
  const char *place;
  while ((place = strstr(word, "{}")) != NULL) {
    ls_bytes_append(out, word, (size_t)(place - word));
    ls_bytes_printf(out, "%.0f", size);
    word = place + 2;
  }
  ls_bytes_append(out, word, strlen(word) + 1);
}

static enum ls_status start_command(struct ls_probe_subject *subject, struct ls_probe_slot *slot,
                                    struct ls_error *err) {
  struct ls_bytes text = {0};
  size_t count = subject->words_count, at = 0;
  char **argv = calloc(count + 1, sizeof *argv);
  for (size_t i = 0; i < count; i++) write_word(subject->words[i], slot->size, &text);
  enum ls_status status = LS_OK;
  if (argv == NULL || text.failed) status = ls_fail(err, LS_ENOMEM, "no memory for a command");
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    argv[i] = text.data + at;
    at += strlen(argv[i]) + 1;
  }
  struct ls_process_request request = {.argv = argv,
                                       .output = subject->null_file,
                                       .error_output = STDERR_FILENO,
                                       .dies_with_us = true};
  if (status == LS_OK)
    status = ls_process_start(&request, &subject->processes[slot->number], NULL, err);
  free(argv);
  ls_bytes_close(&text);
  return status;
}

static bool has_command_ended(struct ls_probe_subject *subject, const struct ls_probe_slot *slot) {
  return ls_process_ended(&subject->processes[slot->number], false, &subject->ends[slot->number]);
}

/* Old kernels have none. */
static int get_command_file(const struct ls_probe_subject *subject,
                            const struct ls_probe_slot *slot) {
  return subject->processes[slot->number].pidfd;
}

static enum ls_status take_command(struct ls_probe_subject *subject,
                                   const struct ls_probe_slot *slot,
                                   struct ls_measurements *measurements, struct ls_error *err) {
  const struct ls_process_end *end = &subject->ends[slot->number];
  if (end->signal != 0)
    return ls_fail(err, LS_EINVAL, "%s of %.0f units was killed by signal %d", subject->name,
                   slot->size, end->signal);
  if (end->exit_code != 0)
    return ls_fail(err, LS_EINVAL, "%s of %.0f units ended with exit code %d, expected 0",
                   subject->name, slot->size, end->exit_code);
  struct ls_measurement item = {slot->worker, LS_OPERATION_COMPUTE, slot->size,
                                slot->end_s - slot->begin_s};
  return ls_measurements_add(measurements, &item, err);
}

static void stop_command(struct ls_probe_subject *subject, const struct ls_probe_slot *slot) {
  ls_process_signal(&subject->processes[slot->number], SIGKILL);
  (void)ls_process_ended(&subject->processes[slot->number], true, &subject->ends[slot->number]);
}

static void close_command(struct ls_probe_subject *subject) {
  if (subject->null_file >= 0) close(subject->null_file);
  free(subject->processes);
  free(subject->ends);
}

static const struct ls_probe_subject_kind command_kind = {.start = start_command,
                                                          .has_ended = has_command_ended,
                                                          .file = get_command_file,
                                                          .take = take_command,
                                                          .stop = stop_command,
                                                          .close = close_command};

enum ls_status ls_probe_command_open(const struct ls_probe_target *target,
                                     struct ls_probe_subject *subject, struct ls_error *err) {
  bool has_place = false;
  for (size_t i = 0; i < target->words_count; i++)
    has_place = has_place || strstr(target->words[i], "{}") != NULL;
  if (!has_place)
    return ls_fail(err, LS_EINVAL, "the command has no {}, which stands for the size to measure");
  *subject = (struct ls_probe_subject){.kind = &command_kind,
                                       .name = target->words[0],
                                       .size_most = (double)INFINITY,
                                       .slots = target->slots,
                                       .words = target->words,
                                       .words_count = target->words_count,
                                       .null_file = open("/dev/null", O_WRONLY | O_CLOEXEC)};
  int code = errno;
  subject->processes = calloc(target->slots, sizeof *subject->processes);
  subject->ends = calloc(target->slots, sizeof *subject->ends);
  enum ls_status status = LS_OK;
  if (subject->null_file < 0)
    status = ls_fail(err, LS_EIO, "/dev/null: %s", strerror(code));
  else if (subject->processes == NULL || subject->ends == NULL)
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu workers", target->slots);
  if (status != LS_OK) close_command(subject);
  return status;
}
