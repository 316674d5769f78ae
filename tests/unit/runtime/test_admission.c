/* test_admission.c: which workers may join a run, what they are told, and under which number. */
#include "master_fixture.h"

#include "protocol/message.h"
#include "runtime/execute/settings.h"
#include "runtime/master/guests/admission.h"
#include "runtime/transport/transport_wait.h"
#include "theory/load_pattern.h"

static void worker_of_another_program_gets_nothing(void **state) {
  (void)state;
  struct tally tally = {.units = 20, .iterations = 1, .threads_count = 1};
  struct ls_master_options options = make_options(&tally, &sound_app, "ss");
  options.program = "1.0 0123456789abcdef";
  options.workers_patience_s = 0.5;
  struct ls_master_report report;
  struct ls_error err = {0};
  assert_int_equal(run(&options, &tally, &report, &err), LS_ENOWORKERS);
  assert_int_equal(tally.settled, 0);
  assert_int_equal(report.workers_count, 0);
  ls_master_report_close(&report);
}

static void workers_from_outside_have_slots_of_their_own(void **state) {
  (void)state;
  struct tally tally = {.units = 90, .iterations = 1, .threads_count = 3};
  struct ls_master_options options = make_options(&tally, &joint_app, "ss");
  struct ls_master_report report;
  assert_int_equal(run(&options, &tally, &report, NULL), LS_OK);
  assert_int_equal(report.workers_count, 3);
  unsigned seen = 0;
  for (size_t i = 0; i < 3; ++i) {
    assert_string_equal(report.workers[i].name, "thread");
    assert_in_range(report.workers[i].slot, 1, 3);
    seen |= 1U << report.workers[i].slot;
    assert_true(report.workers[i].joined_s >= 0);
  }
  assert_int_equal(seen, 0xe);
  ls_master_report_close(&report);
}

/* The master's next message to the sender of HELLO; LS_MESSAGE_COUNT: nothing in a minute. */
static enum ls_message_kind hear(struct ls_endpoint *endpoint, char *why, size_t why_bytes) {
  enum ls_message_kind kind = LS_MESSAGE_COUNT;
  struct ls_decoder decoder = {0};
  struct ls_frame frame;
  struct ls_message message;
  for (int i = 0; i < 60 && kind == LS_MESSAGE_COUNT; ++i) {
    if (!ls_transport_zmq.receive(endpoint, &frame)) {
      (void)ls_transport_wait(&ls_transport_zmq, endpoint, &(struct ls_wait_files){0}, 1);
    } else if (ls_message_decode(&decoder, frame.data, frame.length, &message, NULL) != LS_OK) {
      break;
    } else if (message.kind != LS_MESSAGE_PULSE) {
      kind = message.kind;
      (void)snprintf(why, why_bytes, "%.*s", (int)message.text.length,
                     (const char *)message.text.data);
    }
  }
  ls_decoder_close(&decoder);
  return kind;
}

static bool say(struct ls_endpoint *endpoint, const struct ls_message *message) {
  struct ls_bytes bytes = {0};
  ls_message_encode(message, &bytes);
  const struct ls_frame frame = {0, bytes.data, bytes.length};
  bool is_sent = ls_transport_zmq.send(endpoint, &frame, 60, NULL) == LS_OK;
  ls_bytes_close(&bytes);
  return is_sent;
}

/* Speaks another version, then as another program, then rightly, and a second time; then ends the
 * run. NULL: all was as it should be; else what was not. */
