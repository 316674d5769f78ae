#include "formats/account_json.h"

#include <math.h>
#include <stdio.h>

#include "base/json.h"

/* The numbers before the parts. */
enum { MAKESPAN, WORKERS, HEADS };
static const char *const heads[HEADS] = {"makespan", "workers"};

static void write_number(const char *name, double number, struct ls_bytes *out) {
  ls_bytes_printf(out, "\"%s\": ", name);
  ls_json_write_number(out, number);
}

static void write_parts(const double *parts_s, const double *less_s, struct ls_bytes *out) {
  for (size_t part = 0; part < LS_ACCOUNT_PARTS; part++) {
    ls_bytes_append_text(out, ", ");
    write_number(ls_account_part_name((enum ls_account_part)part),
                 parts_s[part] - (less_s == NULL ? 0 : less_s[part]), out);
  }
}

void ls_account_write(const struct ls_account *account, struct ls_bytes *out) {
  ls_bytes_append_char(out, '{');
  write_number(heads[MAKESPAN], account->makespan_s, out);
  ls_bytes_append_text(out, ", ");
  write_number(heads[WORKERS], account->workers, out);
  write_parts(account->parts_s, NULL, out);
  ls_bytes_append_char(out, '}');
}

void ls_comparison_write(const struct ls_comparison *comparison, struct ls_bytes *out) {
  const struct ls_account *predicted = &comparison->predicted, *happened = &comparison->happened;
  ls_bytes_append_text(out, "{\"basis\": ");
  ls_json_write_string(out, comparison->basis);
  ls_bytes_append_text(out, ", \"account\": ");
  ls_account_write(predicted, out);
  if (comparison->has_happened) {
    ls_bytes_append_text(out, ", \"happened\": ");
    ls_account_write(happened, out);
    ls_bytes_append_text(out, ", \"difference\": {");
    write_number(heads[MAKESPAN], happened->makespan_s - predicted->makespan_s, out);
    write_parts(happened->parts_s, predicted->parts_s, out);
    ls_bytes_append_char(out, '}');
  }
  ls_bytes_append_char(out, '}');
}

static enum ls_status read_number(const struct ls_json *place, const char *name, double *number,
                                  struct ls_error *err) {
  struct ls_json member = ls_json_member(place, name);
  return ls_json_real(&member, 0, (double)INFINITY, number, err);
}

static enum ls_status read_account(const struct ls_json *place, struct ls_account *account,
                                   struct ls_error *err) {
  const char *known[HEADS + LS_ACCOUNT_PARTS + 1] = {heads[MAKESPAN], heads[WORKERS]};
  for (size_t part = 0; part < LS_ACCOUNT_PARTS; part++)
    known[HEADS + part] = ls_account_part_name((enum ls_account_part)part);
  enum ls_status status = ls_json_object(place, known, err);
  if (status == LS_OK) status = read_number(place, heads[MAKESPAN], &account->makespan_s, err);
  if (status == LS_OK) status = read_number(place, heads[WORKERS], &account->workers, err);
  for (size_t part = 0; part < LS_ACCOUNT_PARTS && status == LS_OK; part++)
    status = read_number(place, known[HEADS + part], &account->parts_s[part], err);
  return status;
}

static enum ls_status read_comparison(const struct ls_json *top, struct ls_comparison *comparison,
                                      struct ls_error *err) {
  static const char *const known[] = {"basis", "account", "happened", "difference", NULL};
  enum ls_status status = ls_json_object(top, known, err);
  struct ls_json basis = ls_json_member(top, "basis"), account = ls_json_member(top, "account"),
                 happened = ls_json_member(top, "happened");
  const char *words = NULL;
  if (status == LS_OK) status = ls_json_string(&basis, &words, err);
  if (status == LS_OK) (void)snprintf(comparison->basis, sizeof comparison->basis, "%s", words);
  if (status == LS_OK) status = read_account(&account, &comparison->predicted, err);
  comparison->has_happened = happened.value != NULL;
  if (status == LS_OK && comparison->has_happened)
    status = read_account(&happened, &comparison->happened, err);
  return status;
}

enum ls_status ls_comparison_read(struct ls_text text, struct ls_comparison *comparison,
                                  struct ls_error *err) {
  json_t *document = NULL;
  struct ls_comparison made = {.has_happened = false};
  enum ls_status status = ls_json_parse(text, &document, err);
  if (status != LS_OK) return status;
  struct ls_json top = ls_json_top(document, text.source);
  status = read_comparison(&top, &made, err);
  json_decref(document);
  if (status == LS_OK) *comparison = made;
  return status;
}
