/* loadstar.h: everything a program that uses Loadstar needs. */
#ifndef LOADSTAR_H
#define LOADSTAR_H

#include "base/bytes.h"
#include "base/linkage.h"
#include "base/random.h"
#include "base/range.h"
#include "base/ranges.h"
#include "base/status.h"
#include "base/text.h"
#include "calibrate/size_climb.h"
#include "cli/app_words.h"
#include "cli/cli.h"
#include "formats/plan_json.h"
#include "formats/platform_json.h"
#include "formats/timeline_json.h"
#include "model/account.h"
#include "model/duration_law.h"
#include "model/load.h"
#include "model/metrics.h"
#include "model/operation.h"
#include "model/outcome.h"
#include "model/places.h"
#include "model/plan.h"
#include "model/plan_repeat.h"
#include "model/platform.h"
#include "model/replay.h"
#include "model/timeline.h"
#include "model/validate.h"
#include "model/windows.h"
#include "runtime/application.h"

#endif
