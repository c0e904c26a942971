// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/family.h"

#include "core/lm/families/families.h"

#include <array>

namespace headscope::lm {

namespace {

struct Entry {
    const char* name; ///< config's model_type, or the name Config::family() gives
    FamilyBuilder build;
};

constexpr std::array kFamilies = {
    Entry{"llama", buildLlama},
};

} // namespace

FamilyBuilder findFamily(const std::string& name)
{
    for (const Entry& entry : kFamilies)
        if (name == entry.name)
            return entry.build;
    return nullptr;
}

std::vector<std::string> familyNames()
{
    std::vector<std::string> names;
    for (const Entry& entry : kFamilies)
        names.emplace_back(entry.name);
    return names;
}

} // namespace headscope::lm
