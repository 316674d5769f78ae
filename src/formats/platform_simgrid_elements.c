/* platform_simgrid_elements.c: what the elements of SimGrid's XML say of hosts, links and routes.
 */
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "formats/platform_simgrid_elements.h"
#include "model/platform_build.h"

enum { ATTRIBUTES_MOST = 8 };

/* Attributes of one element by name; NULL: absent. */
struct attributes {
  const char *const *known; /* NULL-terminated */
  const char *values[ATTRIBUTES_MOST];
};

size_t ls_simgrid_line(const struct ls_simgrid_parsing *parsing) {
  return (size_t)XML_GetCurrentLineNumber(parsing->parser);
}

static void stop(struct ls_simgrid_parsing *parsing, enum ls_status status) {
  assert(status != LS_OK);
  parsing->status = status;
  XML_StopParser(parsing->parser, XML_FALSE);
}

void ls_simgrid_refuse(struct ls_simgrid_parsing *parsing, const char *format, ...) {
  if (parsing->status != LS_OK) return;
  struct ls_bytes text = {0};
  char words[256];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(words, sizeof words, format, arguments);
  va_end(arguments);
  assert(words[0] != '\0');
  ls_bytes_printf(&text, "%s: line %zu: %s", parsing->document->source, ls_simgrid_line(parsing),
                  words);
  stop(parsing, ls_fail(parsing->err, LS_EINVAL, "%s", ls_bytes_text(&text)));
  ls_bytes_close(&text);
}

void ls_simgrid_lack_memory(struct ls_simgrid_parsing *parsing) {
  stop(parsing, ls_fail(parsing->err, LS_ENOMEM, "%s: out of memory", parsing->document->source));
}

/* Fills `found`; refuses attributes that are not known. */
static bool read_attributes(struct ls_simgrid_parsing *parsing, const char *element,
                            const char **given, struct attributes *found) {
  for (; given[0] != NULL; given += 2) {
    size_t i = 0;
    while (found->known[i] != NULL && strcmp(found->known[i], given[0]) != 0) i++;
    if (found->known[i] == NULL) {
      ls_simgrid_refuse(parsing, "attribute %.40s of <%s> has no meaning here", given[0], element);
      return false;
    }
    assert(i < ATTRIBUTES_MOST);
    found->values[i] = given[1];
  }
  return true;
}

/* The attribute, which must be there and not empty. */
static const char *need(struct ls_simgrid_parsing *parsing, const struct attributes *found,
                        size_t index, const char *element) {
  assert(index < ATTRIBUTES_MOST);
  const char *value = found->values[index];
  if (value != NULL && value[0] != '\0') return value;
  ls_simgrid_refuse(parsing, "<%s> lacks the attribute %s", element, found->known[index]);
  return NULL;
}

static bool read_quantity(struct ls_simgrid_parsing *parsing, enum ls_simgrid_quantity quantity,
                          const char *name, const char *text, double *value) {
  static const char *const expected[] = {[LS_SIMGRID_SPEED] = "a speed such as 1.5Gf",
                                         [LS_SIMGRID_BANDWIDTH] = "a bandwidth such as 125MBps",
                                         [LS_SIMGRID_TIME] = "a time such as 50us"};
  assert((size_t)quantity < sizeof expected / sizeof *expected);
  if (ls_simgrid_quantity_read(quantity, text, value)) return true;
  ls_simgrid_refuse(parsing, "%s is '%.40s', expected %s", name, text, expected[quantity]);
  return false;
}

static bool read_number(struct ls_simgrid_parsing *parsing, const char *name, const char *text,
                        double *value) {
  char *end = NULL;
  double number = strtod(text, &end);
  bool is_number = (text[0] >= '0' && text[0] <= '9') || text[0] == '.';
  bool is_decimal = is_number && text[1] != 'x' && text[1] != 'X';
  if (is_decimal && *end == '\0' && isfinite(number)) {
    assert(number >= 0);
    *value = number;
    return true;
  }
  ls_simgrid_refuse(parsing, "%s is '%.40s', expected a number >= 0", name, text);
  return false;
}

static bool read_flag(struct ls_simgrid_parsing *parsing, const char *name, const char *text,
                      bool *flag) {
  bool is_true = strcasecmp(text, "true") == 0 || strcasecmp(text, "yes") == 0;
  if (is_true || strcasecmp(text, "false") == 0 || strcasecmp(text, "no") == 0) {
    *flag = is_true;
    return true;
  }
  ls_simgrid_refuse(parsing, "%s is '%.40s', expected true or false", name, text);
  return false;
}

