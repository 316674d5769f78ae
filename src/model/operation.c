#include "model/operation.h"

#include <assert.h>

const char *ls_operation_name(enum ls_operation operation) {
  static const char *const names[LS_OPERATION_COUNT] = {
      [LS_OPERATION_PREPARE] = "prepare",   [LS_OPERATION_SEND] = "send",
      [LS_OPERATION_TRANSFER] = "transfer", [LS_OPERATION_STAGE] = "stage",
      [LS_OPERATION_RECEIVE] = "receive",   [LS_OPERATION_COMPUTE] = "compute",
      [LS_OPERATION_REPLY] = "reply"};
  assert((unsigned)operation < LS_OPERATION_COUNT);
  return names[operation];
}

const char *ls_resource_name(enum ls_resource resource) {
  static const char *const names[LS_RESOURCE_COUNT] = {[LS_RESOURCE_MASTER] = "master",
                                                       [LS_RESOURCE_NETWORK] = "network",
                                                       [LS_RESOURCE_RETURN] = "return",
                                                       [LS_RESOURCE_WORKER] = "worker",
                                                       [LS_RESOURCE_READER] = "reader"};
  assert((unsigned)resource < LS_RESOURCE_COUNT);
  return names[resource];
}
