#include "runtime/transport/transport_zmq_guard.h"

#include <linux/tcp.h>
#include <math.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/array.h"

/* A first frame is a HELLO. What libzmq has read of others lies in memory, so the bytes of a
 * connection are counted by the kernel and looked at that often. */
enum { FIRST_FRAME_BYTES_MAX = 256 << 10, STRANGER_BYTES_MAX = 1 << 20 };
static const double say_hello_s = 5, read_refusal_s = 1, look_s = 0.05;
/* For so long after a flood it is looked more often: between two looks a machine's own processes
 * can send some hundred megabytes, and whoever sent them comes again. */
static const double flood_lasts_s = 1, flood_look_s = 0.005;

/* NONE ends a list of connections. */
enum { NONE = -1, ADMITTED_LEAST = 64 };

/* No socket has this number. */
enum { NO_INODE = 0 };

enum state {
  STATE_NONE,    /* no connection that we have to look after */
  STATE_SILENT,  /* has not been heard yet */
  STATE_HEARD,   /* its first frame is being judged */
  STATE_REFUSED, /* is to go */
};

/* What a descriptor is now. */
struct connection {
  enum state state;
  bool may_speak; /* a connection was accepted here that was not closed by us */
  bool has_number;
  uint32_t number;    /* of the latest peer that was heard here */
  ino_t inode;        /* of the socket: the descriptor may mean another one by now */
  double until_s;     /* then it is closed */
  int previous, next; /* in the list of its state */
};

/* By time. */
struct list {
  int first, last;
  size_t count;
};

/* A peer of ours. */
struct admitted {
  uint64_t peer; /* 0: a free place */
  ino_t inode;
};

struct ls_guard {
  size_t connections_max;
  struct connection *connections; /* by descriptor */
  size_t connections_count, connections_capacity;
  struct list silent, refused;
  int heard;                 /* in STATE_HEARD, and in no list; NONE */
  struct admitted *admitted; /* a table with open addresses: a power of two, less than half full */
  size_t admitted_count, admitted_capacity;
  size_t sweep_at; /* so many admitted are looked through: some may have gone */
  double swept_s;  /* when that was */
  /* When the strangers were looked at, each of which costs system calls: [1] with all frames heard.
   */
  double looked_s[2];
  double flooded_s; /* when one had sent too much */
  double forgot_s;  /* when the strangers that had gone were forgotten */
  uint64_t frames_dropped, connections_closed;
};

struct ls_guard *ls_guard_create(size_t connections_max) {
  struct ls_guard *guard = calloc(1, sizeof *guard);
  if (guard == NULL) return NULL;
  guard->connections_max = connections_max;
  guard->silent = guard->refused = (struct list){NONE, NONE, 0};
  guard->heard = NONE;
  guard->swept_s = guard->forgot_s = guard->flooded_s = -(double)INFINITY;
  guard->looked_s[0] = guard->looked_s[1] = -(double)INFINITY;
  guard->sweep_at = ADMITTED_LEAST;
  return guard;
}

void ls_guard_destroy(struct ls_guard *guard) {
  if (guard == NULL) return;
  free(guard->connections);
  free(guard->admitted);
  free(guard);
}

uint64_t ls_guard_peer(int descriptor, uint32_t number) {
  return (uint64_t)(unsigned)descriptor << 32 | number;
}

static int get_descriptor(uint64_t peer) {
  return (int)(peer >> 32);
}

/* ---- connections by descriptor ---- */

static struct list *find_list(struct ls_guard *guard, enum state state) {
  if (state == STATE_SILENT) return &guard->silent;
  return state == STATE_REFUSED ? &guard->refused : NULL;
}

static void leave_list(struct ls_guard *guard, int descriptor) {
  struct connection *connection = &guard->connections[descriptor];
  struct list *list = find_list(guard, connection->state);
  if (guard->heard == descriptor) guard->heard = NONE;
  connection->state = STATE_NONE;
  if (list == NULL) return;
  int previous = connection->previous, next = connection->next;
  *(previous == NONE ? &list->first : &guard->connections[previous].next) = next;
  *(next == NONE ? &list->last : &guard->connections[next].previous) = previous;
  list->count--;
}

static void enter_list(struct ls_guard *guard, int descriptor, enum state state) {
  leave_list(guard, descriptor);
  struct connection *connection = &guard->connections[descriptor];
  struct list *list = find_list(guard, state);
  connection->state = state;
  connection->previous = list->last;
  connection->next = NONE;
  *(list->last == NONE ? &list->first : &guard->connections[list->last].next) = descriptor;
  list->last = descriptor;
  list->count++;
}

static struct connection *find_connection(struct ls_guard *guard, int descriptor) {
  bool is_known = descriptor >= 0 && (size_t)descriptor < guard->connections_count;
  return is_known ? &guard->connections[descriptor] : NULL;
}