static void open_zone(struct ls_simgrid_parsing *parsing, const char **given) {
  static const char *const known[] = {"id", "routing", NULL};
  struct attributes found = {.known = known};
  if (!read_attributes(parsing, "zone", given, &found)) return;
  assert(parsing->depth > 0);
  if (parsing->has_zone) {
    ls_simgrid_refuse(parsing, "a second zone: only one zone with hosts, links and routes is read");
    return;
  }
  parsing->has_zone = true;
  if (found.values[1] != NULL && strcasecmp(found.values[1], "Full") != 0)
    ls_simgrid_refuse(parsing, "routing is '%.40s', expected Full: every route is given",
                      found.values[1]);
}

static void open_host(struct ls_simgrid_parsing *parsing, const char **given) {
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
    ls_simgrid_refuse(parsing, "core is '%.40s', expected a whole number >= 1", found.values[2]);
    return;
  }
  void *items = document->hosts;
  struct ls_simgrid_host host = {
      .name = strdup(name), .model = ls_platform_free_worker(), .speed = speed_value * cores};
  if (host.name == NULL || ls_array_reserve(&items, &document->hosts_capacity,
                                            document->hosts_count + 1, sizeof host) != LS_OK) {
    free(host.name);
    ls_simgrid_lack_memory(parsing);
    return;
  }
  assert(host.speed >= 0 && document->hosts_count < document->hosts_capacity);
  document->hosts = items;
  document->hosts[document->hosts_count++] = host;
}

static void open_link(struct ls_simgrid_parsing *parsing, const char **given) {
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
    ls_simgrid_refuse(parsing, "bandwidth is '%.40s', expected more than 0", bandwidth);
    return;
  }
  if (parsing->has_sorted_links) {
    ls_simgrid_refuse(
        parsing, "link '%.40s' stands after a route, expected all links before the routes", name);
    return;
  }
  void *items = document->links;
  link.name = strdup(name);
  if (link.name == NULL || ls_array_reserve(&items, &document->links_capacity,
                                            document->links_count + 1, sizeof link) != LS_OK) {
    free(link.name);
    ls_simgrid_lack_memory(parsing);
    return;
  }
  assert(link.latency_s >= 0 && document->links_count < document->links_capacity);
  document->links = items;
  document->links[document->links_count++] = link;
}

static int compare_links(const void *a, const void *b) {
  return strcmp(((const struct ls_simgrid_link *)a)->name,
                ((const struct ls_simgrid_link *)b)->name);
}

/* From the first route on, links are looked up by name. */
static bool sort_links(struct ls_simgrid_parsing *parsing) {
  struct ls_simgrid_document *document = parsing->document;
  size_t count = document->links_count;
  if (parsing->has_sorted_links) return true;
  if (count > 0) qsort(document->links, count, sizeof *document->links, compare_links);
  assert(document->routes_count == 0);
  parsing->has_sorted_links = true;
  for (size_t i = 1; i < count; i++) {
    assert(compare_links(&document->links[i - 1], &document->links[i]) <= 0);
    if (compare_links(&document->links[i - 1], &document->links[i]) != 0) continue;
    ls_simgrid_refuse(parsing, "two links above are called '%.40s'", document->links[i].name);
    return false;
  }
  return true;
}

static void open_route(struct ls_simgrid_parsing *parsing, const char **given) {
  static const char *const known[] = {"src", "dst", "symmetrical", NULL};
  struct attributes found = {.known = known};
  struct ls_simgrid_document *document = parsing->document;
  if (!read_attributes(parsing, "route", given, &found)) return;
  struct ls_simgrid_route route = {
      .is_symmetrical = true, .bandwidth = (double)INFINITY, .line = ls_simgrid_line(parsing)};
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
    ls_simgrid_lack_memory(parsing);
    return;
  }
  assert(parsing->has_sorted_links && document->routes_count < document->routes_capacity);
  document->routes = items;
  document->routes[document->routes_count++] = route;
}

static void open_link_of_route(struct ls_simgrid_parsing *parsing, const char **given) {
  static const char *const known[] = {"id", "direction", NULL};
  struct attributes found = {.known = known};
  struct ls_simgrid_document *document = parsing->document;
  if (!read_attributes(parsing, "link_ctn", given, &found)) return;
  const char *name = need(parsing, &found, 0, "link_ctn");
  if (name == NULL) return;
  assert(parsing->has_sorted_links && document->routes_count > 0);
  struct ls_simgrid_route *route = &document->routes[document->routes_count - 1];
  struct ls_simgrid_link key = {.name = (char *)name};
  const struct ls_simgrid_link *link = document->links_count == 0
                                           ? NULL
                                           : bsearch(&key, document->links, document->links_count,
                                                     sizeof *document->links, compare_links);
  if (link == NULL) {
    ls_simgrid_refuse(parsing, "link '%.40s' is not declared above", name);
    return;
  }
  route->latency_s += link->latency_s;
  route->bandwidth = fmin(route->bandwidth, link->bandwidth);
  assert(route->latency_s >= 0 && route->bandwidth > 0);
}

