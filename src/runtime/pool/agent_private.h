/* agent_private.h: the state of an agent: agent.c is its loop, agent_orders.c its line,
 * agent_relay.c the life of a second one. */
#ifndef LS_RUNTIME_POOL_AGENT_PRIVATE_H
#define LS_RUNTIME_POOL_AGENT_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol/agent_line.h"
#include "runtime/os/lines.h"
#include "runtime/os/temporary.h"
#include "runtime/pool/agent.h"

/* Of the folder: where further agents come in, and where workers find the master. */
#define LS_AGENT_DOOR   "agent"
#define LS_AGENT_MASTER "master"

/* A worker, by slot - 1. */
struct ls_agent_worker {
  bool is_there; /* started, or about to be */
  uint32_t pid;  /* 0: not known yet */
};

struct ls_agent {
  const struct ls_agent_setup *setup;
  struct ls_temporary_folder folder;
  int door;          /* listens for further agents */
  int input, output; /* of the line; -1: it is lost */
  struct ls_lines heard;
  struct ls_bytes said;
  struct ls_keeper *keeper; /* NULL: there are no keys yet */
  struct ls_agent_worker *workers;
  size_t capacity, there;
  bool is_closing;
};

/* agent_orders.c */
/* A line begins: it replaces the former one. */
void ls_agent_line_open(struct ls_agent *agent, int input, int output);
void ls_agent_line_lose(struct ls_agent *agent);
/* Does what the line says; LS_EINVAL: the keys are none, or there are none. */
LS_CHECKED enum ls_status ls_agent_line_hear(struct ls_agent *agent, struct ls_error *err);
/* Tells what the keeper says. */
void ls_agent_line_report(struct ls_agent *agent, const struct ls_keeper_record *news);

/* agent_relay.c: carries the line to the agent that holds the folder, until one of them ends it.
 * LS_EIO: nobody answers there. */
LS_CHECKED enum ls_status ls_agent_relay(const struct ls_agent_setup *setup, const char *folder,
                                         struct ls_error *err);

#endif