static void *greet(void *context) {
  struct tally *tally = context;
  struct ls_endpoint *endpoint = NULL;
  char why[256] = "";
  const char *wrong = "no connection";
  struct ls_message hello = {.kind = LS_MESSAGE_HELLO,
                             .version = LS_PROTOCOL_VERSION + 1,
                             .name = {"stranger", 8},
                             .text = {"2.0", 3}};
  if (ls_transport_zmq.connect(tally->address, NULL, &endpoint, NULL) != LS_OK)
    return (void *)wrong;
  wrong = "another version";
  if (!say(endpoint, &hello) || hear(endpoint, why, sizeof why) != LS_MESSAGE_REFUSED) goto done;
  if (strstr(why, "version") == NULL) goto done;
  wrong = "the right version";
  hello.version = LS_PROTOCOL_VERSION;
  if (!say(endpoint, &hello) || hear(endpoint, why, sizeof why) != LS_MESSAGE_REFUSED) goto done;
  if (strcmp(why, "its program is 2.0, the master's is 1.0") != 0) goto done;
  hello.text = (struct ls_blob){"1.0", 3};
  if (!say(endpoint, &hello) || hear(endpoint, why, sizeof why) != LS_MESSAGE_WELCOME) goto done;
  wrong = "a second greeting";
  if (!say(endpoint, &hello) || hear(endpoint, why, sizeof why) != LS_MESSAGE_REFUSED) goto done;
  if (strcmp(why, "joined already") == 0) wrong = NULL;
done:
  (void)say(endpoint, &(struct ls_message){.kind = LS_MESSAGE_BYE});
  ls_transport_zmq.close(endpoint, 60);
  ++tally->interrupts;
  return (void *)wrong;
}

static void start_greeting(void *context, const char *address, const char *key) {
  struct tally *tally = context;
  (void)snprintf(tally->address, sizeof tally->address, "%s", address);
  (void)key;
  assert_int_equal(pthread_create(&tally->threads[0], NULL, greet, tally), 0);
}

static void who_greets_wrongly_or_twice_is_told_why(void **state) {
  (void)state;
  struct tally tally = {.units = 20, .iterations = 1};
  struct ls_master_options options = make_options(&tally, &sound_app, "ss");
  options.announce = start_greeting;
  options.program = "1.0";
  struct ls_master_report report;
  void *wrong = NULL;
  assert_int_equal(run(&options, &tally, &report, NULL), LS_EINTERRUPTED);
  assert_int_equal(pthread_join(tally.threads[0], &wrong), 0);
  if (wrong != NULL) fail_msg("%s", (const char *)wrong);
  assert_int_equal(report.workers_count, 1);
  assert_string_equal(report.workers[0].name, "stranger");
  ls_master_report_close(&report);
}

/* What the worker of this place is told. */
static struct ls_settings welcome_settings(struct ls_admission *admission, uint32_t place) {
  struct ls_message welcome;
  struct ls_settings settings;
  assert_int_equal(ls_admission_welcome(admission, 0, place, &welcome, NULL), LS_OK);
  assert_int_equal(ls_settings_read(&settings, welcome.text.data, welcome.text.length, NULL),
                   LS_OK);
  return settings;
}

/* What another worker would take is known of a pool's, and not of one that comes by itself, or of a
 * rank, which comes once. */
static void a_worker_is_told_what_another_one_would_take(void **state) {
  (void)state;
  struct ls_pool_choice pools[] = {{.kind = &ls_pool_mpi, .setup = {.slots = 1}},
                                   {.kind = &ls_pool_fork, .setup = {.slots = 2}}};
  struct ls_site site = {.pools = pools, .pools_count = 2};
  struct ls_master_options options = {.config = {.chunking = ls_chunking_find("ss"), .grant_s = 5},
                                      .heartbeat_s = 1,
                                      .site = &site};
  struct ls_admission admission;
  ls_admission_init(&admission, &options);
  for (uint32_t place = 1; place <= 4; ++place) {
    struct ls_settings settings = welcome_settings(&admission, place);
    assert_true(settings.start_up_s == (place == 2 || place == 3 ? 5 : -1));
    ls_settings_close(&settings);
  }
  ls_admission_close(&admission);
}

