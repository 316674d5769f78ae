/* What do control groups allow? Roots of files stand for machines and containers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/execute/machine_state.h"
#include "runtime/os/cgroup.h"
#include "runtime/os/parallel_map.h"
#include "runtime/os/tree.h"

struct scene {
  char root[32];
};

static void add(const struct scene *scene, const char *path, const char *text) {
  char name[300];
  (void)snprintf(name, sizeof name, "%s%s", scene->root, path);
  for (char *slash = name + 1; *slash != '\0'; slash++) {
    if (*slash != '/') continue;
    *slash = '\0';
    (void)mkdir(name, 0700);
    *slash = '/';
  }
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static struct scene make_scene(const char *groups, const char *mounts) {
  struct scene scene = {.root = "/tmp/ls-test-cgroup-XXXXXX"};
  assert_non_null(mkdtemp(scene.root));
  add(&scene, "/proc/self/cgroup", groups);
  add(&scene, "/proc/self/mountinfo", mounts);
  return scene;
}

static void expect(const struct scene *scene, double processors, uint64_t free_bytes) {
  struct ls_cgroup group = ls_cgroup_read(scene->root);
  assert_true(isinf(processors) ? isinf(group.processors)
                                : fabs(group.processors - processors) < 1e-9);
  assert_int_equal(group.free_bytes, free_bytes);
}

static void close_scene(const struct scene *scene) {
  ls_tree_remove(AT_FDCWD, scene->root);
}

#define SECOND_MOUNT                      \
  "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n" \
  "30 22 0:27 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n"

static const char first_mounts[] =
    "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
    "31 22 0:28 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n"
    "32 22 0:29 /docker/abc /sys/fs/cgroup/memory ro master:9 - cgroup cgroup rw,memory\n";
static const char first_groups[] = "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n3:cpuset:/\n";

/* Of a container: its group is what it sees as the top. */
static void the_second_version_in_a_container(void **state) {
  (void)state;
  struct scene scene = make_scene("0::/\n", SECOND_MOUNT);
  expect(&scene, (double)INFINITY, UINT64_MAX);
  add(&scene, "/sys/fs/cgroup/cpu.max", "max 100000\n");
  add(&scene, "/sys/fs/cgroup/memory.max", "max\n");
  add(&scene, "/sys/fs/cgroup/memory.current", "500\n");
  expect(&scene, (double)INFINITY, UINT64_MAX);
  add(&scene, "/sys/fs/cgroup/cpu.max", "150000 100000\n");
  add(&scene, "/sys/fs/cgroup/memory.max", "2000\n");
  expect(&scene, 1.5, 1500);
  add(&scene, "/sys/fs/cgroup/memory.stat", "anon 9\nfile 90\ninactive_file 30\nactive_file 20\n");
  expect(&scene, 1.5, 1550);
  add(&scene, "/sys/fs/cgroup/memory.high", "1000\n");
  expect(&scene, 1.5, 550);
  add(&scene, "/sys/fs/cgroup/memory.current", "3000\n");
  expect(&scene, 1.5, 0);
  close_scene(&scene);
}

/* Of a job or a service: what those above it lack it lacks. */
static void limits_of_groups_above_hold(void **state) {
  (void)state;
  struct scene scene = make_scene("0::/slurm/job_7/step_0\n", SECOND_MOUNT);
  add(&scene, "/sys/fs/cgroup/slurm/job_7/step_0/cpu.max", "800000 100000\n");
  add(&scene, "/sys/fs/cgroup/slurm/job_7/cpu.max", "300000 100000\n");
  add(&scene, "/sys/fs/cgroup/slurm/cpu.max", "max 100000\n");
  add(&scene, "/sys/fs/cgroup/slurm/memory.max", "9000\n");
  add(&scene, "/sys/fs/cgroup/slurm/memory.current", "8000\n");
  add(&scene, "/sys/fs/cgroup/slurm/job_7/memory.max", "5000\n");
  add(&scene, "/sys/fs/cgroup/slurm/job_7/memory.current", "100\n");
  add(&scene, "/sys/fs/cgroup/slurmd/cpu.max", "100000 100000\n");
  expect(&scene, 3, 1000);
  close_scene(&scene);
}

