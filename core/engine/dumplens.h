// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The keys of fitted lenses, in the layout of the golden models. Worker thread.

#include "core/why/lenses/jacobianfit.h"

#include <optional>
#include <string>

namespace headscope::engine {

class LensDump
{
public:
    /// Fits the lens on two prompts; values are read out on the first.
    LensDump(const lm::Model& model, std::vector<int> clean, std::vector<int> corrupt, int skip);

    /// Returns whether a key is "jacobian" ([L, D, D]) or "jacobian_lens" ([L, 8, V], the last positions).
    [[nodiscard]] static bool has(const std::string& key);
    [[nodiscard]] Result<at::Tensor> value(const std::string& key);

private:
    const lm::Model& m_model;
    std::vector<int> m_clean, m_corrupt;
    int m_skip;
    std::optional<why::JacobianLens> m_lens;
};

} // namespace headscope::engine
