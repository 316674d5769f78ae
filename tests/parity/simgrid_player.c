/* simgrid_player.c: plays plans in SimGrid; a program of its own, which shares nothing with
 * Loadstar but the text it reads.
 *
 * Standard input, any number of times:    W C                       workers, chunks
 *                                         LATENCY PER_UNIT DELAY COMPUTE_LATENCY COMPUTE_PER_UNIT
 *                                         WORKER UNITS              in send order
 * Standard output, a line for each plan:  MAKESPAN SECONDS          simulated; wall time of the run
 *
 * The master sends one message after another (a blocking put to a worker that always listens); a
 * worker computes what has arrived, after the pure delay, one chunk after another.  SimGrid has one
 * simulation for each process, so every plan is played by a forked child.
 *
 * Exact affine costs need SimGrid's plain flow model: the default one (LV08) multiplies latencies
 * by 13.01 and bandwidths by 0.97, models TCP's window (gamma) and acknowledgements (crosstraffic).
 * An actor has 8 MiB of stack unless it is told otherwise, all of which meson has filled.
 * Its clock treats instants closer than surf/precision (1e-9 s) as one: that is lowered, but not
 * below what doubles of some hundred seconds can tell apart, where it would find deadlocks.
 */
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/mailbox.h>
#include <simgrid/semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Sizes of messages are whole bytes in SimGrid: a unit is so many that rounding does not show. */
static const double bytes_per_unit = 0x1p46;

struct worker {
  double latency_s, per_unit_s, delay_s, compute_latency_s, compute_per_unit_s;
  sg_sem_t arrived; /* counts what was received and not yet computed */
};

struct chunk {
  int worker;
  double units, arrival_s;
};

/* The plan that is played; the actors share it. */
static struct worker *workers;
static struct chunk *chunks;
static int workers_count, chunks_count;
static double makespan_s;

static sg_mailbox_t find_mailbox(int worker) {
  char name[32];
  snprintf(name, sizeof name, "worker-%d", worker);
  return sg_mailbox_by_name(name);
}

static int count_chunks(int worker) {
  int count = 0;
  for (int i = 0; i < chunks_count; i++) count += chunks[i].worker == worker;
  return count;
}

static void send_all(int count, char **words) {
  (void)count;
  (void)words;
  for (int i = 0; i < chunks_count; i++) {
    struct chunk *chunk = &chunks[i];
    sg_mailbox_put(find_mailbox(chunk->worker), chunk, (long)(chunk->units * bytes_per_unit + 0.5));
  }
}

/* Always listens, so that the master never waits for a worker that computes. */
static void receive_all(int count, char **words) {
  (void)count;
  int number = atoi(words[1]);
  for (int left = count_chunks(number); left > 0; left--) {
    struct chunk *chunk = sg_mailbox_get(find_mailbox(number));
    chunk->arrival_s = simgrid_get_clock();
    sg_sem_release(workers[number].arrived);
  }
}

static void compute_all(int count, char **words) {
  (void)count;
  int number = atoi(words[1]);
  const struct worker *worker = &workers[number];
  for (int i = 0; i < chunks_count; i++) {
    if (chunks[i].worker != number) continue;
    sg_sem_acquire(worker->arrived);
    double ready_s = chunks[i].arrival_s + worker->delay_s;
    if (ready_s > simgrid_get_clock()) sg_actor_sleep_until(ready_s);
    if (worker->compute_latency_s > 0) sg_actor_sleep_for(worker->compute_latency_s);
    sg_actor_execute(chunks[i].units);
    if (simgrid_get_clock() > makespan_s) makespan_s = simgrid_get_clock();
  }
}

static void write_platform(FILE *out) {
  fprintf(out,
          "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
          "\"https://simgrid.org/simgrid.dtd\">\n<platform version='4.1'>\n"
          "<zone id='star' routing='Full'>\n<host id='master' speed='1f'/>\n");
  for (int i = 0; i < workers_count; i++) {
    fprintf(out, "<host id='worker-%d' speed='%.17gf'/>\n", i, 1 / workers[i].compute_per_unit_s);
  }
  for (int i = 0; i < workers_count; i++) {
    fprintf(out, "<link id='link-%d' bandwidth='%.17gBps' latency='%.17gs'/>\n", i,
            bytes_per_unit / workers[i].per_unit_s, workers[i].latency_s);
  }
  for (int i = 0; i < workers_count; i++) {
    fprintf(out, "<route src='master' dst='worker-%d'><link_ctn id='link-%d'/></route>\n", i, i);
  }
  fprintf(out, "</zone>\n</platform>\n");
}

static void load_platform(void) {
  char name[] = "/tmp/loadstar-star-XXXXXX.xml";
  int handle = mkstemps(name, 4);
  FILE *out = handle < 0 ? NULL : fdopen(handle, "w");
  if (out == NULL) exit(3);
  write_platform(out);
  fclose(out);
  simgrid_load_platform(name);
  unlink(name);
}

static void create_actors(void) {
  char role[] = "actor", host[32], number[16];
  char *words[] = {role, number};
  snprintf(number, sizeof number, "0");
  sg_actor_create("master", sg_host_by_name("master"), send_all, 2, words);
  for (int i = 0; i < workers_count; i++) {
    snprintf(host, sizeof host, "worker-%d", i);
    snprintf(number, sizeof number, "%d", i);
    workers[i].arrived = sg_sem_init(0);
    sg_actor_create("receive", sg_host_by_name(host), receive_all, 2, words);
    sg_actor_create("compute", sg_host_by_name(host), compute_all, 2, words);
  }
}

static double read_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void play(void) {
  char *words[] = {"simgrid_player",
                   "--cfg=network/model:CM02",
                   "--cfg=network/latency-factor:1",
                   "--cfg=network/bandwidth-factor:1",
                   "--cfg=network/weight-S:0",
                   "--cfg=network/TCP-gamma:0",
                   "--cfg=network/crosstraffic:0",
                   "--cfg=surf/precision:1e-12",
                   "--cfg=contexts/stack-size:64", /* KiB for each actor */
                   "--log=root.thres:error",
                   NULL};
  int count = (int)(sizeof words / sizeof *words) - 1;
  simgrid_init(&count, words);
  load_platform();
  create_actors();
  double begin_s = read_clock();
  simgrid_run();
  printf("%.17g %.9f\n", makespan_s, read_clock() - begin_s);
  fflush(stdout);
}

static int read_plan(void) {
  if (scanf("%d %d", &workers_count, &chunks_count) != 2) return 0;
  workers = calloc((size_t)workers_count, sizeof *workers);
  chunks = calloc((size_t)chunks_count, sizeof *chunks);
  if (workers == NULL || chunks == NULL) exit(3);
  for (int i = 0; i < workers_count; i++) {
    struct worker *worker = &workers[i];
    if (scanf("%lf %lf %lf %lf %lf", &worker->latency_s, &worker->per_unit_s, &worker->delay_s,
              &worker->compute_latency_s, &worker->compute_per_unit_s) != 5) {
      exit(2);
    }
  }
  for (int i = 0; i < chunks_count; i++) {
    if (scanf("%d %lf", &chunks[i].worker, &chunks[i].units) != 2) exit(2);
  }
  return 1;
}

int main(void) {
  while (read_plan()) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
      play();
      _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 1;
    free(workers);
    free(chunks);
  }
  return 0;
}
