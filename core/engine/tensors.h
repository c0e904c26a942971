// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Conversions between host values and tensors of one prompt. Worker thread.

#include "core/base/matrix.h"
#include "core/lm/model.h"

#include <cstring>
#include <vector>

namespace headscope::engine {

/// Copies a tensor [rows, cols] on any device to a Matrix.
[[nodiscard]] inline Matrix toMatrix(const at::Tensor& tensor)
{
    const at::Tensor host = tensor.to(at::kCPU, at::kFloat).contiguous();
    Matrix matrix(static_cast<int>(host.size(0)), static_cast<int>(host.size(1)));
    std::memcpy(matrix.values.data(), host.data_ptr<float>(), matrix.values.size() * sizeof(float));
    return matrix;
}

/// Returns the ids as int64 [1, T] on the model's device.
[[nodiscard]] inline at::Tensor idTensor(const lm::Model& model, const std::vector<int>& ids)
{
    return at::tensor(std::vector<std::int64_t>(ids.begin(), ids.end()), at::kLong).unsqueeze(0).to(model.device());
}

} // namespace headscope::engine
