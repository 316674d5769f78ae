#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/nearest.h"
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

/* What is wanted: everything, or what has one of these names. */
struct wish {
  bool is_json;
  char **names;
  size_t names_count;
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

static bool is_wanted(const struct wish *wish, const struct family *family,
                      const struct entry *entry) {
  for (size_t i = 0; i < wish->names_count; i++)
    if (strcmp(wish->names[i], family->name) == 0 || strcmp(wish->names[i], entry->name) == 0)
      return true;
  return wish->names_count == 0;
}

static bool is_known(const char *name) {
  struct wish wish = {.names = (char *[]){(char *)name}, .names_count = 1};
  struct entry entry;
  for (int i = 0; i < FAMILIES; i++)
    for (size_t j = 0; families[i].get(j, &entry); j++)
      if (is_wanted(&wish, &families[i], &entry)) return true;
  return false;
}

/* The name that is meant, of an algorithm or a family; NULL: none is near. */
static const char *find_nearest(const char *word) {
  const char *nearest = NULL;
  struct entry entry;
  for (int i = 0; i < FAMILIES; i++) {
    const char *of_family[] = {nearest, families[i].name};
    nearest = ls_nearest_name(word, of_family, 2);
    for (size_t j = 0; families[i].get(j, &entry); j++) {
      const char *names[] = {nearest, entry.name};
      nearest = ls_nearest_name(word, names, 2);
    }
  }
  return nearest;
}

static void refuse_name(struct argp_state *state, const char *name) {
  const char *nearest = find_nearest(name);
  if (nearest != NULL)
    argp_error(state, "'%s' is no algorithm, did you mean '%s'? (`loadstar list' names all)", name,
               nearest);
  else
    argp_error(state,
               "'%s' is no algorithm, expected one that `loadstar list' names, or planners, "
               "analyses, policies, orders, sizings or replications",
               name);
}

/* Of the longest name, so that all summaries begin in one column. */
static int find_name_width(const struct wish *wish) {
  size_t width = 0;
  struct entry entry;
  for (int i = 0; i < FAMILIES; i++)
    for (size_t j = 0; families[i].get(j, &entry); j++)
      if (is_wanted(wish, &families[i], &entry) && strlen(entry.name) > width)
        width = strlen(entry.name);
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

/* The entries of a family that are wanted. */
static void write_family(const struct wish *wish, const struct family *family, int width,
                         struct ls_bytes *out) {
  struct entry entry;
  bool is_first = true;
  for (size_t i = 0; family->get(i, &entry); i++) {
    if (!is_wanted(wish, family, &entry)) continue;
    if (wish->is_json) {
      ls_bytes_append_text(out, is_first ? "\n  " : ",\n  ");
      write_entry_json(&entry, out);
    } else {
      if (is_first) ls_bytes_printf(out, "%s%s\n", out->length > 0 ? "\n" : "", family->title);
      write_entry(&entry, width, out);
    }
    is_first = false;
  }
}

/* JSON has all families, so that programs find each where it always is. */
static void write_lists(const struct wish *wish, struct ls_bytes *out) {
  int width = find_name_width(wish);
  for (int i = 0; i < FAMILIES; i++) {
    if (wish->is_json) ls_bytes_printf(out, "%s\"%s\": [", i == 0 ? "{" : ",\n ", families[i].name);
    write_family(wish, &families[i], width, out);
    if (wish->is_json) ls_bytes_append_text(out, "]");
  }
  if (wish->is_json) ls_bytes_append_text(out, "}\n");
}

static const struct argp_option options[] = {{"json", 'j', NULL, 0, "Write JSON, for machines", 1},
                                             {0}};

static error_t parse(int key, char *text, struct argp_state *state) {
  struct wish *wish = state->input;
  (void)text;
  switch (key) {
    case 'j':
      wish->is_json = true;
      return 0;
    case ARGP_KEY_ARGS:
      wish->names = state->argv + state->next;
      wish->names_count = (size_t)(state->argc - state->next);
      for (size_t i = 0; i < wish->names_count; i++)
        if (!is_known(wish->names[i])) refuse_name(state, wish->names[i]);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

int ls_list_main(int argc, char **argv, const struct ls_app *app) {
  (void)app;
  struct wish wish = {.is_json = false};
  const struct argp argp = {.options = options,
                            .parser = parse,
                            .args_doc = "[NAME...]",
                            .doc =
                                "Lists the planners, analyses, policies, orders, sizings and "
                                "replications, or those of these names: name, parameters, one "
                                "line, source."
                                "\v"
                                "Examples:\n  loadstar list gss\n  loadstar list policies orders\n"
                                "  loadstar list --json | jq -r '.policies[].name'"};
  if (ls_option_names_parse(&argp, argc, argv, 0, &wish) != 0) return LS_EXIT_USAGE;
  struct ls_bytes out = {0};
  write_lists(&wish, &out);
  bool is_written = !out.failed && ls_console_write(STDOUT_FILENO, ls_bytes_text(&out), out.length);
  if (!is_written) fprintf(stderr, "%s: standard output: %s\n", argv[0], strerror(errno));
  ls_bytes_close(&out);
  return is_written ? LS_EXIT_OK : LS_EXIT_INFRASTRUCTURE;
}
