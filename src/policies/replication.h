/* replication.h: which running units deserve a second copy?  The interface of replications. */
#ifndef LS_POLICIES_REPLICATION_H
#define LS_POLICIES_REPLICATION_H

#include <stddef.h>
#include <stdint.h>

struct ls_replication {
  const char *name, *summary, *reference;
  /* How many of the first units of the list of an iteration stand twice. */
  uint64_t (*replicas)(uint64_t units, size_t workers_wanted, size_t workers_present);
};

extern const struct ls_replication
    *const ls_replications[]; /* NULL-terminated; replication/list.h */
const struct ls_replication *ls_replication_find(const char *name);

#endif
