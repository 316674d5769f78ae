#include "runtime/master/adviser.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/os/limits.h"

static void answer_in_child(int file, ls_adviser_fn function, void *context,
                            const struct ls_adviser_facts *facts) {
  struct ls_adviser_answer answer;
  memset(&answer, 0, sizeof answer);
  /* Smaller than a pipe's atomic write. */
  if (function(context, facts, &answer)) (void)!write(file, &answer, sizeof answer);
  _exit(0);
}

enum ls_status ls_adviser_ask(struct ls_adviser *adviser, ls_adviser_fn function, void *context,
                              const struct ls_adviser_facts *facts, struct ls_error *err) {
  int files[2];
  if (adviser->child != 0) return ls_fail(err, LS_EBUSY, "a question is open");
  if (pipe2(files, O_CLOEXEC | O_NONBLOCK) != 0) {
    return ls_fail(err, LS_EIO, "no pipe for an adviser: %s", strerror(errno));
  }
  pid_t child = fork();
  if (child == 0) {
    (void)close(files[0]);
    answer_in_child(files[1], function, context, facts);
  }
  int reason = errno;
  (void)close(files[1]);
  if (child < 0) {
    (void)close(files[0]);
    return ls_fail(err, LS_EIO, "no process for an adviser: %s", ls_limits_words(reason));
  }
  *adviser = (struct ls_adviser){child, files[0]};
  return LS_OK;
}

static void end(struct ls_adviser *adviser) {
  (void)close(adviser->file);
  while (waitpid(adviser->child, NULL, 0) < 0 && errno == EINTR) continue;
  *adviser = (struct ls_adviser){0};
}

bool ls_adviser_poll(struct ls_adviser *adviser, struct ls_adviser_answer *answer) {
  struct ls_adviser_answer read_answer;
  if (adviser->child == 0) return false;
  ssize_t length = read(adviser->file, &read_answer, sizeof read_answer);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  /* The end of the pipe means that the child has finished or died: waiting for it is short. */
  end(adviser);
  if (length != (ssize_t)sizeof read_answer) return false;
  read_answer.reason[sizeof read_answer.reason - 1] = '\0';
  *answer = read_answer;
  return true;
}

void ls_adviser_stop(struct ls_adviser *adviser) {
  if (adviser->child == 0) return;
  (void)kill(adviser->child, SIGKILL);
  end(adviser);
}
