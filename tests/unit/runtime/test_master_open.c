/* test_master_open.c: what must be there before the first round. */
#include "journal_fixture.h"
#include "pool_fixture.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "policies/chunking.h"
#include "runtime/master/master_open.h"
#include "runtime/os/clock.h"
#include "runtime/pool/keeper.h"

static struct ls_site site;

static struct ls_master_options make_options(void) {
  static const struct ls_app app = {.name = "test"};
  site = ls_site_here();
  struct ls_master_options options = {.app = &app,
                                      .site = &site,
                                      .config = {.chunking = ls_chunking_find("ss"),
                                                 .workers = 2,
                                                 .workers_max = 100,
                                                 .kills_max = 3,
                                                 .mean_seconds = (double)NAN,
                                                 .deviation_seconds = (double)NAN,
                                                 .overhead_seconds = (double)NAN}};
  ls_arguments_init(&options.config.arguments, options.config.chunking->parameters);
  return options;
}

static char announced[2][192];

static void announce(void *context, const char *address, const char *key) {
  (void)context;
  (void)snprintf(announced[0], sizeof announced[0], "%s", address);
  (void)snprintf(announced[1], sizeof announced[1], "%s", key != NULL ? key : "");
}

/* Opens doors that must open. `listen`: also to guests, there; NULL: to nobody else. */
static struct ls_master_options open_doors(const char *listen, struct ls_master_doors *doors) {
  struct ls_master_options options = make_options();
  struct ls_error err = {0};
  const struct ls_site_listening wish = {.address = listen};
  if (listen != NULL) assert_int_equal(ls_site_listen(&site, &wish, &err), LS_OK);
  options.announce = announce;
  announced[0][0] = announced[1][0] = '\0';
  *doors = (struct ls_master_doors){0};
  if (ls_master_doors_open(doors, &options, &err) != LS_OK) fail_msg("%s", err.text);
  return options;
}

static void await_absence(const char *path) {
  const struct timespec pause = {.tv_nsec = 5000000};
  double until_s = ls_clock_s() + 60;
  while (access(path, F_OK) == 0) {
    assert_true(ls_clock_s() < until_s);
    (void)nanosleep(&pause, NULL);
  }
}

static void a_socket_of_its_own_lies_in_a_private_folder(void **state) {
  struct ls_master_doors doors;
  struct stat facts;
  char directory[sizeof doors.folder.path];
  (void)state;
  (void)open_doors(NULL, &doors);
  strcpy(directory, doors.folder.path);
  assert_int_equal(stat(directory, &facts), 0);
  assert_int_equal(facts.st_mode & 0777, 0700);
  assert_string_equal(announced[0], "");
  assert_int_equal(doors.endpoints.count, 1);
  ls_master_doors_close(&doors, 0);
  assert_int_equal(stat(directory, &facts), -1);
}

/* Whoever kills the master at once leaves its keeper, also where it keeps no workers. */
static void a_killed_master_leaves_no_folder(void **state) {
  int words[2];
  char directory[sizeof((struct ls_temporary_folder *)0)->path] = "";
  (void)state;
  assert_int_equal(pipe(words), 0);
  pid_t master = fork();
  assert_true(master >= 0);
  if (master == 0) {
    static char *const command[] = {"true", NULL};
    const struct ls_keeper_setup setup = {.command = command};
    struct ls_keeper *keeper = NULL;
    struct ls_master_options options = make_options();
    struct ls_master_doors doors = {0};
    bool is_open = ls_keeper_start(&setup, &keeper, NULL) == LS_OK;
    site.keeper = keeper;
    is_open = is_open && ls_master_doors_open(&doors, &options, NULL) == LS_OK;
    if (is_open) (void)!write(words[1], doors.folder.path, sizeof directory);
    (void)raise(SIGKILL);
  }
  assert_int_equal(close(words[1]), 0);
  assert_int_equal(read(words[0], directory, sizeof directory), sizeof directory);
  assert_int_equal(close(words[0]), 0);
  assert_int_equal(waitpid(master, NULL, 0), master);
  await_absence(directory);
}

