/* mpi_farm: master and workers in plain MPI, the least that hands out tasks one by one.
 *
 * Usage: mpirun -n PROCESSES mpi_farm TASKS [OUTSTANDING [SECONDS]]
 *
 * Rank 0 keeps OUTSTANDING (16) tasks at every other rank, a message of 24 bytes each; a worker
 * sleeps for SECONDS (0) and answers with 24 bytes.  All receives block, so waiting takes a whole
 * core; nobody checks who is there, keeps a journal or survives a loss.  Rank 0 prints one JSON
 * line; exit 1 when not every task was answered once and right.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TAG_TASK, TAG_RESULT };

struct task {
  uint64_t number;
  double seconds;
  uint64_t is_end;
};

struct result {
  uint64_t number, answer, rank;
};

_Static_assert(sizeof(struct task) == 24 && sizeof(struct result) == 24, "24 bytes each");

struct farm {
  uint64_t tasks, outstanding;
  double seconds;
};

static uint64_t answer_of(uint64_t number) {
  return 2 * number + 1;
}

static void send_task(const struct farm *farm, uint64_t number, int rank) {
  struct task task = {number, farm->seconds, number >= farm->tasks};
  (void)MPI_Send(&task, sizeof task, MPI_BYTE, rank, TAG_TASK, MPI_COMM_WORLD);
}

static bool settle(const struct farm *farm, const struct result *result, bool *is_done) {
  bool is_good = result->number < farm->tasks && !is_done[result->number] &&
                 result->answer == answer_of(result->number);
  if (is_good) is_done[result->number] = true;
  return is_good;
}

static bool lead(const struct farm *farm, int processes, bool *is_done) {
  uint64_t sent = 0, good = 0;
  struct result result;
  for (uint64_t k = 0; k < farm->outstanding; k++) {
    for (int rank = 1; rank < processes && sent < farm->tasks; rank++) {
      send_task(farm, sent++, rank);
    }
  }
  for (uint64_t got = 0; got < farm->tasks; got++) {
    MPI_Status from;
    (void)MPI_Recv(&result, sizeof result, MPI_BYTE, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD,
                   &from);
    if (sent < farm->tasks) send_task(farm, sent++, from.MPI_SOURCE);
    if (settle(farm, &result, is_done)) good++;
  }
  for (int rank = 1; rank < processes; rank++) send_task(farm, farm->tasks, rank);
  return good == farm->tasks;
}

static void rest(double seconds) {
  double whole = floor(seconds);
  struct timespec left = {(time_t)whole, (long)((seconds - whole) * 1e9)};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

static void work(int rank) {
  struct task task;
  for (;;) {
    (void)MPI_Recv(&task, sizeof task, MPI_BYTE, 0, TAG_TASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (task.is_end) return;
    if (task.seconds > 0) rest(task.seconds);
    struct result result = {task.number, answer_of(task.number), (uint64_t)rank};
    (void)MPI_Send(&result, sizeof result, MPI_BYTE, 0, TAG_RESULT, MPI_COMM_WORLD);
  }
}

static int lead_and_say(const struct farm *farm, int processes) {
  bool *is_done = calloc(farm->tasks, sizeof *is_done);
  if (is_done == NULL) {
    (void)fprintf(stderr, "mpi_farm: out of memory for %" PRIu64 " tasks\n", farm->tasks);
    return MPI_Abort(MPI_COMM_WORLD, 1);
  }
  double begin = MPI_Wtime();
  bool is_good = lead(farm, processes, is_done);
  (void)printf("{\"tasks\": %" PRIu64 ", \"workers\": %d, \"outstanding\": %" PRIu64
               ", \"seconds\": %.6f, \"all_once\": %s}\n",
               farm->tasks, processes - 1, farm->outstanding, MPI_Wtime() - begin,
               is_good ? "true" : "false");
  free(is_done);
  return is_good ? 0 : 1;
}

static bool read_words(int argc, char **argv, struct farm *farm) {
  *farm = (struct farm){.outstanding = 16};
  if (argc < 2 || argc > 4) return false;
  farm->tasks = strtoull(argv[1], NULL, 10);
  if (argc > 2) farm->outstanding = strtoull(argv[2], NULL, 10);
  if (argc > 3) farm->seconds = strtod(argv[3], NULL);
  return farm->tasks > 0 && farm->outstanding > 0 && farm->seconds >= 0;
}

int main(int argc, char **argv) {
  struct farm farm;
  int rank = 0, processes = 0, status = 0;
  (void)MPI_Init(&argc, &argv);
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  (void)MPI_Comm_size(MPI_COMM_WORLD, &processes);
  if (!read_words(argc, argv, &farm) || processes < 2) {
    if (rank == 0) {
      (void)fprintf(stderr,
                    "usage: mpirun -n PROCESSES mpi_farm TASKS [OUTSTANDING [SECONDS]], "
                    "at least 2 processes and 1 task\n");
    }
    status = 2;
  } else if (rank == 0) {
    status = lead_and_say(&farm, processes);
  } else {
    work(rank);
  }
  (void)MPI_Finalize();
  return status;
}
