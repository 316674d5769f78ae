/* cgroup.h: what the control groups of this process allow it: processors, memory.
 *
 * A container sees the processors and the memory of its whole machine; what it may use of them
 * stands in files of its group, and of those above it, in two versions: /proc/self/cgroup names the
 * groups, /proc/self/mountinfo says where their files are.
 */
#ifndef LS_RUNTIME_OS_CGROUP_H
#define LS_RUNTIME_OS_CGROUP_H

#include <stdint.h>

/* The least of all groups; of memory, what is still free, with what its files in memory hold. */
struct ls_cgroup {
  double processors;   /* in the mean; INFINITY: no limit */
  uint64_t free_bytes; /* UINT64_MAX: no limit */
};

/* `root`: where the files are looked for, without a slash at its end: "" is this machine. What
 * cannot be read is no limit. */
struct ls_cgroup ls_cgroup_read(const char *root);

#endif