/* Local workers keep their private socket beside it. */
static void an_open_door_is_announced_with_its_keys(void **state) {
  struct ls_master_doors doors;
  (void)state;
  (void)open_doors("tcp://127.0.0.1:*", &doors);
  assert_int_equal(doors.endpoints.count, 2);
  assert_int_equal(strncmp(ls_endpoints_address(&doors.endpoints, 0), "ipc://", 6), 0);
  assert_string_equal(announced[0], ls_endpoints_address(&doors.endpoints, 1));
  assert_null(strchr(announced[0], '*'));
  struct ls_key_file keys;
  assert_int_equal(ls_keys_read(announced[1], false, &keys, NULL), LS_OK);
  assert_string_equal(keys.address, announced[0]);
  assert_string_equal(keys.server.public_key, site.keys.server.public_key);
  assert_string_equal(keys.server.secret_key, "");
  ls_master_doors_close(&doors, 0);
  assert_int_equal(access(announced[1], F_OK), -1); /* it went with its folder */
}

static struct ls_pool_setup heard; /* by the pool of the site */

static enum ls_status hear_setup(const struct ls_pool_setup *setup, struct ls_pool **out,
                                 struct ls_error *err) {
  heard = *setup;
  return noted_open(setup, out, err);
}

/* Nobody else hears of it, and the master's secret stays here. */
static void a_door_for_pools_is_told_to_them_alone(void **state) {
  struct noted noted = {.file = -1};
  struct ls_pool_kind kind = noted_kind;
  struct ls_pool_choice pool = {&kind, {.slots = 1, .own = &noted}};
  struct ls_master_options options = make_options();
  struct ls_master_doors doors = {0};
  const struct ls_site_listening wish = {.address = "tcp://127.0.0.1:*", .is_for_pools = true};
  (void)state;
  kind.open = hear_setup;
  assert_int_equal(ls_site_listen(&site, &wish, NULL), LS_OK);
  site.pools = &pool;
  site.pools_count = 1;
  options.announce = announce;
  announced[0][0] = '\0';
  assert_int_equal(ls_master_doors_open(&doors, &options, NULL), LS_OK);
  assert_string_equal(announced[0], "");
  const char *bound = ls_endpoints_address(&doors.endpoints, 1);
  assert_non_null(heard.keys);
  assert_string_equal(heard.keys->bound, bound);
  assert_string_equal(heard.keys->address, bound);
  assert_string_equal(heard.keys->client.secret_key, site.keys.client.secret_key);
  assert_string_equal(heard.keys->server.secret_key, "");
  assert_null(heard.key_path);
  assert_string_equal(heard.address, ls_endpoints_address(&doors.endpoints, 0));
  ls_master_doors_close(&doors, 0);
}

/* Records of keys that were wiped while they held the secret of a worker, and of them those that
 * held the master's; everybody else's memory is wiped as ever. */
static size_t wiped_records, wiped_secrets;

static void wipe(void *data, size_t length) {
  const struct ls_key_file *keys = data;
  bool is_record = length == sizeof *keys;
  if (is_record && strcmp(keys->client.secret_key, site.keys.client.secret_key) == 0)
    ++wiped_records;
  if (is_record && strcmp(keys->server.secret_key, site.keys.server.secret_key) == 0)
    ++wiped_secrets;
  volatile unsigned char *bytes = data;
  for (size_t i = 0; i < length; ++i) bytes[i] = 0;
}

/* The second one is called where the build checks lengths (_FORTIFY_SOURCE). */
void __wrap_explicit_bzero(void *data, size_t length);
void __wrap_explicit_bzero(void *data, size_t length) {
  wipe(data, length);
}

void __wrap___explicit_bzero_chk(void *data, size_t length, size_t room);
void __wrap___explicit_bzero_chk(void *data, size_t length, size_t room) {
  assert_true(length <= room);
  wipe(data, length);
}

/* Freed memory and dead stacks end up in core files. Of each door there are two records, of the
 * pools one until the doors are closed, without the master's secret. */
static void no_copy_of_a_key_outlives_its_use(void **state) {
  (void)state;
  for (int is_for_pools = 0; is_for_pools < 2; ++is_for_pools) {
    struct ls_master_options options = make_options();
    struct ls_master_doors doors = {0};
    const struct ls_site_listening wish = {.address = "tcp://127.0.0.1:*",
                                           .is_for_pools = is_for_pools};
    assert_int_equal(ls_site_listen(&site, &wish, NULL), LS_OK);
    wiped_records = wiped_secrets = 0;
    assert_int_equal(ls_master_doors_open(&doors, &options, NULL), LS_OK);
    assert_int_equal(wiped_records, 2);
    assert_int_equal(wiped_secrets, 2);
    assert_string_equal(doors.keys.client.secret_key, site.keys.client.secret_key);
    ls_master_doors_close(&doors, 0);
    assert_int_equal(wiped_records, 3);
    assert_int_equal(wiped_secrets, 2);
    assert_string_equal(doors.keys.client.secret_key, "");
  }
}

