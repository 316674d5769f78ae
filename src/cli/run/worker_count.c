#include "cli/run/worker_count.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "cli/console.h"

static const char FORMS[] =
    "a whole number, a share of the cores such as 50%, a difference to them such as +2 or -1, "
    "0 (one for each task), or a file with one of these";

static const char SPACES[] = " \t\r\n";

enum ls_status ls_worker_count_parse(const char *option, const char *text,
                                     struct ls_worker_count *count, struct ls_error *err) {
  const char *digits = text + (text[0] == '+' || text[0] == '-');
  char *end = NULL;
  /* No sign behind the sign, no space, no "inf". */
  bool is_number = (digits[0] >= '0' && digits[0] <= '9') || digits[0] == '.';
  double number = is_number ? strtod(digits, &end) : (double)NAN;
  bool is_share = is_number && *end == '%' && digits == text;
  if (is_share) end++;
  bool is_good = is_number && *end == '\0' && number <= 1e6;
  if (is_good && !is_share) is_good = !(floor(number) < number);
  if (is_good && is_share) is_good = number > 0;
  if (!is_good) return ls_fail(err, LS_EINVAL, "%s is '%.60s', expected %s", option, text, FORMS);
  *count = (struct ls_worker_count){.kind = is_share         ? LS_WORKERS_SHARE
                                            : text[0] == '+' ? LS_WORKERS_MORE
                                            : text[0] == '-' ? LS_WORKERS_LESS
                                            : number > 0     ? LS_WORKERS_EXACTLY
                                                             : LS_WORKERS_BY_TASKS,
                                    .number = number};
  return LS_OK;
}

/* What begins as a number is one, unless it goes on as no number does. */
bool ls_worker_count_is_file(const char *text) {
  struct ls_worker_count count;
  bool is_signed = text[0] == '+' || text[0] == '-';
  bool is_path = strchr(text, '/') != NULL;
  if (text[0] == '\0' || is_signed) return false;
  if (strchr(".0123456789", text[0]) == NULL) return true;
  return (is_path || access(text, R_OK) == 0) &&
         ls_worker_count_parse("", text, &count, NULL) != LS_OK;
}

enum ls_status ls_worker_count_read(const char *option, const char *text,
                                    struct ls_worker_count *count, struct ls_error *err) {
  struct ls_bytes line = {0};
  if (!ls_worker_count_is_file(text)) return ls_worker_count_parse(option, text, count, err);
  struct ls_error why;
  enum ls_status status = ls_console_read(text, &line, &why);
  if (status != LS_OK) {
    ls_bytes_close(&line);
    return ls_fail(err, LS_EINVAL, "%s is '%.60s', expected %s: %s", option, text, FORMS, why.text);
  }
  /* The first word, behind blanks and empty lines. */
  ls_bytes_append_char(&line, '\0');
  char *first = line.failed ? NULL : line.data + strspn(line.data, SPACES);
  if (first != NULL) first[strcspn(first, SPACES)] = '\0';
  status = first != NULL ? ls_worker_count_parse(text, first, count, err)
                         : ls_fail(err, LS_ENOMEM, "%s: out of memory", text);
  ls_bytes_close(&line);
  return status;
}

size_t ls_worker_count_of(const struct ls_worker_count *count, size_t cores, size_t most) {
  double base = (double)cores, wanted = count->number;
  switch (count->kind) {
    case LS_WORKERS_EXACTLY:
      break;
    case LS_WORKERS_SHARE:
      wanted = base * count->number / 100;
      break;
    case LS_WORKERS_MORE:
      wanted = base + count->number;
      break;
    case LS_WORKERS_LESS:
      wanted = base - count->number;
      break;
    case LS_WORKERS_BY_TASKS:
      return most;
  }
  if (!(wanted >= 1)) return 1;
  return wanted >= (double)most ? most : (size_t)wanted;
}
