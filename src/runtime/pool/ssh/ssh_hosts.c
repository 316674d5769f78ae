#include "runtime/pool/ssh/ssh_hosts.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "runtime/os/clock.h"
#include "runtime/pool/ssh/ssh_words.h"

/* Between two tries. */
static const double REST_FIRST_S = 1, REST_MOST_S = 60;
/* To log in and start the program; to lay a tunnel and hear what is there. */
static const double LOGIN_S = 60, OPENING_S = 30;
/* To bring the program there over a slow line; ssh itself notices a dead one. */
static const double SHIP_S = 600;
/* Beyond what the workers have: for agent and ssh to end. */
static const double END_S = 8;
/* For who has not even logged in. */
static const double LOGIN_END_S = 2;
/* What ssh does not take yet is offered again. */
static const double OFFER_S = 0.02;
enum { EVENTS_MAX = 64 };
/* Of a shell that does not find the program. */
enum { EXIT_LACKING = 127 };

/* ---- opening ---- */

/* The keeper is to remove our folder when the master dies. */
static void entrust(const struct ls_ssh_hosts *hosts) {
  struct ls_keeper_record order = {.kind = LS_KEEPER_FOLDER};
  if (hosts->setup.keeper == NULL) return;
  (void)snprintf(order.words, sizeof order.words, "%s", hosts->folder.path);
  ls_keeper_line_post(ls_keeper_line(hosts->setup.keeper), &order);
}

enum ls_status ls_ssh_hosts_open(const struct ls_ssh_setup *setup, struct ls_ssh_hosts *hosts,
                                 struct ls_error *err) {
  struct ls_ssh_hosts made = {.setup = *setup,
                              .count = setup->count,
                              .watch = -1,
                              .folder = {.lock = -1},
                              .ship = {.file = -1}};
  enum ls_status status = ls_ssh_words_check(setup->command, err);
  if (status == LS_OK) status = ls_temporary_folder_open(&made.folder, err);
  if (status == LS_OK) status = ls_ssh_words_check_folder(made.folder.path, err);
  made.items = calloc(setup->count + 1, sizeof *made.items);
  if (status == LS_OK && made.items == NULL)
    status = ls_fail(err, LS_ENOMEM, "out of memory for %zu hosts", setup->count);
  if (status == LS_OK && (made.watch = epoll_create1(EPOLL_CLOEXEC)) < 0)
    status = ls_fail(err, LS_EIO, "hosts cannot be watched: %s", strerror(errno));
  for (size_t i = 0; i < made.count && made.items != NULL; ++i) {
    made.items[i] =
        (struct ls_ssh_host){.facts = &setup->hosts[i],
                             .number = (uint32_t)i,
                             .workers = setup->hosts[i].workers,
                             .backoff = {.first_s = REST_FIRST_S, .most_s = REST_MOST_S}};
  }
  if (status == LS_OK) {
    *hosts = made;
    entrust(hosts);
  } else {
    ls_ssh_hosts_close(&made, 0);
  }
  return status;
}

enum ls_status ls_ssh_hosts_serve(struct ls_ssh_hosts *hosts, const struct ls_key_file *keys,
                                  const struct ls_ssh_listener *listener, struct ls_error *err) {
  const char *port = strrchr(keys->bound, ':');
  hosts->listener = *listener;
  ls_key_file_write(keys, &hosts->keys);
  (void)snprintf(hosts->target, sizeof hosts->target, "127.0.0.1%.16s", port != NULL ? port : ":0");
  return hosts->keys.failed ? ls_fail(err, LS_ENOMEM, "out of memory for the keys of workers")
                            : LS_OK;
}

/* ---- states ---- */

static void enter(struct ls_ssh_hosts *hosts, struct ls_ssh_host *host, enum ls_ssh_state state) {
  hosts->logins -= host->state == LS_SSH_LOGIN || host->state == LS_SSH_SHIPPING;
  hosts->logins += state == LS_SSH_LOGIN || state == LS_SSH_SHIPPING;
  host->state = state;
  host->since_s = ls_clock_s();
}

