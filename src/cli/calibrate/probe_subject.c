#include "cli/calibrate/probe_subject.h"

enum ls_status ls_probe_subject_open(const struct ls_probe_target *target,
                                     struct ls_probe_subject *subject, struct ls_error *err) {
  return target->app == NULL ? ls_probe_command_open(target, subject, err)
                             : ls_probe_app_open(target, subject, err);
}

void ls_probe_subject_close(struct ls_probe_subject *subject) {
  subject->kind->close(subject);
}
