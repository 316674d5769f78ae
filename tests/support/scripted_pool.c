#include "scripted_pool.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { POOLS_MAX = 4, NAMES_MAX = 16, NAME_BYTES = 32, WORDS_BYTES = 128 };

struct ls_pool {
  struct scripted_pool *script;
  const char *next; /* line */
  bool *is_taken;   /* by slot */
  size_t slots, wanted, granted;
  uint32_t first;
  int file;
  char words[WORDS_BYTES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char names[NAMES_MAX][NAME_BYTES];
static size_t names_count;
static int files[POOLS_MAX]; /* of open pools, + 1 */

static void ring(int file) {
  uint64_t one = 1;
  (void)!write(file, &one, sizeof one);
}

void scripted_pool_pass(const char *name) {
  (void)pthread_mutex_lock(&lock);
  if (names_count < NAMES_MAX) {
    (void)snprintf(names[names_count++], NAME_BYTES, "%s", name);
  }
  for (size_t i = 0; i < POOLS_MAX; ++i) {
    if (files[i] > 0) ring(files[i] - 1);
  }
  (void)pthread_mutex_unlock(&lock);
}

void scripted_pool_forget(void) {
  (void)pthread_mutex_lock(&lock);
  names_count = 0;
  (void)pthread_mutex_unlock(&lock);
}

static bool has_passed(const char *name) {
  bool has = false;
  (void)pthread_mutex_lock(&lock);
  for (size_t i = 0; i < names_count; ++i) has = has || strcmp(names[i], name) == 0;
  (void)pthread_mutex_unlock(&lock);
  return has;
}

/* `file` + 1, or 0 to free `old`. */
static void note_file(int old, int new) {
  (void)pthread_mutex_lock(&lock);
  for (size_t i = 0; i < POOLS_MAX; ++i) {
    if (files[i] != old) continue;
    files[i] = new;
    break;
  }
  (void)pthread_mutex_unlock(&lock);
}

static enum ls_status open_pool(const struct ls_pool_setup *setup, struct ls_pool **out,
                                struct ls_error *err) {
  struct ls_pool *pool = calloc(1, sizeof *pool);
  (void)err;
  if (pool == NULL) return LS_ENOMEM;
  pool->script = setup->own;
  pool->next = pool->script->text;
  pool->slots = setup->slots;
  pool->first = setup->first_slot > 0 ? setup->first_slot : 1;
  pool->is_taken = calloc(setup->slots + 1, sizeof *pool->is_taken);
  pool->file = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  note_file(0, pool->file + 1);
  *out = pool;
  return LS_OK;
}

static void request(struct ls_pool *pool, size_t n) {
  ++pool->script->requests;
  pool->wanted += n;
  ring(pool->file);
}

static void kill_worker(struct ls_pool *pool, uint32_t slot) {
  (void)slot;
  ++pool->script->kills;
}

static bool grant(struct ls_pool *pool, struct ls_pool_news *news) {
  size_t slot = 1;
  while (slot <= pool->slots && pool->is_taken[slot]) ++slot;
  if (pool->wanted == 0 || slot > pool->slots) return false;
  --pool->wanted;
  ++pool->granted;
  pool->is_taken[slot] = true;
  uint32_t number = pool->first + (uint32_t)slot - 1;
  *news = (struct ls_pool_news){.kind = LS_POOL_GRANTED, .slot = number, .pid = getpid()};
  if (pool->script->granted != NULL) pool->script->granted(pool->script->context, number);
  return true;
}

static bool refuse(struct ls_pool *pool, size_t count, bool is_final, struct ls_pool_news *news) {
  if (pool->wanted < count) return false;
  pool->wanted -= count;
  *news = (struct ls_pool_news){
      .kind = LS_POOL_REFUSED, .count = count, .is_final = is_final, .words = pool->words};
  return true;
}

static bool lose(struct ls_pool *pool, size_t slot, const char *cause, struct ls_pool_news *news) {
  static const char *const causes[LS_LOSS_COUNT] = {"crashed", "silent", "reclaimed", "left",
                                                    "never-came"};
  if (slot < 1 || slot > pool->slots || !pool->is_taken[slot]) return false;
  pool->is_taken[slot] = false;
  --pool->granted;
  uint32_t number = pool->first + (uint32_t)slot - 1;
  *news = (struct ls_pool_news){
      .kind = LS_POOL_LOST, .slot = number, .pid = getpid(), .words = "so it is written"};
  while (news->cause < LS_LOSS_COUNT - 1 && strcmp(causes[news->cause], cause) != 0) ++news->cause;
  if (pool->script->lost != NULL) pool->script->lost(pool->script->context, number);
  return true;
}

/* 1: news; 0: nothing to tell, go on; -1: not yet. */
static int play(struct ls_pool *pool, const char *line, struct ls_pool_news *news) {
  char word[NAME_BYTES] = "";
  unsigned number = 0;
  if (strcmp(line, "grant") == 0) return grant(pool, news) ? 1 : -1;
  if (sscanf(line, "refuse %u %127[^\n]", &number, pool->words) == 2) {
    return refuse(pool, number, false, news) ? 1 : -1;
  }
  if (sscanf(line, "refuse! %u %127[^\n]", &number, pool->words) == 2) {
    return refuse(pool, number, true, news) ? 1 : -1;
  }
  if (sscanf(line, "lose %u %31s", &number, word) == 2) {
    return lose(pool, number, word, news) ? 1 : -1;
  }
  if (sscanf(line, "suspend %u", &number) == 1 || sscanf(line, "resume %u", &number) == 1) {
    *news = (struct ls_pool_news){.kind = line[0] == 's' ? LS_POOL_SUSPENDED : LS_POOL_RESUMED,
                                  .slot = pool->first + number - 1,
                                  .pid = getpid()};
    return 1;
  }
  if (sscanf(line, "await %31s", word) == 1) return has_passed(word) ? 0 : -1;
  if (sscanf(line, "requests %u", &number) == 1) return pool->script->requests >= number ? 0 : -1;
  fprintf(stderr, "scripted pool: no such line: '%s'\n", line);
  abort();
}

static bool poll_news(struct ls_pool *pool, struct ls_pool_news *news) {
  uint64_t rings;
  (void)!read(pool->file, &rings, sizeof rings);
  while (*pool->next != '\0') {
    char line[WORDS_BYTES];
    size_t length = strcspn(pool->next, "\n");
    (void)snprintf(line, sizeof line, "%.*s", (int)length, pool->next);
    if (strcmp(line, "again") == 0) {
      bool is_granted = grant(pool, news);
      if (is_granted && pool->wanted > 0) ring(pool->file);
      return is_granted;
    }
    int played = play(pool, line, news);
    if (played < 0) return false;
    pool->next += length + (pool->next[length] == '\n');
    if (played > 0) {
      ring(pool->file); /* the next line may be due, too */
      return true;
    }
  }
  return false;
}

static int find_file(const struct ls_pool *pool) {
  return pool->script->has_file ? pool->file : -1;
}

static double get_patience_s(const struct ls_pool *pool) {
  return pool->script->has_file ? (double)INFINITY : 0.02;
}

/* All are threads of one process. */
static uint32_t find_slot(const struct ls_pool *pool, const struct ls_pool_claim *claim) {
  char name[NAME_BYTES];
  for (size_t i = 1; i <= pool->slots; ++i) {
    uint32_t slot = pool->first + (uint32_t)i - 1;
    int length = snprintf(name, sizeof name, "local-%u", slot);
    if (!pool->is_taken[i] || claim->name_length != (size_t)length) continue;
    if (memcmp(claim->name, name, (size_t)length) == 0) return slot;
  }
  return 0;
}

static struct ls_pool_counts get_counts(const struct ls_pool *pool) {
  return (struct ls_pool_counts){.wanted = pool->wanted,
                                 .granted = pool->granted,
                                 .why = pool->words[0] != '\0' ? pool->words : NULL};
}

static void close_pool(struct ls_pool *pool, double patience_s) {
  if (pool == NULL) return;
  pool->script->patience_s = patience_s;
  note_file(pool->file + 1, 0);
  (void)close(pool->file);
  free(pool->is_taken);
  free(pool);
}

const struct ls_pool_kind scripted_pool_kind = {.name = "scripted",
                                                .grant_s = 0.1,
                                                .has_lifelines = true,
                                                .open = open_pool,
                                                .request = request,
                                                .kill = kill_worker,
                                                .poll = poll_news,
                                                .file = find_file,
                                                .patience_s = get_patience_s,
                                                .slot = find_slot,
                                                .counts = get_counts,
                                                .close = close_pool};
