#include "cli/terms_options.h"

#include <float.h>
#include <math.h>

#include "cli/console.h"
#include "cli/duration.h"

enum { KEY_DEADLINE = 0x800, KEY_PRICE_MAX };

static const struct argp_option option_table[] = {
    {"deadline", KEY_DEADLINE, "S", 0, "Choose the cheapest that takes at most S seconds", 4},
    {"price-max", KEY_PRICE_MAX, "P", 0, "Choose the fastest that costs at most P", 4},
    {0}};

struct ls_terms ls_terms_none(void) {
  return (struct ls_terms){.deadline_s = (double)NAN, .price_max = (double)NAN};
}

bool ls_terms_limit_price(const struct ls_terms *terms) {
  return terms->price_max > 0 || (isnan(terms->deadline_s) && terms->price_max >= 0);
}

bool ls_terms_are_given(const struct ls_terms *terms) {
  return terms->deadline_s > 0 || ls_terms_limit_price(terms);
}

enum ls_status ls_terms_read_deadline(struct ls_terms *terms, const char *text,
                                      struct ls_error *err) {
  return ls_duration_read_positive("--deadline", text, &terms->deadline_s, err);
}

enum ls_status ls_terms_read_price(struct ls_terms *terms, const char *text, struct ls_error *err) {
  double value = 0;
  const struct ls_real_range any = {0, DBL_MAX};
  if (ls_console_real("--price-max", text, any, &value, NULL) != LS_OK)
    return ls_fail(err, LS_EINVAL, "--price-max is '%s', expected a number >= 0", text);
  terms->price_max = value;
  return LS_OK;
}

enum ls_status ls_terms_check(const struct ls_terms *terms, struct ls_error *err) {
  if (isnan(terms->deadline_s) || isnan(terms->price_max)) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "--deadline is %g and --price-max is %g, expected one of them: the cheapest "
                 "within a time, or the fastest within a price",
                 terms->deadline_s, terms->price_max);
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct ls_terms *terms = state->input;
  struct ls_error err = {0};
  enum ls_status status = LS_OK;
  switch (key) {
    case KEY_DEADLINE:
      status = ls_terms_read_deadline(terms, argument, &err);
      break;
    case KEY_PRICE_MAX:
      status = ls_terms_read_price(terms, argument, &err);
      break;
    case ARGP_KEY_END:
      status = ls_terms_check(terms, &err);
      break;
    default:
      return ARGP_ERR_UNKNOWN;
  }
  if (status != LS_OK) argp_error(state, "%s", err.text);
  return 0;
}

const struct argp ls_terms_argp = {.options = option_table, .parser = parse_option};

void ls_terms_describe(const struct ls_terms *terms, bool is_met, const struct ls_offer *offer,
                       struct ls_bytes *out) {
  if (!isnan(terms->deadline_s))
    ls_bytes_printf(out,
                    is_met ? "cheapest within %.6g s: " : "none ends within %.6g s; the fastest: ",
                    terms->deadline_s);
  else if (!isnan(terms->price_max))
    ls_bytes_printf(
        out,
        is_met ? "fastest within a price of %.6g: " : "none costs at most %.6g; the cheapest: ",
        terms->price_max);
  else
    ls_bytes_append_text(out, "cheapest within 1.1 of the best time: ");
  ls_bytes_printf(out, "%.6g s at a price of %.6g", offer->time_s, offer->price);
}

bool ls_terms_are_kept(const struct ls_terms *terms, const struct ls_offer *came) {
  bool is_late = terms->deadline_s > 0 && came->time_s > terms->deadline_s;
  return !is_late && !(ls_terms_limit_price(terms) && came->price > terms->price_max);
}

void ls_terms_write_end(const struct ls_terms *terms, const struct ls_offer *came, bool has_ended,
                        struct ls_bytes *out) {
  const char *end = !ls_terms_are_kept(terms, came) ? "missed" : has_ended ? "kept" : "kept so far";
  if (terms->deadline_s > 0)
    ls_bytes_printf(out, "deadline   %.6g s: %s, %.3f s\n", terms->deadline_s, end, came->time_s);
  if (ls_terms_limit_price(terms))
    ls_bytes_printf(out, "price-max  %.6g: %s, %.6g\n", terms->price_max, end, came->price);
}