static bool is_socket(int descriptor, ino_t inode) {
  struct stat info;
  return inode != NO_INODE && fstat(descriptor, &info) == 0 && S_ISSOCK(info.st_mode) &&
         info.st_ino == inode;
}

/* libzmq's thread closes the descriptor when it reads the end. */
static void close_connection(struct ls_guard *guard, int descriptor) {
  const struct connection *connection = &guard->connections[descriptor];
  if (is_socket(descriptor, connection->inode)) {
    (void)shutdown(descriptor, SHUT_RDWR);
    guard->connections_closed++;
  }
  leave_list(guard, descriptor);
  guard->connections[descriptor].may_speak = false;
}

/* ---- the admitted ---- */

static size_t find_place(const struct admitted *table, size_t capacity, uint64_t peer) {
  size_t place = (size_t)(peer * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (capacity - 1);
  while (table[place].peer != 0 && table[place].peer != peer) place = (place + 1) & (capacity - 1);
  return place;
}

static bool is_admitted(const struct ls_guard *guard, uint64_t peer) {
  return guard->admitted_capacity > 0 &&
         guard->admitted[find_place(guard->admitted, guard->admitted_capacity, peer)].peer == peer;
}

/* A table of the right size; `forgets`: without those whose connections are gone. False: there was
 * no memory, and all stays. */
static bool renew_admitted(struct ls_guard *guard, bool forgets) {
  size_t capacity = ADMITTED_LEAST, kept = 0;
  while (capacity < 4 * (guard->admitted_count + 1)) capacity *= 2;
  struct admitted *table = calloc(capacity, sizeof *table);
  if (table == NULL) return false;
  for (size_t i = 0; i < guard->admitted_capacity; i++) {
    const struct admitted *entry = &guard->admitted[i];
    if (entry->peer == 0) continue;
    if (forgets && !is_socket(get_descriptor(entry->peer), entry->inode)) continue;
    table[find_place(table, capacity, entry->peer)] = *entry;
    kept++;
  }
  free(guard->admitted);
  guard->admitted = table;
  guard->admitted_capacity = capacity;
  guard->admitted_count = kept;
  return true;
}

/* ---- what happens ---- */

static struct connection *make_room(struct ls_guard *guard, int descriptor) {
  size_t count = (size_t)descriptor + 1;
  if (ls_array_reserve((void **)&guard->connections, &guard->connections_capacity, count,
                       sizeof *guard->connections) != LS_OK) {
    return NULL;
  }
  while (guard->connections_count < count) {
    guard->connections[guard->connections_count++] = (struct connection){.state = STATE_NONE};
  }
  return &guard->connections[descriptor];
}

static size_t count_connections(const struct ls_guard *guard) {
  return guard->silent.count + guard->refused.count + guard->admitted_count +
         (guard->heard != NONE ? 1 : 0);
}

static void forget_gone(struct ls_guard *guard, const struct list *list) {
  int next;
  for (int i = list->first; i != NONE; i = next) {
    next = guard->connections[i].next;
    if (is_socket(i, guard->connections[i].inode)) continue;
    leave_list(guard, i);
    guard->connections[i].may_speak = false;
  }
}

/* Whoever has gone by himself makes room; then the strangers that have been there for longest. */
static void close_surplus(struct ls_guard *guard, double now_s) {
  if (count_connections(guard) > guard->connections_max && now_s - guard->forgot_s > look_s) {
    guard->forgot_s = now_s;
    forget_gone(guard, &guard->refused);
    forget_gone(guard, &guard->silent);
  }
  while (count_connections(guard) > guard->connections_max) {
    if (guard->refused.count > 0) {
      close_connection(guard, guard->refused.first);
    } else if (guard->silent.count > 0) {
      close_connection(guard, guard->silent.first);
    } else {
      break;
    }
  }
}

void ls_guard_accept(struct ls_guard *guard, int descriptor, double now_s) {
  struct stat info;
  if (descriptor < 0) return;
  /* Who has left already may have said something. */
  bool is_there = fstat(descriptor, &info) == 0 && S_ISSOCK(info.st_mode);
  struct connection *connection = make_room(guard, descriptor);
  if (connection == NULL) {
    if (is_there) (void)shutdown(descriptor, SHUT_RDWR);
    return;
  }
  enter_list(guard, descriptor, STATE_SILENT);
  connection->may_speak = true;
  connection->inode = is_there ? info.st_ino : NO_INODE;
  connection->until_s = now_s + say_hello_s;
  close_surplus(guard, now_s);
}

static void refuse(struct ls_guard *guard, int descriptor, double now_s) {
  enter_list(guard, descriptor, STATE_REFUSED);
  guard->connections[descriptor].until_s = now_s + read_refusal_s;
}

/* The frame that was delivered last has been judged by now. */
static void end_judgement(struct ls_guard *guard, double now_s) {
  if (guard->heard != NONE) refuse(guard, guard->heard, now_s);
}

static bool is_newer(uint32_t number, uint32_t than) {
  return number != than && number - than < UINT32_MAX / 2;
}

bool ls_guard_hear(struct ls_guard *guard, uint64_t peer, size_t length, double now_s) {
  end_judgement(guard, now_s);
  if (is_admitted(guard, peer)) return true;
  int descriptor = get_descriptor(peer);
  uint32_t number = (uint32_t)peer;
  struct connection *connection = find_connection(guard, descriptor);
  /* Numbers rise: an older one was heard before, or its connection is gone.  A newer one is that of
   * another connection, whatever was heard of the one before it when it had been accepted. */
  bool is_first = connection != NULL && connection->may_speak &&
                  (!connection->has_number || is_newer(number, connection->number));
  if (!is_first) {
    guard->frames_dropped++;
    return false;
  }
  connection->has_number = true;
  connection->number = number;
  if (length > FIRST_FRAME_BYTES_MAX) {
    guard->frames_dropped++;
    close_connection(guard, descriptor);
    return false;
  }
  leave_list(guard, descriptor);
  connection->state = STATE_HEARD;
  guard->heard = descriptor;
  return true;
}

void ls_guard_admit(struct ls_guard *guard, uint64_t peer) {
  int descriptor = get_descriptor(peer);
  const struct connection *connection = find_connection(guard, descriptor);
  if (connection == NULL || guard->heard != descriptor || connection->number != (uint32_t)peer) {
    return;
  }
  bool is_full = 2 * (guard->admitted_count + 1) > guard->admitted_capacity;
  if (is_full && !renew_admitted(guard, false)) return;
  size_t place = find_place(guard->admitted, guard->admitted_capacity, peer);
  guard->admitted[place] = (struct admitted){peer, connection->inode};
  guard->admitted_count++;
  leave_list(guard, descriptor);
}

void ls_guard_cut(struct ls_guard *guard, uint64_t peer) {
  if (!is_admitted(guard, peer)) return;
  size_t place = find_place(guard->admitted, guard->admitted_capacity, peer);
  int descriptor = get_descriptor(peer);
  if (is_socket(descriptor, guard->admitted[place].inode)) (void)shutdown(descriptor, SHUT_RDWR);
}

/* Bytes that the kernel has received on the connection; 0 where it does not count. */
static uint64_t count_bytes(int descriptor) {
  struct tcp_info info = {0};
  socklen_t length = sizeof info;
  return getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length) == 0
             ? info.tcpi_bytes_received
             : 0;
}

