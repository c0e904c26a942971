// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/packedweight.h"

#include <ATen/OpaqueTensorImpl.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

namespace headscope::lm {

namespace {

using Opaque = at::OpaqueTensorImpl<std::shared_ptr<const PackedWeight>>;
constexpr auto kPackedKey =
    c10::DispatchKey::MkldnnCPU; // another form of weights with opaque tensors, of which we have none

constexpr std::int64_t kHalfGroup = kPackedGroup / 2;

std::int64_t wholes(std::int64_t count, std::int64_t of)
{
    return (count + of - 1) / of;
}

// One output in eight bits: codes [in] with a stride of a panel.
float roundToBytes(const float* row, std::int64_t in, std::uint8_t* codes)
{
    float most = 0.0F;
    for (std::int64_t k = 0; k < in; ++k)
        most = std::max(most, std::abs(row[k]));
    const float scale = most / 127.0F, inverse = most > 0 ? 127.0F / most : 0.0F;
    for (std::int64_t k = 0; k < in; ++k)
        codes[k * kPackedPanel] = static_cast<std::uint8_t>(static_cast<std::int8_t>(std::lrint(row[k] * inverse)));
    return scale;
}

float roundToHalves(const float* group, std::int64_t count, float scale, float* codes)
{
    double product = 0, square = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        codes[i] = scale != 0 ? std::clamp(std::nearbyint(group[i] / scale), -8.0F, 7.0F) : 0.0F;
        product += codes[i] * group[i];
        square += codes[i] * codes[i];
    }
    return square > 0 ? static_cast<float>(product / square) : 0.0F;
}

// One output's group in four bits: the number that is farthest from 0 becomes -8 steps; then the step that fits the
// codes best, and the codes for it.
c10::Half roundGroup(const float* group, std::int64_t count, std::uint8_t* codes)
{
    const float farthest =
        *std::max_element(group, group + count, [](float a, float b) { return std::abs(a) < std::abs(b); });
    float steps[kPackedGroup] = {};
    const float fitted = roundToHalves(group, count, farthest / -8.0F, steps);
    constexpr float kMostHalf = 65504.0F;
    const c10::Half scale = std::clamp(fitted, -kMostHalf, kMostHalf);
    static_cast<void>(roundToHalves(group, count, scale, steps));
    for (std::int64_t i = 0; i < kHalfGroup; ++i) {
        const auto code = [&](std::int64_t at) { return static_cast<unsigned>(static_cast<int>(steps[at]) + 8); };
        codes[i * kPackedPanel] = static_cast<std::uint8_t>(code(i) | code(i + kHalfGroup) << 4);
    }
    return scale;
}

} // namespace

WeightForm weightForm(const std::string& dtype)
{
    return dtype == "int8" ? WeightForm::Int8 : dtype == "int4" ? WeightForm::Int4 : WeightForm::Full;
}

std::int64_t PackedWeight::bytesFor(std::int64_t out, std::int64_t in, WeightForm form)
{
    const std::int64_t filled = wholes(out, kPackedPanel) * kPackedPanel;
    return form == WeightForm::Int8 ? filled * (in + 4) : filled * wholes(in, kPackedGroup) * (kHalfGroup + 2);
}

PackedWeight::PackedWeight(const at::Tensor& weight, WeightForm form)
    : m_out(weight.size(0)), m_in(weight.size(1)), m_form(form)
{
    const bool eight = form == WeightForm::Int8;
    const std::int64_t panels = wholes(m_out, kPackedPanel), groups = wholes(m_in, kPackedGroup);
    const std::int64_t perPanel = eight ? m_in * kPackedPanel : groups * kHalfGroup * kPackedPanel;
    // What fills up: 0 in eight bits; in four a scale of 0.
    m_codes = at::zeros({panels * perPanel}, at::kByte);
    m_scales = at::zeros({panels * kPackedPanel * (eight ? 1 : groups)}, eight ? at::kFloat : at::kHalf);
    auto* const codes = m_codes.data_ptr<std::uint8_t>();
    at::parallel_for(0, panels, 1, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t panel = first; panel < last; ++panel) {
            const std::int64_t begin = panel * kPackedPanel, count = std::min(kPackedPanel, m_out - begin);
            const at::Tensor rows = weight.narrow(0, begin, count).to(at::kFloat).contiguous();
            for (std::int64_t n = 0; n < count; ++n) {
                const float* const row = rows.data_ptr<float>() + n * m_in;
                std::uint8_t* const to = codes + panel * perPanel + n;
                if (eight)
                    m_scales.data_ptr<float>()[begin + n] = roundToBytes(row, m_in, to);
                for (std::int64_t group = 0; !eight && group < groups; ++group)
                    m_scales.data_ptr<c10::Half>()[(panel * groups + group) * kPackedPanel + n] =
                        roundGroup(row + group * kPackedGroup, std::min(kPackedGroup, m_in - group * kPackedGroup),
                                   to + group * kHalfGroup * kPackedPanel);
            }
        }
    });
}

PackedMatrix PackedWeight::matrix() const
{
    PackedMatrix w;
    w.bits = m_form == WeightForm::Int8 ? 8 : 4;
    w.codes = m_codes.data_ptr<std::uint8_t>();
    if (m_form == WeightForm::Int8)
        w.scales = m_scales.data_ptr<float>();
    else
        w.groupScales = reinterpret_cast<const std::uint16_t*>(m_scales.data_ptr<c10::Half>());
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
    rows.weight = matrix();
    rows.x = flat.data_ptr<float>();
    rows.bias = addend.defined() ? addend.data_ptr<float>() : nullptr;
    rows.out = out.data_ptr<float>();
    rows.xStride = m_in;
    rows.outStride = out.stride(0);
    rows.rows = flat.size(0);
    const std::int64_t panels = wholes(m_out, kPackedPanel), threads = at::get_num_threads();
    at::parallel_for(0, panels, wholes(panels, threads),
                     [&](std::int64_t first, std::int64_t last) { packedKernels().linear(rows, first, last); });
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
