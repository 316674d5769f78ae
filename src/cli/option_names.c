#include "cli/option_names.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/nearest.h"
#include "cli/console.h"
#include "cli/help_width.h"
#include "cli/option_table.h"
#include "cli/short_help.h"

/* More than any program of ours has. */
enum { NAMES_MAX = 512 };

struct names {
  const char *names[NAMES_MAX];
  bool takes_value[NAMES_MAX]; /* as the next word */
  size_t count;
  char letters[128]; /* 'v': it takes a value; 'x': it takes none, or only right behind it */
  bool asks_help;    /* a word is -h, and no option has the letter */
  bool asks_table;   /* a word is --options-json */
};

static void add_name(struct names *names, const char *name, bool takes_value) {
  if (name == NULL || names->count == NAMES_MAX) return;
  names->names[names->count] = name;
  names->takes_value[names->count++] = takes_value;
}

static void add_table(struct names *names, const struct argp_option *option) {
  bool takes_value = false;
  for (; option != NULL && (option->name != NULL || option->doc != NULL || option->key != 0);
       option++) {
    if ((option->flags & OPTION_ALIAS) == 0)
      takes_value = option->arg != NULL && (option->flags & OPTION_ARG_OPTIONAL) == 0;
    add_name(names, option->name, takes_value);
    if (option->key > ' ' && option->key < 127)
      names->letters[option->key] = takes_value ? 'v' : 'x';
  }
}

static void collect(struct names *names, const struct argp *argp) {
  add_table(names, argp->options);
  for (const struct argp_child *child = argp->children; child != NULL && child->argp != NULL;
       child++)
    collect(names, child->argp);
}

/* The name that the word of `length` bytes is, or begins; NAMES_MAX: none. */
static size_t find(const struct names *names, const char *word, size_t length) {
  size_t found = NAMES_MAX;
  for (size_t i = 0; i < names->count; i++) {
    if (strncmp(names->names[i], word, length) != 0) continue;
    found = i;
    if (names->names[i][length] == '\0') break;
  }
  return found;
}

/* Does the value of the last of these letters stand in the next word? */
static bool takes_next(const struct names *names, const char *letters) {
  for (; *letters != '\0'; letters++) {
    unsigned char letter = (unsigned char)*letters;
    if (letter < sizeof names->letters && names->letters[letter] == 'v') return letters[1] == '\0';
  }
  return false;
}

/* Is the word of `length` bytes the name without some of its dashes? */
static bool is_undashed(const char *word, size_t length, const char *name) {
  size_t at = 0;
  for (; *name != '\0'; name++) {
    bool is_same = at < length && word[at] == *name;
    if (!is_same && *name != '-') return false;
    at += is_same;
  }
  return at == length;
}

/* The only name that the word is but for dashes; NAMES_MAX: there is none, or several. */
static size_t find_undashed(const struct names *names, const char *word, size_t length) {
  size_t found = NAMES_MAX;
  for (size_t i = 0; i < names->count; i++) {
    if (!is_undashed(word, length, names->names[i])) continue;
    if (found < NAMES_MAX && strcmp(names->names[found], names->names[i]) != 0) return NAMES_MAX;
    found = i;
  }
  return found;
}

/* `*word` is an option with the dashes that it lacks from now on. */
static enum ls_status add_dashes(const struct names *names, char **word, struct ls_error *err) {
  const char *name = *word + 2;
  size_t length = strcspn(name, "=");
  if (find(names, name, length) < NAMES_MAX) return LS_OK;
  size_t found = find_undashed(names, name, length);
  if (found == NAMES_MAX) return LS_OK;
  char *full = NULL;
  if (asprintf(&full, "--%s%s", names->names[found], name + length) < 0)
    return ls_fail(err, LS_ENOMEM, "out of memory for the option %.60s", *word);
  *word = full;
  return LS_OK;
}

