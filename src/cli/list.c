#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/json.h"
#include "cli/console.h"
#include "cli/option_names.h"
#include "cli/subcommands.h"
#include "planners/analysis.h"
#include "planners/planner.h"
#include "policies/chunking.h"
#include "policies/ordering.h"
#include "policies/replication.h"
#include "policies/sizing.h"

/* One algorithm, whatever its family. */
struct entry {
  const char *name, *summary, *reference;
  const struct ls_parameter *parameters; /* NULL: none */
};

/* Entry `index` of a family; false: there is none. */
struct family {
  const char *name, *title;
  bool (*get)(size_t index, struct entry *entry);
};

static bool get_planner(size_t index, struct entry *entry) {
  const struct ls_planner *item = ls_planners[index];
  if (item == NULL) return false;
  *entry = (struct entry){item->name, item->summary, item->reference, item->parameters};
  return true;
}

static bool get_analysis(size_t index, struct entry *entry) {
  const struct ls_analysis *item = ls_analyses[index];
  if (item == NULL) return false;
  *entry = (struct entry){item->name, item->summary, item->reference, item->parameters};
  return true;
}

static bool get_chunking(size_t index, struct entry *entry) {
  const struct ls_chunking *item = ls_chunkings[index];
  if (item == NULL) return false;
  *entry = (struct entry){item->name, item->summary, item->reference, item->parameters};
  return true;
}

static bool get_ordering(size_t index, struct entry *entry) {
  const struct ls_ordering *item = ls_orderings[index];
  if (item == NULL) return false;
  *entry = (struct entry){item->name, item->summary, item->reference, item->parameters};
  return true;
}

static bool get_sizing(size_t index, struct entry *entry) {
  const struct ls_sizing *item = ls_sizings[index];
  if (item == NULL) return false;
  *entry = (struct entry){item->name, item->summary, item->reference, item->parameters};
  return true;
}

static bool get_replication(size_t index, struct entry *entry) {
  const struct ls_replication *item = ls_replications[index];
  if (item == NULL) return false;
  *entry = (struct entry){item->name, item->summary, item->reference, item->parameters};
  return true;
}

static const struct family families[] = {
    {"planners", "Planners: compute the whole schedule ahead", get_planner},
    {"analyses", "Analyses: what a theory says of a platform (plan --analysis)", get_analysis},
    {"policies", "Policies: how many units the worker that asks gets (run --policy)", get_chunking},
    {"orders", "Orders: which units go first (run --order)", get_ordering},
    {"sizings", "Sizings: how many workers are wanted", get_sizing},
    {"replications", "Replications: which running units get a replica", get_replication}};
enum { FAMILIES = sizeof families / sizeof *families };

static void write_default(const struct ls_parameter *parameter, struct ls_bytes *out) {
  if (parameter->kind == LS_PARAMETER_CHOICE)
    ls_bytes_append_text(out, parameter->choices[(size_t)parameter->otherwise]);
  else if (ls_parameter_has_list(parameter->kind) || isnan(parameter->otherwise))
    ls_bytes_append_text(out, "not given");
  else
    ls_bytes_printf(out, "%.6g", parameter->otherwise);
}

/* Of the longest name, so that all summaries begin in one column. */
static int find_name_width(void) {
  size_t width = 0;
  struct entry entry;
  for (int i = 0; i < FAMILIES; i++)
    for (size_t j = 0; families[i].get(j, &entry); j++)
      if (strlen(entry.name) > width) width = strlen(entry.name);
  return (int)width;
}

static void write_entry(const struct entry *entry, int width, struct ls_bytes *out) {
  ls_bytes_printf(out, "  %-*s %s", width, entry->name, entry->summary);
  if (entry->reference != NULL && entry->reference[0] != '\0')
    ls_bytes_printf(out, " [%s]", entry->reference);
  ls_bytes_append_char(out, '\n');
  const struct ls_parameter *parameter = entry->parameters;
  for (; parameter != NULL && parameter->name != NULL; parameter++) {
    ls_bytes_printf(out, "  %-*s   %s (", width, "", parameter->name);
    write_default(parameter, out);
    ls_bytes_printf(out, "): %s", parameter->summary);
    for (size_t i = 0; parameter->kind == LS_PARAMETER_CHOICE && parameter->choices[i]; i++)
      ls_bytes_printf(out, "%s%s", i == 0 ? "; one of " : ", ", parameter->choices[i]);
    ls_bytes_append_char(out, '\n');
  }
}

