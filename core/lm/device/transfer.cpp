// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/device/transfer.h"

#include <c10/core/impl/VirtualGuardImpl.h>

namespace headscope::lm {

// Only page-locked memory is copied beside other work. Its allocator holds it until the copy is done.
at::Tensor onDevice(const at::Tensor& tensor, const at::Device& device)
{
    return device.is_cuda() && tensor.is_cpu() ? tensor.pin_memory().to(device, tensor.scalar_type(), true)
                                               : tensor.to(device);
}

HostCopy::HostCopy(const at::Tensor& source)
{
    if (!source.is_cuda()) {
        m_host = source.to(at::kCPU).contiguous();
        return;
    }
    m_host = at::empty(source.sizes(), source.options().device(at::kCPU).pinned_memory(true));
    m_host.copy_(source, true);
    m_arrived.emplace(c10::DeviceType::CUDA);
    m_arrived->record(c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA).getStream(source.device()));
}

const at::Tensor& HostCopy::wait()
{
    if (m_arrived)
        m_arrived->synchronize();
    m_arrived.reset();
    return m_host;
}

} // namespace headscope::lm
