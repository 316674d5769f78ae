/* transport_mpi_bell.c: ranks of one machine wake each other.
 *
 * MPI has no descriptor, so whoever waits looks again after a pause; on a busy machine the end of
 * each pause is late.  Ranks that share a kernel and its network namespace therefore have a
 * datagram socket each: whoever has given MPI a message for such a rank rings there, and whoever
 * begins to receive one that takes longer rings back.  Only the latter says that something of ours
 * moves: the former may be heard when its message has long been received, and others been sent.
 * A ring for a message that is lost costs a pause, one of a stranger a look or a few.
 * docs/decisions/0020 says why.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/os/clock.h"
#include "runtime/transport/transport_mpi_private.h"

enum { MACHINE_BYTES = 40 };

/* What all ranks tell each other; bytes that are not used are 0. */
struct card {
  char machine[MACHINE_BYTES]; /* the kernel, since it was started; empty: no bell */
  uint64_t space;              /* its network namespace: names of sockets are known there */
  struct ls_mpi_bell bell;
};

/* Who begins to receive a message of ours, by rank, and its number; NOBODY: there is one for us. */
enum { NOBODY = -1 };
struct ring {
  int32_t taker;
  uint32_t number;
};

static bool read_machine(char *machine) {
  int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t length = read(file, machine, MACHINE_BYTES - 1);
  (void)close(file);
  return length > 0;
}

/* The kernel chooses the name, which goes with the socket. */
static int open_bell(struct ls_mpi_bell *bell) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  socklen_t length = sizeof address;
  int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (file < 0) return -1;
  bool is_named = bind(file, (struct sockaddr *)&address, sizeof address.sun_family) == 0 &&
                  getsockname(file, (struct sockaddr *)&address, &length) == 0 &&
                  length > sizeof address.sun_family &&
                  length - sizeof address.sun_family <= sizeof bell->name;
  if (!is_named) {
    (void)close(file);
    return -1;
  }
  bell->length = (uint32_t)(length - sizeof address.sun_family);
  memcpy(bell->name, address.sun_path, bell->length);
  return file;
}

static bool is_wanted(void) {
  const char *word = getenv("LOADSTAR_MPI_BELLS");
  return word == NULL || strcmp(word, "no") != 0;
}

static struct card make_card(void) {
  struct card card = {0};
  struct stat space;
  ls_mpi.bell = -1;
  if (!is_wanted() || stat("/proc/self/ns/net", &space) != 0) return card;
  ls_mpi.bell = open_bell(&card.bell);
  card.space = space.st_ino;
  if (ls_mpi.bell < 0 || !read_machine(card.machine)) card = (struct card){0};
  return card;
}

/* Does all that this process may hear come from where it is? */
static bool find_near(void) {
  bool are_near = ls_mpi.rank == 0 || ls_mpi.lanes[0].bell.length > 0;
  for (int rank = 1; rank < ls_mpi.size && ls_mpi.rank == 0; ++rank) {
    are_near = are_near && ls_mpi.lanes[rank].bell.length > 0;
  }
  return are_near;
}

void ls_mpi_bell_open(void) {
  struct card own = make_card();
  struct card *cards = calloc((size_t)ls_mpi.size, sizeof *cards);
  bool are_known = cards != NULL;
  /* Also whoever has no memory for it takes part: the others wait for it. */
  int failure =
      MPI_Allgather(&own, sizeof own, MPI_BYTE, cards, sizeof own, MPI_BYTE, ls_mpi.up.comm);
  are_known = are_known && failure == MPI_SUCCESS;
  for (int rank = 0; rank < ls_mpi.size && are_known; ++rank) {
    bool is_here = own.machine[0] != '\0' && cards[rank].space == own.space &&
                   memcmp(cards[rank].machine, own.machine, sizeof own.machine) == 0;
    if (is_here) ls_mpi.lanes[rank].bell = cards[rank].bell;
  }
  ls_mpi.are_near = find_near();
  free(cards);
}

static bool ring_at(int rank, struct ring ring) {
  const struct ls_mpi_bell *bell = &ls_mpi.lanes[rank].bell;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (bell->length == 0) return true;
  memcpy(address.sun_path, bell->name, bell->length);
  ssize_t sent =
      sendto(ls_mpi.bell, &ring, sizeof ring, MSG_DONTWAIT | MSG_NOSIGNAL,
             (struct sockaddr *)&address, (socklen_t)(sizeof address.sun_family + bell->length));
  return sent >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

void ls_mpi_bell_ring(int rank) {
  /* Whose bell is full of rings looks anyway, and whoever is gone needs none. */
  (void)ring_at(rank, (struct ring){.taker = NOBODY});
}

bool ls_mpi_bell_ring_back(int rank, uint32_t number) {
  return ring_at(rank, (struct ring){.taker = ls_mpi.rank, .number = number});
}

/* A ring may be late: of a message that has left it says nothing. */
static void hear_taker(int rank, uint32_t number) {
  struct ls_mpi_lane *lane = &ls_mpi.lanes[rank];
  bool is_late = number - lane->left - 1 >= lane->frames;
  if (is_late || lane->is_taken) return;
  lane->is_taken = true;
  lane->begun_s = ls_clock_s();
}

bool ls_mpi_bell_answer(void) {
  struct ring ring;
  ssize_t length = 0;
  bool was_rung = false;
  while (ls_mpi.bell >= 0 && (length = recv(ls_mpi.bell, &ring, sizeof ring, MSG_DONTWAIT)) > 0) {
    was_rung = true;
    bool has_taker = length == sizeof ring && ring.taker >= 0 && ring.taker < ls_mpi.size;
    if (has_taker) hear_taker(ring.taker, ring.number);
  }
  return was_rung;
}
