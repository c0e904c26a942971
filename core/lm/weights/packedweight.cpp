// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/weights/packedweight.h"

#include <ATen/OpaqueTensorImpl.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <optional>

namespace headscope::lm {

namespace {

using Opaque = at::OpaqueTensorImpl<std::shared_ptr<const PackedWeight>>;
constexpr auto kPackedKey =
    c10::DispatchKey::MkldnnCPU; // another form of weights with opaque tensors, of which we have none

std::uint32_t* wordsOf(const at::Tensor& codes)
{
    return reinterpret_cast<std::uint32_t*>(codes.data_ptr<std::int32_t>());
}

std::int64_t wholes(std::int64_t count, std::int64_t of)
{
    return (count + of - 1) / of;
}

std::optional<StoredNumber> storedAs(at::ScalarType type)
{
    return type == at::kFloat      ? std::optional(StoredNumber::Float)
           : type == at::kBFloat16 ? std::optional(StoredNumber::Bfloat)
           : type == at::kHalf     ? std::optional(StoredNumber::Half)
                                   : std::nullopt;
}

} // namespace

WeightForm weightForm(const std::string& dtype)
{
    return dtype == "int8" ? WeightForm::Int8 : dtype == "int4" ? WeightForm::Int4 : WeightForm::Full;
}

std::int64_t PackedWeight::bytesFor(std::int64_t out, std::int64_t in, WeightForm form)
{
    const std::int64_t panels = wholes(out, kPackedPanel);
    return form == WeightForm::Int8 ? panels * kPackedPanel * (in + 4)
                                    : panels * wholes(in, kPackedGroup) * 4 * kPackedGroupWords;
}

bool PackedWeight::readsInPlace(at::ScalarType type)
{
    return storedAs(type).has_value();
}

PackedWeight::PackedWeight(const at::Tensor& weight, WeightForm form, LargePages& pages,
                           const std::function<void(const at::Tensor&)>& read)
    : m_out(weight.size(0)), m_in(weight.size(1)), m_form(form)
{
    const std::int64_t panels = wholes(m_out, kPackedPanel);
    if (form == WeightForm::Int8) {
        m_codes = pages.bytes(panels * m_in * kPackedPanel);
        m_scales = at::empty({panels * kPackedPanel}, at::kFloat);
    } else {
        m_codes = pages.bytes(bytesFor(m_out, m_in, form)).view(at::kInt);
    }
    std::atomic<bool> finite = true;
    at::parallel_for(0, panels, 1, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t panel = first; panel < last; ++panel) {
            const std::int64_t begin = panel * kPackedPanel;
            const at::Tensor rows = weight.narrow(0, begin, std::min(kPackedPanel, m_out - begin));
            if (!packPanel(rows, panel))
                finite = false;
            if (read)
                read(rows);
        }
    });
    m_finite = finite;
}

PackedWeight::PackedWeight(const at::Tensor& weight, WeightForm form)
    : PackedWeight(weight, form, *std::make_unique<LargePages>())
{
}

std::shared_ptr<const PackedWeight> PackedWeight::of(at::IntArrayRef shape, WeightForm form, const at::Tensor& codes,
                                                     const at::Tensor& scales)
{
    std::shared_ptr<PackedWeight> packed(new PackedWeight(shape, form));
    packed->m_codes = codes;
    packed->m_scales = scales;
    const bool eight = form == WeightForm::Int8;
    const bool fits = codes.scalar_type() == (eight ? at::kByte : at::kInt) && scales.defined() == eight
                      && (!eight || scales.numel() == wholes(shape[0], kPackedPanel) * kPackedPanel)
                      && packed->bytes() == bytesFor(shape[0], shape[1], form);
    return fits && (!eight || scales.scalar_type() == at::kFloat) ? packed : nullptr;
}

bool PackedWeight::packPanel(const at::Tensor& rows, std::int64_t panel)
{
    const bool asItIs = storedAs(rows.scalar_type()) && rows.stride(1) == 1;
    const at::Tensor numbers = asItIs ? rows : rows.to(at::kFloat).contiguous();
    PanelToPack to;
    to.numbers = numbers.data_ptr();
    to.stored = *storedAs(numbers.scalar_type());
    to.stride = numbers.stride(0);
    to.count = numbers.size(0);
    to.in = m_in;
    if (m_form == WeightForm::Int8) {
        to.codes = m_codes.data_ptr<std::uint8_t>() + panel * kPackedPanel * m_in;
        to.scales = m_scales.data_ptr<float>() + panel * kPackedPanel;
    } else {
        to.bits = 4;
        to.words = wordsOf(m_codes) + panel * wholes(m_in, kPackedGroup) * kPackedGroupWords;
    }
    return packedKernels().pack(to);
}

PackedMatrix PackedWeight::matrix() const
{
    PackedMatrix w;
    w.bits = m_form == WeightForm::Int8 ? 8 : 4;
    if (m_form == WeightForm::Int8) {
        w.codes = m_codes.data_ptr<std::uint8_t>();
        w.scales = m_scales.data_ptr<float>();
    } else {
        w.words = wordsOf(m_codes);
    }
    w.in = m_in;
    w.outs = m_out;
    w.groups = wholes(m_in, kPackedGroup);
    return w;
}

at::Tensor PackedWeight::product(const at::Tensor& x, const at::Tensor& bias) const
{
    auto shape = x.sizes().vec();
    shape.back() = m_out;
    at::Tensor out = at::empty({x.numel() / m_in, m_out}, x.options());
    productInto(out, x.reshape({-1, m_in}), bias);
    return out.view(shape);
}

