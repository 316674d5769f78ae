/* agent_orders.c: the line of an agent: what its master says and hears. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "runtime/pool/agent_private.h"

/* ---- what is said ---- */

static void say(struct ls_agent *agent, const struct ls_agent_line *line) {
  if (agent->output < 0) return;
  ls_agent_line_write(line, &agent->said);
}

void ls_agent_line_open(struct ls_agent *agent, int input, int output) {
  struct ls_agent_line hello = {
      .kind = LS_AGENT_HELLO, .version = LS_AGENT_VERSION, .count = (uint32_t)agent->setup->cores};
  ls_agent_line_lose(agent);
  agent->input = input;
  agent->output = output;
  ls_lines_prepare(input);
  ls_lines_prepare(output);
  (void)snprintf(hello.words, sizeof hello.words, "%s", agent->folder.path);
  say(agent, &hello);
}

void ls_agent_line_lose(struct ls_agent *agent) {
  if (agent->input >= 0) (void)close(agent->input);
  if (agent->output >= 0 && agent->output != agent->input) (void)close(agent->output);
  agent->input = agent->output = -1;
  ls_lines_close(&agent->heard);
  ls_bytes_clear(&agent->said);
}

/* ---- the keeper ---- */

static void order(struct ls_agent *agent, const struct ls_keeper_record *record) {
  ls_keeper_line_post(ls_keeper_line(agent->keeper), record);
}

static void order_words(struct ls_agent *agent, enum ls_keeper_kind kind, const char *words) {
  struct ls_keeper_record record = {.kind = kind};
  (void)snprintf(record.words, sizeof record.words, "%s", words);
  order(agent, &record);
}

/* The keys come with each line: they are those of the run, whatever its master is. */
static enum ls_status take_keys(struct ls_agent *agent, struct ls_text text, struct ls_error *err) {
  text.source = "keys of the master";
  enum ls_status status = ls_key_file_read(text, false, agent->setup->keys, err);
  if (status != LS_OK || agent->keeper != NULL) return status;
  struct ls_keeper_setup setup = {.serve = agent->setup->serve,
                                  .prepare = agent->setup->prepare,
                                  .context = agent->setup->context};
  status = ls_keeper_start(&setup, &agent->keeper, err);
  if (status == LS_OK) order_words(agent, LS_KEEPER_FOLDER, agent->folder.path);
  return status;
}

/* ---- the tunnel ---- */

/* The link is turned in one step, so that a worker that looks finds the former socket or the new
 * one. The former one leads nowhere any more. */
static void turn_link(const struct ls_agent *agent, const char *socket) {
  char link[128], beside[128], former[LS_AGENT_WORDS_MAX + 1];
  struct stat facts;
  (void)snprintf(link, sizeof link, "%s/%s", agent->folder.path, LS_AGENT_MASTER);
  (void)snprintf(beside, sizeof beside, "%s/new", agent->folder.path);
  ssize_t length = readlink(link, former, sizeof former - 1);
  former[length > 0 ? length : 0] = '\0';
  (void)unlink(beside);
  if (symlink(socket, beside) != 0 || rename(beside, link) != 0) return;
  size_t ours = strlen(agent->folder.path);
  bool is_ours = strncmp(former, agent->folder.path, ours) == 0 && former[ours] == '/';
  if (is_ours && strcmp(former, socket) != 0 && lstat(former, &facts) == 0 &&
      S_ISSOCK(facts.st_mode))
    (void)unlink(former);
}

static void tell_all(struct ls_agent *agent) {
  for (size_t i = 0; i < agent->capacity; ++i) {
    struct ls_agent_line has = {
        .kind = LS_AGENT_HAS, .slot = (uint32_t)i + 1, .pid = agent->workers[i].pid};
    if (has.pid != 0) say(agent, &has);
  }
  say(agent, &(struct ls_agent_line){.kind = LS_AGENT_READY});
}

static void on_tunnel(struct ls_agent *agent, const char *socket) {
  char address[160];
  (void)snprintf(address, sizeof address, "ipc://%s/%s", agent->folder.path, LS_AGENT_MASTER);
  bool is_direct = strcmp(socket, "-") == 0;
  if (!is_direct) turn_link(agent, socket);
  order_words(agent, LS_KEEPER_ADDRESS, is_direct ? agent->setup->keys->address : address);
  tell_all(agent);
}