void ls_ssh_host_rest(struct ls_ssh_hosts *hosts, struct ls_ssh_host *host, const char *why) {
  double now_s = ls_clock_s();
  char text[sizeof host->complaint];
  /* The workers of one try that fail together are one failure. */
  if (now_s >= host->again_s) host->again_s = ls_backoff_fail(&host->backoff, now_s);
  if (why == NULL) return;
  (void)snprintf(text, sizeof text, "host %.60s: %.220s", host->facts->target, why);
  if (strcmp(text, host->complaint) == 0) return;
  memcpy(host->complaint, text, sizeof text);
  if (hosts->setup.warn != NULL) hosts->setup.warn(hosts->setup.context, text);
}

void ls_ssh_host_praise(struct ls_ssh_host *host) {
  ls_backoff_succeed(&host->backoff);
  host->complaint[0] = '\0';
}

/* The line is gone, or the try was in vain. */
static void fail_host(struct ls_ssh_hosts *hosts, struct ls_ssh_host *host, const char *why) {
  char reason[LS_SSH_LINK_LAST_BYTES + 40];
  (void)snprintf(reason, sizeof reason, "%s%.200s",
                 host->state == LS_SSH_OPEN ? "the connection broke: " : "", why);
  enter(hosts, host, LS_SSH_AWAY);
  ls_ssh_link_close(&host->forward);
  ls_ssh_link_close(&host->link);
  if (hosts->is_closing) {
    host->again_s = ls_clock_s() + REST_FIRST_S;
    return;
  }
  ls_ssh_host_rest(hosts, host, reason);
  if (hosts->listener.on_loss != NULL) hosts->listener.on_loss(hosts->listener.context, host);
}

/* ---- from the login to the open line ---- */

static uint64_t number_of(const struct ls_ssh_host *host, bool is_forward) {
  return (uint64_t)host->number << 1 | is_forward;
}

/* Starts the words beside the login, unless making them failed; they are closed. */
static void start_forward(struct ls_ssh_hosts *hosts, struct ls_ssh_host *host,
                          struct ls_ssh_words *words, enum ls_status status, struct ls_error *err) {
  if (status == LS_OK)
    status =
        ls_ssh_link_start(&host->forward, words->items, hosts->watch, number_of(host, true), err);
  ls_ssh_words_close(words);
  if (status == LS_OK) {
    ls_ssh_link_hang_up(&host->forward);
  } else {
    fail_host(hosts, host, err->text);
  }
}

/* The program goes there first. */
static void ship(struct ls_ssh_hosts *hosts, struct ls_ssh_host *host) {
  struct ls_ssh_words words = {0};
  struct ls_error err = {0};
  enum ls_status status = LS_OK;
  ls_ssh_link_close(&host->link);
  enter(hosts, host, LS_SSH_SHIPPING);
  if (hosts->ship.file < 0) status = ls_ship_make(&hosts->ship, hosts->setup.program, &err);
  if (status == LS_OK) status = ls_ssh_words_ship(&words, hosts, host, &err);
  start_forward(hosts, host, &words, status, &err);
}

static void log_in(struct ls_ssh_hosts *hosts, struct ls_ssh_host *host) {
  struct ls_ssh_words words;
  struct ls_error err = {0};
  char sharing[128];
  enter(hosts, host, LS_SSH_LOGIN);
  ls_ssh_words_sharing(hosts, host, sharing, sizeof sharing);
  (void)unlink(sharing);
  enum ls_status status = ls_ssh_words_login(&words, hosts, host, &err);
  if (status == LS_OK)
    status =
        ls_ssh_link_start(&host->link, words.items, hosts->watch, number_of(host, false), &err);
  ls_ssh_words_close(&words);
  if (status != LS_OK) fail_host(hosts, host, err.text);
}

static void open_line(struct ls_ssh_hosts *hosts, struct ls_ssh_host *host, const char *socket) {
  struct ls_agent_line tunnel = {.kind = LS_AGENT_TUNNEL};
  (void)snprintf(tunnel.words, sizeof tunnel.words, "%s", socket);
  enter(hosts, host, LS_SSH_OPENING);
  ls_ssh_host_say(host, &tunnel);
}

static void lay_tunnel(struct ls_ssh_hosts *hosts, struct ls_ssh_host *host) {
  struct ls_ssh_words words;
  struct ls_error err = {0};
  ++host->tunnels;
  enter(hosts, host, LS_SSH_FORWARDING);
  enum ls_status status = ls_ssh_words_forward(&words, hosts, host, &err);
  start_forward(hosts, host, &words, status, &err);
}

