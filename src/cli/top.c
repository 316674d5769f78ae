/* top.c: `loadstar top JOURNAL`: how a run stands, drawn anew each second, from its journal. */
#include <argp.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/chart_options.h"
#include "cli/console.h"
#include "cli/option_names.h"
#include "cli/subcommands.h"
#include "cli/top_facts.h"
#include "cli/top_view.h"

enum { KEY_ONCE = 256, LOOK_MS = 1000, LINE_MS = 10000, CONTROL_L = 12 };

static volatile sig_atomic_t has_ended, is_stopped; /* a signal came */

struct options {
  const char *name, *journal;
  bool is_once;
};

static const struct argp_option option_table[] = {
    {"once", KEY_ONCE, NULL, 0, "Print how it stands, and end", 1}, {0}};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct options *options = state->input;
  switch (key) {
    case KEY_ONCE:
      options->is_once = true;
      return 0;
    case ARGP_KEY_ARG:
      if (options->journal != NULL)
        argp_error(state, "one JOURNAL is expected, not '%s', too", argument);
      options->journal = argument;
      return 0;
    case ARGP_KEY_END:
      if (options->journal == NULL) argp_error(state, "JOURNAL is missing");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp parser = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "JOURNAL",
    .doc =
        "Shows how a run stands, from its journal, again each second: the run above, a line for "
        "each worker below. It only reads: the run may be anybody's, going on or over. Keys: j "
        "and k scroll, s sorts, q leaves, ? tells all. Without a terminal: a line each 10 s."
        "\vExamples:\n"
        "  loadstar top work.db\n"
        "  loadstar top work.db --once\n"};

static void on_signal(int signal) {
  if (signal == SIGTSTP)
    is_stopped = 1;
  else if (signal != SIGWINCH) /* that ends the waiting, no more */
    has_ended = 1;
}

static void catch_signals(void) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH};
  struct sigaction action = {.sa_handler = on_signal};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    (void)sigaction(signals[i], &action, NULL);
}

/* A screen of its own, without a cursor; keys come one by one and are not shown. */
static void enter(struct termios *before) {
  if (tcgetattr(STDIN_FILENO, before) == 0) {
    struct termios keys = *before;
    keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    (void)tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  }
  fputs("\033[?1049h\033[?25l", stdout);
}

static void leave(const struct termios *before) {
  fputs("\033[?25h\033[?1049l", stdout);
  (void)fflush(stdout);
  (void)tcsetattr(STDIN_FILENO, TCSANOW, before);
}

static void measure(struct ls_top_view *view) {
  struct winsize size;
  view->rows = 24;
  view->columns = 80;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 2 || size.ws_col < 2) return;
  view->rows = size.ws_row;
  view->columns = size.ws_col;
}

static void draw(struct ls_top_view *view, const struct ls_top_facts *facts) {
  struct ls_bytes text = {0};
  measure(view);
  ls_top_view_write(view, facts, &text);
  fputs("\033[H", stdout);
  /* The rest of each line, and of the screen, is of the picture before. */
  for (const char *c = ls_bytes_text(&text); *c != '\0'; c++) {
    if (*c == '\n') fputs("\033[K", stdout);
    (void)fputc(*c, stdout);
  }
  fputs("\033[J", stdout);
  (void)fflush(stdout);
  ls_bytes_close(&text);
}

/* False: leave. */
static bool obey(int key, struct ls_top_view *view, const struct ls_top_facts *facts) {
  if (key == 'q') return false;
  if (key == '?') view->wants_help = !view->wants_help;
  if (key == 'j' && view->first + 1 < facts->workers_count) view->first++;
  if (key == 'k' && view->first > 0) view->first--;
  if (key == 's') view->order = (enum ls_top_order)((view->order + 1) % LS_TOP_ORDERS);
  if (key == CONTROL_L) fputs("\033[2J", stdout);
  return true;
}

static bool wait_for_key(struct ls_top_view *view, const struct ls_top_facts *facts) {
  struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
  char key = 0;
  if (poll(&in, 1, LOOK_MS) != 1) return true;
  ssize_t length = read(STDIN_FILENO, &key, 1);
  if (length == 0 || (length < 0 && errno != EINTR)) return false;
  return length < 0 || obey(key, view, facts);
}

/* In a terminal until the user has seen enough. */
static enum ls_status watch(const struct options *options, struct ls_top_facts *facts,
                            struct ls_error *err) {
  struct ls_report_options style = ls_chart_style(&(struct ls_chart_options){.columns = 0}, "");
  struct ls_top_view view = {.has_colour = style.has_colour, .is_ascii = style.is_ascii};
  struct termios before = {.c_lflag = 0};
  enum ls_status status = LS_OK;
  bool is_wanted = true;
  catch_signals();
  enter(&before);
  while (status == LS_OK && is_wanted && has_ended == 0) {
    draw(&view, facts);
    is_wanted = wait_for_key(&view, facts);
    if (is_stopped != 0) {
      is_stopped = 0;
      leave(&before);
      (void)raise(SIGSTOP);
      enter(&before);
    }
    status = ls_top_facts_look(facts, options->journal, err);
  }
  leave(&before);
  return status;
}

/* In a file or a pipe, until the run is over. */
static enum ls_status tell(const struct options *options, struct ls_top_facts *facts,
                           struct ls_error *err) {
  enum ls_status status = LS_OK;
  catch_signals();
  while (status == LS_OK && has_ended == 0) {
    struct ls_bytes line = {0};
    ls_top_view_line(facts, &line);
    bool is_told = fputs(ls_bytes_text(&line), stdout) >= 0 && fflush(stdout) == 0;
    ls_bytes_close(&line);
    if (!is_told || strcmp(facts->state, "running") != 0) break;
    (void)poll(NULL, 0, LINE_MS);
    status = ls_top_facts_look(facts, options->journal, err);
  }
  return status;
}

static void tell_once(const struct ls_top_facts *facts) {
  struct ls_bytes text = {0};
  struct ls_report_options style = ls_chart_style(&(struct ls_chart_options){.columns = 0}, "");
  struct ls_top_view view = {
      .columns = (size_t)style.columns, .has_colour = style.has_colour, .is_ascii = style.is_ascii};
  ls_top_view_write(&view, facts, &text);
  fputs(ls_bytes_text(&text), stdout);
  ls_bytes_close(&text);
}

int ls_top_main(int argc, char **argv, const struct ls_app *app) {
  (void)app; /* a journal says itself what it is of */
  struct options options = {.name = argv[0]};
  struct ls_top_facts facts = {.command = ""};
  struct ls_error err = {0};
  argp_err_exit_status = LS_EXIT_USAGE;
  if (ls_option_names_parse(&parser, argc, argv, 0, &options) != 0) return LS_EXIT_USAGE;
  enum ls_status status = ls_top_facts_look(&facts, options.journal, &err);
  if (status == LS_OK && options.is_once)
    tell_once(&facts);
  else if (status == LS_OK)
    status = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) ? watch(&options, &facts, &err)
                                                           : tell(&options, &facts, &err);
  ls_top_facts_close(&facts);
  return status == LS_OK ? LS_EXIT_OK : ls_console_fail(options.name, &err);
}