/* ---- workers ---- */

static struct ls_agent_worker *find_worker(struct ls_agent *agent, uint32_t slot) {
  void *items = agent->workers;
  size_t before = agent->capacity;
  if (slot == 0) return NULL;
  if (slot > before) {
    if (ls_array_reserve(&items, &agent->capacity, slot, sizeof *agent->workers) != LS_OK)
      return NULL;
    agent->workers = items;
    memset(agent->workers + before, 0, (agent->capacity - before) * sizeof *agent->workers);
  }
  return &agent->workers[slot - 1];
}

static void on_start(struct ls_agent *agent, const struct ls_agent_line *line) {
  struct ls_agent_worker *worker = find_worker(agent, line->slot);
  struct ls_keeper_record record = {
      .kind = LS_KEEPER_START, .slot = line->slot, .number = line->number};
  if (worker == NULL || worker->is_there || agent->is_closing) {
    struct ls_agent_line no = {.kind = LS_AGENT_UNSTARTED, .slot = line->slot};
    (void)snprintf(no.words, sizeof no.words, "%s",
                   worker == NULL ? "out of memory" : "its slot is taken");
    say(agent, &no);
    return;
  }
  (void)snprintf(record.words, sizeof record.words, "%s", line->words);
  *worker = (struct ls_agent_worker){.is_there = true};
  ++agent->there;
  order(agent, &record);
}

static void on_line(struct ls_agent *agent, const struct ls_agent_line *line) {
  struct ls_keeper_record record = {.slot = line->slot};
  switch (line->kind) {
    case LS_AGENT_TUNNEL:
      on_tunnel(agent, line->words);
      break;
    case LS_AGENT_START:
      on_start(agent, line);
      break;
    case LS_AGENT_SIGNAL:
      record.kind = LS_KEEPER_SIGNAL;
      record.signal = (int32_t)line->signal;
      order(agent, &record);
      break;
    case LS_AGENT_CLOSE:
      record.kind = LS_KEEPER_CLOSE;
      record.number = line->number;
      agent->is_closing = true;
      order(agent, &record);
      break;
    default:
      break; /* what an agent says */
  }
}

enum ls_status ls_agent_line_hear(struct ls_agent *agent, struct ls_error *err) {
  struct ls_text text;
  struct ls_agent_line line;
  while (ls_lines_take(&agent->heard, &text)) {
    enum ls_status status = LS_OK;
    if (text.length > 0 && text.data[0] == '{') {
      status = take_keys(agent, text, err);
    } else if (ls_agent_line_read(text, &line)) {
      status =
          agent->keeper != NULL ? LS_OK : ls_fail(err, LS_EINVAL, "the master sends no keys first");
      if (status == LS_OK) on_line(agent, &line);
    }
    if (status != LS_OK) return status;
  }
  return LS_OK;
}

/* ---- news ---- */

static void forget(struct ls_agent *agent, struct ls_agent_worker *worker) {
  agent->there -= worker->is_there;
  *worker = (struct ls_agent_worker){0};
}

void ls_agent_line_report(struct ls_agent *agent, const struct ls_keeper_record *news) {
  struct ls_agent_worker *worker = find_worker(agent, news->slot);
  struct ls_agent_line line = {.slot = news->slot,
                               .pid = (uint32_t)news->pid,
                               .exit_code = (uint32_t)news->exit_code,
                               .signal = (uint32_t)news->signal};
  if (worker == NULL) return;
  switch ((enum ls_keeper_kind)news->kind) {
    case LS_KEEPER_STARTED:
      line.kind = LS_AGENT_STARTED;
      worker->pid = line.pid;
      break;
    case LS_KEEPER_UNSTARTED:
      line.kind = LS_AGENT_UNSTARTED;
      (void)snprintf(line.words, sizeof line.words, "%s", news->words);
      forget(agent, worker);
      break;
    case LS_KEEPER_ENDED:
      line.kind = LS_AGENT_ENDED;
      forget(agent, worker);
      break;
    case LS_KEEPER_STOPPED:
      line.kind = LS_AGENT_STOPPED;
      break;
    case LS_KEEPER_CONTINUED:
      line.kind = LS_AGENT_CONTINUED;
      break;
    default:
      return;
  }
  say(agent, &line);
}