static void say_close(struct ls_ssh_host *host, double patience_s) {
  const struct ls_agent_line line = {.kind = LS_AGENT_CLOSE, .number = patience_s};
  host->is_inhabited = false;
  ls_ssh_host_say(host, &line);
}

static void on_greeting(struct ls_ssh_hosts *hosts, struct ls_ssh_host *host) {
  if (hosts->keys.length == 0) return;
  ls_bytes_append(&host->link.said, hosts->keys.data, hosts->keys.length);
  if (hosts->is_closing) {
    enter(hosts, host, LS_SSH_OPENING);
    say_close(host, 0);
  } else if (hosts->setup.is_direct) {
    open_line(hosts, host, "-");
  } else {
    lay_tunnel(hosts, host);
  }
}

static void on_forward(struct ls_ssh_hosts *hosts, struct ls_ssh_host *host) {
  char room[LS_SSH_LINK_LAST_BYTES], socket[LS_AGENT_WORDS_MAX + 1];
  if (host->state != LS_SSH_FORWARDING || ls_ssh_link_pump(&host->forward)) return;
  if (host->forward.end.exit_code != 0 || host->forward.end.signal != 0) {
    fail_host(hosts, host, ls_ssh_link_reason(&host->forward, room, sizeof room));
    return;
  }
  ls_ssh_link_close(&host->forward);
  ls_ssh_words_socket(host, socket, sizeof socket);
  open_line(hosts, host, socket);
}

static void on_hello(struct ls_ssh_hosts *hosts, struct ls_ssh_host *host,
                     const struct ls_agent_line *line) {
  char why[80];
  if (line->version != LS_AGENT_VERSION) {
    (void)snprintf(why, sizeof why, "its agent speaks version %u, ours is %d", line->version,
                   LS_AGENT_VERSION);
    fail_host(hosts, host, why);
    return;
  }
  host->link.printed[0] = '\0';
  host->cores = line->count > 0 ? line->count : 1;
  (void)snprintf(host->folder, sizeof host->folder, "%s", line->words);
  enter(hosts, host, LS_SSH_GREETED);
}

static void on_line(struct ls_ssh_hosts *hosts, struct ls_ssh_host *host,
                    const struct ls_agent_line *line) {
  const struct ls_ssh_listener *listener = &hosts->listener;
  if (line->kind == LS_AGENT_READY && host->state == LS_SSH_OPENING) {
    enter(hosts, host, LS_SSH_OPEN);
    if (listener->on_open != NULL) listener->on_open(listener->context, host);
  } else if (listener->on_line != NULL && line->kind > LS_AGENT_HELLO) {
    listener->on_line(listener->context, host, line);
  }
}

/* A login may print anything, and end none of its lines. */
static void on_text(struct ls_ssh_hosts *hosts, struct ls_ssh_host *host, struct ls_text text) {
  struct ls_agent_line line;
  if (host->state == LS_SSH_LOGIN) {
    if (ls_agent_line_find_hello(text, &line)) {
      on_hello(hosts, host, &line);
    } else {
      ls_ssh_link_keep_printed(&host->link, text);
    }
  } else if (ls_agent_line_read(text, &line)) {
    on_line(hosts, host, &line);
  }
}

/* ---- steps ---- */

static void on_ship(struct ls_ssh_hosts *hosts, struct ls_ssh_host *host) {
  char room[LS_SSH_LINK_LAST_BYTES], text[160];
  if (ls_ssh_link_pump(&host->forward)) return;
  if (host->forward.end.exit_code != 0 || host->forward.end.signal != 0) {
    fail_host(hosts, host, ls_ssh_link_reason(&host->forward, room, sizeof room));
    return;
  }
  ls_ssh_link_close(&host->forward);
  host->is_shipped = true;
  (void)snprintf(text, sizeof text, "host %.60s: the program was brought there (%.3g MB)",
                 host->facts->target, (double)hosts->ship.bytes / 1e6);
  if (hosts->setup.warn != NULL) hosts->setup.warn(hosts->setup.context, text);
  log_in(hosts, host);
}

/* The login has ended. Where it did not find the program that is brought there, once. */
static void on_end(struct ls_ssh_hosts *hosts, struct ls_ssh_host *host) {
  char room[LS_SSH_LINK_LAST_BYTES];
  bool is_lacking = host->state == LS_SSH_LOGIN && host->link.end.exit_code == EXIT_LACKING;
  if (is_lacking && !host->is_shipped && !hosts->is_closing) {
    ship(hosts, host);
    return;
  }
  if (is_lacking) host->is_shipped = false;
  if (host->state == LS_SSH_LOGIN)
    ls_ssh_link_keep_printed(&host->link, ls_lines_rest(&host->link.heard));
  fail_host(hosts, host, ls_ssh_link_reason(&host->link, room, sizeof room));
}

