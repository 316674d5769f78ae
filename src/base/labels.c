#include "base/labels.h"

#include <string.h>

static bool is_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '.' || letter == '_' || letter == '-';
}

bool ls_label_is_good(const char *label, size_t length) {
  if (length < 1 || length > LS_LABEL_LETTERS_MAX) return false;
  for (size_t i = 0; i < length; ++i)
    if (!is_letter(label[i])) return false;
  return true;
}

enum ls_status ls_label_check(const char *field, const char *label, struct ls_error *err) {
  if (ls_label_is_good(label, strlen(label))) return LS_OK;
  char shown[LS_LABEL_LETTERS_MAX + 16];
  size_t length = 0;
  /* It is shown on a terminal. */
  for (; label[length] != '\0' && length < sizeof shown - 1; ++length) {
    bool is_plain = label[length] >= ' ' && label[length] < 0x7f;
    shown[length] = is_plain ? label[length] : '?';
  }
  shown[length] = '\0';
  return ls_fail(err, LS_EINVAL, "%s is '%s', expected a label of " LS_LABEL_EXPECTED, field,
                 shown);
}

const char *ls_labels_next(const char **at, size_t *length) {
  const char *label = *at;
  if (*label == '\0') return NULL;
  *length = strcspn(label, ",");
  *at = label + *length + (label[*length] == ',');
  return label;
}

bool ls_labels_have(const char *labels, const char *label) {
  const char *at = labels != NULL ? labels : "", *item;
  size_t length = 0;
  while ((item = ls_labels_next(&at, &length)) != NULL)
    if (strlen(label) == length && memcmp(item, label, length) == 0) return true;
  return false;
}

enum ls_status ls_labels_add(char labels[LS_LABELS_BYTES], const char *field, const char *label,
                             struct ls_error *err) {
  enum ls_status status = ls_label_check(field, label, err);
  if (status != LS_OK || ls_labels_have(labels, label)) return status;
  size_t before = strlen(labels), more = strlen(label);
  if (before + more + 2 > LS_LABELS_BYTES)
    return ls_fail(err, LS_EINVAL, "%s is '%s', expected labels of at most %d letters in all",
                   field, label, LS_LABELS_BYTES - 1);
  if (before > 0) labels[before++] = ',';
  memcpy(labels + before, label, more + 1);
  return LS_OK;
}

enum ls_status ls_labels_read(char labels[LS_LABELS_BYTES], const char *field, const char *text,
                              char separator, struct ls_error *err) {
  char read[LS_LABELS_BYTES] = "";
  const char separators[] = {separator, '\0'};
  enum ls_status status = LS_OK;
  for (const char *at = text; status == LS_OK;) {
    /* One letter more than is good is refused. */
    char label[LS_LABEL_LETTERS_MAX + 2];
    size_t length = strcspn(at, separators);
    size_t kept = length < sizeof label ? length : sizeof label - 1;
    memcpy(label, at, kept);
    label[kept] = '\0';
    status = ls_labels_add(read, field, label, err);
    if (at[length] == '\0') break;
    at += length + 1;
  }
  if (status == LS_OK) memcpy(labels, read, sizeof read);
  return status;
}