void PackedWeight::productInto(at::Tensor& out, const at::Tensor& x, const at::Tensor& bias) const
{
    const at::Tensor flat = x.contiguous(), addend = bias.defined() ? bias.contiguous() : bias;
    PackedRows rows;
    rows.x = flat.data_ptr<float>();
    rows.bias = addend.defined() ? addend.data_ptr<float>() : nullptr;
    rows.out = out.data_ptr<float>();
    rows.outStride = out.stride(0);
    rows.rows = flat.size(0);
    multiply(rows);
}

void PackedWeight::multiply(PackedRows rows) const
{
    rows.weight = matrix();
    rows.xStride = m_in;
    const std::int64_t panels = wholes(m_out, kPackedPanel), grain = wholes(panels, at::get_num_threads());
    if (roundedInto(rows, panels, grain))
        return;
    at::parallel_for(0, panels, grain,
                     [&](std::int64_t first, std::int64_t last) { packedKernels().linear(rows, first, last); });
}

// Multiplies in 16 bits: many rows, or a single row with 4-bit weights, which arrive faster than fp32 multiplies them.
// Returns false, and does nothing, for others.
bool PackedWeight::roundedInto(const PackedRows& rows, std::int64_t panels, std::int64_t grain)
{
    constexpr std::int64_t kManyRows = 12;
    const bool alone = rows.rows == 1 && rows.weight.bits == 4;
    if ((rows.rows < kManyRows && !alone) || !packedKernels().linearOfRounded)
        return false;
    RoundedRows rounded;
    rounded.xStride = rows.weight.groups * kPackedGroup;
    rounded.stepStride = wholes(rounded.xStride, kRoundedBlock);
    const auto x =
        std::make_unique_for_overwrite<std::int16_t[]>(static_cast<std::size_t>(rows.rows * rounded.xStride));
    const auto steps =
        std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(rows.rows * rounded.stepStride));
    rounded.x = x.get();
    rounded.steps = steps.get();
    std::atomic<bool> finite = true;
    at::parallel_for(0, rows.rows, 64, [&](std::int64_t first, std::int64_t last) {
        if (!packedKernels().round(rows, rounded, first, last))
            finite = false;
    });
    if (!finite)
        return false;
    at::parallel_for(0, panels, grain, [&](std::int64_t first, std::int64_t last) {
        packedKernels().linearOfRounded(rows, rounded, first, last);
    });
    return true;
}

at::Tensor PackedWeight::inputs(std::int64_t first, std::int64_t count) const
{
    const std::int64_t panels = wholes(m_out, kPackedPanel);
    const at::Tensor unpacked = at::empty({panels, count, kPackedPanel}, at::kFloat);
    const PackedMatrix weight = matrix();
    at::parallel_for(0, panels, 1, [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t panel = from; panel < to; ++panel)
            packedKernels().unpack(weight,
                                   {panel, first, count, unpacked.data_ptr<float>() + panel * count * kPackedPanel});
    });
    return unpacked.transpose(1, 2).reshape({panels * kPackedPanel, count}).narrow(0, 0, m_out);
}

at::Tensor PackedWeight::rows(const at::Tensor& ids) const
{
    TORCH_INTERNAL_ASSERT(m_form == WeightForm::Int8);
    const at::Tensor flat = ids.reshape({-1}).contiguous();
    at::Tensor out = at::empty({flat.size(0), m_in}, at::kFloat);
    const PackedMatrix weight = matrix();
    at::parallel_for(0, flat.size(0), 8, [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t i = from; i < to; ++i) {
            const std::int64_t id = flat.data_ptr<std::int64_t>()[i];
            TORCH_CHECK_INDEX(id >= 0 && id < m_out, "index out of range");
            const std::uint8_t* const codes =
                weight.codes + id / kPackedPanel * m_in * kPackedPanel + id % kPackedPanel;
            float* const row = out.data_ptr<float>() + i * m_in;
            for (std::int64_t k = 0; k < m_in; ++k)
                row[k] = static_cast<float>(static_cast<std::int8_t>(codes[k * kPackedPanel])) * weight.scales[id];
        }
    });
    auto shape = ids.sizes().vec();
    shape.push_back(m_in);
    return out.view(shape);
}

at::Tensor asTensor(std::shared_ptr<const PackedWeight> weight)
{
    const std::int64_t shape[] = {weight->outs(), weight->ins()};
    return at::detail::make_tensor<Opaque>(c10::DispatchKeySet(kPackedKey), at::scalarTypeToTypeMeta(at::kFloat),
                                           at::kCPU, std::move(weight), at::IntArrayRef(shape));
}

const PackedWeight* packedIn(const at::Tensor& weight)
{
    if (!weight.defined() || !weight.key_set().has(kPackedKey))
        return nullptr;
    const auto* const opaque = dynamic_cast<const Opaque*>(weight.unsafeGetTensorImpl());
    return opaque ? opaque->opaque_handle().get() : nullptr;
}

at::Tensor denseOf(const at::Tensor& weight)
{
    const PackedWeight* const packed = packedIn(weight);
    return packed ? packed->dense() : weight;
}

at::Tensor inputsOf(const at::Tensor& weight, std::int64_t first, std::int64_t count)
{
    const PackedWeight* const packed = packedIn(weight);
    return packed ? packed->inputs(first, count) : weight.narrow(1, first, count);
}

at::Tensor rowsOf(const at::Tensor& table, const at::Tensor& ids)
{
    const PackedWeight* const packed = packedIn(table);
    return packed ? packed->rows(ids) : at::embedding(table, ids);
}

} // namespace headscope::lm
