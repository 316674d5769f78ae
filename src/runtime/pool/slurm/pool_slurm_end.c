/* pool_slurm_end.c: nothing is left behind: the jobs of a run that is over are cancelled. */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/os/clock.h"
#include "runtime/pool/slurm/pool_slurm_private.h"

/* So long it is tried; a job that only gives its nodes back is waited for less. */
static const double END_S = 30, ENDING_S = 5, AGAIN_S = 0.3;

/* What squeue showed last. */
struct rest {
  size_t alive, ending;
  bool is_known;
};

/* Waits for a command of Slurm's; true: it has ended well. */
static bool wait_for(struct ls_slurm_life *life, struct ls_errand *errand) {
  struct ls_errand_end end;
  while (!ls_errand_attend(errand, &end)) {
    double wait_s = ls_errand_until_s(errand) - ls_clock_s();
    struct pollfd file = {.fd = life->watch, .events = POLLIN};
    (void)poll(&file, 1, (int)ceil(1000 * fmax(0.001, fmin(wait_s, 1))));
  }
  return end.is_good;
}

/* By name: also those that nobody here knows of. */
static void cancel_by_name(struct ls_slurm_life *life) {
  struct ls_slurm_words words = {.count = 0};
  struct ls_error err = {0};
  ls_slurm_words_add(&words, "scancel");
  ls_slurm_words_add(&words, "--quiet");
  ls_slurm_words_add(&words, "--user=%s", life->user);
  ls_slurm_words_add(&words, "--name=%s", life->name);
  if (ls_slurm_life_start(life, &life->scancel, &words, &err) == LS_OK)
    (void)wait_for(life, &life->scancel);
  ls_slurm_words_close(&words);
}

/* `names`: gets the jobs that are there, if not NULL. */
static struct rest look(struct ls_slurm_life *life, struct ls_bytes *names) {
  struct rest rest = {0};
  struct ls_slurm_line *lines = NULL;
  struct ls_error err = {0};
  size_t count = 0;
  if (ls_slurm_life_look(life, &err) != LS_OK || !wait_for(life, &life->squeue) ||
      !ls_slurm_life_read(life, &lines, &count))
    return rest;
  rest.is_known = true;
  for (size_t i = 0; i < count; i++) {
    const struct ls_slurm_line *line = &lines[i];
    if (ls_slurm_state_is_final(line->state)) continue;
    rest.ending += line->state == LS_SLURM_ENDING;
    rest.alive += line->state != LS_SLURM_ENDING;
    if (names == NULL || line->state == LS_SLURM_ENDING) continue;
    ls_bytes_printf(names, " %llu", (unsigned long long)line->job);
    if (line->task != LS_SLURM_TASKS_LEFT)
      ls_bytes_printf(names, "_%llu", (unsigned long long)line->task);
  }
  free(lines);
  return rest;
}

static void name_the_rest(struct ls_slurm_life *life) {
  struct ls_bytes text = {0}, names = {0};
  struct rest rest = look(life, &names);
  if (!rest.is_known)
    ls_bytes_printf(&text, "slurm: squeue does not answer; jobs may be left: scancel --name=%s",
                    life->name);
  else if (rest.alive > 0)
    ls_bytes_printf(&text, "slurm: jobs are left after %.0f s of scancel:%s", END_S,
                    ls_bytes_text(&names));
  if (text.length > 0 && life->setup->warn != NULL)
    life->setup->warn(life->setup->context, ls_bytes_text(&text));
  ls_bytes_close(&text);
  ls_bytes_close(&names);
}

static void nap(void) {
  (void)poll(NULL, 0, (int)(1000 * AGAIN_S));
}

void ls_slurm_life_cancel_all(struct ls_slurm_life *life) {
  if (!life->has_asked) return;
  /* What a submission that is on its way brings is there only behind it. */
  (void)(life->sbatch.is_running && wait_for(life, &life->sbatch));
  (void)(life->squeue.is_running && wait_for(life, &life->squeue));
  (void)(life->scancel.is_running && wait_for(life, &life->scancel));
  double began_s = ls_clock_s();
  do {
    cancel_by_name(life);
    struct rest rest = look(life, NULL);
    double passed_s = ls_clock_s() - began_s;
    if (rest.is_known && rest.alive == 0 && (rest.ending == 0 || passed_s >= ENDING_S)) return;
    nap();
  } while (ls_clock_s() - began_s < END_S);
  name_the_rest(life);
}
