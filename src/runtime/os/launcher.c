#include "runtime/os/launcher.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first of the variables that is a number; 0: none is. */
static uint32_t find_number(const char *const *names) {
  for (; *names != NULL; ++names) {
    const char *text = getenv(*names);
    char *end = NULL;
    unsigned long number = text != NULL ? strtoul(text, &end, 10) : 0;
    if (text != NULL && end != text && *end == '\0' && number <= UINT32_MAX)
      return (uint32_t)number;
  }
  return 0;
}

/* A batch script has Slurm's number of tasks, too; that of a step only srun's processes have. */
static uint32_t count_processes(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS",
                                      NULL};
  return find_number(names);
}

/* A batch script in which mpirun was called has Slurm's rank, too. */
static bool is_of_srun(void) {
  return getenv("SLURM_PROCID") != NULL && getenv("OMPI_COMM_WORLD_SIZE") == NULL &&
         getenv("HYDI_CONTROL_FD") == NULL;
}

static bool does_recover(void) {
  const char *text = getenv("OMPI_MCA_orte_enable_recovery");
  return text != NULL && strcmp(text, "1") == 0;
}

struct ls_launcher ls_launcher_find(void) {
  static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                      "SLURM_PROCID", NULL};
  struct ls_launcher launcher = {0};
  bool is_open = getenv("OMPI_COMM_WORLD_SIZE") != NULL || getenv("PMIX_RANK") != NULL;
  bool is_mpich = getenv("PMI_FD") != NULL || getenv("PMI_RANK") != NULL;
  bool is_srun = is_of_srun();
  if (!is_open && !is_mpich && !(is_srun && count_processes() > 1)) return launcher;
  launcher.is_srun = is_srun;
  launcher.processes = count_processes();
  launcher.rank = find_number(ranks);
  if (is_open || is_mpich) launcher.mpi = is_open ? "openmpi" : "mpich";
  launcher.goes_on = is_open ? does_recover() : is_mpich && is_srun;
  return launcher;
}

static bool has_prefix(const char *variable, const char *prefix) {
  return strncmp(variable, prefix, strlen(prefix)) == 0;
}

/* Parameters of Open MPI that its launcher sets; all others are the user's. */
static bool is_parameter_of_launcher(const char *variable) {
  return has_prefix(variable, "OMPI_MCA_orte") || has_prefix(variable, "OMPI_MCA_ess") ||
         has_prefix(variable, "OMPI_MCA_pmix");
}

static bool is_of_launcher(const char *variable) {
  static const char *const prefixes[] = {"OMPI_",  "PMIX_",     "PMI_", "HYDI_",
                                         "HYDRA_", "MPI_LOCAL", NULL};
  if (has_prefix(variable, "OMPI_ALLOW_")) return false;
  if (has_prefix(variable, "OMPI_MCA_")) return is_parameter_of_launcher(variable);
  for (const char *const *prefix = prefixes; *prefix != NULL; ++prefix) {
    if (has_prefix(variable, *prefix)) return true;
  }
  return false;
}

void ls_launcher_clean(void) {
  if (ls_launcher_find().mpi == NULL || environ == NULL) return;
  /* The entries stay where they are, so that pointers into them do, too. */
  char **kept = environ;
  for (char **entry = environ; *entry != NULL; ++entry) {
    if (!is_of_launcher(*entry)) *kept++ = *entry;
  }
  *kept = NULL;
}
