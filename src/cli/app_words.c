#include "cli/app_words.h"

#include "base/bytes.h"

static enum ls_status refuse(const struct ls_app_words *words, const char *word,
                             struct ls_error *err) {
  return ls_fail(err, LS_EINVAL, "%s: '%s' is no option or lacks its value", words->application,
                 word);
}

enum ls_status ls_app_words_read(const struct ls_app_words *words, int argc, char **argv,
                                 struct ls_error *err) {
  struct ls_bytes letters = {0};
  enum ls_status status = LS_OK;
  /* A colon first: a value that is missing is told apart, and nothing is printed. */
  ls_bytes_printf(&letters, ":%s", words->letters != NULL ? words->letters : "");
  if (letters.failed) return ls_fail(err, LS_ENOMEM, "%s: out of memory", words->application);
  optind = 0; /* glibc: begin anew, whatever was read before */
  opterr = 0;
  while (status == LS_OK) {
    int word = getopt_long(argc, argv, ls_bytes_text(&letters), words->options, NULL);
    if (word == -1) break;
    if (word == '?' || word == ':')
      status = refuse(words, argv[optind - 1], err);
    else
      status = words->read(words->context, word, optarg, err);
  }
  if (status == LS_OK && optind < argc)
    status = ls_fail(err, LS_EINVAL, "%s: unexpected word '%s'", words->application, argv[optind]);
  ls_bytes_close(&letters);
  return status;
}