static void without_a_door_under_keys_pools_have_none(void **state) {
  struct noted noted = {.file = -1};
  struct ls_pool_kind kind = noted_kind;
  struct ls_pool_choice pool = {&kind, {.slots = 1, .own = &noted}};
  struct ls_master_options options = make_options();
  struct ls_master_doors doors = {0};
  const struct ls_site_listening wish = {.address = "tcp://127.0.0.1:*", .is_insecure = true};
  (void)state;
  kind.open = hear_setup;
  assert_int_equal(ls_site_listen(&site, &wish, NULL), LS_OK);
  site.pools = &pool;
  site.pools_count = 1;
  assert_int_equal(ls_master_doors_open(&doors, &options, NULL), LS_OK);
  assert_null(heard.keys);
  ls_master_doors_close(&doors, 0);
}

static void a_folder_that_is_not_there_is_named(void **state) {
  struct ls_master_doors doors = {0};
  struct ls_master_options options = make_options();
  struct ls_error err = {0};
  (void)state;
  assert_int_equal(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
  assert_int_equal(ls_master_doors_open(&doors, &options, &err), LS_EIO);
  assert_int_equal(unsetenv("TMPDIR"), 0);
  assert_non_null(strstr(err.text, "/nowhere/at/all"));
  ls_master_doors_close(&doors, 0);
}

static void books_go_on_where_the_journal_ends(void **state) {
  struct fixture *fixture = *state;
  struct ls_master_options options = make_options();
  options.journal = fixture->path;
  options.journal_mode = LS_JOURNAL_RESUME;
  options.job = fixture_job;
  options.app = &(struct ls_app){.name = "fixture"}; /* of iterations */
  struct ls_master_books books = {0};
  assert_int_equal(ls_master_books_open(&books, &options, NULL), LS_OK);
  assert_false(books.is_resumed);
  assert_int_equal(books.workers_base, 0);
  struct ls_journal_result row = fixture_result(5);
  row.iteration = 2;
  ls_journal_result(books.journal, &row);
  ls_journal_worker(books.journal,
                    &(struct ls_journal_worker){
                        .worker = 3, .slot = 4, .name = "x", .joined_s = 1, .left_s = (double)NAN});
  ls_journal_end(books.journal, "stopped", 12);
  fixture_must_commit(books.journal);
  ls_master_books_close(&books);
  assert_int_equal(ls_master_books_open(&books, &options, NULL), LS_OK);
  assert_true(books.is_resumed);
  assert_int_equal(books.workers_base, 4);
  assert_int_equal(books.iteration, 2);
  assert_near(books.offset_s, 12, 1e-9);
  ls_master_books_close(&books);
}

static void without_a_journal_there_is_a_coordinator_only(void **state) {
  struct ls_master_options options = make_options();
  struct ls_master_books books = {0};
  const double times[2] = {1, -1};
  (void)state;
  assert_int_equal(ls_master_books_open(&books, &options, NULL), LS_OK);
  assert_non_null(books.coordinator);
  assert_null(books.journal);
  ls_master_books_close(&books);
  options.times = times;
  options.times_count = 2;
  struct ls_error err = {0};
  assert_int_equal(ls_master_books_open(&books, &options, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "task 1"));
  ls_master_books_close(&books);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_socket_of_its_own_lies_in_a_private_folder),
      cmocka_unit_test(a_killed_master_leaves_no_folder),
      cmocka_unit_test(an_open_door_is_announced_with_its_keys),
      cmocka_unit_test(a_door_for_pools_is_told_to_them_alone),
      cmocka_unit_test(no_copy_of_a_key_outlives_its_use),
      cmocka_unit_test(without_a_door_under_keys_pools_have_none),
      cmocka_unit_test(a_folder_that_is_not_there_is_named),
      cmocka_unit_test_setup_teardown(books_go_on_where_the_journal_ends, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test(without_a_journal_there_is_a_coordinator_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
