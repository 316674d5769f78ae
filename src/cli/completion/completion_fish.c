#include "cli/completion/completion_script.h"
#include "cli/short_help.h"

#include <string.h>

enum { HELP_BYTES = 60 };

static void write_quoted(const char *text, size_t length, struct ls_bytes *out) {
  ls_bytes_append_char(out, '\'');
  ls_completion_escape(text, length, "\\", "\\'", out);
  ls_bytes_append_char(out, '\'');
}

/* Which values: of an optional argument they stand behind "=" only. */
static void write_values(const json_t *option, struct ls_bytes *out) {
  const json_t *words = json_object_get(option, "words");
  bool is_optional = json_is_true(json_object_get(option, "argument_optional"));
  if (ls_completion_text(option, "argument") == NULL) return;
  if (json_is_array(words)) {
    ls_bytes_append_text(out, is_optional ? " -f -a '" : " -x -a '");
    ls_completion_join(words, " ", out);
    ls_bytes_append_char(out, '\'');
  } else if (ls_completion_takes_folder(option)) {
    ls_bytes_append_text(out, " -x -a '(__fish_complete_directories)'");
  } else if (!is_optional) {
    ls_bytes_append_text(out, " -r");
  }
}

static void write_option(const struct ls_completion *completion, const char *subcommand,
                         const json_t *option, struct ls_bytes *out) {
  const char *help = ls_completion_text(option, "help");
  json_t *spellings = ls_completion_spellings(option);
  size_t index;
  const json_t *spelling;
  json_array_foreach(spellings, index, spelling) {
    const char *text = json_string_value(spelling);
    bool is_long = text[1] == '-';
    ls_bytes_printf(out, "complete -c %s -n '__%s_is %s' %s '%s'", completion->program,
                    completion->function, subcommand, is_long ? "-l" : "-s",
                    is_long ? text + 2 : text + 1);
    write_values(option, out);
    if (help != NULL) {
      ls_bytes_append_text(out, " -d ");
      write_quoted(help, ls_short_help_measure(help, HELP_BYTES), out);
    }
    ls_bytes_append_char(out, '\n');
  }
  json_decref(spellings);
}

static void write_subcommand(const struct ls_completion *completion, const json_t *subcommand,
                             struct ls_bytes *out) {
  const char *name = ls_completion_text(subcommand, "name");
  const json_t *table = json_object_get(subcommand, "table"), *option;
  const json_t *words = json_object_get(table, "words");
  size_t index;
  ls_bytes_append_char(out, '\n');
  json_array_foreach(json_object_get(table, "options"), index, option)
      write_option(completion, name, option, out);
  if (json_is_array(words)) {
    ls_bytes_printf(out, "complete -c %s -n '__%s_is %s' -f -a '", completion->program,
                    completion->function, name);
    ls_completion_join(words, " ", out);
    ls_bytes_append_text(out, "'\n");
  }
  if (ls_completion_takes_command(table, false))
    ls_bytes_printf(out,
                    "complete -c %s -n '__%s_is %s; and __%s_behind_dashes' -a "
                    "'(__fish_complete_command)'\n",
                    completion->program, completion->function, name, completion->function);
}

static void write_subcommands(const struct ls_completion *completion, struct ls_bytes *out) {
  size_t index;
  const json_t *subcommand;
  json_array_foreach(completion->subcommands, index, subcommand) {
    const char *summary = ls_completion_text(subcommand, "summary");
    ls_bytes_printf(out, "complete -c %s -n __%s_begins -f -a %s -d ", completion->program,
                    completion->function, ls_completion_text(subcommand, "name"));
    write_quoted(summary, strlen(summary), out);
    ls_bytes_append_char(out, '\n');
  }
  ls_bytes_printf(out,
                  "complete -c %s -n __%s_begins -f -a help -d 'help of a subcommand'\n"
                  "complete -c %s -n __%s_begins -l help -d 'give help'\n"
                  "complete -c %s -n __%s_begins -l version -d 'print the version'\n"
                  "complete -c %s -n '__%s_is help' -f -a '",
                  completion->program, completion->function, completion->program,
                  completion->function, completion->program, completion->function,
                  completion->program, completion->function);
  ls_completion_names(completion, out);
  ls_bytes_append_text(out, "'\n");
}

void ls_completion_fish(const struct ls_completion *completion, struct ls_bytes *out) {
  const char *function = completion->function;
  ls_bytes_printf(out,
                  "# Completion of %s for fish, made by `%s completion fish'.\n\n"
                  "function __%s_begins\n"
                  "    test (count (commandline -opc)) -eq 1\n"
                  "end\n\n"
                  "function __%s_is\n"
                  "    set -l words (commandline -opc)\n"
                  "    test (count $words) -gt 1; and test $words[2] = $argv[1]\n"
                  "end\n\n"
                  "function __%s_behind_dashes\n"
                  "    set -l words (commandline -opc)\n"
                  "    test $words[-1] = --\n"
                  "end\n\n",
                  completion->program, completion->program, function, function, function);
  write_subcommands(completion, out);
  size_t index;
  const json_t *subcommand;
  json_array_foreach(completion->subcommands, index, subcommand)
      write_subcommand(completion, subcommand, out);
}
