/* spmd_mpi: the loop of a periodic plan by hand, in plain MPI.
 *
 * Usage: mpirun -n 1+WORKERS spmd_mpi SECONDS SPEEDS ORDER ROUNDS CORE LAST AUXILIARY
 *
 * What apps/spmd_skeleton does over sockets, with units that sleep. Lists have commas: SPEEDS by
 * worker; ORDER has workers in the order of sending; CORE, LAST and AUXILIARY are units in this
 * order, as `loadstar plan --spmd` prints them. Rank 0 sends all chunks, then receives a result for
 * each; a unit takes SECONDS / speed. Nothing is checked, and waiting takes a core. Rank 0 prints
 * one JSON line; exit 1 when units are missing.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WORKERS_MAX = 64 };

struct loop {
  double seconds, speeds[WORKERS_MAX];
  size_t order[WORKERS_MAX], workers;
  uint64_t rounds, core[WORKERS_MAX], last[WORKERS_MAX], auxiliary[WORKERS_MAX];
};

/* How many numbers there are. */
static size_t read_list(const char *text, double *values) {
  size_t count = 0;
  char *end = NULL;
  for (; count < WORKERS_MAX; text = end + 1) {
    values[count++] = strtod(text, &end);
    if (end == text || *end != ',') break;
  }
  return count;
}

static bool read_units(const char *text, size_t count, uint64_t *units) {
  double values[WORKERS_MAX];
  if (read_list(text, values) != count) return false;
  for (size_t i = 0; i < count; i++) units[i] = (uint64_t)values[i];
  return true;
}

static bool read_words(int argc, char **argv, int processes, struct loop *loop) {
  uint64_t order[WORKERS_MAX];
  if (argc != 8) return false;
  loop->seconds = strtod(argv[1], NULL);
  loop->rounds = strtoull(argv[4], NULL, 10);
  loop->workers = read_list(argv[3], (double[WORKERS_MAX]){0});
  bool is_good = read_list(argv[2], loop->speeds) + 1 == (size_t)processes &&
                 read_units(argv[3], loop->workers, order) &&
                 read_units(argv[5], loop->workers, loop->core) &&
                 read_units(argv[6], loop->workers, loop->last) &&
                 read_units(argv[7], loop->workers, loop->auxiliary);
  for (size_t i = 0; i < loop->workers && is_good; i++) {
    loop->order[i] = order[i];
    is_good = order[i] + 1 < (uint64_t)processes && loop->speeds[order[i]] > 0;
  }
  return is_good;
}

static uint64_t send_round(const struct loop *loop, const uint64_t *units) {
  uint64_t chunks = 0;
  for (size_t i = 0; i < loop->workers; i++) {
    if (units[i] == 0) continue;
    (void)MPI_Send(&units[i], 1, MPI_UINT64_T, (int)loop->order[i] + 1, 0, MPI_COMM_WORLD);
    chunks++;
  }
  return chunks;
}

static uint64_t count_units(const struct loop *loop) {
  uint64_t units = 0;
  for (size_t i = 0; i < loop->workers; i++) {
    units += loop->rounds * loop->core[i] + loop->last[i] + loop->auxiliary[i];
  }
  return units;
}

static int lead(const struct loop *loop, int processes) {
  uint64_t chunks = 0, done = 0, units = 0;
  double begin = MPI_Wtime();
  for (uint64_t j = 0; j < loop->rounds; j++) chunks += send_round(loop, loop->core);
  chunks += send_round(loop, loop->last);
  chunks += send_round(loop, loop->auxiliary);
  for (int rank = 1; rank < processes; rank++) {
    (void)MPI_Send(&(uint64_t){0}, 1, MPI_UINT64_T, rank, 0, MPI_COMM_WORLD);
  }
  for (uint64_t k = 0; k < chunks; k++) {
    (void)MPI_Recv(&units, 1, MPI_UINT64_T, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    done += units;
  }
  (void)printf("{\"units\": %" PRIu64 ", \"chunks\": %" PRIu64 ", \"seconds\": %.6f}\n", done,
               chunks, MPI_Wtime() - begin);
  return done == count_units(loop) ? 0 : 1;
}

static void rest(double seconds) {
  double whole = floor(seconds);
  struct timespec left = {(time_t)whole, (long)((seconds - whole) * 1e9)};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

static void work(const struct loop *loop, int rank) {
  for (uint64_t units = 1; units > 0;) {
    (void)MPI_Recv(&units, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (units == 0) return;
    rest((double)units * loop->seconds / loop->speeds[rank - 1]);
    (void)MPI_Send(&units, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  struct loop loop = {0};
  int rank = 0, processes = 0, status = 0;
  (void)MPI_Init(&argc, &argv);
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  (void)MPI_Comm_size(MPI_COMM_WORLD, &processes);
  if (!read_words(argc, argv, processes, &loop)) {
    if (rank == 0) {
      (void)fprintf(stderr,
                    "usage: mpirun -n 1+WORKERS spmd_mpi SECONDS SPEEDS ORDER ROUNDS CORE LAST "
                    "AUXILIARY, lists with commas, a speed for each worker\n");
    }
    status = 2;
  } else if (rank == 0) {
    status = lead(&loop, processes);
  } else {
    work(&loop, rank);
  }
  (void)MPI_Finalize();
  return status;
}
