#include "cli/plan_spmd.h"

#include <jansson.h>
#include <string.h>

#include "base/json.h"

static const struct ls_plan_parameter *find_spmd(const struct ls_plan *plan) {
  for (size_t i = 0; i < plan->parameters_count; i++)
    if (strcmp(plan->parameters[i].name, "spmd") == 0) return &plan->parameters[i];
  return NULL;
}

static enum ls_status refuse(const struct ls_plan *plan, struct ls_error *err) {
  if (plan->chunks_count == 0)
    return ls_fail(err, LS_EINVAL, "--spmd: the load is 0, expected units to send");
  if (!ls_plan_is_whole(plan))
    return ls_fail(err, LS_EINVAL, "--spmd: the plan has parts of units, expected --whole-units");
  return ls_fail(err, LS_EINVAL,
                 "--spmd: this plan of %s is more than identical rounds, a last and an auxiliary "
                 "round, expected one of steady-state, asymptotic, periodic:whole=alike, "
                 "scow-mp, scow-pwu, scow",
                 plan->algorithm);
}

static void write_array(const json_t *spmd, const char *key, const char *name, const char *what,
                        struct ls_bytes *out) {
  const json_t *list = json_object_get(spmd, key);
  ls_bytes_printf(out, "/* %s */\nstatic const unsigned long long %s[] = {", what, name);
  for (size_t i = 0; i < json_array_size(list); i++)
    ls_bytes_printf(out, "%s%" JSON_INTEGER_FORMAT,
                    i == 0        ? ""
                    : i % 12 == 0 ? ",\n  "
                                  : ", ",
                    json_integer_value(json_array_get(list, i)));
  ls_bytes_append_text(out, "};\n");
}

static void write_header(const struct ls_plan *plan, const json_t *spmd, struct ls_bytes *out) {
  ls_bytes_printf(out,
                  "/* Written by loadstar plan --spmd=header: %s, %.0f units in %.10g s.\n"
                  " *\n"
                  " * nRounds times nCoreTasks[i] units to worker i, in this order; then nLast[i]; "
                  "then\n * nAuxiliary[i]. 0: nothing is sent. */\n"
                  "#ifndef LOADSTAR_SPMD_H\n#define LOADSTAR_SPMD_H\n\n",
                  plan->algorithm, plan->load, plan->makespan_s);
  ls_bytes_printf(out, "enum { nWorkers = %" JSON_INTEGER_FORMAT " };\n",
                  json_integer_value(json_object_get(spmd, "nWorkers")));
  ls_bytes_printf(out, "static const unsigned long long nRounds = %" JSON_INTEGER_FORMAT ";\n",
                  json_integer_value(json_object_get(spmd, "nRounds")));
  write_array(spmd, "workers", "sendOrder", "numbers of the workers on the platform", out);
  write_array(spmd, "nCoreTasks", "nCoreTasks", "units of an identical round", out);
  write_array(spmd, "last", "nLast", "units of the last round", out);
  write_array(spmd, "auxiliary", "nAuxiliary", "units of the auxiliary round", out);
  ls_bytes_append_text(out, "\n#endif\n");
}

enum ls_status ls_plan_write_spmd(const struct ls_plan *plan, bool is_header, struct ls_bytes *out,
                                  struct ls_error *err) {
  const struct ls_plan_parameter *parameter = find_spmd(plan);
  if (parameter == NULL) return refuse(plan, err);
  if (!is_header) {
    ls_bytes_printf(out, "%s\n", parameter->json);
    return out->failed ? ls_fail(err, LS_ENOMEM, "--spmd: out of memory") : LS_OK;
  }
  json_t *spmd = NULL;
  struct ls_text text = {parameter->json, strlen(parameter->json), "spmd"};
  enum ls_status status = ls_json_parse(text, &spmd, err);
  if (status != LS_OK) return status;
  write_header(plan, spmd, out);
  json_decref(spmd);
  return out->failed ? ls_fail(err, LS_ENOMEM, "--spmd: out of memory") : LS_OK;
}
