/* transport_zmq_hub.c: contexts of libzmq, and which address is listened on inside the process. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#include "runtime/transport/transport_zmq_hub.h"

static pthread_mutex_t hubs_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ls_hub *named_hubs;

/* The link that points at the hub of this name; at NULL: there is none. Under the lock. */
static struct ls_hub **find_hub(const char *name) {
  struct ls_hub **link = &named_hubs;
  while (*link != NULL && strcmp((*link)->name, name) != 0) link = &(*link)->next;
  return link;
}

/* The first context of a process asks the system for all kinds of protocols, which are looked for
 * in a hundred places; further ones use its answer as long as one context is there. */
void ls_hub_prepare(void) {
  static void *kept;
  pthread_mutex_lock(&hubs_lock);
  if (kept == NULL) kept = zmq_ctx_new();
  pthread_mutex_unlock(&hubs_lock);
}

struct ls_hub *ls_hub_create(bool is_inproc) {
  struct ls_hub *hub = calloc(1, sizeof *hub);
  void *context = hub != NULL ? zmq_ctx_new() : NULL;
  if (context == NULL) {
    free(hub);
    return NULL;
  }
  /* Threads of one process need no thread that serves sockets. */
  if (is_inproc) (void)zmq_ctx_set(context, ZMQ_IO_THREADS, 0);
  hub->context = context;
  hub->endpoints = 1;
  return hub;
}

enum ls_status ls_hub_publish(struct ls_hub *hub, const char *address, struct ls_error *err) {
  char *name = strdup(address);
  if (name == NULL) return ls_fail(err, LS_ENOMEM, "no memory to listen on %s", address);
  pthread_mutex_lock(&hubs_lock);
  bool is_taken = *find_hub(address) != NULL;
  if (!is_taken) {
    hub->name = name;
    hub->next = named_hubs;
    named_hubs = hub;
  }
  pthread_mutex_unlock(&hubs_lock);
  if (!is_taken) return LS_OK;
  free(name);
  return ls_fail(err, LS_EBUSY, "cannot listen on %s: this process listens there already", address);
}

void ls_hub_unpublish(struct ls_hub *hub) {
  if (hub->name == NULL) return;
  pthread_mutex_lock(&hubs_lock);
  *find_hub(hub->name) = hub->next;
  free(hub->name);
  hub->name = NULL;
  pthread_mutex_unlock(&hubs_lock);
}

struct ls_hub *ls_hub_join(const char *address) {
  pthread_mutex_lock(&hubs_lock);
  struct ls_hub *hub = *find_hub(address);
  if (hub != NULL) hub->endpoints++;
  pthread_mutex_unlock(&hubs_lock);
  return hub;
}

void ls_hub_leave(struct ls_hub *hub) {
  pthread_mutex_lock(&hubs_lock);
  bool is_last = --hub->endpoints == 0;
  pthread_mutex_unlock(&hubs_lock);
  if (!is_last) return;
  while (zmq_ctx_term(hub->context) != 0 && zmq_errno() == EINTR) continue;
  free(hub);
}

bool ls_hub_is_published(const struct ls_hub *hub) {
  pthread_mutex_lock(&hubs_lock);
  bool is_published = hub->name != NULL;
  pthread_mutex_unlock(&hubs_lock);
  return is_published;
}
