#include "runtime/execute/machine_state.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/os/cgroup.h"

const double ls_machine_look_s = 0.5;

bool ls_machine_is_good(const struct ls_command_manners *manners,
                        const struct ls_machine_facts *facts, const struct ls_machine_facts *last) {
  if (manners->load_most > 0 && facts->load > manners->load_most) return false;
  bool knows_memory = facts->free_bytes > 0;
  if (manners->memory_least_bytes > 0 && knows_memory &&
      facts->free_bytes < manners->memory_least_bytes)
    return false;
  /* Who only writes pages out makes room; who does both lacks it. */
  bool swaps = last != NULL && facts->swapped_in > last->swapped_in &&
               facts->swapped_out > last->swapped_out;
  return !manners->avoids_swap || !swaps;
}

static FILE *open_file(const char *root, const char *name) {
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, "%s%s", root, name);
  return length < (int)sizeof path ? fopen(path, "re") : NULL;
}

/* The number behind a name at the beginning of a line; stays where there is none. Closes it. */
static void read_number(FILE *file, const char *name, uint64_t *number) {
  char line[256];
  if (file == NULL) return;
  while (fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, name, strlen(name)) == 0) *number = strtoull(line + strlen(name), NULL, 10);
  (void)fclose(file);
}

/* Nothing left is little, and no ignorance. */
static void limit_memory(const struct ls_cgroup *group, struct ls_machine_facts *facts) {
  if (group->free_bytes == UINT64_MAX) return;
  uint64_t left = group->free_bytes > 0 ? group->free_bytes : 1;
  if (facts->free_bytes == 0 || left < facts->free_bytes) facts->free_bytes = left;
}

void ls_machine_look(const char *root, struct ls_machine_facts *facts) {
  *facts = (struct ls_machine_facts){.load = (double)NAN};
  FILE *file = open_file(root, "/proc/loadavg");
  if (file != NULL) {
    if (fscanf(file, "%lf", &facts->load) != 1) facts->load = (double)NAN;
    (void)fclose(file);
  }
  read_number(open_file(root, "/proc/meminfo"), "MemAvailable:", &facts->free_bytes);
  facts->free_bytes *= 1024;
  read_number(open_file(root, "/proc/vmstat"), "pswpin ", &facts->swapped_in);
  read_number(open_file(root, "/proc/vmstat"), "pswpout ", &facts->swapped_out);
  const struct ls_cgroup group = ls_cgroup_read(root);
  limit_memory(&group, facts);
}

bool ls_machine_lets_begin(struct ls_machine_state *state, const struct ls_command_manners *manners,
                           double now_s) {
  if (!ls_command_manners_waits(manners)) return true;
  bool is_first = !(state->looked_s > 0);
  if (!is_first && now_s < state->looked_s + ls_machine_look_s) return state->is_good;
  struct ls_machine_facts facts;
  ls_machine_look("", &facts);
  state->is_good = ls_machine_is_good(manners, &facts, is_first ? NULL : &state->last);
  state->last = facts;
  state->looked_s = now_s;
  return state->is_good;
}
