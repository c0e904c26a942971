// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Training texts of the small English models: copying, dictionaries, letters, facts, names, prose. Training thread.

#include "core/train/english/material.h"
#include "core/train/lessons.h"

namespace headscope::train {

/// `recipe` must outlive the result.
[[nodiscard]] std::unique_ptr<Lessons>
makeEnglishLessons(const Recipe& recipe, std::shared_ptr<const EnglishMaterial> material, at::Device device);

} // namespace headscope::train
