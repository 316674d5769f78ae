#include "runtime/pool/slurm/pool_slurm.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "protocol/key_file.h"
#include "runtime/os/clock.h"
#include "runtime/pool/slurm/pool_slurm_private.h"

/* squeue takes less than a hundredth of a core, and is asked once a minute at least. */
static const double SHARE = 0.01, LOOK_MOST_S = 60;
/* A command of Slurm's that has not answered after so many heartbeats hangs. */
static const double BEATS_OF_PATIENCE = 30;
enum { CANCELS_MAX = 200 }; /* jobs of one scancel */

struct ls_pool {
  struct ls_slurm_life *life;
};

static void warn(const struct ls_slurm_life *life, const char *text) {
  if (life->setup->warn != NULL) life->setup->warn(life->setup->context, text);
}

/* ---- opening ---- */

static struct ls_slurm_limits choose_limits(const struct ls_slurm_setup *setup,
                                            uint32_t first_slot) {
  const struct ls_slurm_wish *wish = &setup->wish;
  return (struct ls_slurm_limits){.job_workers = (size_t)(setup->workers * wish->nodes_per_job),
                                  .job_nodes = (size_t)wish->nodes_per_job,
                                  .jobs = (size_t)(wish->nodes / wish->nodes_per_job),
                                  .backlog = (size_t)wish->backlog,
                                  .job_s = wish->time_s,
                                  .node_s = 3600 * wish->hours,
                                  .grant_s = ls_pool_slurm.grant_s,
                                  .silence_s = 3 * setup->heartbeat_s + 1,
                                  .first_slot = first_slot,
                                  .takes_over = setup->takes_over};
}

static void destroy(struct ls_slurm_life *life) {
  ls_errand_close(&life->sbatch);
  ls_errand_close(&life->squeue);
  ls_errand_close(&life->scancel);
  if (life->watch >= 0) (void)close(life->watch);
  ls_slurm_files_close(&life->files);
  ls_slurm_queue_close(&life->queue);
  free(life);
}

static enum ls_status open_life(struct ls_slurm_life *life, const struct ls_pool_setup *setup,
                                struct ls_error *err) {
  struct ls_slurm_limits limits = choose_limits(life->setup, setup->first_slot);
  if (limits.jobs * limits.job_workers != setup->slots || setup->slots == 0)
    return ls_fail(err, LS_EINVAL, "pool slurm: %zu slots for %zu jobs of %zu workers",
                   setup->slots, limits.jobs, limits.job_workers);
  if (setup->keys == NULL)
    return ls_fail(err, LS_EINVAL, "pool slurm: the run has no keys, which its jobs need");
  (void)snprintf(life->name, sizeof life->name, "loadstar-%s", setup->keys->run);
  (void)snprintf(life->user, sizeof life->user, "%ld", (long)geteuid());
  enum ls_status status = ls_slurm_queue_open(&life->queue, &limits, err);
  if (status != LS_OK) return status;
  life->watch = epoll_create1(EPOLL_CLOEXEC);
  if (life->watch < 0)
    return ls_fail(err, LS_EIO, "pool slurm: cannot watch descriptors: %s", strerror(errno));
  return ls_slurm_files_open(life, setup, err);
}

static enum ls_status open_slurm(const struct ls_pool_setup *setup, struct ls_pool **out,
                                 struct ls_error *err) {
  const struct ls_slurm_setup *own = setup->own;
  struct ls_pool *pool = calloc(1, sizeof *pool);
  struct ls_slurm_life *life = calloc(1, sizeof *life);
  if (pool == NULL || life == NULL) {
    free(pool);
    free(life);
    return ls_fail(err, LS_ENOMEM, "out of memory for a pool of jobs");
  }
  *life = (struct ls_slurm_life){.setup = own,
                                 .sbatch = LS_ERRAND_NONE,
                                 .squeue = LS_ERRAND_NONE,
                                 .scancel = LS_ERRAND_NONE,
                                 .watch = -1,
                                 .interval_s = own->heartbeat_s,
                                 .looked_s = -HUGE_VAL,
                                 .has_asked = own->takes_over};
  pool->life = life;
  enum ls_status status = open_life(life, setup, err);
  if (status == LS_OK) {
    *out = pool;
  } else {
    destroy(life);
    free(pool);
  }
  return status;
}

/* ---- commands ---- */