static enum ls_status check_word(const struct names *names, const char *word, bool *takes_value,
                                 struct ls_error *err) {
  char name[LS_NEAREST_LENGTH_MAX + 1];
  size_t length = strcspn(word, "=");
  size_t found = find(names, word, length);
  *takes_value = found < NAMES_MAX && names->takes_value[found] && word[length] == '\0';
  if (found < NAMES_MAX || length >= sizeof name) return LS_OK;
  memcpy(name, word, length);
  name[length] = '\0';
  const char *nearest = ls_nearest_name(name, names->names, names->count);
  if (nearest == NULL) return LS_OK;
  return ls_fail(err, LS_EINVAL, "unrecognized option '--%s', did you mean '--%s'?", name, nearest);
}

/* `names`: of all that may stand in these words. */
static enum ls_status check_words(struct names *names, int argc, char **argv, unsigned flags,
                                  struct ls_error *err) {
  for (int i = 1; i < argc && !names->asks_help && !names->asks_table; i++) {
    const char *word = argv[i];
    bool is_option = word[0] == '-' && word[1] != '\0', takes_value = false;
    if (strcmp(word, "--") == 0 || (!is_option && (flags & ARGP_IN_ORDER) != 0)) return LS_OK;
    enum ls_status status = LS_OK;
    bool is_long = is_option && word[1] == '-';
    names->asks_help = names->letters['h'] == '\0' && strcmp(word, "-h") == 0;
    names->asks_table = strcmp(word, "--options-json") == 0;
    if (names->asks_table) continue;
    if (is_long) status = add_dashes(names, &argv[i], err);
    if (is_long && status == LS_OK)
      status = check_word(names, argv[i] + 2, &takes_value, err);
    else if (is_option && !is_long)
      takes_value = takes_next(names, word + 1);
    if (status != LS_OK) return status;
    i += takes_value;
  }
  return LS_OK;
}

static struct names collect_all(const struct argp *argp) {
  struct names names = {0};
  collect(&names, argp);
  add_name(&names, "help", false);
  add_name(&names, "usage", false);
  add_name(&names, "version", false);
  return names;
}

enum ls_status ls_option_names_check(const struct argp *argp, int argc, char **argv, unsigned flags,
                                     struct ls_error *err) {
  struct names names = collect_all(argp);
  return check_words(&names, argc, argv, flags, err);
}

/* Ends the program, as argp's --help does. */
static void print_short_help(const struct argp *argp, const char *program) {
  struct ls_bytes text = {0};
  ls_short_help_write(argp, program, ls_help_columns(), &text);
  fputs(ls_bytes_text(&text), stdout);
  ls_bytes_close(&text);
  exit(EXIT_SUCCESS);
}

/* The same, for programs. */
static void print_table(const struct argp *argp, const char *program) {
  json_t *table = ls_option_table_make(argp, program);
  char *text = table == NULL ? NULL : json_dumps(table, JSON_INDENT(1));
  json_decref(table);
  if (text == NULL) {
    fprintf(stderr, "%s: out of memory\n", program);
    exit(LS_EXIT_INFRASTRUCTURE);
  }
  bool is_written = ls_console_write(STDOUT_FILENO, text, strlen(text)) &&
                    ls_console_write(STDOUT_FILENO, "\n", 1);
  if (!is_written) fprintf(stderr, "%s: standard output: %s\n", program, strerror(errno));
  free(text);
  exit(is_written ? EXIT_SUCCESS : LS_EXIT_INFRASTRUCTURE);
}

error_t ls_option_names_parse(const struct argp *argp, int argc, char **argv, unsigned flags,
                              void *input) {
  struct ls_error err = {0};
  struct names names = collect_all(argp);
  if (argc > 0 && check_words(&names, argc, argv, flags, &err) != LS_OK) {
    fprintf(stderr, "%s: %s\nTry `%s --help' or `%s --usage' for more information.\n", argv[0],
            err.text, argv[0], argv[0]);
    exit(argp_err_exit_status);
  }
  if (names.asks_help) print_short_help(argp, argv[0]);
  if (names.asks_table) print_table(argp, argv[0]);
  ls_help_width_begin();
  error_t result = argp_parse(argp, argc, argv, flags, NULL, input);
  ls_help_width_end();
  return result;
}
