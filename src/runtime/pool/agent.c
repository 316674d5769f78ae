#include "runtime/pool/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/os/clock.h"
#include "runtime/pool/agent_private.h"
#include "runtime/pool/ssh/shipped.h"

/* Of an agent that is about to end, or has just begun: then its folder is free, or its door open.
 */
static const double HOLDER_PATIENCE_S = 20;
enum { LOOK_AGAIN_MS = 50, FILES_MAX = 4 };

/* ---- the beginning ---- */

static enum ls_status open_door(struct ls_agent *agent, struct ls_error *err) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  (void)snprintf(name.sun_path, sizeof name.sun_path, "%.96s/%s", agent->folder.path,
                 LS_AGENT_DOOR);
  agent->door = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (agent->door >= 0 && bind(agent->door, (struct sockaddr *)&name, sizeof name) == 0 &&
      listen(agent->door, 4) == 0)
    return LS_OK;
  return ls_fail(err, LS_EIO, "cannot listen at %s: %s", name.sun_path, strerror(errno));
}

static void accept_line(struct ls_agent *agent) {
  int file = accept4(agent->door, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (file >= 0) ls_agent_line_open(agent, file, file);
}

/* ---- the loop ---- */

static bool is_over(const struct ls_agent *agent) {
  if (agent->keeper != NULL && ls_keeper_line(agent->keeper)->is_broken) return true;
  return agent->input < 0 && agent->there == 0;
}

static void hear_keeper(struct ls_agent *agent) {
  struct ls_keeper_line *line = ls_keeper_line(agent->keeper);
  struct ls_keeper_record news;
  ls_keeper_line_flush(line);
  while (ls_keeper_line_take(line, &news)) ls_agent_line_report(agent, &news);
}

static void wait_for_something(struct ls_agent *agent, struct pollfd files[FILES_MAX]) {
  int milliseconds = -1;
  files[0] = (struct pollfd){.fd = agent->input, .events = POLLIN};
  files[1] = (struct pollfd){.fd = agent->said.length > 0 ? agent->output : -1, .events = POLLOUT};
  files[2] = (struct pollfd){.fd = agent->door, .events = POLLIN};
  files[3] = (struct pollfd){.fd = -1, .events = POLLIN};
  if (agent->keeper != NULL) {
    const struct ls_keeper_line *line = ls_keeper_line(agent->keeper);
    files[3].fd = line->file;
    if (ls_keeper_line_is_waiting(line)) milliseconds = LOOK_AGAIN_MS;
  }
  (void)poll(files, FILES_MAX, milliseconds);
}

static enum ls_status work(struct ls_agent *agent, struct ls_error *err) {
  while (!is_over(agent)) {
    struct pollfd files[FILES_MAX];
    wait_for_something(agent, files);
    if (agent->input >= 0 && files[0].revents != 0) {
      bool goes_on = ls_lines_fill(&agent->heard, agent->input);
      enum ls_status status = ls_agent_line_hear(agent, err);
      if (status != LS_OK) return status;
      /* Whoever says no more may still listen. */
      if (!goes_on && agent->output >= 0) (void)ls_lines_flush(&agent->said, agent->output);
      if (!goes_on) ls_agent_line_lose(agent);
    }
    if (agent->keeper != NULL) hear_keeper(agent);
    if (files[2].revents != 0) accept_line(agent);
    if (agent->output >= 0 && !ls_lines_flush(&agent->said, agent->output))
      ls_agent_line_lose(agent);
  }
  return LS_OK;
}

/* Without a line nobody ever orders anything again; what is left of the workers has ended. */
static enum ls_status end_work(struct ls_agent *agent, struct ls_error *err) {
  if (agent->keeper == NULL) return LS_OK;
  bool was_told = agent->is_closing || agent->there == 0;
  char how[48];
  (void)snprintf(how, sizeof how, "%s", ls_keeper_end_words(agent->keeper));
  ls_keeper_destroy(agent->keeper);
  if (was_told) return LS_OK;
  return ls_fail(err, LS_EIO, "the supervisor of the workers has ended (%s)", how);
}

static enum ls_status hold(struct ls_agent *agent, struct ls_error *err) {
  enum ls_status status = open_door(agent, err);
  if (status == LS_OK) {
    ls_agent_line_open(agent, agent->setup->input, agent->setup->output);
    status = work(agent, err);
    enum ls_status end = end_work(agent, status == LS_OK ? err : NULL);
    if (status == LS_OK) status = end;
  }
  if (agent->door >= 0) (void)close(agent->door);
  ls_temporary_folder_close(&agent->folder);
  if (agent->setup->shipped != NULL) ls_shipped_remove(agent->setup->shipped);
  ls_lines_close(&agent->heard);
  ls_bytes_close(&agent->said);
  free(agent->workers);
  return status;
}

/* Who holds the folder may be about to leave it, or not listen yet. */
static enum ls_status run(const struct ls_agent_setup *setup, struct ls_error *err) {
  struct ls_agent agent = {.setup = setup, .door = -1, .input = -1, .output = -1};
  double until_s = ls_clock_s() + HOLDER_PATIENCE_S;
  (void)signal(SIGPIPE, SIG_IGN);
  for (;;) {
    enum ls_status status = ls_temporary_folder_claim(&agent.folder, setup->name, err);
    if (status == LS_OK) return hold(&agent, err);
    if (status == LS_EBUSY) status = ls_agent_relay(setup, agent.folder.path, err);
    if (status != LS_EBUSY || ls_clock_s() > until_s) return status;
    (void)poll(NULL, 0, LOOK_AGAIN_MS);
  }
}

enum ls_status ls_agent_run(const struct ls_agent_setup *setup, struct ls_error *err) {
  int held = setup->shipped != NULL ? ls_shipped_hold(setup->shipped) : -1;
  enum ls_status status = run(setup, err);
  if (held >= 0) (void)close(held);
  return status;
}
