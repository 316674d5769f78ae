#include "cli/short_help.h"

#include <string.h>

enum { OPTIONS_MAX = 16, EXAMPLES_MAX = 4, COLUMN = 26 };

struct short_help {
  const char *subcommand;
  const char *usage;                  /* without the program */
  const char *examples[EXAMPLES_MAX]; /* of loadstar itself */
  const char *options[OPTIONS_MAX];   /* long names */
};

static const struct short_help helps[] = {
    {"run",
     "[OPTION...] [--] COMMAND {} [::: INPUT...]",
     {"run -- gzip -k {} ::: *.txt", "run -j4 -k --journal work.db -- ./step {} < inputs",
      "run --resume --journal work.db", "run --ssh n1:8,n2:16 -- ./step {} ::: *.dat"},
     {"workers", "arg-file", "shell", "keep-order", "journal", "resume", "resume-failed", "retries",
      "timeout", "ssh", "slurm", "policy", "progress", "dry-run", "verbose"}},
    {"parallel",
     "[OPTION...] COMMAND {} [::: INPUT...]",
     {"parallel gzip -k {} ::: *.txt", "parallel -j4 --joblog log 'sort {} > {.}.out' ::: *.txt",
      "parallel --pipe --block 4M -k grep -c x < big"},
     {"jobs", "arg-file", "keep-order", "quote", "joblog", "resume", "retry-failed", "retries",
      "timeout", "halt", "pipe", "sshlogin", "bar", "dry-run"}},
    {"worker",
     "[OPTION...]",
     {"worker --key run.key --workers 8"},
     {"key", "connect", "workers", "label", "speed", "lifetime", "wait"}},
    {"plan",
     "--platform P --load W --algorithm NAME",
     {"plan -p '10x(compute=0.1+1x, transfer=0.1+0.06x)' -l 1000 -a umr --gantt"},
     {"platform", "load", "algorithm", "set", "whole-units", "deadline", "json", "gantt", "svg"}},
    {"simulate",
     "--platform P --load W --policy NAME | --plan FILE",
     {"simulate -p '4x(compute=1x)' -l 1000 --policy gss --gantt"},
     {"platform", "load", "policy", "plan", "seed", "seeds", "set", "json", "gantt", "svg"}},
    {"compare",
     "--platform P --load W [-a NAME,...]",
     {"compare -p '10x(compute=0.1+1x, transfer=0.1+0.06x)' -l 1000"},
     {"platform", "load", "algorithms", "policy", "whole-units", "deadline", "front", "grid",
      "json"}},
    {"calibrate",
     "FILE... | --probe -- COMMAND {}...",
     {"calibrate work.db -o platform.json", "calibrate --probe --sizes 1-500 -- ./work {}"},
     {"output", "platform", "check", "probe", "sizes", "seconds", "window", "plot", "json"}},
    {"report",
     "JOURNAL",
     {"report work.db", "report work.db --html run.html"},
     {"gantt", "html", "svg", "trace", "csv", "json", "iterations", "explain", "width"}},
    {"top", "JOURNAL", {"top work.db"}, {"once"}},
    {"list", "[NAME...]", {"list", "list umr"}, {"json"}},
    {"pack",
     "[FILE...] [-- COMMAND...]",
     {"pack junit.xml --tasks tests.txt --index 2/5"},
     {"shards", "job-seconds", "tasks", "sizes", "index", "speeds", "slurm", "json"}},
    {"completion", "bash | zsh | fish", {"completion bash"}, {NULL}}};

static const struct argp_option *find_option(const struct argp *argp, const char *name) {
  for (const struct argp_option *option = argp->options;
       option != NULL && (option->name != NULL || option->doc != NULL || option->key != 0);
       option++)
    if (option->name != NULL && strcmp(option->name, name) == 0) return option;
  const struct argp_option *found = NULL;
  for (const struct argp_child *child = argp->children;
       child != NULL && child->argp != NULL && found == NULL; child++)
    found = find_option(child->argp, name);
  return found;
}

size_t ls_short_help_measure(const char *doc, size_t room) {
  size_t length = strlen(doc);
  static const char *const ends[] = {": ", "; ", " ("};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    const char *end = strstr(doc, ends[i]);
    if (end != NULL && (size_t)(end - doc) < length) length = (size_t)(end - doc);
  }
  if (length <= room) return length;
  size_t clause = 0;
  for (length = room; length > 0 && doc[length] != ' '; length--) continue;
  for (size_t i = 0; i < length; i++)
    if (doc[i] == ',') clause = i;
  return clause > 0 ? clause : length;
}

static void write_option(const struct argp_option *option, size_t columns, struct ls_bytes *out) {
  size_t start = out->length;
  if (option->key > ' ' && option->key < 127)
    ls_bytes_printf(out, "  -%c, ", option->key);
  else
    ls_bytes_append_text(out, "      ");
  bool is_optional = (option->flags & OPTION_ARG_OPTIONAL) != 0;
  ls_bytes_printf(out, "--%s", option->name);
  if (option->arg != NULL)
    ls_bytes_printf(out, "%s%s%s", is_optional ? "[=" : "=", option->arg, is_optional ? "]" : "");
  size_t used = out->length - start;
  size_t gap = used < COLUMN - 1 ? COLUMN - used : 2;
  const char *doc = option->doc == NULL ? "" : option->doc;
  size_t length = ls_short_help_measure(doc, columns - COLUMN - 1);
  ls_bytes_printf(out, "%*s%.*s\n", (int)gap, "", (int)length, doc);
}

void ls_short_help_write(const struct argp *argp, const char *program, size_t columns,
                         struct ls_bytes *out) {
  const char *space = strrchr(program, ' ');
  const char *subcommand = space == NULL ? program : space + 1;
  const struct short_help *help = NULL;
  for (size_t i = 0; i < sizeof helps / sizeof *helps && help == NULL; i++)
    if (strcmp(helps[i].subcommand, subcommand) == 0) help = &helps[i];
  bool is_own = strncmp(program, "loadstar ", strlen("loadstar ")) == 0;
  bool is_known = help != NULL && (is_own || find_option(argp, "arg-file") != NULL ||
                                   strcmp(subcommand, "run") != 0);
  bool has_words = help == NULL && argp->args_doc != NULL;
  ls_bytes_printf(out, "Usage: %s %s%s%s\n\n", program, is_known ? help->usage : "[OPTION...]",
                  has_words ? " " : "", has_words ? argp->args_doc : "");
  for (size_t i = 0; is_own && help != NULL && i < EXAMPLES_MAX && help->examples[i] != NULL; i++)
    ls_bytes_printf(out, "  loadstar %s\n%s", help->examples[i],
                    i + 1 == EXAMPLES_MAX || help->examples[i + 1] == NULL ? "\n" : "");
  for (size_t i = 0; help != NULL && i < OPTIONS_MAX && help->options[i] != NULL; i++) {
    const struct argp_option *option = find_option(argp, help->options[i]);
    if (option != NULL) write_option(option, columns, out);
  }
  /* It is short as it is. */
  for (const struct argp_option *option = argp->options; help == NULL && option->name != NULL;
       option++)
    write_option(option, columns, out);
  ls_bytes_printf(out, "\n`%s --help' says all.\n", program);
}
