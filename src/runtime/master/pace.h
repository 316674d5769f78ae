/* pace.h: how often master and workers tell each other that they live.
 *
 * h = max(1 s, 100 p c) for p workers, where a beat costs the master c seconds of its processor: so
 * beats cost at most one percent of a core (docs/theory/pool.md, 2.4).  c is the least that was
 * measured while workers did little but beat; what else a message brings with it is none of a beat.
 * Who beats less often must not be taken for silent before it knows that it may: silence is judged
 * by the longer h at once, and by a shorter one when nobody goes by the longer one any more.
 */
#ifndef LS_RUNTIME_MASTER_PACE_H
#define LS_RUNTIME_MASTER_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As many workers beat so cheaply on any machine that h is 1 s. */
enum { LS_PACE_WORKERS_LEAST = 32 };

struct ls_pace {
  bool is_told;       /* by the user: nothing is derived */
  double heartbeat_s; /* as workers are told */
  double judged_s;    /* by which silence is judged */
  double most_s;      /* of the run */
  double beat_s;      /* c; 0: not measured */
  /* Since the last look: of rounds in which nothing but beats was heard or sent, and in all. */
  double quiet_s;
  uint64_t quiet_beats, beats, messages;
  double others_s;  /* at the last look */
  double settled_s; /* then the shorter one counts */
};

/* `heartbeat_s` 0: it is derived. */
void ls_pace_init(struct ls_pace *pace, double heartbeat_s);
/* The rule. */
double ls_pace_derive(size_t workers, double beat_s);
/* What a round of the loop heard, and how much of its thread's processor it took. */
struct ls_pace_round {
  double processor_s;
  uint64_t messages, beats; /* beats: of these */
  bool has_pulsed;          /* it told all that the master lives */
};
void ls_pace_add(struct ls_pace *pace, const struct ls_pace_round *round);
/* Once a heartbeat: so many workers beat; `others_s`: processor seconds so far of the threads that
 * send and receive.  True: there is another h, which the workers are to be told. */
bool ls_pace_look(struct ls_pace *pace, size_t workers, double others_s, double now_s);
/* True: silence is judged by another h from now on. */
bool ls_pace_judge(struct ls_pace *pace, double now_s);

#endif
