// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A quantized weight on the CPU: a quarter (int8) or a seventh (int4) of the memory of fp32, and for single tokens read
// that much faster. Activations are fp32; for many rows, and for a single row with 4-bit weights, they are rounded to
// 16 bits if the CPU is faster with these, see RoundedRows. Worker thread; immutable.

#include "core/lm/device/pages.h"
#include "core/lm/kernels/cpupacked.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace headscope::lm {

enum class WeightForm : std::uint8_t {
    Full, ///< in the dtype of the run
    Int8, ///< 8 bits, one scale for each output
    Int4  ///< 4 bits, an fp16 scale for each output and 32 inputs; tables of the vocabulary in 8 bits
};

/// Returns the form for a dtype name: "int8" and "int4" quantize weights, with fp32 for all else; any other is Full.
[[nodiscard]] WeightForm weightForm(const std::string& dtype);

class PackedWeight
{
public:
    /// Returns whether a map of this shape is smaller than in fp32: the smallest are not, because of padding.
    [[nodiscard]] static bool worthwhile(std::int64_t out, std::int64_t in, WeightForm form)
    {
        return bytesFor(out, in, form) < 4 * out * in;
    }
    [[nodiscard]] static std::int64_t bytesFor(std::int64_t out, std::int64_t in, WeightForm form);

    /// Returns whether numbers of this type are packed without an fp32 copy, if those of an output are contiguous.
    [[nodiscard]] static bool readsInPlace(at::ScalarType type);

    /// Rounds `weight` [out, in], of any floating type and strides, on the CPU. Int8: to the nearest of 255 steps of
    /// the largest in its row; Int4: to 16 steps, whose size minimizes the squared error. The codes are in `pages`,
    /// beside those of other weights. `read`: called with rows that are no longer needed, on several threads.
    PackedWeight(const at::Tensor& weight, WeightForm form, LargePages& pages,
                 const std::function<void(const at::Tensor&)>& read = {});
    PackedWeight(const at::Tensor& weight, WeightForm form); ///< in pages of its own
    /// Restores a weight of this shape and form from its codes() and scales(); null: they belong to another.
    [[nodiscard]] static std::shared_ptr<const PackedWeight> of(at::IntArrayRef shape, WeightForm form,
                                                                const at::Tensor& codes, const at::Tensor& scales);
    [[nodiscard]] bool finite() const { return m_finite; } ///< false: the weight was not, and this object is unusable

    /// Returns x weight^T + bias. x: fp32 [..., in].
    [[nodiscard]] at::Tensor product(const at::Tensor& x, const at::Tensor& bias) const;
    /// Writes the same for x [R, in] into `out` [R, out], whose rows may have a stride.
    void productInto(at::Tensor& out, const at::Tensor& x, const at::Tensor& bias) const;
    /// The same for contiguous rows in plain memory; fills in the fields of the weight.
    void multiply(PackedRows rows) const;
    /// Returns columns `first` to `first + count` of the weight, fp32 [out, count].
    [[nodiscard]] at::Tensor inputs(std::int64_t first, std::int64_t count) const;
    [[nodiscard]] at::Tensor dense() const { return inputs(0, m_in); } ///< fp32 [out, in]
    /// Returns fp32 [..., in] for int64 ids [...]: rows of a table, which is always in eight bits.
    [[nodiscard]] at::Tensor rows(const at::Tensor& ids) const;
    [[nodiscard]] std::int64_t outs() const { return m_out; }
    [[nodiscard]] std::int64_t ins() const { return m_in; }
    [[nodiscard]] std::int64_t bytes() const
    {
        return static_cast<std::int64_t>(m_codes.nbytes() + (m_scales.defined() ? m_scales.nbytes() : 0));
    }

    [[nodiscard]] const at::Tensor& codes() const { return m_codes; }
    [[nodiscard]] const at::Tensor& scales() const { return m_scales; } ///< undefined in four bits

    [[nodiscard]] PackedMatrix matrix() const; ///< for the kernels; valid as long as this object

private:
    PackedWeight(at::IntArrayRef shape, WeightForm form) : m_out(shape[0]), m_in(shape[1]), m_form(form) {}
    [[nodiscard]] static bool roundedInto(const PackedRows& rows, std::int64_t panels, std::int64_t grain);
    [[nodiscard]] bool packPanel(const at::Tensor& rows, std::int64_t panel); ///< false: not finite
    std::int64_t m_out, m_in;
    WeightForm m_form;
    bool m_finite = true;
    at::Tensor m_codes;  ///< uint8 or words of 32 bits, see PackedMatrix
    at::Tensor m_scales; ///< eight bits: fp32, see PackedMatrix
};

/// Returns the weight as a tensor [out, in] whose numbers only the functions below can read: any other operation fails.
[[nodiscard]] at::Tensor asTensor(std::shared_ptr<const PackedWeight> weight);
[[nodiscard]] const PackedWeight* packedIn(const at::Tensor& weight); ///< null: an ordinary tensor

// For both packed and plain weights:
[[nodiscard]] at::Tensor denseOf(const at::Tensor& weight);                                          ///< [out, in]
[[nodiscard]] at::Tensor inputsOf(const at::Tensor& weight, std::int64_t first, std::int64_t count); ///< [out, count]
[[nodiscard]] at::Tensor rowsOf(const at::Tensor& table, const at::Tensor& ids); ///< [..., in] for int64 ids [...]

} // namespace headscope::lm
