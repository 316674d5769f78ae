/* loadstar.h: everything a program that uses Loadstar needs. */
#ifndef LOADSTAR_H
#define LOADSTAR_H

#include "base/bytes.h"
#include "base/range.h"
#include "base/status.h"
#include "base/text.h"
#include "cli/cli.h"
#include "model/load.h"
#include "model/metrics.h"
#include "model/plan.h"
#include "model/platform.h"
#include "model/replay.h"
#include "model/size_climb.h"
#include "model/timeline.h"
#include "model/validate.h"
#include "runtime/application.h"

#endif
