#include "runtime/os/parallel_map.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The report of one process to the caller. */
struct desk {
  size_t item;             /* the one in work, or the one that failed */
  struct ls_error failure; /* LS_OK: none */
};

/* Memory that all processes share; the desks and the results follow behind. */
struct board {
  atomic_size_t next; /* items are given out in order, so a failing one of lowest index is tried */
  atomic_bool stop;
};

struct area {
  struct board *board;
  struct desk *desks;
  unsigned char *results;
  size_t bytes;
};

static size_t round_up(size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

static enum ls_status open_area(const struct ls_parallel_map *map, size_t processes,
                                struct area *area, struct ls_error *err) {
  size_t head = round_up(sizeof(struct board)), desks = round_up(processes * sizeof(struct desk));
  size_t results = 0;
  if (__builtin_mul_overflow(map->count, map->result_bytes, &results) ||
      results > SIZE_MAX / 2 - head - desks) {
    return ls_fail(err, LS_ENOMEM, "no memory for %zu results of %zu bytes", map->count,
                   map->result_bytes);
  }
  area->bytes = head + desks + results;
  unsigned char *memory =
      mmap(NULL, area->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return ls_fail(err, LS_ENOMEM, "no shared memory for %zu results of %zu bytes: %s", map->count,
                   map->result_bytes, strerror(errno));
  }
  area->board = (struct board *)(void *)memory;
  area->desks = (struct desk *)(void *)(memory + head);
  area->results = memory + head + desks;
  return LS_OK;
}

/* The work of each process: items until there are none, or until a process failed. */
static void work(const struct ls_parallel_map *map, const struct area *area, struct desk *desk) {
  while (!atomic_load(&area->board->stop)) {
    size_t item = atomic_fetch_add(&area->board->next, 1);
    if (item >= map->count) return;
    desk->item = item;
    unsigned char *result = area->results + item * map->result_bytes;
    enum ls_status status = map->compute(map->context, item, result, &desk->failure);
    if (status == LS_OK) continue;
    desk->failure.status = status;
    atomic_store(&area->board->stop, true);
    return;
  }
}

static pid_t start_process(const struct ls_parallel_map *map, const struct area *area,
                           struct desk *desk) {
  pid_t parent = getpid(), pid = fork();
  if (pid != 0) return pid;
  /* Between fork and prctl the parent may have ended already. */
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(EXIT_FAILURE);
  work(map, area, desk);
  /* Not exit: this process must not print the caller's pending output. */
  _exit(EXIT_SUCCESS);
}

/* Waits for the end of a process and turns a crash into a failure of its item. */
static void wait_process(pid_t pid, const struct area *area, struct desk *desk) {
  int end = 0;
  pid_t ended;
  do {
    ended = waitpid(pid, &end, 0);
  } while (ended < 0 && errno == EINTR);
  if (ended == pid && WIFEXITED(end) && WEXITSTATUS(end) == EXIT_SUCCESS) return;
  atomic_store(&area->board->stop, true);
  if (ended == pid && WIFSIGNALED(end)) {
    (void)ls_fail(&desk->failure, LS_EIO, "the process that computed item %zu ended by signal %d",
                  desk->item, WTERMSIG(end));
  } else {
    (void)ls_fail(&desk->failure, LS_EIO,
                  "the process that computed item %zu ended with exit status %d", desk->item,
                  ended == pid ? WEXITSTATUS(end) : -1);
  }
}

static enum ls_status find_failure(const struct area *area, size_t processes,
                                   struct ls_error *err) {
  const struct desk *first = NULL;
  for (size_t i = 0; i < processes; i++) {
    const struct desk *desk = &area->desks[i];
    if (desk->failure.status == LS_OK) continue;
    if (first == NULL || desk->item < first->item) first = desk;
  }
  if (first == NULL) return LS_OK;
  if (err != NULL) *err = first->failure;
  return first->failure.status;
}

enum ls_status ls_parallel_map(const struct ls_parallel_map *map, void *results,
                               struct ls_error *err) {
  assert(map->result_bytes > 0 && map->processes >= 1);
  if (map->count == 0) return LS_OK;
  size_t processes = map->processes < map->count ? map->processes : map->count;
  struct area area;
  enum ls_status status = open_area(map, processes, &area, err);
  if (status != LS_OK) return status;
  pid_t *children = calloc(processes, sizeof *children);
  if (children == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu processes", processes);
    goto done;
  }
  /* Where no further process can be had, those that run do all the items. */
  size_t started = 0;
  if (processes > 1) {
    for (; started < processes; started++) {
      children[started] = start_process(map, &area, &area.desks[started]);
      if (children[started] < 0) break;
    }
  }
  if (started == 0) work(map, &area, &area.desks[0]);
  for (size_t i = 0; i < started; i++) wait_process(children[i], &area, &area.desks[i]);
  status = find_failure(&area, processes, err);
  if (status == LS_OK) memcpy(results, area.results, map->count * map->result_bytes);
  free(children);
done:
  (void)munmap(area.board, area.bytes);
  return status;
}

/* Half of a processor keeps a process half busy. */
size_t ls_parallel_within(size_t processors, const struct ls_cgroup *group) {
  double allowed = fmax(1, ceil(group->processors));
  return allowed < (double)processors ? (size_t)allowed : processors;
}

/* The files of groups are read once: this is asked for each worker. */
size_t ls_parallel_processes(void) {
  static struct ls_cgroup group;
  cpu_set_t set;
  if (!(group.processors > 0)) group = ls_cgroup_read("");
  bool is_known = sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) >= 1;
  return ls_parallel_within(is_known ? (size_t)CPU_COUNT(&set) : 1, &group);
}
