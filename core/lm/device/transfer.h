// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Copies between host and GPU memory without waiting for running GPU work. On the CPU nothing is copied. Worker
// thread.

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <optional>

namespace headscope::lm {

/// Returns the tensor on `device`; a copy from the host is queued after work already issued there.
[[nodiscard]] at::Tensor onDevice(const at::Tensor& tensor, const at::Device& device);

/// A tensor being copied to the host.
class HostCopy
{
public:
    explicit HostCopy(const at::Tensor& source);
    /// Waits for the copy and returns it. Contiguous.
    [[nodiscard]] const at::Tensor& wait();

private:
    at::Tensor m_host;
    std::optional<c10::Event> m_arrived; ///< nothing: the copy is complete
};

} // namespace headscope::lm
