#include "cli/option_table.h"

#include <stdbool.h>
#include <string.h>

#include "cli/option_words.h"

/* Of argp's own options, which stand in a group behind all others. */
static const struct argp_option own_options[] = {
    {"help", '?', NULL, 0, "Give this help list", -1},
    {"usage", 0, NULL, 0, "Give a short usage message", -1},
    {"version", 'V', NULL, 0, "Print program version", -1},
    {0}};
static const struct argp own = {.options = own_options};

struct reading {
  json_t *options;
  const char *subcommand, *heading; /* NULL: the group has none */
  int group;                        /* the one whose options are read */
  bool failed;
};

static bool is_end(const struct argp_option *option) {
  return option == NULL || (option->name == NULL && option->key == 0 && option->doc == NULL);
}

static bool is_heading(const struct argp_option *option) {
  return option->name == NULL && option->key == 0;
}

/* An entry without a group belongs to that of the entry before it, a heading to the next. */
static int find_group(const struct argp_option *option, int before) {
  return option->group != 0 ? option->group : before + is_heading(option);
}

static const char *find_heading(const struct argp *argp, int group) {
  const char *heading = NULL;
  const struct argp_option *option = argp->options;
  for (int at = 0; !is_end(option) && heading == NULL; option++) {
    at = find_group(option, at);
    if (is_heading(option) && at == group) heading = option->doc;
  }
  for (const struct argp_child *child = argp->children;
       child != NULL && child->argp != NULL && heading == NULL; child++)
    heading = find_heading(child->argp, group);
  return heading;
}

static json_t *make_text(const char *text) {
  return text == NULL ? json_null() : json_string(text);
}

static json_t *make_short(const struct argp_option *option) {
  const char letter[] = {(char)option->key, '\0'};
  return option->key > ' ' && option->key < 127 ? json_string(letter) : json_null();
}

static void add_option(struct reading *reading, const struct argp_option *option) {
  json_t *words = ls_option_words(reading->subcommand, option->name);
  bool is_optional = option->arg != NULL && (option->flags & OPTION_ARG_OPTIONAL) != 0;
  json_t *item =
      json_pack("{s:o, s:o, s:[], s:o, s:b, s:o, s:o, s:o}", "long", make_text(option->name),
                "short", make_short(option), "synonyms", "argument", make_text(option->arg),
                "argument_optional", is_optional, "group", make_text(reading->heading), "help",
                make_text(option->doc), "words", words == NULL ? json_null() : words);
  reading->failed |= json_array_append_new(reading->options, item) != 0;
}

static void add_synonym(struct reading *reading, const struct argp_option *option) {
  json_t *last = json_array_get(reading->options, json_array_size(reading->options) - 1);
  json_t *item =
      json_pack("{s:o, s:o}", "long", make_text(option->name), "short", make_short(option));
  reading->failed |= json_array_append_new(json_object_get(last, "synonyms"), item) != 0;
}

static void read_group(struct reading *reading, const struct argp *argp) {
  const struct argp_option *option = argp->options;
  for (int at = 0; !is_end(option); option++) {
    at = find_group(option, at);
    bool is_hidden = (option->flags & OPTION_HIDDEN) != 0;
    if (at != reading->group || is_heading(option) || is_hidden) continue;
    ((option->flags & OPTION_ALIAS) != 0 ? add_synonym : add_option)(reading, option);
  }
  for (const struct argp_child *child = argp->children; child != NULL && child->argp != NULL;
       child++)
    read_group(reading, child->argp);
}

json_t *ls_option_table_make(const struct argp *argp, const char *program) {
  enum { GROUPS = 64 };
  const char *space = strrchr(program, ' ');
  struct reading reading = {.options = json_array(),
                            .subcommand = space == NULL ? program : space + 1};
  for (; reading.group < GROUPS; reading.group++) {
    reading.heading = find_heading(argp, reading.group);
    read_group(&reading, argp);
  }
  reading.heading = NULL;
  reading.group = -1;
  read_group(&reading, &own);
  json_t *words = ls_option_words(reading.subcommand, NULL);
  json_t *table =
      json_pack("{s:s, s:o, s:o, s:o}", "program", program, "usage", make_text(argp->args_doc),
                "words", words == NULL ? json_null() : words, "options", reading.options);
  if (!reading.failed) return table;
  json_decref(table);
  return NULL;
}