static void look_at(struct ls_guard *guard, const struct list *list, bool is_drained,
                    double now_s) {
  int next;
  for (int i = list->first; i != NONE; i = next) {
    const struct connection *connection = &guard->connections[i];
    next = connection->next;
    bool is_over = is_drained && now_s >= connection->until_s;
    bool is_open = is_socket(i, connection->inode);
    bool is_flood = !is_over && is_open && count_bytes(i) > STRANGER_BYTES_MAX;
    if (is_flood) guard->flooded_s = now_s;
    if (is_over || is_flood) close_connection(guard, i);
  }
}

static double find_interval_s(const struct ls_guard *guard, double now_s) {
  return now_s - guard->flooded_s < flood_lasts_s ? flood_look_s : look_s;
}

void ls_guard_look(struct ls_guard *guard, bool is_drained, double now_s) {
  end_judgement(guard, now_s);
  if (now_s - guard->looked_s[is_drained] >= find_interval_s(guard, now_s)) {
    guard->looked_s[is_drained] = now_s;
    look_at(guard, &guard->silent, is_drained, now_s);
    look_at(guard, &guard->refused, is_drained, now_s);
  }
  /* Who has gone, and whose frames have all been heard, makes room for others. */
  bool is_full = count_connections(guard) >= guard->connections_max ||
                 guard->admitted_count >= guard->sweep_at;
  if (!is_full || !is_drained || now_s - guard->swept_s < look_s) return;
  guard->swept_s = now_s;
  (void)renew_admitted(guard, true);
  guard->sweep_at = 2 * guard->admitted_count + ADMITTED_LEAST;
}

double ls_guard_patience_s(const struct ls_guard *guard, double now_s) {
  bool has_strangers = guard->silent.count + guard->refused.count > 0 || guard->heard != NONE;
  return has_strangers ? find_interval_s(guard, now_s) : (double)INFINITY;
}

uint64_t ls_guard_frames_dropped(const struct ls_guard *guard) {
  return guard->frames_dropped;
}

uint64_t ls_guard_connections_closed(const struct ls_guard *guard) {
  return guard->connections_closed;
}
