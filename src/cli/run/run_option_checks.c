#include "cli/run/run_option_checks.h"

#include <string.h>

#include "cli/run/run_pools.h"
#include "cli/terms_options.h"
#include "runtime/execute/settings.h"
#include "runtime/os/launcher.h"
#include "runtime/whole_file.h"

/* Where workers come from, and how. */
static enum ls_status check_places(const struct ls_run_options *options, struct ls_error *err) {
  const char *listener = options->advertise != NULL ? "--advertise"
                         : options->key != NULL     ? "--key"
                         : options->is_insecure     ? "--insecure"
                         : options->has_no_local    ? "--no-local"
                                                    : NULL;
  if (listener != NULL && !ls_run_pools_is_remote(options))
    return ls_fail(err, LS_EINVAL, "%s needs --listen ADDRESS, --ssh or --slurm", listener);
  if (options->key != NULL && options->is_insecure)
    return ls_fail(err, LS_EINVAL, "--key %s and --insecure exclude each other", options->key);
  const char *by_ssh = options->ssh != NULL ? "--ssh" : "--sshlogin";
  bool has_ssh = options->ssh != NULL || options->logins.count > 0;
  if (options->ssh_command != NULL && !has_ssh)
    return ls_fail(err, LS_EINVAL, "--ssh-command needs --ssh HOSTS or --sshlogin LIST");
  if ((options->ships || options->keeps_cache) && !has_ssh)
    return ls_fail(err, LS_EINVAL, "%s needs --ssh HOSTS or --sshlogin LIST",
                   options->ships ? "--ship" : "--keep-cache");
  if (has_ssh && options->is_insecure)
    return ls_fail(err, LS_EINVAL, "%s and --insecure exclude each other", by_ssh);
  if (options->is_insecure && options->has_slurm)
    return ls_fail(err, LS_EINVAL, "--insecure and --slurm exclude each other: jobs need the key");
  if (options->slurm_extra != NULL && !options->has_slurm)
    return ls_fail(err, LS_EINVAL, "--slurm-extra needs --slurm");
  if (options->has_no_local && options->listen == NULL && options->workers > 0 &&
      options->logins.count == 0)
    return ls_fail(err, LS_EINVAL, "--workers %zu and --no-local need --listen ADDRESS",
                   options->workers);
  return LS_OK;
}

static enum ls_status check_load_pattern(const struct ls_run_options *options,
                                         struct ls_error *err) {
  const struct ls_load_pattern *pattern = &options->load_pattern;
  if (!options->has_load_pattern && (pattern->busy > 0 || pattern->slot_s > 0))
    return ls_fail(err, LS_EINVAL, "%s needs --load-pattern NAME",
                   pattern->busy > 0 ? "--busy" : "--slot");
  double slot_s = pattern->slot_s > 0 ? pattern->slot_s : 1;
  if (pattern->duration_s <= slot_s * LS_SETTINGS_LOAD_MAX) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "--slot is %g, expected at least %g: a pattern of %g s has at most %d slots",
                 slot_s, pattern->duration_s / LS_SETTINGS_LOAD_MAX, pattern->duration_s,
                 (int)LS_SETTINGS_LOAD_MAX);
}

/* What is written last would be all that is left. */
static enum ls_status check_files(const struct ls_run_options *options, struct ls_error *err) {
  const struct {
    const char *option, *path;
  } files[] = {{"--journal", options->journal},
               {"--joblog", options->outputs.joblog},
               {"--results", options->outputs.results},
               {"--json", options->json},
               {"--svg", options->drawing},
               {"--calibrate", options->calibrate}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    for (size_t k = 0; k < i; k++) {
      const char *a = files[k].path, *b = files[i].path;
      if (a == NULL || b == NULL || strcmp(a, "-") == 0 || strcmp(b, "-") == 0) continue;
      if (ls_whole_file_is_same(a, b))
        return ls_fail(err, LS_EINVAL, "%s and %s are one file, %s", files[k].option,
                       files[i].option, files[i].path);
    }
  }
  return LS_OK;
}

/* Commands that the policy makes larger take longer, and are no worse for it. */
static enum ls_status check_timeout(const struct ls_run_options *options, struct ls_error *err) {
  const struct ls_bundle_options *bundles = &options->bundles;
  bool differs = bundles->fills != NULL && !bundles->fills_lines;
  if (!(options->timeout_percent > 0) || !differs) return LS_OK;
  return ls_fail(
      err, LS_EINVAL,
      "--timeout is %g%%, but with %s the policy gives commands other numbers of inputs: "
      "expected seconds, or -N",
      options->timeout_percent, bundles->fills);
}

enum ls_status ls_run_options_check(struct ls_run_options *options, struct ls_error *err) {
  if (options->is_resumed && options->repeats_failures)
    return ls_fail(err, LS_EINVAL, "--resume and --resume-failed exclude each other");
  const char *needy = options->is_resumed         ? "--resume"
                      : options->repeats_failures ? "--resume-failed"
                      : options->is_synced        ? "--sync"
                                                  : NULL;
  if (needy != NULL && options->journal == NULL && !ls_output_options_follow_joblog(options))
    return ls_fail(err, LS_EINVAL, "%s needs --journal FILE%s", needy,
                   needy[2] == 'r' ? ", or --joblog FILE" : "");
  if (options->drawing != NULL && options->journal == NULL)
    return ls_fail(err, LS_EINVAL, "--svg needs --journal FILE, of which %s is drawn",
                   options->drawing);
  if (options->drawing != NULL && strcmp(options->drawing, "-") == 0)
    return ls_fail(err, LS_EINVAL,
                   "--svg is '-', where the outputs of the tasks go, expected a file");
  if (options->plan != NULL && options->policy != NULL &&
      strcmp(options->policy, "follow-plan") != 0)
    return ls_fail(err, LS_EINVAL, "--plan is given, so --policy %s cannot be: it is follow-plan",
                   options->policy);
  enum ls_status status = ls_terms_check(&options->terms, err);
  if (status == LS_OK) status = check_places(options, err);
  if (status == LS_OK) status = check_files(options, err);
  if (status != LS_OK) return status;
  if (options->is_quiet && options->is_verbose)
    return ls_fail(err, LS_EINVAL, "--quiet and --verbose exclude each other");
  /* Under a launcher of MPI ranks are workers, too: they are counted where they are known. */
  if (options->workers > 0 && options->speeds_count > options->workers &&
      ls_launcher_find().mpi == NULL)
    return ls_fail(err, LS_EINVAL, "--speeds has %zu values for %zu workers", options->speeds_count,
                   options->workers);
  status = check_load_pattern(options, err);
  if (status != LS_OK) return status;
  status = ls_login_options_check(options, err);
  if (status == LS_OK) status = ls_block_options_check(options, err);
  if (status == LS_OK) status = ls_bundle_options_check(options, err);
  if (status == LS_OK) status = check_timeout(options, err);
  if (status == LS_OK) status = ls_output_options_check(options, err);
  if (status == LS_OK) status = ls_limit_options_check(options, err);
  return status == LS_OK ? ls_file_options_check(&options->files_of_tasks, err) : status;
}
