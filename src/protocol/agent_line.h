/* agent_line.h: what a master and its agent on another machine tell each other, a line each.
 *
 * Over the standard input and output of the agent, which ssh carries.  The master says `start 5 1
 * n1-1`, the agent `started 5 4711`.  A line that holds keys begins with a brace, and is none of
 * these; nor is what a login writes in front of the agent's first line.
 */
#ifndef LS_PROTOCOL_AGENT_LINE_H
#define LS_PROTOCOL_AGENT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/text.h"

enum { LS_AGENT_VERSION = 1, LS_AGENT_WORDS_MAX = 255, LS_AGENT_SLOT_MAX = 1 << 20 };

enum ls_agent_kind {
  /* From the master: */
  LS_AGENT_TUNNEL, /* words: a socket of the agent's machine that leads to the master; "-": there is
                      none, workers go to the address that stands with the keys */
  LS_AGENT_START,  /* slot, number: the worker's speed, words: its name */
  LS_AGENT_SIGNAL, /* slot, signal: KILL for the worker's whole group, else for it alone */
  LS_AGENT_CLOSE,  /* number: seconds that the workers have to end by themselves */
  /* From the agent: */
  LS_AGENT_HELLO,     /* version, count: its cores, words: its folder. Its first line */
  LS_AGENT_HAS,       /* slot, pid: a worker that is there when the line begins */
  LS_AGENT_READY,     /* the tunnel is taken, and all who were there are told */
  LS_AGENT_STARTED,   /* slot, pid */
  LS_AGENT_UNSTARTED, /* slot, words: why */
  LS_AGENT_ENDED,     /* slot, pid, exit code, signal */
  LS_AGENT_STOPPED,   /* slot, pid, signal */
  LS_AGENT_CONTINUED, /* slot, pid */
  LS_AGENT_KIND_COUNT
};

struct ls_agent_line {
  enum ls_agent_kind kind;
  uint32_t slot, pid, count, version;
  uint32_t exit_code, signal;
  double number; /* >= 0 */
  char words[LS_AGENT_WORDS_MAX + 1];
};

/* Appends the line and its end; control characters of the words become blanks. */
void ls_agent_line_write(const struct ls_agent_line *line, struct ls_bytes *out);
/* `text`: without the line's end. False: it is none of these. */
bool ls_agent_line_read(struct ls_text text, struct ls_agent_line *line);
/* The same for the agent's first line, which may stand behind what a login has written without a
 * line end. */
bool ls_agent_line_find_hello(struct ls_text text, struct ls_agent_line *line);

#endif
