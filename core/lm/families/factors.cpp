// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/families/factors.h"

#include <cmath>

namespace headscope::lm {

double readFactor(Config& config, const char* key, double fallback)
{
    const double value = config.number(key, fallback);
    if (!config.has(key) || (value > 0 && std::isfinite(value)))
        return value;
    config.fail("'" + std::string(key) + "' in config.json is " + std::to_string(value)
                + "; expected a number above 0.");
    return 1;
}

double readCap(Config& config, const char* key, double fallback)
{
    return config.contains(key) && !config.has(key) ? 0.0 : readFactor(config, key, fallback);
}

} // namespace headscope::lm
