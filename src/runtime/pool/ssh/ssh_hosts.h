/* ssh_hosts.h: the hosts of a run to which ssh leads, and their agents.
 *
 * There is one ssh for each host that workers are wanted of.  It starts an agent (agent.h), which
 * says how many cores it has and where its folder is; a second, short ssh that uses the first one's
 * connection lays the tunnel from there to the master, unless workers connect directly.  A
 * connection that breaks is made anew, a host that fails is tried again, later each time, and said
 * to the user once.  A few at a time log in: a server turns more away.
 *
 * A host that lacks the program gets it, over an ssh of its own (ship.h).
 *
 * No function here waits, but count and close.
 */
#ifndef LS_RUNTIME_POOL_SSH_SSH_HOSTS_H
#define LS_RUNTIME_POOL_SSH_SSH_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/backoff.h"
#include "base/status.h"
#include "protocol/agent_line.h"
#include "protocol/host_list.h"
#include "protocol/key_file.h"
#include "runtime/os/temporary.h"
#include "runtime/pool/keeper.h"
#include "runtime/pool/ssh/ship.h"
#include "runtime/pool/ssh/ssh_link.h"

enum { LS_SSH_LOGINS_MAX = 8 };

struct ls_ssh_setup {
  const struct ls_host *hosts; /* borrowed, as all here */
  size_t count;
  const char *command;      /* "ssh -F FILE": words for a shell; NULL: ssh */
  const char *program;      /* path of this program, on every host */
  const char *run;          /* number of the run: it finds what it left on a host */
  bool is_direct;           /* workers connect to the address of the keys, through no tunnel */
  bool ships;               /* to all hosts, not only those that lack the program */
  bool keeps_cache;         /* what was shipped stays there, for other runs */
  struct ls_keeper *keeper; /* removes our folder when the master dies; NULL: nobody does */
  /* What the user should know, in a line. May be NULL. */
  void (*warn)(void *context, const char *text);
  void *context;
};

enum ls_ssh_state {
  LS_SSH_AWAY,       /* no ssh runs */
  LS_SSH_SHIPPING,   /* it brings the program */
  LS_SSH_LOGIN,      /* it has not said its first line */
  LS_SSH_GREETED,    /* it has; the keys are not known yet */
  LS_SSH_FORWARDING, /* the tunnel is being laid */
  LS_SSH_OPENING,    /* the agent tells what is there */
  LS_SSH_OPEN
};

struct ls_ssh_host {
  const struct ls_host *facts;
  uint32_t number; /* of all hosts */
  size_t workers;  /* as its facts say; of its cores once they are counted */
  size_t cores;    /* 0: not known yet */
  enum ls_ssh_state state;
  struct ls_ssh_link link, forward;    /* forward: of a tunnel, or of the program */
  bool is_shipped;                     /* the program that we brought is to be started */
  char folder[LS_AGENT_WORDS_MAX + 1]; /* of its agent */
  unsigned tunnels;                    /* laid so far */
  bool is_wanted;                      /* it is to log in, as soon as it may */
  bool is_inhabited;                   /* workers may be there: at the end it is to be told */
  double since_s;                      /* in this state */
  double again_s;                      /* it rests until then */
  struct ls_backoff backoff;
  char complaint[320]; /* the last one; "": all is well */
};

/* What becomes of the hosts, to the pool. */
struct ls_ssh_listener {
  void *context;
  void (*on_line)(void *context, struct ls_ssh_host *host, const struct ls_agent_line *line);
  void (*on_open)(void *context, struct ls_ssh_host *host);
  void (*on_loss)(void *context, struct ls_ssh_host *host); /* its line, or the try */
};

struct ls_ssh_hosts {
  struct ls_ssh_setup setup;
  struct ls_ssh_listener listener;
  struct ls_ssh_host *items;
  size_t count;
  size_t logins; /* going on */
  int watch;
  struct ls_temporary_folder folder; /* of the sockets over which an ssh is shared */
  struct ls_bytes keys;              /* the first line of each; "": not known yet */
  struct ls_ship ship;               /* made when a host needs it */
  char target[64];                   /* of the tunnels: where the master listens */
  bool is_closing;
};

/* LS_ENOWORKERS: there is no such program as ssh. */
LS_CHECKED enum ls_status ls_ssh_hosts_open(const struct ls_ssh_setup *setup,
                                            struct ls_ssh_hosts *hosts, struct ls_error *err);
/* Asks the hosts that are to have a worker for each core how many they have, and waits so long at
 * most; whoever has not answered then has one worker. All workers. */
size_t ls_ssh_hosts_count(struct ls_ssh_hosts *hosts, double patience_s);
/* The master listens: the keys of its door for workers on other machines. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_ssh_hosts_serve(struct ls_ssh_hosts *hosts,
                                             const struct ls_key_file *keys,
                                             const struct ls_ssh_listener *listener,
                                             struct ls_error *err);
/* What has happened, and what is due. */
void ls_ssh_hosts_step(struct ls_ssh_hosts *hosts);
/* Seconds until a step is due, whatever the watch says. */
double ls_ssh_hosts_patience_s(const struct ls_ssh_hosts *hosts);
void ls_ssh_host_say(struct ls_ssh_host *host, const struct ls_agent_line *line);
/* Workers do not thrive there: said to the user, if it is news; nobody should start any before
 * `again_s`. `why` NULL: that is not known yet. */
void ls_ssh_host_rest(struct ls_ssh_hosts *hosts, struct ls_ssh_host *host, const char *why);
/* A worker of it works. */
void ls_ssh_host_praise(struct ls_ssh_host *host);
/* The agents have so long to end their workers, and a little more for themselves; where no line
 * leads to a host with workers it is tried once more to lay one. */
void ls_ssh_hosts_close(struct ls_ssh_hosts *hosts, double patience_s);

#endif
