/* outlook.h: what a replica of a running unit is worth, of slow runs and lost ones together. */
#ifndef LS_POLICIES_OUTLOOK_H
#define LS_POLICIES_OUTLOOK_H

#include "policies/replication.h"

/* Seconds that a replica is expected to save, less `price` for each second that it is expected to
 * run.  Of a unit whose time nobody knows yet only the sign has a meaning: it is weighed as one
 * that begins, on an equal worker, in its own time. */
double ls_outlook_worth(const struct ls_replica_facts *facts, double price);

/* So many seconds the unit will have lasted when it is to be weighed again; INFINITY: its time is
 * not known. */
double ls_outlook_next_s(const struct ls_replica_facts *facts);

#endif