static void set_host_property(struct ls_simgrid_parsing *parsing, const char *name,
                              const char *value) {
  assert(parsing->document->hosts_count > 0);
  struct ls_simgrid_host *host = &parsing->document->hosts[parsing->document->hosts_count - 1];
  if (strcmp(name, "loadstar.master") == 0) {
    (void)read_flag(parsing, name, value, &host->is_master);
    return;
  }
  if (strcmp(name, "loadstar.on_master") == 0) {
    (void)read_flag(parsing, name, value, &host->model.is_on_master);
    return;
  }
  if (strcmp(name, "loadstar.task_seconds.law") == 0) {
    if (!ls_duration_law_find(value, &host->model.unit_law))
      ls_simgrid_refuse(parsing,
                        "%s is '%.40s', expected normal, gamma, lognormal, exponential, "
                        "shifted-exponential, pareto or stragglers",
                        name, value);
    return;
  }
  for (unsigned i = 0; i < LS_SIMGRID_PROPERTIES; i++) {
    struct ls_simgrid_property property = ls_simgrid_property(i);
    double number = 0;
    if (strcmp(property.name, name) != 0) continue;
    if (!read_number(parsing, name, value, &number)) return;
    memcpy((char *)&host->model + property.offset, &number, sizeof number);
    host->set |= 1U << i;
    return;
  }
  ls_simgrid_refuse(parsing, "property %.60s has no meaning for a host", name);
}

static void set_ports(struct ls_simgrid_parsing *parsing, const char *value) {
  assert(value[0] != '\0');
  for (int i = 0; i <= LS_PORTS_MULTI; i++) {
    if (strcmp(ls_platform_port_names[i], value) != 0) continue;
    parsing->document->globals.ports = (enum ls_ports)i;
    return;
  }
  ls_simgrid_refuse(parsing, "loadstar.ports is '%.40s', expected one-port, two-port or multi-port",
                    value);
}

static void set_limit(struct ls_simgrid_parsing *parsing, const char *name, const char *value,
                      uint64_t *field) {
  double limit = 0;
  if (!read_number(parsing, name, value, &limit)) return;
  if (limit >= 1 && limit <= 0x1p53 && !(floor(limit) < limit))
    *field = (uint64_t)limit;
  else
    ls_simgrid_refuse(parsing, "%.40s is '%.40s', expected a whole number >= 1", name, value);
}

static void set_zone_property(struct ls_simgrid_parsing *parsing, const char *name,
                              const char *value) {
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
  if (strcmp(name, "loadstar.ports") == 0)
    set_ports(parsing, value);
  else if (strcmp(name, "loadstar.limit") == 0)
    set_limit(parsing, name, value, &globals->ports_limit);
  else if (strcmp(name, "loadstar.storage.readers") == 0)
    set_limit(parsing, name, value, &globals->storage_readers);
  else
    ls_simgrid_refuse(parsing, "property %.60s has no meaning for a zone", name);
}

/* Properties of others mean nothing here. */
static void open_property(struct ls_simgrid_parsing *parsing, enum ls_simgrid_element owner,
                          const char **given) {
  assert(owner != LS_SIMGRID_NONE);
  static const char *const known[] = {"id", "value", NULL};
  struct attributes found = {.known = known};
  if (!read_attributes(parsing, "prop", given, &found)) return;
  const char *name = need(parsing, &found, 0, "prop");
  if (name == NULL || strncmp(name, "loadstar.", strlen("loadstar.")) != 0) return;
  const char *value = need(parsing, &found, 1, "prop");
  if (value == NULL) return;
  if (owner == LS_SIMGRID_HOST)
    set_host_property(parsing, name, value);
  else if (owner == LS_SIMGRID_ZONE)
    set_zone_property(parsing, name, value);
  else
    ls_simgrid_refuse(parsing, "property %.60s stands neither in a host nor in the zone", name);
}

void ls_simgrid_open(struct ls_simgrid_parsing *parsing, enum ls_simgrid_element element,
                     enum ls_simgrid_element owner, const char **given) {
  assert(parsing->status == LS_OK && element != LS_SIMGRID_NONE);
  switch (element) {
    case LS_SIMGRID_ZONE:
      open_zone(parsing, given);
      break;
    case LS_SIMGRID_HOST:
      open_host(parsing, given);
      break;
    case LS_SIMGRID_LINK:
      open_link(parsing, given);
      break;
    case LS_SIMGRID_ROUTE:
      open_route(parsing, given);
      break;
    case LS_SIMGRID_LINK_OF_ROUTE:
      open_link_of_route(parsing, given);
      break;
    case LS_SIMGRID_PROPERTY:
      open_property(parsing, owner, given);
      break;
    case LS_SIMGRID_NONE:
    case LS_SIMGRID_PLATFORM:
    case LS_SIMGRID_CONFIG:
      break;
  }
}
