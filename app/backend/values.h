// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The requests to the worker and their replies: plain values without tensors, so that they may cross threads and be
// freed on any. Includes those of the scoreboard and the maps; analyses have headers of their own in values/. Any
// thread.

#include "app/backend/values/headvalues.h"
#include "app/backend/values/modelvalues.h"
#include "app/backend/values/patternvalues.h"
#include "app/backend/values/promptvalues.h"
#include "app/backend/values/scores.h"