/* Where the container sees its own group only, and where all of them by their names outside. */
static void the_first_version(void **state) {
  (void)state;
  struct scene scene = make_scene(first_groups, first_mounts);
  add(&scene, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  add(&scene, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  add(&scene, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "4000\n");
  add(&scene, "/sys/fs/cgroup/memory/memory.usage_in_bytes", "3000\n");
  add(&scene, "/sys/fs/cgroup/memory/memory.stat",
      "inactive_file 7\ntotal_inactive_file 500\ntotal_active_file 100\n");
  expect(&scene, (double)INFINITY, 1600);
  add(&scene, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n");
  expect(&scene, 0.5, 1600);
  add(&scene, "/proc/self/cgroup", "5:memory:/elsewhere\n4:cpuacct,cpu:/docker/abcd\n");
  expect(&scene, 0.5, 1600); /* neither is below what is to be seen */
  add(&scene, "/proc/self/cgroup", "5:memory:/docker/abc/x\n4:cpuacct,cpu:/docker/abc/x\n");
  add(&scene, "/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "20000\n");
  add(&scene, "/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "100000\n");
  expect(&scene, 0.2, 1600);
  close_scene(&scene);
}

static void what_is_not_there_limits_nothing(void **state) {
  (void)state;
  struct scene scene = make_scene("", "");
  expect(&scene, (double)INFINITY, UINT64_MAX);
  add(&scene, "/proc/self/cgroup", "no groups\n:\n0:\n0::/../x\n1:cpu\n");
  add(&scene, "/proc/self/mountinfo", "none - cgroup2\n1 2 3 4\n\n" SECOND_MOUNT);
  expect(&scene, (double)INFINITY, UINT64_MAX);
  add(&scene, "/sys/fs/cgroup/cpu.max", "0 0\n");
  add(&scene, "/sys/fs/cgroup/memory.max", "\n");
  expect(&scene, (double)INFINITY, UINT64_MAX);
  close_scene(&scene);
}

static void as_many_processes_as_can_be_kept_busy(void **state) {
  (void)state;
  static const struct {
    double processors;
    size_t wanted;
  } cases[] = {{(double)INFINITY, 64}, {100, 64}, {64, 64}, {1.5, 2}, {1, 1}, {0.1, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct ls_cgroup group = {.processors = cases[i].processors};
    assert_int_equal(ls_parallel_within(64, &group), cases[i].wanted);
  }
}

/* The machine has plenty. */
static void free_memory_is_that_of_the_group(void **state) {
  (void)state;
  struct ls_machine_facts facts;
  struct scene scene = make_scene("0::/\n", SECOND_MOUNT);
  add(&scene, "/proc/meminfo", "MemTotal: 9000 kB\nMemAvailable: 8000 kB\n");
  add(&scene, "/proc/loadavg", "1.50 1.00 1.00 1/99 1234\n");
  ls_machine_look(scene.root, &facts);
  assert_int_equal(facts.free_bytes, 8000 * 1024);
  assert_true(facts.load > 1.49 && facts.load < 1.51);
  add(&scene, "/sys/fs/cgroup/memory.max", "2000000\n");
  add(&scene, "/sys/fs/cgroup/memory.current", "500000\n");
  ls_machine_look(scene.root, &facts);
  assert_int_equal(facts.free_bytes, 1500000);
  add(&scene, "/sys/fs/cgroup/memory.current", "2000000\n");
  ls_machine_look(scene.root, &facts);
  assert_int_equal(facts.free_bytes, 1); /* 0 would be unknown */
  add(&scene, "/sys/fs/cgroup/memory.max", "90000000\n");
  ls_machine_look(scene.root, &facts);
  assert_int_equal(facts.free_bytes, 8000 * 1024);
  close_scene(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_second_version_in_a_container),
      cmocka_unit_test(limits_of_groups_above_hold),
      cmocka_unit_test(the_first_version),
      cmocka_unit_test(what_is_not_there_limits_nothing),
      cmocka_unit_test(as_many_processes_as_can_be_kept_busy),
      cmocka_unit_test(free_memory_is_that_of_the_group),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