static void pump_host(struct ls_ssh_hosts *hosts, struct ls_ssh_host *host) {
  struct ls_text text;
  if (host->state == LS_SSH_AWAY) return;
  if (host->state == LS_SSH_SHIPPING) {
    on_ship(hosts, host);
    return;
  }
  bool is_running = ls_ssh_link_pump(&host->link);
  while (host->state != LS_SSH_AWAY && ls_lines_take(&host->link.heard, &text))
    on_text(hosts, host, text);
  if (host->state == LS_SSH_AWAY) return;
  if (!is_running) {
    on_end(hosts, host);
    return;
  }
  on_forward(hosts, host);
  if (host->state == LS_SSH_GREETED) on_greeting(hosts, host);
}

/* Whoever takes too long may hang for ever. */
static double find_limit_s(const struct ls_ssh_host *host) {
  if (host->state == LS_SSH_SHIPPING) return host->since_s + SHIP_S;
  if (host->state == LS_SSH_LOGIN) return host->since_s + LOGIN_S;
  bool is_opening = host->state == LS_SSH_FORWARDING || host->state == LS_SSH_OPENING;
  return is_opening ? host->since_s + OPENING_S : (double)INFINITY;
}

static void watch_time(struct ls_ssh_hosts *hosts, struct ls_ssh_host *host, double now_s) {
  bool is_needed = hosts->is_closing ? host->is_inhabited : host->is_wanted;
  bool may_log_in = is_needed && host->state == LS_SSH_AWAY && now_s >= host->again_s &&
                    hosts->logins < LS_SSH_LOGINS_MAX;
  if (may_log_in && hosts->setup.ships && !host->is_shipped && !hosts->is_closing) {
    ship(hosts, host);
  } else if (may_log_in) {
    log_in(hosts, host);
  }
  if (now_s < find_limit_s(host)) return;
  char why[LS_SSH_LINK_LAST_BYTES + 60];
  if (host->state == LS_SSH_LOGIN)
    ls_ssh_link_keep_printed(&host->link, ls_lines_rest(&host->link.heard));
  const char *last = host->link.last[0] != '\0' ? host->link.last : host->link.printed;
  (void)snprintf(why, sizeof why, "its agent has not answered in time%s%s",
                 last[0] != '\0' ? "; the last words: " : "", last);
  fail_host(hosts, host, why);
}

void ls_ssh_hosts_step(struct ls_ssh_hosts *hosts) {
  struct epoll_event events[EVENTS_MAX];
  int count = EVENTS_MAX;
  while (count == EVENTS_MAX) {
    count = epoll_wait(hosts->watch, events, EVENTS_MAX, 0);
    for (int i = 0; i < count; ++i) pump_host(hosts, &hosts->items[events[i].data.u64 >> 1]);
  }
  double now_s = ls_clock_s();
  for (size_t i = 0; i < hosts->count; ++i) {
    struct ls_ssh_host *host = &hosts->items[i];
    if (host->state == LS_SSH_GREETED && hosts->keys.length > 0) pump_host(hosts, host);
    if (host->link.said.length > 0) pump_host(hosts, host);
    watch_time(hosts, host, now_s);
  }
}

double ls_ssh_hosts_patience_s(const struct ls_ssh_hosts *hosts) {
  double until_s = (double)INFINITY, now_s = ls_clock_s();
  for (size_t i = 0; i < hosts->count; ++i) {
    const struct ls_ssh_host *host = &hosts->items[i];
    bool is_needed = hosts->is_closing ? host->is_inhabited : host->is_wanted;
    bool may_log_in = is_needed && host->state == LS_SSH_AWAY;
    if (may_log_in && hosts->logins < LS_SSH_LOGINS_MAX) until_s = fmin(until_s, host->again_s);
    if (host->state == LS_SSH_GREETED && hosts->keys.length > 0) until_s = now_s;
    if (host->link.said.length > 0) until_s = fmin(until_s, now_s + OFFER_S);
    until_s = fmin(until_s, find_limit_s(host));
  }
  return fmax(0, until_s - now_s);
}