static void write_parameter_json(const struct ls_parameter *parameter, struct ls_bytes *out) {
  static const char *const kinds[] = {[LS_PARAMETER_REAL] = "real",
                                      [LS_PARAMETER_WHOLE] = "whole",
                                      [LS_PARAMETER_CHOICE] = "choice",
                                      [LS_PARAMETER_LIST] = "list",
                                      [LS_PARAMETER_NUMBERS] = "numbers",
                                      [LS_PARAMETER_RANGE] = "range",
                                      [LS_PARAMETER_WHOLE_OR_AUTO] = "whole or auto"};
  ls_bytes_append_text(out, "{\"name\": ");
  ls_json_write_string(out, parameter->name);
  ls_bytes_printf(out, ", \"kind\": \"%s\", \"summary\": ", kinds[parameter->kind]);
  ls_json_write_string(out, parameter->summary);
  ls_bytes_append_text(out, ", \"default\": ");
  if (parameter->kind == LS_PARAMETER_CHOICE) {
    ls_json_write_string(out, parameter->choices[(size_t)parameter->otherwise]);
    ls_bytes_append_text(out, ", \"choices\": [");
    for (size_t i = 0; parameter->choices[i] != NULL; i++) {
      if (i > 0) ls_bytes_append_text(out, ", ");
      ls_json_write_string(out, parameter->choices[i]);
    }
    ls_bytes_append_char(out, ']');
  } else {
    if (ls_parameter_has_list(parameter->kind))
      ls_bytes_append_text(out, "[]");
    else
      ls_json_write_number(out, parameter->otherwise);
    ls_bytes_append_text(out, ", \"least\": ");
    ls_json_write_number(out, parameter->least);
    ls_bytes_append_text(out, ", \"most\": ");
    ls_json_write_number(out, parameter->most);
  }
  ls_bytes_append_char(out, '}');
}

static void write_entry_json(const struct entry *entry, struct ls_bytes *out) {
  ls_bytes_append_text(out, "{\"name\": ");
  ls_json_write_string(out, entry->name);
  ls_bytes_append_text(out, ", \"summary\": ");
  ls_json_write_string(out, entry->summary);
  ls_bytes_append_text(out, ", \"source\": ");
  ls_json_write_string(out, entry->reference == NULL ? "" : entry->reference);
  ls_bytes_append_text(out, ", \"parameters\": [");
  const struct ls_parameter *parameter = entry->parameters;
  for (size_t i = 0; parameter != NULL && parameter[i].name != NULL; i++) {
    if (i > 0) ls_bytes_append_text(out, ", ");
    write_parameter_json(&parameter[i], out);
  }
  ls_bytes_append_text(out, "]}");
}

static void write_lists(bool is_json, struct ls_bytes *out) {
  struct entry entry;
  int width = find_name_width();
  for (int i = 0; i < FAMILIES; i++) {
    if (is_json)
      ls_bytes_printf(out, "%s\"%s\": [", i == 0 ? "{" : ",\n ", families[i].name);
    else
      ls_bytes_printf(out, "%s%s\n", i == 0 ? "" : "\n", families[i].title);
    size_t count = 0;
    for (; families[i].get(count, &entry); count++) {
      if (is_json) {
        ls_bytes_append_text(out, count == 0 ? "\n  " : ",\n  ");
        write_entry_json(&entry, out);
      } else {
        write_entry(&entry, width, out);
      }
    }
    if (is_json)
      ls_bytes_append_text(out, "]");
    else if (count == 0)
      ls_bytes_append_text(out, "  (none yet)\n");
  }
  if (is_json) ls_bytes_append_text(out, "}\n");
}

static const struct argp_option options[] = {{"json", 'j', NULL, 0, "Write JSON, for machines", 1},
                                             {0}};

static error_t parse(int key, char *text, struct argp_state *state) {
  bool *is_json = state->input;
  switch (key) {
    case 'j':
      *is_json = true;
      return 0;
    case ARGP_KEY_ARG:
      argp_error(state, "'%s' is no option, expected none but options", text);
      return EINVAL;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

int ls_list_main(int argc, char **argv, const struct ls_app *app) {
  (void)app;
  bool is_json = false;
  const struct argp argp = {.options = options,
                            .parser = parse,
                            .doc =
                                "Lists the planners, analyses, policies, orders, sizings and "
                                "replications: name, parameters, one line, source."
                                "\v"
                                "Example:\n  loadstar list --json | jq -r '.policies[].name'"};
  if (ls_option_names_parse(&argp, argc, argv, 0, &is_json) != 0) return LS_EXIT_USAGE;
  struct ls_bytes out = {0};
  write_lists(is_json, &out);
  bool is_written = !out.failed && ls_console_write(STDOUT_FILENO, ls_bytes_text(&out), out.length);
  if (!is_written) fprintf(stderr, "%s: standard output: %s\n", argv[0], strerror(errno));
  ls_bytes_close(&out);
  return is_written ? LS_EXIT_OK : LS_EXIT_INFRASTRUCTURE;
}
