// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/hostdevice.h"

#include <ATen/EmptyTensor.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <array>
#include <set>

namespace headscope::tests {

namespace {

constexpr c10::DeviceType kType = c10::DeviceType::PrivateUse1;

std::vector<std::string> s_traffic;
int s_depth = 0; // inside an operation of the device the processor's tensors are its own means

class Inside
{
public:
    Inside() { ++s_depth; }
    ~Inside() { --s_depth; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
};

void note(const std::string& what)
{
    if (s_depth == 0)
        s_traffic.push_back(what);
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
    [[nodiscard]] c10::DeviceType type() const override { return kType; }
    [[nodiscard]] c10::Device exchangeDevice(c10::Device) const override { return getDevice(); }
    [[nodiscard]] c10::Device getDevice() const override { return {kType, 0}; }
    void setDevice(c10::Device) const override {}
    void uncheckedSetDevice(c10::Device) const noexcept override {}
    [[nodiscard]] c10::Stream getStream(c10::Device device) const noexcept override
    {
        return c10::Stream(c10::Stream::DEFAULT, device);
    }
    [[nodiscard]] c10::Stream exchangeStream(c10::Stream stream) const noexcept override { return stream; }
    // What is asked is done before the next is asked.
    void record(void**, const c10::Stream&, c10::DeviceIndex, c10::EventFlag) const override {}
    void block(void*, const c10::Stream&) const override {}
    [[nodiscard]] bool queryEvent(void*) const override { return true; }
    [[nodiscard]] c10::DeviceIndex deviceCount() const noexcept override { return 2; }
};

// The backward pass asks for it, once the device has a name.
struct Hooks final : at::PrivateUse1HooksInterface {
    [[nodiscard]] bool isBuilt() const override { return true; }
    [[nodiscard]] bool isAvailable() const override { return true; }
    [[nodiscard]] bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
};

class Memory final : public c10::Allocator
{
public:
    explicit Memory(c10::DeviceIndex index) : m_index(index) {}
    c10::DataPtr allocate(std::size_t bytes) override
    {
        void* const data = std::malloc(std::max<std::size_t>(bytes, 1));
        return {data, data, &std::free, c10::Device(kType, m_index)};
    }
    void copy_data(void* to, const void* from, std::size_t count) const override { std::memcpy(to, from, count); }

private:
    c10::DeviceIndex m_index;
};

std::array s_memories{Memory(0), Memory(1)};

Memory* memoryOf(const std::optional<c10::Device>& device)
{
    return &s_memories.at(device && device->index() > 0 ? 1 : 0);
}

// The same numbers as a tensor of the processor's.
at::Tensor onHost(const at::Tensor& tensor)
{
    return tensor.is_cpu() ? tensor
                           : at::from_blob(tensor.unsafeGetTensorImpl()->mutable_data(), tensor.sizes(),
                                           tensor.strides(), at::TensorOptions(tensor.scalar_type()));
}

at::Tensor empty(c10::IntArrayRef size, std::optional<c10::ScalarType> type, std::optional<c10::Layout>,
                 std::optional<c10::Device> device, std::optional<bool>, std::optional<c10::MemoryFormat> format)
{
    return at::detail::empty_generic(size, memoryOf(device), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                     c10::dtype_or_default(type), format);
}

at::Tensor emptyStrided(c10::IntArrayRef size, c10::IntArrayRef stride, std::optional<c10::ScalarType> type,
                        std::optional<c10::Layout>, std::optional<c10::Device> device, std::optional<bool>)
{
    return at::detail::empty_strided_generic(size, stride, memoryOf(device),
                                             c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                             c10::dtype_or_default(type));
}

at::Tensor copyFrom(const at::Tensor& from, const at::Tensor& to, bool)
{
    if (from.is_cpu() != to.is_cpu() && from.dim() > 0)
        note(from.is_cpu() ? "copy from the host" : "copy to the host");
    const Inside inside;
    onHost(to).copy_(onHost(from));
    return to;
}

at::Tensor copyFromAndResize(const at::Tensor& from, const at::Tensor& to)
{
    if (to.sizes() != from.sizes())
        to.unsafeGetTensorImpl()->set_storage_and_dtype(
            empty(from.sizes(), to.scalar_type(), {}, to.device(), {}, {}).storage(), to.dtype()),
            to.unsafeGetTensorImpl()->set_sizes_contiguous(from.sizes());
    return copyFrom(from, to, false);
}

at::Scalar readNumber(const at::Tensor& tensor)
{
    note("number read back");
    return onHost(tensor).item();
}

bool readEqual(const at::Tensor& a, const at::Tensor& b)
{
    note("number read back");
    return at::equal(onHost(a), onHost(b));
}

at::Tensor viewOf(const at::Tensor& self, c10::IntArrayRef size)
{
    return at::native::view(self, size);
}

at::Tensor stridedOf(const at::Tensor& self, c10::IntArrayRef size, c10::IntArrayRef stride,
                     std::optional<std::int64_t> offset)
{
    return at::native::as_strided_tensorimpl(self, size, stride, offset);
}

at::Tensor reshapedOf(const at::Tensor& self, c10::IntArrayRef size, c10::IntArrayRef stride)
{
    return at::native::as_strided_tensorimpl(self, size, stride, self.storage_offset());
}

at::Tensor& fill(at::Tensor& self, const at::Scalar& value)
{
    const Inside inside;
    onHost(self).fill_(value);
    return self;
}

at::Tensor& zero(at::Tensor& self)
{
    return fill(self, 0);
}

void byTheProcessor(const c10::OperatorHandle& op, torch::jit::Stack* stack)
{
    bool host = false;
    std::set<c10::DeviceIndex> used;
    for (const c10::IValue& argument : torch::jit::last(*stack, op.schema().arguments().size())) {
        const auto mixes = [&used](const at::Tensor& tensor) {
            if (tensor.defined() && !tensor.is_cpu())
                used.insert(tensor.device().index());
            return tensor.defined() && tensor.is_cpu() && tensor.dim() > 0;
        };
        host |= argument.isTensor() && mixes(argument.toTensor());
        if (argument.isTensorList())
            for (const at::Tensor& tensor : argument.toTensorVector())
                host |= mixes(tensor);
    }
    if (host)
        note(op.schema().name() + " with a tensor of the host");
    if (used.size() > 1)
        note(op.schema().name() + " with tensors of two devices");
    const Inside inside;
    at::native::cpu_fallback(op, stack, true);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library)
{
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&byTheProcessor>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    library.impl("empty.memory_format", &empty);
    library.impl("empty_strided", &emptyStrided);
    library.impl("_copy_from", &copyFrom);
    library.impl("_copy_from_and_resize", &copyFromAndResize);
    library.impl("_local_scalar_dense", &readNumber);
    library.impl("equal", &readEqual);
    library.impl("view", &viewOf);
    library.impl("as_strided", &stridedOf);
    library.impl("_reshape_alias", &reshapedOf);
    library.impl("unfold", &at::native::unfold);
    library.impl("fill_.Scalar", &fill);
    library.impl("zero_", &zero);
}

} // namespace

at::Device hostDevice(int index)
{
    static const bool registered = [] {
        static Guard guard;
        c10::impl::registerDeviceGuard(kType, &guard);
        c10::register_privateuse1_backend("host");
        static Hooks hooks;
        at::RegisterPrivateUse1HooksInterface(&hooks);
        return true;
    }();
    static_cast<void>(registered);
    return {kType, static_cast<c10::DeviceIndex>(index)};
}

std::vector<std::string> takeHostTraffic()
{
    return std::exchange(s_traffic, {});
}

} // namespace headscope::tests