void ls_ssh_host_say(struct ls_ssh_host *host, const struct ls_agent_line *line) {
  ls_agent_line_write(line, &host->link.said);
}

/* ---- waits ---- */

static void wait_and_step(struct ls_ssh_hosts *hosts, double until_s) {
  double seconds = fmin(until_s - ls_clock_s(), ls_ssh_hosts_patience_s(hosts));
  struct pollfd look = {.fd = hosts->watch, .events = POLLIN};
  (void)poll(&look, 1, (int)fmin(ceil(fmax(0, seconds) * 1e3), 1e6));
  ls_ssh_hosts_step(hosts);
}

/* Neither answered nor failed. */
static bool is_awaited(const struct ls_ssh_host *host) {
  return host->facts->workers == 0 && host->cores == 0 && host->complaint[0] == '\0';
}

size_t ls_ssh_hosts_count(struct ls_ssh_hosts *hosts, double patience_s) {
  double until_s = ls_clock_s() + patience_s;
  size_t awaited = hosts->count, workers = 0;
  for (size_t i = 0; i < hosts->count; ++i)
    hosts->items[i].is_wanted = is_awaited(&hosts->items[i]);
  while (awaited > 0 && ls_clock_s() < until_s) {
    awaited = 0;
    for (size_t i = 0; i < hosts->count; ++i) awaited += is_awaited(&hosts->items[i]);
    if (awaited > 0) wait_and_step(hosts, until_s);
  }
  for (size_t i = 0; i < hosts->count; ++i) {
    struct ls_ssh_host *host = &hosts->items[i];
    if (host->workers == 0) host->workers = host->cores > 0 ? host->cores : 1;
    if (host->workers > LS_HOST_WORKERS_MAX) host->workers = LS_HOST_WORKERS_MAX;
    host->is_wanted = false;
    workers += host->workers;
  }
  return workers;
}

/* An agent that knows no keys has no workers of its own, and ends with its input; but it may carry
 * the line of one that has. */
static void take_leave(struct ls_ssh_host *host, double patience_s) {
  bool has_keys = host->state >= LS_SSH_FORWARDING;
  if (has_keys) say_close(host, patience_s);
  (void)ls_ssh_link_pump(&host->link);
  if (!has_keys && !host->is_inhabited) ls_ssh_link_hang_up(&host->link);
  host->again_s = 0;
}

static size_t count_open(const struct ls_ssh_hosts *hosts) {
  size_t count = 0;
  for (size_t i = 0; i < hosts->count; ++i)
    count += hosts->items[i].state != LS_SSH_AWAY || hosts->items[i].is_inhabited;
  return count;
}

void ls_ssh_hosts_close(struct ls_ssh_hosts *hosts, double patience_s) {
  double until_s = ls_clock_s() + patience_s + END_S;
  if (hosts->items == NULL) hosts->count = 0;
  hosts->is_closing = true;
  for (size_t i = 0; i < hosts->count; ++i) take_leave(&hosts->items[i], patience_s);
  double login_end_s = ls_clock_s() + LOGIN_END_S;
  while (count_open(hosts) > 0 && ls_clock_s() < until_s) {
    wait_and_step(hosts, ls_clock_s() < login_end_s ? login_end_s : until_s);
    for (size_t i = 0; i < hosts->count && ls_clock_s() >= login_end_s; ++i) {
      enum ls_ssh_state state = hosts->items[i].state;
      bool is_in_vain =
          (state == LS_SSH_LOGIN || state == LS_SSH_SHIPPING) && !hosts->items[i].is_inhabited;
      if (is_in_vain) fail_host(hosts, &hosts->items[i], "");
    }
  }
  for (size_t i = 0; i < hosts->count; ++i) {
    ls_ssh_link_close(&hosts->items[i].forward);
    ls_ssh_link_close(&hosts->items[i].link);
  }
  ls_ship_close(&hosts->ship);
  if (hosts->watch >= 0) (void)close(hosts->watch);
  if (hosts->folder.path[0] != '\0') ls_temporary_folder_close(&hosts->folder);
  if (hosts->keys.data != NULL) explicit_bzero(hosts->keys.data, hosts->keys.capacity);
  ls_bytes_close(&hosts->keys);
  free(hosts->items);
  *hosts = (struct ls_ssh_hosts){.watch = -1, .folder = {.lock = -1}, .ship = {.file = -1}};
}