enum ls_status ls_slurm_life_start(struct ls_slurm_life *life, struct ls_errand *errand,
                                   const struct ls_slurm_words *words, struct ls_error *err) {
  char **argv = ls_slurm_words_list(words);
  if (argv == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for a command of Slurm's");
  double patience_s = BEATS_OF_PATIENCE * life->setup->heartbeat_s;
  enum ls_status status = ls_errand_start(errand, argv, patience_s, life->watch, err);
  free(argv);
  return status;
}

void ls_slurm_life_write(const struct ls_slurm_life *life, size_t jobs,
                         struct ls_slurm_words *words) {
  struct ls_bytes log = {0};
  ls_slurm_files_name_log(&life->files, &log);
  const struct ls_slurm_submission submission = {.wish = &life->setup->wish,
                                                 .workers = life->setup->workers,
                                                 .jobs = jobs,
                                                 .name = life->name,
                                                 .log = ls_bytes_text(&log),
                                                 .script = life->files.script,
                                                 .more = life->setup->more};
  ls_slurm_submission_write(&submission, words);
  ls_bytes_close(&log);
}

static void submit(struct ls_slurm_life *life, size_t jobs, double now_s) {
  struct ls_slurm_words words = {.count = 0};
  struct ls_error err = {0};
  ls_slurm_life_write(life, jobs, &words);
  if (ls_slurm_life_start(life, &life->sbatch, &words, &err) == LS_OK)
    life->has_asked = true;
  else
    ls_slurm_queue_refused(&life->queue, err.text, false, now_s);
  ls_slurm_words_close(&words);
}

enum ls_status ls_slurm_life_look(struct ls_slurm_life *life, struct ls_error *err) {
  struct ls_slurm_words words = {.count = 0};
  static const char *const fixed[] = {
      "squeue", "-h", "-r", "-t", "all", "-o", LS_SLURM_SQUEUE_FORMAT};
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    ls_slurm_words_add(&words, "%s", fixed[i]);
  ls_slurm_words_add(&words, "--user=%s", life->user);
  ls_slurm_words_add(&words, "--name=%s", life->name);
  enum ls_status status = ls_slurm_life_start(life, &life->squeue, &words, err);
  ls_slurm_words_close(&words);
  return status;
}

static void cancel(struct ls_slurm_life *life) {
  struct ls_slurm_words words = {.count = 0};
  struct ls_error err = {0};
  size_t next = 0, count = 0;
  ls_slurm_words_add(&words, "scancel");
  for (struct ls_slurm_job *job; count < CANCELS_MAX; count++) {
    job = ls_slurm_queue_condemned(&life->queue, &next);
    if (job == NULL) break;
    ls_slurm_words_add(&words, "%llu_%llu", (unsigned long long)job->id,
                       (unsigned long long)job->task);
    job->is_cancelled = true;
  }
  /* What could not be told is told again when squeue still shows it. */
  if (count > 0) (void)!ls_slurm_life_start(life, &life->scancel, &words, &err);
  ls_slurm_words_close(&words);
}

/* ---- their answers ---- */

/* The words of a command that failed. */
static void take_words(const struct ls_errand *errand, char words[LS_SLURM_WHY_BYTES]) {
  for (int i = 1; i >= 0; i--) {
    const struct ls_bytes *text = &errand->texts[i];
    ls_slurm_last_words(ls_bytes_text(text), text->length, words, LS_SLURM_WHY_BYTES);
    if (words[0] != '\0') return;
  }
}

static void on_submitted(struct ls_slurm_life *life, const struct ls_errand_end *end,
                         double now_s) {
  const struct ls_bytes *answer = &life->sbatch.texts[0];
  struct ls_slurm_queue *queue = &life->queue;
  char words[LS_SLURM_WHY_BYTES] = "", text[2 * LS_SLURM_WHY_BYTES];
  uint64_t id = 0;
  take_words(&life->sbatch, words);
  if (end->is_late) {
    (void)snprintf(text, sizeof text, "sbatch did not answer in %.3g s",
                   BEATS_OF_PATIENCE * life->setup->heartbeat_s);
    ls_slurm_queue_puzzled(queue, text, now_s);
  } else if (!end->is_good) {
    enum ls_slurm_refusal refusal = ls_slurm_refusal_of(words);
    (void)snprintf(text, sizeof text, "sbatch failed (%s %d)%s%s",
                   end->process.signal != 0 ? "signal" : "exit status",
                   end->process.signal != 0 ? end->process.signal : end->process.exit_code,
                   words[0] != '\0' ? ": " : "", words);
    if (refusal == LS_SLURM_UNCLEAR)
      ls_slurm_queue_puzzled(queue, text, now_s);
    else
      ls_slurm_queue_refused(queue, words, refusal == LS_SLURM_NEVER, now_s);
  } else if (ls_slurm_reply_read(ls_bytes_text(answer), answer->length, &id)) {
    ls_slurm_queue_submitted(queue, id, now_s);
  } else {
    (void)snprintf(text, sizeof text, "sbatch said '%.80s', expected the number of a job", words);
    ls_slurm_queue_puzzled(queue, text, now_s);
  }
}

bool ls_slurm_life_read(const struct ls_slurm_life *life, struct ls_slurm_line **lines,
                        size_t *count) {
  const struct ls_bytes *text = &life->squeue.texts[0];
  size_t most = 1;
  for (size_t i = 0; i < text->length; i++) most += text->data[i] == '\n';
  struct ls_slurm_line *read = calloc(most, sizeof *read);
  *count = 0;
  if (read == NULL) return false;
  for (size_t at = 0; at < text->length;) {
    const char *line = text->data + at, *end = memchr(line, '\n', text->length - at);
    size_t length = end != NULL ? (size_t)(end - line) : text->length - at;
    at += length + 1;
    if (length == 0) continue;
    if (!ls_slurm_line_read(line, length, &read[*count])) {
      free(read);
      return false;
    }
    ++*count;
  }
  *lines = read;
  return true;
}

/* The last words of a job that came to nothing. */
static void tell_failure(struct ls_slurm_life *life) {
  struct ls_slurm_queue *queue = &life->queue;
  struct ls_bytes text = {0};
  if (queue->fallen_id == 0) return;
  ls_bytes_printf(&text, "slurm: %s", queue->refused);
  ls_slurm_files_tail(&life->files, queue->fallen_id, queue->fallen_task, &text);
  queue->fallen_id = 0;
  warn(life, ls_bytes_text(&text));
  ls_bytes_close(&text);
}

static void on_listed(struct ls_slurm_life *life, const struct ls_errand_end *end, double now_s) {
  struct ls_slurm_line *lines = NULL;
  size_t count = 0;
  double beat_s = life->setup->heartbeat_s;
  life->looked_s = now_s;
  life->interval_s = fmax(beat_s, fmin(end->cpu_s / SHARE, LOOK_MOST_S));
  life->is_old = !end->is_good || !ls_slurm_life_read(life, &lines, &count);
  if (life->is_old) return;
  ls_slurm_queue_list(&life->queue, end->began_s);
  for (size_t i = 0; i < count; i++) ls_slurm_queue_line(&life->queue, &lines[i], now_s);
  ls_slurm_queue_listed(&life->queue, now_s);
  free(lines);
  tell_failure(life);
}

static void attend(struct ls_slurm_life *life, double now_s) {
  struct ls_errand_end end;
  if (ls_errand_attend(&life->sbatch, &end)) on_submitted(life, &end, now_s);
  if (ls_errand_attend(&life->squeue, &end)) on_listed(life, &end, now_s);
  (void)ls_errand_attend(&life->scancel, &end);
}

/* ---- decisions ---- */

/* When squeue is to be asked; HUGE_VAL: there is nothing to be told. */
static double find_look_s(const struct ls_slurm_life *life) {
  const struct ls_slurm_queue *queue = &life->queue;
  bool is_of_use = queue->is_blind || ls_slurm_queue_count(queue) > 0;
  if (life->squeue.is_running || !is_of_use) return HUGE_VAL;
  return life->looked_s + (queue->must_list ? life->setup->heartbeat_s : life->interval_s);
}

static void decide(struct ls_slurm_life *life, double now_s) {
  struct ls_error err = {0};
  if (now_s >= find_look_s(life) && ls_slurm_life_look(life, &err) != LS_OK) {
    life->looked_s = now_s;
    life->is_old = true;
  }
  if (!life->sbatch.is_running) {
    size_t jobs = ls_slurm_queue_submit(&life->queue, now_s);
    if (jobs > 0) submit(life, jobs, now_s);
  }
  if (!life->scancel.is_running) cancel(life);
}

static double find_due_s(const struct ls_slurm_life *life) {
  double due_s = fmin(find_look_s(life), ls_slurm_queue_until_s(&life->queue));
  due_s = fmin(due_s, ls_errand_until_s(&life->sbatch));
  due_s = fmin(due_s, ls_errand_until_s(&life->squeue));
  return fmin(due_s, ls_errand_until_s(&life->scancel));
}

static bool poll_news(struct ls_pool *pool, struct ls_pool_news *news) {
  struct ls_slurm_life *life = pool->life;
  if (ls_slurm_queue_tell(&life->queue, news)) return true;
  double now_s = ls_clock_s();
  attend(life, now_s);
  if (ls_slurm_queue_tell(&life->queue, news)) return true;
  decide(life, now_s);
  if (ls_slurm_queue_tell(&life->queue, news)) return true;
  life->due_s = find_due_s(life);
  return false;
}

static double get_patience_s(const struct ls_pool *pool) {
  return fmax(0, pool->life->due_s - ls_clock_s());
}

static int get_file(const struct ls_pool *pool) {
  return pool->life->watch;
}

/* ---- the master ---- */

static void request_workers(struct ls_pool *pool, size_t n) {
  ls_slurm_queue_request(&pool->life->queue, n);
  pool->life->due_s = 0;
}

static void leave(struct ls_slurm_life *life, uint32_t slot, bool is_released) {
  ls_slurm_queue_leave(&life->queue, slot, is_released, ls_clock_s());
  life->due_s = 0;
}

/* Its job has others, who do not hang: it is cancelled when none of them is left. */
static void kill_worker(struct ls_pool *pool, uint32_t slot) {
  leave(pool->life, slot, false);
}

static void see_worker(struct ls_pool *pool, uint32_t slot, enum ls_pool_sight sight) {
  if (sight == LS_POOL_SAW_WORK)
    ls_slurm_queue_work(&pool->life->queue, slot);
  else
    leave(pool->life, slot, sight == LS_POOL_SAW_RELEASE);
}

/* Jobs are whole: the first slot of the job. */
static uint32_t find_lease(const struct ls_pool *pool, uint32_t slot) {
  const struct ls_slurm_limits *limits = &pool->life->queue.limits;
  uint32_t workers = (uint32_t)limits->job_workers;
  return slot - (slot - limits->first_slot) % workers;
}

static uint32_t find_slot(const struct ls_pool *pool, const struct ls_pool_claim *claim) {
  struct ls_slurm_life *life = pool->life;
  uint32_t slot =
      ls_slurm_queue_join(&life->queue, claim->place, claim->place_length, ls_clock_s());
  if (slot > 0) life->due_s = 0;
  return slot;
}

static struct ls_pool_counts get_counts(const struct ls_pool *pool) {
  struct ls_slurm_life *life = pool->life;
  struct ls_slurm_counts counts = ls_slurm_queue_counts(&life->queue);
  struct ls_bytes why = {0};
  ls_slurm_queue_explain(&life->queue, ls_clock_s(), &why);
  (void)snprintf(life->why, sizeof life->why, "%s", ls_bytes_text(&why));
  ls_bytes_close(&why);
  return (struct ls_pool_counts){.wanted = life->queue.wanted,
                                 .granted = counts.granted + counts.suspended,
                                 .why = life->why[0] != '\0' ? life->why : NULL};
}

static void explain(const struct ls_pool *pool, bool has_times, struct ls_bytes *out) {
  const struct ls_slurm_life *life = pool->life;
  struct ls_bytes why = {0};
  double now_s = has_times ? ls_clock_s() : (double)NAN;
  ls_slurm_queue_describe(&life->queue, now_s, out);
  ls_slurm_queue_explain(&life->queue, now_s, &why);
  if (why.length > 0)
    ls_bytes_printf(out, "%s%s", out->length > 0 ? ", " : "", ls_bytes_text(&why));
  if (life->is_old)
    ls_bytes_printf(out, "%ssqueue fails: that is old", out->length > 0 ? "; " : "");
  ls_bytes_close(&why);
}

static void close_slurm(struct ls_pool *pool, double patience_s) {
  (void)patience_s; /* jobs end when Slurm has ended them */
  if (pool == NULL) return;
  ls_slurm_life_cancel_all(pool->life);
  destroy(pool->life);
  free(pool);
}

const struct ls_pool_kind ls_pool_slurm = {.name = "slurm",
                                           .grant_s = 60,
                                           .open = open_slurm,
                                           .request = request_workers,
                                           .kill = kill_worker,
                                           .poll = poll_news,
                                           .file = get_file,
                                           .patience_s = get_patience_s,
                                           .slot = find_slot,
                                           .lease = find_lease,
                                           .see = see_worker,
                                           .counts = get_counts,
                                           .explain = explain,
                                           .close = close_slurm};
