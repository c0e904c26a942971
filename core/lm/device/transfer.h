// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Between the host's memory and a GPU's without waiting for what runs there. On the processor nothing is copied. Worker
// thread.

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <optional>

namespace headscope::lm {

/// A tensor on `device`; one of the host behind what was already asked for there.
[[nodiscard]] at::Tensor onDevice(const at::Tensor& tensor, const at::Device& device);

/// A tensor on its way to the host.
class HostCopy
{
public:
    explicit HostCopy(const at::Tensor& source);
    /// Waits until it is there. Contiguous.
    [[nodiscard]] const at::Tensor& wait();

private:
    at::Tensor m_host;
    std::optional<c10::Event> m_arrived; ///< nothing: it is there
};

} // namespace headscope::lm
