// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lm/packedweight.h"

#include <ATen/OpaqueTensorImpl.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <cmath>

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

// Output `n` of a panel's group in four bits: the number that is farthest from 0 becomes -8 steps; then the step that
// fits the codes best, and the codes for it.
void roundGroup(const float* numbers, std::int64_t count, std::int64_t n, std::uint32_t* group)
{
    const float farthest =
        *std::max_element(numbers, numbers + count, [](float a, float b) { return std::abs(a) < std::abs(b); });
    float steps[kPackedGroup] = {};
    const float fitted = roundToHalves(numbers, count, farthest / -8.0F, steps);
    constexpr float kMostHalf = 65504.0F;
    const c10::Half scale = std::clamp(fitted, -kMostHalf, kMostHalf);
    static_cast<void>(roundToHalves(numbers, count, scale, steps));
    reinterpret_cast<c10::Half*>(group)[n] = scale;
    std::uint32_t* const words = group + kPackedScaleWords + n;
    for (std::int64_t i = 0; i < kPackedGroup; ++i)
        words[i / kPackedWord * kPackedPanel] |= static_cast<std::uint32_t>(static_cast<int>(steps[i]) + 8)
                                                 << (4 * (i % kPackedWord));
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

PackedWeight::PackedWeight(const at::Tensor& weight, WeightForm form, LargePages& pages)
    : m_out(weight.size(0)), m_in(weight.size(1)), m_form(form)
{
    const bool eight = form == WeightForm::Int8;
    const std::int64_t panels = wholes(m_out, kPackedPanel), groups = wholes(m_in, kPackedGroup);
    // What fills up: 0 in eight bits; in four a scale of 0.
    if (eight) {
        m_codes = pages.zeros(panels * m_in * kPackedPanel);
        m_scales = at::zeros({panels * kPackedPanel}, at::kFloat);
    } else {
        m_codes = pages.zeros(bytesFor(m_out, m_in, form)).view(at::kInt);
    }
    at::parallel_for(0, panels, 1, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t panel = first; panel < last; ++panel)
            roundPanel(weight, panel, groups);
    });
}

PackedWeight::PackedWeight(const at::Tensor& weight, WeightForm form)
    : PackedWeight(weight, form, *std::make_unique<LargePages>())
{
}

void PackedWeight::roundPanel(const at::Tensor& weight, std::int64_t panel, std::int64_t groups)
{
    const std::int64_t begin = panel * kPackedPanel, count = std::min(kPackedPanel, m_out - begin);
    const at::Tensor rows = weight.narrow(0, begin, count).to(at::kFloat).contiguous();
    if (m_form == WeightForm::Int8) {
        std::uint8_t* const codes = m_codes.data_ptr<std::uint8_t>() + begin * m_in;
        for (std::int64_t n = 0; n < count; ++n)
            m_scales.data_ptr<float>()[begin + n] = roundToBytes(rows.data_ptr<float>() + n * m_in, m_in, codes + n);
        return;
    }
    std::uint32_t* const words = wordsOf(m_codes) + panel * groups * kPackedGroupWords;
    for (std::int64_t n = 0; n < count; ++n)
        for (std::int64_t group = 0; group < groups; ++group)
            roundGroup(rows.data_ptr<float>() + n * m_in + group * kPackedGroup,
                       std::min(kPackedGroup, m_in - group * kPackedGroup), n, words + group * kPackedGroupWords);
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
    rows.weight = matrix();
    rows.x = flat.data_ptr<float>();
    rows.bias = addend.defined() ? addend.data_ptr<float>() : nullptr;
    rows.out = out.data_ptr<float>();
    rows.xStride = m_in;
    rows.outStride = out.stride(0);
    rows.rows = flat.size(0);
    const std::int64_t panels = wholes(m_out, kPackedPanel), grain = wholes(panels, at::get_num_threads());
    if (roundedInto(rows, panels, grain))
        return;
    at::parallel_for(0, panels, grain,
                     [&](std::int64_t first, std::int64_t last) { packedKernels().linear(rows, first, last); });
}

// Many rows in 16 bits. False: nothing is done.
bool PackedWeight::roundedInto(const PackedRows& rows, std::int64_t panels, std::int64_t grain)
{
    constexpr std::int64_t kManyRows = 12;
    if (rows.rows < kManyRows || !packedKernels().linearOfRounded)
        return false;
    RoundedRows rounded;
    rounded.xStride = rows.weight.groups * kPackedGroup;
    rounded.stepStride = wholes(rounded.xStride, kRoundedBlock);
    const at::Tensor x = at::empty({rows.rows, rounded.xStride}, at::kShort),
                     steps = at::empty({rows.rows, rounded.stepStride}, at::kFloat);
    rounded.x = x.data_ptr<std::int16_t>();
    rounded.steps = steps.data_ptr<float>();
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
