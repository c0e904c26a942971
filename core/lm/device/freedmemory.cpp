// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/device/freedmemory.h"

#ifdef __linux__
#include <malloc.h>
#endif

namespace headscope::lm {

void returnFreedMemory()
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

} // namespace headscope::lm
