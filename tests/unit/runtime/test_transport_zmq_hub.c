#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include "runtime/os/process.h"
#include "runtime/transport/transport_zmq_hub.h"

static void who_listens_is_found_by_the_address(void **state) {
  (void)state;
  struct ls_hub *hub = ls_hub_create(true);
  assert_non_null(hub);
  assert_null(ls_hub_join("inproc://here"));
  assert_int_equal(ls_hub_publish(hub, "inproc://here", NULL), LS_OK);
  assert_ptr_equal(ls_hub_join("inproc://here"), hub);
  assert_null(ls_hub_join("inproc://there"));
  ls_hub_unpublish(hub);
  assert_null(ls_hub_join("inproc://here"));
  ls_hub_leave(hub);
  ls_hub_leave(hub);
}

static void two_addresses_are_told_apart_whichever_goes_first(void **state) {
  (void)state;
  static const char *const addresses[] = {"inproc://older", "inproc://newer"};
  for (size_t first = 0; first < 2; first++) {
    struct ls_hub *hubs[2];
    for (size_t i = 0; i < 2; i++) {
      hubs[i] = ls_hub_create(true);
      assert_false(ls_hub_is_published(hubs[i]));
      assert_int_equal(ls_hub_publish(hubs[i], addresses[i], NULL), LS_OK);
    }
    for (size_t i = 0; i < 2; i++) {
      assert_true(ls_hub_is_published(hubs[i]));
      assert_ptr_equal(ls_hub_join(addresses[i]), hubs[i]);
      ls_hub_leave(hubs[i]);
    }
    ls_hub_unpublish(hubs[first]);
    assert_false(ls_hub_is_published(hubs[first]));
    assert_null(ls_hub_join(addresses[first]));
    assert_ptr_equal(ls_hub_join(addresses[1 - first]), hubs[1 - first]);
    ls_hub_leave(hubs[1 - first]);
    ls_hub_unpublish(hubs[1 - first]);
    assert_null(ls_hub_join(addresses[1 - first]));
    ls_hub_leave(hubs[0]);
    ls_hub_leave(hubs[1]);
  }
}

static void an_address_is_given_once_and_again_when_it_is_free(void **state) {
  (void)state;
  struct ls_error err = {0};
  struct ls_hub *first = ls_hub_create(true), *second = ls_hub_create(true);
  assert_int_equal(ls_hub_publish(first, "inproc://one", NULL), LS_OK);
  assert_int_equal(ls_hub_publish(second, "inproc://one", &err), LS_EBUSY);
  assert_non_null(strstr(err.text, "inproc://one"));
  assert_null(second->name);
  ls_hub_unpublish(first);
  assert_int_equal(ls_hub_publish(second, "inproc://one", NULL), LS_OK);
  ls_hub_unpublish(second);
  ls_hub_unpublish(second);
  ls_hub_leave(first);
  ls_hub_leave(second);
}

/* The listener may go first: the context lasts as long as it is used. */
static void the_last_endpoint_ends_the_context(void **state) {
  (void)state;
  struct ls_hub *hub = ls_hub_create(true);
  assert_int_equal(ls_hub_publish(hub, "inproc://last", NULL), LS_OK);
  assert_ptr_equal(ls_hub_join("inproc://last"), hub);
  ls_hub_unpublish(hub);
  ls_hub_leave(hub);
  void *socket = zmq_socket(hub->context, ZMQ_PAIR);
  assert_non_null(socket);
  assert_int_equal(zmq_close(socket), 0);
  ls_hub_leave(hub);
}

enum { TURNS = 200 };

/* Publishes, joins and leaves an address of its own among those of other threads. */
static void *come_and_go(void *context) {
  const char *address = context;
  for (int i = 0; i < TURNS; i++) {
    struct ls_hub *hub = ls_hub_create(true);
    if (hub == NULL || ls_hub_publish(hub, address, NULL) != LS_OK) return context;
    if (ls_hub_join(address) != hub) return context;
    ls_hub_unpublish(hub);
    ls_hub_leave(hub);
    ls_hub_leave(hub);
  }
  return NULL;
}

static void threads_do_not_disturb_each_other(void **state) {
  (void)state;
  char addresses[4][16] = {"inproc://a", "inproc://b", "inproc://c", "inproc://d"};
  pthread_t threads[4];
  for (size_t i = 0; i < 4; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, addresses[i]), 0);
  for (size_t i = 0; i < 4; i++) {
    void *failed = NULL;
    assert_int_equal(pthread_join(threads[i], &failed), 0);
    assert_null(failed);
  }
}

static int send_to_itself(void) {
  struct ls_hub *hub = ls_hub_create(true);
  void *listener = zmq_socket(hub->context, ZMQ_PAIR), *caller = zmq_socket(hub->context, ZMQ_PAIR);
  char byte = 0;
  bool is_heard = zmq_bind(listener, "inproc://here") == 0 &&
                  zmq_connect(caller, "inproc://here") == 0 && zmq_send(caller, "x", 1, 0) == 1 &&
                  zmq_recv(listener, &byte, 1, 0) == 1 && byte == 'x';
  (void)zmq_close(caller);
  (void)zmq_close(listener);
  ls_hub_leave(hub);
  return is_heard ? 0 : 1;
}

static void what_a_prepared_process_forks_has_contexts(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    ls_hub_prepare();
    int end = 0;
    pid_t pid = fork();
    if (pid == 0) _exit(ls_process_has_threads() ? 2 : send_to_itself());
    assert_int_equal(waitpid(pid, &end, 0), pid);
    assert_int_equal(end, 0);
  }
  assert_int_equal(send_to_itself(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(who_listens_is_found_by_the_address),
      cmocka_unit_test(two_addresses_are_told_apart_whichever_goes_first),
      cmocka_unit_test(an_address_is_given_once_and_again_when_it_is_free),
      cmocka_unit_test(the_last_endpoint_ends_the_context),
      cmocka_unit_test(threads_do_not_disturb_each_other),
      cmocka_unit_test(what_a_prepared_process_forks_has_contexts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
