#include "lab/lab.h"

#include <stddef.h>

#include "cli/subcommands.h"

static const struct ls_subcommand subcommands[] = {
    {"check", "evaluate test vectors", ls_check_main, false},
    {"study", "reproduce a published experiment", ls_study_main, false},
    {NULL, NULL, NULL, false}};

static const struct ls_program program = {
    .name = "loadstar-lab",
    .summary = "holds Loadstar against published and independently computed numbers",
    .version = "loadstar-lab " LS_VERSION,
    .subcommands = subcommands,
    .examples =
        "  loadstar-lab check tests/vectors/umr.json\n"
        "  loadstar-lab study umr-table2\n"};

int ls_lab_main(int argc, char **argv) {
  return ls_program_run(&program, argc, argv, NULL);
}