/* Those of a pool have what the run knows of them; others have what they say. */
static void who_lacks_the_needed_label_has_no_place(void **state) {
  (void)state;
  static const struct {
    const char *labels;
    bool may_come;
  } guests[] = {{"", false}, {"cpu", false}, {"gpus", false}, {"gpu", true}, {"cpu,gpu", true}};
  const struct ls_site site = ls_site_here();
  struct ls_master_options options = {.needs = "gpu", .site = &site};
  struct ls_pools pools = {.slots = 3};
  struct ls_admission admission;
  uint32_t came = 0;
  ls_admission_init(&admission, &options);
  for (size_t i = 0; i < sizeof guests / sizeof *guests; ++i) {
    struct ls_message hello = {.kind = LS_MESSAGE_HELLO,
                               .labels = {guests[i].labels, strlen(guests[i].labels)}};
    uint32_t place = ls_admission_place(&admission, &pools, 0, &hello);
    came += guests[i].may_come;
    assert_int_equal(place, guests[i].may_come ? 3 + came : 0);
    assert_string_equal(admission.labels, guests[i].labels);
  }
  assert_int_equal(admission.unfit, 3);
  options.needs = NULL;
  assert_int_equal(ls_admission_place(&admission, &pools, 0, &(struct ls_message){.worker = 0}), 6);
  ls_admission_close(&admission);
}

static void labels_that_are_none_are_refused(void **state) {
  (void)state;
  static const struct ls_blob bad[] = {{"a b", 3}, {"gpu,", 4}, {"g\0u", 3}, {"\x1b[1m", 4}};
  const struct ls_site site = {.doors_count = 1};
  struct ls_master_options options = {.site = &site};
  struct ls_admission admission;
  char why[96];
  ls_admission_init(&admission, &options);
  struct ls_message hello = {.kind = LS_MESSAGE_HELLO, .version = LS_PROTOCOL_VERSION};
  assert_null(ls_admission_refuse(&admission, 0, &hello, why, sizeof why));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    hello.labels = bad[i];
    assert_string_equal(ls_admission_refuse(&admission, 0, &hello, why, sizeof why),
                        "its labels are not labels of 1 to 64 letters, digits and . _ -");
  }
  hello.labels = (struct ls_blob){"gpu,a.b_c-1", 11};
  assert_null(ls_admission_refuse(&admission, 0, &hello, why, sizeof why));
  ls_admission_close(&admission);
}

/* Ranks of MPI do not know with which words a run was begun that is resumed. */
static void a_worker_is_told_its_speed_and_where_to_compute(void **state) {
  (void)state;
  static const double speeds[] = {0.5, 1};
  struct ls_site site = {0};
  struct ls_master_options options = {.config = {.chunking = ls_chunking_find("ss")},
                                      .computes_in_thread = true,
                                      .speeds = speeds,
                                      .speeds_count = 2,
                                      .heartbeat_s = 1,
                                      .site = &site};
  struct ls_admission admission;
  ls_admission_init(&admission, &options);
  for (uint32_t place = 1; place <= 3; ++place) {
    struct ls_settings settings = welcome_settings(&admission, place);
    assert_true(settings.computes_in_thread);
    double expected = place <= 2 ? speeds[place - 1] : 0;
    assert_memory_equal(&settings.speed, &expected, sizeof expected);
    ls_settings_close(&settings);
  }
  ls_admission_close(&admission);
}

static bool is_asked(struct ls_admission *admission, uint32_t place) {
  struct ls_settings settings = welcome_settings(admission, place);
  bool is_asked = settings.benchmark > 0;
  assert_true(!is_asked || settings.benchmark == 1000);
  ls_settings_close(&settings);
  return is_asked;
}

static void expect_speeds(const struct ls_master_options *options, bool are_told,
                          bool are_measured) {
  assert_int_equal(ls_admission_tells_speeds(options), are_told);
  assert_int_equal(ls_admission_needs_benchmark(options), are_measured);
}

/* Guests may have any speed; that of local workers is known, also where they emulate another one.
 * Where speeds are told, or nobody wants to know them, there is no benchmark. */
