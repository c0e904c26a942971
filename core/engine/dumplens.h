// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The keys of fitted lenses, as the golden models store them. Worker thread.

#include "core/why/lenses/jacobianfit.h"

#include <optional>
#include <string>

namespace headscope::engine {

class LensDump
{
public:
    /// Fits to two prompts; the first is read out.
    LensDump(const lm::Model& model, std::vector<int> clean, std::vector<int> corrupt, int skip);

    /// Whether a key is "jacobian" ([L, D, D]) or "jacobian_lens" ([L, 8, V], the last positions).
    [[nodiscard]] static bool has(const std::string& key);
    [[nodiscard]] Result<at::Tensor> value(const std::string& key);

private:
    const lm::Model& m_model;
    std::vector<int> m_clean, m_corrupt;
    int m_skip;
    std::optional<why::JacobianLens> m_lens;
};

} // namespace headscope::engine
