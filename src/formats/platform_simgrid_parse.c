/* platform_simgrid_parse.c: from XML text to hosts, links and routes: what may stand where. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "formats/platform_simgrid_elements.h"
#include "model/platform_build.h"

enum { BLOCK_BYTES = 1 << 20 };

struct rule {
  const char *name;
  enum ls_simgrid_element element, owners[4];
};

/* What may stand in what. LS_SIMGRID_NONE as first owner is the top; after others it ends them. */
static const struct rule rules[] = {
    {"platform", LS_SIMGRID_PLATFORM, {LS_SIMGRID_NONE}},
    {"config", LS_SIMGRID_CONFIG, {LS_SIMGRID_PLATFORM}},
    {"zone", LS_SIMGRID_ZONE, {LS_SIMGRID_PLATFORM, LS_SIMGRID_ZONE}},
    {"AS", LS_SIMGRID_ZONE, {LS_SIMGRID_PLATFORM, LS_SIMGRID_ZONE}},
    {"host", LS_SIMGRID_HOST, {LS_SIMGRID_ZONE}},
    {"link", LS_SIMGRID_LINK, {LS_SIMGRID_ZONE}},
    {"route", LS_SIMGRID_ROUTE, {LS_SIMGRID_ZONE}},
    {"link_ctn", LS_SIMGRID_LINK_OF_ROUTE, {LS_SIMGRID_ROUTE}},
    {"prop", LS_SIMGRID_PROPERTY, {LS_SIMGRID_ZONE, LS_SIMGRID_HOST, LS_SIMGRID_LINK}},
    {"prop", LS_SIMGRID_PROPERTY, {LS_SIMGRID_CONFIG}}};

static enum ls_simgrid_element find_element(const char *name, enum ls_simgrid_element owner) {
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    if (strcmp(rules[i].name, name) != 0) continue;
    for (size_t k = 0; k < 4 && (k == 0 || rules[i].owners[k] != LS_SIMGRID_NONE); k++)
      if (rules[i].owners[k] == owner) return rules[i].element;
  }
  return LS_SIMGRID_NONE;
}

static void XMLCALL on_start(void *context, const char *name, const char **given) {
  struct ls_simgrid_parsing *parsing = context;
  if (parsing->status != LS_OK) return;
  assert(parsing->depth <= LS_SIMGRID_DEPTH_MOST);
  enum ls_simgrid_element owner =
      parsing->depth == 0 ? LS_SIMGRID_NONE : parsing->open[parsing->depth - 1];
  enum ls_simgrid_element element = find_element(name, owner);
  if (element == LS_SIMGRID_NONE || parsing->depth == LS_SIMGRID_DEPTH_MOST) {
    ls_simgrid_refuse(
        parsing, "<%.40s> is not read here, expected a platform of one zone with host, link, route",
        name);
    return;
  }
  assert(parsing->depth < LS_SIMGRID_DEPTH_MOST);
  parsing->open[parsing->depth++] = element;
  ls_simgrid_open(parsing, element, owner, given);
}

static void XMLCALL on_end(void *context, const char *name) {
  struct ls_simgrid_parsing *parsing = context;
  (void)name;
  if (parsing->status != LS_OK) return;
  assert(parsing->depth > 0);
  parsing->depth--;
}

/* Declarations of its own could hold an entity, which could grow without bound or name a file. */
static void XMLCALL on_document_type(void *context, const char *name, const char *system,
                                     const char *public, int has_declarations) {
  (void)name;
  (void)system;
  (void)public;
  if (has_declarations)
    ls_simgrid_refuse(context, "<!DOCTYPE> with declarations of its own is not read");
}

static void report_malformed(struct ls_simgrid_parsing *parsing) {
  enum XML_Error code = XML_GetErrorCode(parsing->parser);
  assert(code != XML_ERROR_NONE && parsing->status == LS_OK);
  if (code == XML_ERROR_NO_MEMORY) {
    ls_simgrid_lack_memory(parsing);
    return;
  }
  size_t column = (size_t)XML_GetCurrentColumnNumber(parsing->parser) + 1;
  parsing->status =
      ls_fail(parsing->err, LS_EINVAL, "%s: line %zu, column %zu: malformed XML: %s",
              parsing->document->source, ls_simgrid_line(parsing), column, XML_ErrorString(code));
}

enum ls_status ls_simgrid_parse(struct ls_simgrid_document *document, struct ls_text text,
                                struct ls_error *err) {
  *document =
      (struct ls_simgrid_document){.source = text.source, .globals = ls_platform_without_workers()};
  struct ls_simgrid_parsing parsing = {.document = document, .err = err};
  parsing.parser = XML_ParserCreate(NULL);
  if (parsing.parser == NULL) return ls_fail(err, LS_ENOMEM, "%s: out of memory", text.source);
  XML_SetUserData(parsing.parser, &parsing);
  XML_SetElementHandler(parsing.parser, on_start, on_end);
  XML_SetStartDoctypeDeclHandler(parsing.parser, on_document_type);
  for (size_t at = 0; parsing.status == LS_OK;) {
    size_t count = text.length - at < BLOCK_BYTES ? text.length - at : BLOCK_BYTES;
    bool is_last = at + count == text.length;
    assert(at + count <= text.length);
    enum XML_Status parsed = XML_Parse(parsing.parser, text.data + at, (int)count, is_last);
    if (parsed != XML_STATUS_OK && parsing.status == LS_OK) report_malformed(&parsing);
    at += count;
    if (is_last) break;
  }
  /* What the parser took for well formed was closed again. */
  assert(parsing.status != LS_OK || parsing.depth == 0);
  XML_ParserFree(parsing.parser);
  return parsing.status;
}

void ls_simgrid_document_close(struct ls_simgrid_document *document) {
  assert(document->hosts_count <= document->hosts_capacity);
  assert(document->links_count <= document->links_capacity);
  assert(document->routes_count <= document->routes_capacity);
  for (size_t i = 0; i < document->hosts_count; i++) free(document->hosts[i].name);
  for (size_t i = 0; i < document->links_count; i++) free(document->links[i].name);
  for (size_t i = 0; i < document->routes_count; i++) {
    free(document->routes[i].from);
    free(document->routes[i].to);
  }
  free(document->hosts);
  free(document->links);
  free(document->routes);
  *document = (struct ls_simgrid_document){.hosts = NULL};
}
