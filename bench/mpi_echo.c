/* mpi_echo: large frames there and back over our transport, and in plain MPI.
 *
 * Usage: mpirun -n 2 mpi_echo MODULE [MIB [TURNS]]
 *
 * Rank 0 sends a frame of MIB (64) mebibytes, rank 1 sends it back; TURNS (7) times over the
 * transport of MODULE (loadstar-openmpi.so, of the MPI that this program is linked with) and by
 * MPI_Send and MPI_Recv, in turns. Rank 0 prints one JSON line of seconds; exit 1 when a frame came
 * back as another one.
 */
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/transport/mpi_module.h"
#include "runtime/transport/transport_wait.h"

enum { TURNS_MAX = 100, MIB_MAX = 64, MIB = 1 << 20 };

struct echo {
  const struct ls_transport *transport;
  struct ls_endpoint *endpoint;
  unsigned char *data;
  size_t length;
  uint64_t peer; /* at rank 0 */
};

/* Borrowed; waits for it. */
static struct ls_frame await_frame(const struct echo *echo) {
  const struct ls_wait_files none = {0};
  struct ls_frame frame;
  while (!echo->transport->receive(echo->endpoint, &frame)) {
    (void)ls_transport_wait(echo->transport, echo->endpoint, &none, HUGE_VAL);
  }
  return frame;
}

static bool send_frame(const struct echo *echo, const void *data, size_t length) {
  const struct ls_frame frame = {echo->peer, data, length};
  struct ls_error err = {0};
  if (echo->transport->send(echo->endpoint, &frame, HUGE_VAL, &err) == LS_OK) return true;
  (void)fprintf(stderr, "mpi_echo: %s\n", err.text);
  return false;
}

static bool is_same(const struct echo *echo, const void *data, size_t length) {
  return length == echo->length && memcmp(data, echo->data, length) == 0;
}

static bool go_by_frames(const struct echo *echo, double *seconds) {
  double begin = MPI_Wtime();
  bool is_sent = send_frame(echo, echo->data, echo->length);
  struct ls_frame back = await_frame(echo);
  *seconds = MPI_Wtime() - begin;
  return is_sent && is_same(echo, back.data, back.length);
}

/* As our transport does, the receiver learns the length from the message. */
static unsigned char *receive_plainly(int rank, int *length) {
  MPI_Status status;
  (void)MPI_Probe(rank, 0, MPI_COMM_WORLD, &status);
  (void)MPI_Get_count(&status, MPI_BYTE, length);
  unsigned char *data = malloc((size_t)*length);
  if (data == NULL) (void)MPI_Abort(MPI_COMM_WORLD, 1);
  (void)MPI_Recv(data, *length, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return data;
}

static bool go_plainly(const struct echo *echo, double *seconds) {
  int length = 0;
  double begin = MPI_Wtime();
  (void)MPI_Send(echo->data, (int)echo->length, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  unsigned char *back = receive_plainly(1, &length);
  *seconds = MPI_Wtime() - begin;
  bool is_good = is_same(echo, back, (size_t)length);
  free(back);
  return is_good;
}

static bool answer(const struct echo *echo) {
  int length = 0;
  struct ls_frame frame = await_frame(echo);
  bool is_sent = send_frame(echo, frame.data, frame.length);
  unsigned char *data = receive_plainly(0, &length);
  (void)MPI_Send(data, length, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  free(data);
  return is_sent;
}

static void print(const char *name, const double *seconds, int turns) {
  (void)printf("\"%s\": [", name);
  for (int i = 0; i < turns; i++) (void)printf("%s%.6f", i > 0 ? ", " : "", seconds[i]);
  (void)printf("]");
}

/* The first word of rank 1 tells rank 0 whom to answer. */
static bool lead(struct echo *echo, int turns) {
  double frames[TURNS_MAX], plain[TURNS_MAX];
  bool is_good = true;
  for (size_t i = 0; i < echo->length; i++) echo->data[i] = (unsigned char)(i * 31 >> 3);
  echo->peer = await_frame(echo).peer;
  for (int i = 0; i < turns && is_good; i++) {
    is_good = go_by_frames(echo, &frames[i]) && go_plainly(echo, &plain[i]);
  }
  (void)printf("{");
  print("frames", frames, is_good ? turns : 0);
  (void)printf(", ");
  print("plain", plain, is_good ? turns : 0);
  (void)printf("}\n");
  return is_good;
}

static bool follow(const struct echo *echo, int turns) {
  bool is_good = send_frame(echo, "", 0);
  for (int i = 0; i < turns && is_good; i++) is_good = answer(echo);
  return is_good;
}

static bool open_echo(struct echo *echo, const char *path, struct ls_error *err) {
  const struct ls_mpi_module *module;
  int rank;
  if (ls_mpi_module_load(path, &module, err) != LS_OK) return false;
  echo->transport = module->transport;
  if (echo->transport->start(2, err) != LS_OK) return false;
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return (rank == 0 ? echo->transport->listen : echo->transport->connect)(
             "mpi:", NULL, &echo->endpoint, err) == LS_OK;
}

int main(int argc, char **argv) {
  long mib = argc > 2 ? strtol(argv[2], NULL, 10) : MIB_MAX;
  long turns = argc > 3 ? strtol(argv[3], NULL, 10) : 7;
  struct ls_error err = {0};
  struct echo echo = {0};
  int rank = 0;
  if (argc < 2 || mib < 1 || mib > MIB_MAX || turns < 1 || turns > TURNS_MAX) {
    (void)fprintf(stderr, "usage: mpirun -n 2 mpi_echo MODULE [MIB [TURNS]], 1 to 64 MiB\n");
    return 2;
  }
  echo.length = (size_t)mib * MIB;
  echo.data = malloc(echo.length);
  if (echo.data == NULL || !open_echo(&echo, argv[1], &err)) {
    (void)fprintf(stderr, "mpi_echo: %s\n", err.text);
    free(echo.data);
    return 2;
  }
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bool is_good = rank == 0 ? lead(&echo, (int)turns) : follow(&echo, (int)turns);
  echo.transport->close(echo.endpoint, 1);
  echo.transport->end(false);
  free(echo.data);
  return is_good ? 0 : 1;
}
