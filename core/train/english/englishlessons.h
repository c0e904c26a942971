// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The small English models' texts: copying, dictionaries, letters, facts, names, prose. Training thread.

#include "core/train/english/material.h"
#include "core/train/lessons.h"

namespace headscope::train {

/// `recipe` outlives the result.
[[nodiscard]] std::unique_ptr<Lessons>
makeEnglishLessons(const Recipe& recipe, std::shared_ptr<const EnglishMaterial> material, at::Device device);

} // namespace headscope::train
