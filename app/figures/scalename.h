// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/pattern/patternscale.h"

#include <optional>
#include <string_view>
#include <utility>

namespace headscope::figures {

/// Returns the scale of a pattern by its name in sessions and on the command line; nothing for other names.
inline std::optional<widgets::ScaleKind> scaleNamed(std::string_view name)
{
    using widgets::ScaleKind;
    static constexpr std::pair<std::string_view, ScaleKind> kScales[] = {{"raw", ScaleKind::Raw},
                                                                         {"row", ScaleKind::Row},
                                                                         {"minmax", ScaleKind::MinMax},
                                                                         {"log", ScaleKind::Log},
                                                                         {"signed", ScaleKind::Signed}};
    for (const auto& [known, kind] : kScales)
        if (name == known)
            return kind;
    return std::nullopt;
}

} // namespace headscope::figures