static void who_may_have_any_speed_makes_a_benchmark(void **state) {
  (void)state;
  const struct ls_pool_choice local = {.kind = &ls_pool_fork, .setup = {.slots = 2}};
  const double halves[] = {0.5};
  struct ls_site site = {.pools = &local, .pools_count = 1, .doors_count = 1};
  struct ls_master_options options = {.config = {.chunking = ls_chunking_find("ss"),
                                                 .ordering = ls_ordering_find("average"),
                                                 .learns_speeds = true},
                                      .heartbeat_s = 1,
                                      .site = &site};
  struct ls_admission admission;
  expect_speeds(&options, false, false);
  options.speeds = halves;
  options.speeds_count = 1;
  expect_speeds(&options, true, false);
  site.doors_count = 2;
  expect_speeds(&options, true, true);
  ls_admission_init(&admission, &options);
  assert_false(is_asked(&admission, 3));
  admission.benchmark = 1000;
  const double known[] = {0.5, 1, 0};
  for (uint32_t place = 1; place <= 3; place++) {
    double speed = ls_admission_speed(&admission, place);
    assert_memory_equal(&speed, &known[place - 1], sizeof speed);
    assert_int_equal(is_asked(&admission, place), place == 3);
  }
  ls_admission_close(&admission);
  options.config.weights_count = 1;
  expect_speeds(&options, false, false);
  ls_admission_init(&admission, &options);
  assert_true(!(ls_admission_speed(&admission, 1) > 0));
  ls_admission_close(&admission);
  options.config.weights_count = 0;
  options.config.ordering = NULL;
  expect_speeds(&options, false, false);
}

/* As a simulation of the same seed has them, from the time of the welcome on. */
static void a_worker_is_told_the_load_of_its_place(void **state) {
  (void)state;
  const struct ls_load_pattern pattern = {
      .kind = LS_PATTERN_SEVEN, .duration_s = 30, .busy = 0.25, .slot_s = 1};
  struct ls_site site = {.pools_count = 0};
  struct ls_master_options options = {.config = {.chunking = ls_chunking_find("ss")},
                                      .load_pattern = &pattern,
                                      .job = {.seed = 9},
                                      .heartbeat_s = 1,
                                      .site = &site};
  struct ls_admission admission;
  struct ls_random random;
  ls_admission_init(&admission, &options);
  ls_random_init(&random, 9, "load pattern");
  for (uint32_t place = 1; place <= 9; ++place) {
    struct ls_load_course course;
    admission.now_s = 2 * place;
    assert_int_equal(ls_load_pattern_make(&pattern, place - 1, &random, &course, NULL), LS_OK);
    struct ls_settings settings = welcome_settings(&admission, place);
    assert_int_equal(settings.load.count, course.count);
    for (size_t i = 0; i < course.count; ++i) {
      double from_s = course.pieces[i].from_s - 2 * place;
      assert_true(fabs(settings.load.pieces[i].from_s - from_s) <= 1e-9);
      assert_true(fabs(settings.load.pieces[i].share - course.pieces[i].share) <= 1e-12);
    }
    free(course.pieces);
    ls_settings_close(&settings);
  }
  ls_admission_close(&admission);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(worker_of_another_program_gets_nothing),
      cmocka_unit_test(who_greets_wrongly_or_twice_is_told_why),
      cmocka_unit_test(workers_from_outside_have_slots_of_their_own),
      cmocka_unit_test(a_worker_is_told_what_another_one_would_take),
      cmocka_unit_test(who_lacks_the_needed_label_has_no_place),
      cmocka_unit_test(labels_that_are_none_are_refused),
      cmocka_unit_test(a_worker_is_told_its_speed_and_where_to_compute),
      cmocka_unit_test(who_may_have_any_speed_makes_a_benchmark),
      cmocka_unit_test(a_worker_is_told_the_load_of_its_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
