#include "cli/run/removed_options.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>

/* Away from those of the other tables. */
enum { KEY_FIRST = 5120 };

/* `instead` NULL: only `loadstar parallel' has it. */
static const struct removed {
  const char *name; /* NULL: a letter only */
  int letter;       /* 0: none */
  const char *instead;
} rows[] = {
    {"arg-file-sep", 0, NULL},
    {"arg-sep", 0, NULL},
    {"bar", 0, "--progress"},
    {"basefile", 0, "--stage-common"},
    {"basenameextensionreplace", 0, NULL},
    {"basenamereplace", 0, NULL},
    {"bf", 0, "--stage-common"},
    {"block-size", 0, "--block"},
    {"bner", 0, NULL},
    {"bnr", 0, NULL},
    {"cleanup", 0, NULL},
    {"compress", 0, NULL},
    {"dirnamereplace", 0, NULL},
    {"dnr", 0, NULL},
    {"eof", 'E', NULL},
    {"er", 0, NULL},
    {"eta", 0, "--progress"},
    {"extensionreplace", 0, NULL},
    {"halt-on-error", 0, "--halt"},
    {"jl", 0, "--joblog"},
    {"joblog-usage", 0, "--journal and `loadstar report'"},
    {"jobs", 0, "--workers"},
    {"lb", 0, "--line-buffer"},
    {"link", 0, ":::+ before the second source"},
    {"max-procs", 'P', "-j"},
    {"no-run-if-empty", 'r', NULL},
    {"nonall", 0, NULL},
    {"noswap", 0, NULL},
    {"onall", 0, NULL},
    {"parens", 0, NULL},
    {"plus", 0, NULL},
    {"process-slot-var", 0, "LOADSTAR_SLOT in the command"},
    {"remove-rec-sep", 0, NULL},
    {"replace-string", 'I', NULL},
    {"res", 0, "--results"},
    {"return", 0, "--stage-out"},
    {"round", 0, NULL},
    {"rpl", 0, NULL},
    {"seqreplace", 0, NULL},
    {"slf", 0, NULL},
    {"slotreplace", 0, NULL},
    {"spreadstdin", 0, "--pipe"},
    {"sshlogin", 'S', "--ssh"},
    {"sshloginfile", 0, "--ssh @FILE"},
    {"termseq", 0, NULL},
    {"tf", 0, "--stage-in"},
    {"transfer", 0, "--stage-in {}"},
    {"transferfile", 0, "--stage-in"},
    {"trc", 0, "--stage-in {} --stage-out FILE"},
    {"trim", 0, NULL},
    {"wd", 0, "--workdir"},
    {"xapply", 0, NULL},
};
enum { ROWS = sizeof rows / sizeof *rows };

static int key_of(size_t row) {
  return rows[row].letter != 0 ? rows[row].letter : KEY_FIRST + (int)row;
}

static size_t find(int key) {
  size_t row = 0;
  while (row < ROWS && key_of(row) != key) row++;
  return row;
}

/* A value may stand behind "=": what is refused needs none. */
void ls_removed_options_fill(struct argp_option options[LS_REMOVED_OPTIONS_MAX]) {
  static_assert((int)ROWS < (int)LS_REMOVED_OPTIONS_MAX, "the end has room, too");
  for (size_t i = 0; i < ROWS; i++)
    options[i] = (struct argp_option){.name = rows[i].name,
                                      .key = key_of(i),
                                      .arg = "VALUE",
                                      .flags = OPTION_ARG_OPTIONAL | OPTION_HIDDEN};
  options[ROWS] = (struct argp_option){0};
}

bool ls_removed_options_has(int key) {
  return find(key) < ROWS;
}

enum ls_status ls_removed_options_refuse(int key, struct ls_error *err) {
  const struct removed *row = &rows[find(key)];
  char shown[48];
  if (row->letter == 0)
    (void)snprintf(shown, sizeof shown, "--%s", row->name);
  else
    (void)snprintf(shown, sizeof shown, "-%c%s%s", row->letter, row->name != NULL ? ", --" : "",
                   row->name != NULL ? row->name : "");
  if (row->instead == NULL)
    return ls_fail(err, LS_EINVAL, "%s is an option of `loadstar parallel', not of `run'", shown);
  return ls_fail(err, LS_EINVAL, "%s: say %s, or use `loadstar parallel'", shown, row->instead);
}
