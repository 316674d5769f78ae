/* platform_simgrid_parse.c: from XML text to hosts, links and routes. */
#include <expat.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/platform_private.h"
#include "model/platform_simgrid_private.h"

enum { BLOCK_BYTES = 1 << 20, DEPTH_MOST = 16, ATTRIBUTES_MOST = 8 };

enum element { ELEMENT_NONE, PLATFORM, ZONE, HOST, LINK, ROUTE, LINK_OF_ROUTE, PROPERTY, CONFIG };

struct parsing {
  XML_Parser parser;
  struct ls_simgrid_document *document;
  enum ls_status status;
  struct ls_error *err;
  enum element open[DEPTH_MOST];
  size_t depth;
  bool has_zone, has_sorted_links;
};

/* Attributes of one element by name; NULL: absent. */
struct attributes {
  const char *const *known; /* NULL-terminated */
  const char *values[ATTRIBUTES_MOST];
};

static size_t find_line(const struct parsing *parsing) {
  return (size_t)XML_GetCurrentLineNumber(parsing->parser);
}

static void stop(struct parsing *parsing, enum ls_status status) {
  parsing->status = status;
  XML_StopParser(parsing->parser, XML_FALSE);
}

/* "SOURCE: line 12: what". */
static void refuse(struct parsing *parsing, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void refuse(struct parsing *parsing, const char *format, ...) {
  if (parsing->status != LS_OK) return;
  struct ls_bytes text = {0};
  char words[256];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  ls_bytes_printf(&text, "%s: line %zu: %s", parsing->document->source, find_line(parsing), words);
  stop(parsing, ls_fail(parsing->err, LS_EINVAL, "%s", ls_bytes_text(&text)));
  ls_bytes_close(&text);
}

static void lack_memory(struct parsing *parsing) {
  stop(parsing, ls_fail(parsing->err, LS_ENOMEM, "%s: out of memory", parsing->document->source));
}

/* Fills `found`; refuses attributes that are not known. */
static bool read_attributes(struct parsing *parsing, const char *element, const char **given,
                            struct attributes *found) {
  for (; given[0] != NULL; given += 2) {
    size_t i = 0;
    while (found->known[i] != NULL && strcmp(found->known[i], given[0]) != 0) i++;
    if (found->known[i] == NULL) {
      refuse(parsing, "attribute %.40s of <%s> has no meaning here", given[0], element);
      return false;
    }
    found->values[i] = given[1];
  }
  return true;
}

/* The attribute, which must be there and not empty. */
static const char *need(struct parsing *parsing, const struct attributes *found, size_t index,
                        const char *element) {
  const char *value = found->values[index];
  if (value != NULL && value[0] != '\0') return value;
  refuse(parsing, "<%s> lacks the attribute %s", element, found->known[index]);
  return NULL;
}

static bool read_quantity(struct parsing *parsing, enum ls_simgrid_quantity quantity,
                          const char *name, const char *text, double *value) {
  static const char *const expected[] = {[LS_SIMGRID_SPEED] = "a speed such as 1.5Gf",
                                         [LS_SIMGRID_BANDWIDTH] = "a bandwidth such as 125MBps",
                                         [LS_SIMGRID_TIME] = "a time such as 50us"};
  if (ls_simgrid_quantity_read(quantity, text, value)) return true;
  refuse(parsing, "%s is '%.40s', expected %s", name, text, expected[quantity]);
  return false;
}

static bool read_number(struct parsing *parsing, const char *name, const char *text,
                        double *value) {
  char *end = NULL;
  double number = strtod(text, &end);
  bool is_number = (text[0] >= '0' && text[0] <= '9') || text[0] == '.';
  bool is_decimal = is_number && text[1] != 'x' && text[1] != 'X';
  if (is_decimal && *end == '\0' && isfinite(number)) {
    *value = number;
    return true;
  }
  refuse(parsing, "%s is '%.40s', expected a number >= 0", name, text);
  return false;
}

static bool read_flag(struct parsing *parsing, const char *name, const char *text, bool *flag) {
  bool is_true = strcasecmp(text, "true") == 0 || strcasecmp(text, "yes") == 0;
  if (is_true || strcasecmp(text, "false") == 0 || strcasecmp(text, "no") == 0) {
    *flag = is_true;
    return true;
  }
  refuse(parsing, "%s is '%.40s', expected true or false", name, text);
  return false;
}

static void open_zone(struct parsing *parsing, const char **given) {
  static const char *const known[] = {"id", "routing", NULL};
  struct attributes found = {.known = known};
  if (!read_attributes(parsing, "zone", given, &found)) return;
  if (parsing->has_zone) {
    refuse(parsing, "a second zone: only one zone with hosts, links and routes is read");
    return;
  }
  parsing->has_zone = true;
  if (found.values[1] != NULL && strcasecmp(found.values[1], "Full") != 0)
    refuse(parsing, "routing is '%.40s', expected Full: every route is given", found.values[1]);
}

static void open_host(struct parsing *parsing, const char **given) {
  static const char *const known[] = {"id", "speed", "core", NULL};
  struct attributes found = {.known = known};
  struct ls_simgrid_document *document = parsing->document;
  if (!read_attributes(parsing, "host", given, &found)) return;
  const char *name = need(parsing, &found, 0, "host");
  const char *speed = name == NULL ? NULL : need(parsing, &found, 1, "host");
  double speed_value = 0, cores = 1;
  if (speed == NULL || !read_quantity(parsing, LS_SIMGRID_SPEED, "speed", speed, &speed_value) ||
      (found.values[2] != NULL && !read_number(parsing, "core", found.values[2], &cores)))
    return;
  if (!(cores >= 1) || floor(cores) < cores) {
    refuse(parsing, "core is '%.40s', expected a whole number >= 1", found.values[2]);
    return;
  }
  void *items = document->hosts;
  struct ls_simgrid_host host = {
      .name = strdup(name), .model = ls_platform_free_worker(), .speed = speed_value * cores};
  if (host.name == NULL || ls_array_reserve(&items, &document->hosts_capacity,
                                            document->hosts_count + 1, sizeof host) != LS_OK) {
    free(host.name);
    lack_memory(parsing);
    return;
  }
  document->hosts = items;
  document->hosts[document->hosts_count++] = host;
}

static void open_link(struct parsing *parsing, const char **given) {
  static const char *const known[] = {"id", "bandwidth", "latency", "sharing_policy", NULL};
  struct attributes found = {.known = known};
  struct ls_simgrid_document *document = parsing->document;
  if (!read_attributes(parsing, "link", given, &found)) return;
  const char *name = need(parsing, &found, 0, "link");
  const char *bandwidth = name == NULL ? NULL : need(parsing, &found, 1, "link");
  struct ls_simgrid_link link = {.latency_s = 0};
  if (bandwidth == NULL ||
      !read_quantity(parsing, LS_SIMGRID_BANDWIDTH, "bandwidth", bandwidth, &link.bandwidth) ||
      (found.values[2] != NULL &&
       !read_quantity(parsing, LS_SIMGRID_TIME, "latency", found.values[2], &link.latency_s)))
    return;
  if (!(link.bandwidth > 0)) {
    refuse(parsing, "bandwidth is '%.40s', expected more than 0", bandwidth);
    return;
  }
  if (parsing->has_sorted_links) {
    refuse(parsing, "link '%.40s' stands behind a route, expected all links in front", name);
    return;
  }
  void *items = document->links;
  link.name = strdup(name);
  if (link.name == NULL || ls_array_reserve(&items, &document->links_capacity,
                                            document->links_count + 1, sizeof link) != LS_OK) {
    free(link.name);
    lack_memory(parsing);
    return;
  }
  document->links = items;
  document->links[document->links_count++] = link;
}

static int compare_links(const void *a, const void *b) {
  return strcmp(((const struct ls_simgrid_link *)a)->name,
                ((const struct ls_simgrid_link *)b)->name);
}

/* From the first route on, links are looked up by name. */
static bool sort_links(struct parsing *parsing) {
  struct ls_simgrid_document *document = parsing->document;
  size_t count = document->links_count;
  if (parsing->has_sorted_links) return true;
  if (count > 0) qsort(document->links, count, sizeof *document->links, compare_links);
  parsing->has_sorted_links = true;
  for (size_t i = 1; i < count; i++) {
    if (compare_links(&document->links[i - 1], &document->links[i]) != 0) continue;
    refuse(parsing, "two links above are called '%.40s'", document->links[i].name);
    return false;
  }
  return true;
}

static void open_route(struct parsing *parsing, const char **given) {
  static const char *const known[] = {"src", "dst", "symmetrical", NULL};
  struct attributes found = {.known = known};
  struct ls_simgrid_document *document = parsing->document;
  if (!read_attributes(parsing, "route", given, &found)) return;
  struct ls_simgrid_route route = {
      .is_symmetrical = true, .bandwidth = (double)INFINITY, .line = find_line(parsing)};
  const char *from = need(parsing, &found, 0, "route");
  const char *to = from == NULL ? NULL : need(parsing, &found, 1, "route");
  if (to == NULL || (found.values[2] != NULL &&
                     !read_flag(parsing, "symmetrical", found.values[2], &route.is_symmetrical)))
    return;
  if (!sort_links(parsing)) return;
  void *items = document->routes;
  route.from = strdup(from);
  route.to = strdup(to);
  if (route.from == NULL || route.to == NULL ||
      ls_array_reserve(&items, &document->routes_capacity, document->routes_count + 1,
                       sizeof route) != LS_OK) {
    free(route.from);
    free(route.to);
    lack_memory(parsing);
    return;
  }
  document->routes = items;
  document->routes[document->routes_count++] = route;
}

static void open_link_of_route(struct parsing *parsing, const char **given) {
  static const char *const known[] = {"id", "direction", NULL};
  struct attributes found = {.known = known};
  struct ls_simgrid_document *document = parsing->document;
  if (!read_attributes(parsing, "link_ctn", given, &found)) return;
  const char *name = need(parsing, &found, 0, "link_ctn");
  if (name == NULL) return;
  struct ls_simgrid_route *route = &document->routes[document->routes_count - 1];
  struct ls_simgrid_link key = {.name = (char *)name};
  const struct ls_simgrid_link *link = document->links_count == 0
                                           ? NULL
                                           : bsearch(&key, document->links, document->links_count,
                                                     sizeof *document->links, compare_links);
  if (link == NULL) {
    refuse(parsing, "link '%.40s' is not declared above", name);
    return;
  }
  route->latency_s += link->latency_s;
  route->bandwidth = fmin(route->bandwidth, link->bandwidth);
}

static void set_host_property(struct parsing *parsing, const char *name, const char *value) {
  struct ls_simgrid_host *host = &parsing->document->hosts[parsing->document->hosts_count - 1];
  if (strcmp(name, "loadstar.master") == 0) {
    (void)read_flag(parsing, name, value, &host->is_master);
    return;
  }
  if (strcmp(name, "loadstar.on_master") == 0) {
    (void)read_flag(parsing, name, value, &host->model.is_on_master);
    return;
  }
  size_t i = 0;
  while (i < LS_SIMGRID_PROPERTIES && strcmp(ls_simgrid_properties[i].name, name) != 0) i++;
  if (i == LS_SIMGRID_PROPERTIES) {
    refuse(parsing, "property %.60s has no meaning for a host", name);
    return;
  }
  char *field = (char *)&host->model + ls_simgrid_properties[i].offset;
  double number = 0;
  if (!read_number(parsing, name, value, &number)) return;
  memcpy(field, &number, sizeof number);
  host->set |= 1U << i;
}

static void set_ports(struct parsing *parsing, const char *value) {
  for (int i = 0; i <= LS_PORTS_MULTI; i++) {
    if (strcmp(ls_platform_port_names[i], value) != 0) continue;
    parsing->document->globals.ports = (enum ls_ports)i;
    return;
  }
  refuse(parsing, "loadstar.ports is '%.40s', expected one-port, two-port or multi-port", value);
}

static void set_zone_property(struct parsing *parsing, const char *name, const char *value) {
  struct ls_platform *globals = &parsing->document->globals;
  const struct {
    const char *name;
    double *field;
  } numbers[] = {{"loadstar.alpha", &globals->ports_alpha},
                 {"loadstar.share", &globals->master_share},
                 {"loadstar.prepare.latency", &globals->prepare.latency_s},
                 {"loadstar.prepare.per_unit", &globals->prepare.per_unit_s}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (strcmp(numbers[i].name, name) == 0) {
      (void)read_number(parsing, name, value, numbers[i].field);
      return;
    }
  double limit = 0;
  if (strcmp(name, "loadstar.ports") == 0) {
    set_ports(parsing, value);
  } else if (strcmp(name, "loadstar.limit") != 0) {
    refuse(parsing, "property %.60s has no meaning for a zone", name);
  } else if (read_number(parsing, name, value, &limit)) {
    if (limit >= 1 && limit <= 0x1p53 && !(floor(limit) < limit))
      globals->ports_limit = (uint64_t)limit;
    else
      refuse(parsing, "loadstar.limit is '%.40s', expected a whole number >= 1", value);
  }
}

/* Properties of others mean nothing here. */
static void open_property(struct parsing *parsing, enum element owner, const char **given) {
  static const char *const known[] = {"id", "value", NULL};
  struct attributes found = {.known = known};
  if (!read_attributes(parsing, "prop", given, &found)) return;
  const char *name = need(parsing, &found, 0, "prop");
  if (name == NULL || strncmp(name, "loadstar.", strlen("loadstar.")) != 0) return;
  const char *value = need(parsing, &found, 1, "prop");
  if (value == NULL) return;
  if (owner == HOST)
    set_host_property(parsing, name, value);
  else if (owner == ZONE)
    set_zone_property(parsing, name, value);
  else
    refuse(parsing, "property %.60s stands neither in a host nor in the zone", name);
}

struct rule {
  const char *name;
  enum element element, owners[4];
};

/* What may stand in what. ELEMENT_NONE as first owner is the top; after others it ends them. */
static const struct rule rules[] = {{"platform", PLATFORM, {ELEMENT_NONE}},
                                    {"config", CONFIG, {PLATFORM}},
                                    {"zone", ZONE, {PLATFORM, ZONE}},
                                    {"AS", ZONE, {PLATFORM, ZONE}},
                                    {"host", HOST, {ZONE}},
                                    {"link", LINK, {ZONE}},
                                    {"route", ROUTE, {ZONE}},
                                    {"link_ctn", LINK_OF_ROUTE, {ROUTE}},
                                    {"prop", PROPERTY, {ZONE, HOST, LINK}},
                                    {"prop", PROPERTY, {CONFIG}}};

static enum element find_element(const char *name, enum element owner) {
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    if (strcmp(rules[i].name, name) != 0) continue;
    for (size_t k = 0; k < 4 && (k == 0 || rules[i].owners[k] != ELEMENT_NONE); k++)
      if (rules[i].owners[k] == owner) return rules[i].element;
  }
  return ELEMENT_NONE;
}

static void XMLCALL on_start(void *context, const char *name, const char **given) {
  struct parsing *parsing = context;
  if (parsing->status != LS_OK) return;
  enum element owner = parsing->depth == 0 ? ELEMENT_NONE : parsing->open[parsing->depth - 1];
  enum element element = find_element(name, owner);
  if (element == ELEMENT_NONE || parsing->depth == DEPTH_MOST) {
    refuse(parsing,
           "<%.40s> is not read here, expected a platform of one zone with host, link, route",
           name);
    return;
  }
  parsing->open[parsing->depth++] = element;
  if (element == ZONE) open_zone(parsing, given);
  if (element == HOST) open_host(parsing, given);
  if (element == LINK) open_link(parsing, given);
  if (element == ROUTE) open_route(parsing, given);
  if (element == LINK_OF_ROUTE) open_link_of_route(parsing, given);
  if (element == PROPERTY) open_property(parsing, owner, given);
}

static void XMLCALL on_end(void *context, const char *name) {
  struct parsing *parsing = context;
  (void)name;
  if (parsing->status == LS_OK) parsing->depth--;
}

/* Declarations of its own could hold an entity, which could grow without bound or name a file. */
static void XMLCALL on_document_type(void *context, const char *name, const char *system,
                                     const char *public, int has_declarations) {
  (void)name;
  (void)system;
  (void)public;
  if (has_declarations) refuse(context, "<!DOCTYPE> with declarations of its own is not read");
}

static void report_malformed(struct parsing *parsing) {
  enum XML_Error code = XML_GetErrorCode(parsing->parser);
  if (code == XML_ERROR_NO_MEMORY) {
    lack_memory(parsing);
    return;
  }
  size_t column = (size_t)XML_GetCurrentColumnNumber(parsing->parser) + 1;
  parsing->status =
      ls_fail(parsing->err, LS_EINVAL, "%s: line %zu, column %zu: malformed XML: %s",
              parsing->document->source, find_line(parsing), column, XML_ErrorString(code));
}

enum ls_status ls_simgrid_parse(struct ls_simgrid_document *document, struct ls_text text,
                                struct ls_error *err) {
  *document =
      (struct ls_simgrid_document){.source = text.source, .globals = ls_platform_without_workers()};
  struct parsing parsing = {.document = document, .err = err};
  parsing.parser = XML_ParserCreate(NULL);
  if (parsing.parser == NULL) return ls_fail(err, LS_ENOMEM, "%s: out of memory", text.source);
  XML_SetUserData(parsing.parser, &parsing);
  XML_SetElementHandler(parsing.parser, on_start, on_end);
  XML_SetStartDoctypeDeclHandler(parsing.parser, on_document_type);
  for (size_t at = 0; parsing.status == LS_OK;) {
    size_t count = text.length - at < BLOCK_BYTES ? text.length - at : BLOCK_BYTES;
    bool is_last = at + count == text.length;
    enum XML_Status parsed = XML_Parse(parsing.parser, text.data + at, (int)count, is_last);
    if (parsed != XML_STATUS_OK && parsing.status == LS_OK) report_malformed(&parsing);
    at += count;
    if (is_last) break;
  }
  XML_ParserFree(parsing.parser);
  return parsing.status;
}

void ls_simgrid_document_close(struct ls_simgrid_document *document) {
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
