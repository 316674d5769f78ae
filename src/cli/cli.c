#include "cli/cli.h"

#include <stddef.h>

#include "cli/subcommands.h"

const struct ls_subcommand ls_subcommands[] = {
    {"run", "run tasks: command lines, or an application's units", ls_run_main, false},
    {"parallel", "the same, with the options and meanings of GNU parallel", ls_parallel_main, true},
    {"worker", "join a run as a worker", ls_worker_main, false},
    {"plan", "compute a plan", ls_plan_main, false},
    {"simulate", "play a plan or policies in virtual time", ls_simulate_main, false},
    {"compare", "rank planners and policies on one platform, or on a grid", ls_compare_main, false},
    {"calibrate", "fit a platform to measurements or runs", ls_calibrate_main, false},
    {"report", "show a run: text, chart, SVG, CSV, trace", ls_report_main, false},
    {"top", "watch a run in the terminal", ls_top_main, false},
    {"list", "the planners, policies, orders: name, parameters, one line, source", ls_list_main,
     false},
    {"pack", "shards and jobs of the right size from measured times", ls_pack_main, false},
    {"completion", "print a script that completes this in bash, zsh or fish", ls_completion_main,
     false},
    {NULL, NULL, NULL, false}};

static const struct ls_elsewhere elsewhere[] = {
    {"study", "loadstar-lab"}, {"check", "loadstar-lab"}, {NULL, NULL}};

static const struct ls_program program = {
    .name = "loadstar",
    .summary = "divides work among unequal workers so that all finish together",
    .version = "loadstar " LS_VERSION,
    .subcommands = ls_subcommands,
    .elsewhere = elsewhere,
    .linked = "parallel",
    .examples =
        "  loadstar run -- gzip -k {} ::: *.txt\n"
        "  loadstar run -j4 --journal work.db -- ./step {} < inputs\n"
        "  loadstar report work.db\n"
        "  loadstar compare -p '10x(compute=0.1+1x, transfer=0.1+0.06x)' -l 1000\n"};

int ls_cli_main(int argc, char **argv, const struct ls_app *app) {
  return ls_program_run(&program, argc, argv, app);
}
