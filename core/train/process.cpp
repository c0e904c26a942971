// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/process.h"

#include "core/lm/device/threads.h"
#include "core/lm/device/waiting.h"

#include <ATen/Context.h>

#include <malloc.h>

namespace headscope::train {

void prepareProcess(int threads)
{
    // By default glibc gives large blocks back at once, and every step pays for their pages anew.
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 2'000'000'000);
    at::globalContext().setFlushDenormal(true);
    lm::setThreads(threads);
    if (threads > 1)
        lm::letIdleThreadsSleep();
}

} // namespace headscope::train
