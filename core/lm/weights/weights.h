// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Hands a family its tensors by name, checked for presence and shape, converted one by one to the run's dtype and
// device. Worker thread.

#include "core/base/result.h"
#include "core/io/packed/packing.h"
#include "core/io/safetensors/adapter.h"
#include "core/io/safetensors/checkpoint.h"
#include "core/lm/weights/packedstore.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace headscope::lm {

/// Where tensors come from: a checkpoint, or a table of tensors being trained.
///
/// A checkpoint may call "model.X" "X" throughout (a base class such as LlamaModel was saved), begin all names with one
/// prefix ("module._orig_mod."), and have the parts of training wrappers within names.
class Weights
{
public:
    /// Layers [first, last), and with `rest` what is in no layer.
    struct Part {
        int first = 0, last = 0;
        bool rest = false;
    };
    struct Target {
        at::ScalarType dtype = at::kFloat;
        at::Device device = at::kCPU;
        bool dryRun = false; ///< check names and shapes only: tensors are on the meta device and cost no memory
        WeightForm form = WeightForm::Full; ///< what pack() makes of maps
        std::optional<Part> part;           ///< only this is read, the rest stays shapes; nothing: all
    };

    Weights(std::shared_ptr<const io::Checkpoint> checkpoint, Target target);
    /// Tensors under training, used as they are.
    explicit Weights(std::map<std::string, at::Tensor> tensors);
    /// The bytes of the mapped file themselves, without a copy; nothing where one of its tensors is of another type or
    /// does not lie as the type wants it. The file must not change while they are used.
    [[nodiscard]] static std::optional<Weights> mapped(const std::shared_ptr<const io::Checkpoint>& checkpoint,
                                                       at::ScalarType dtype);
    /// No weights at all: every name is there in every shape, on the meta device. Reports what a config alone
    /// describes.
    [[nodiscard]] static Weights shapesOnly(at::ScalarType dtype, WeightForm form = WeightForm::Full);

    /// From here on a map that is packed so is the numbers that its tensors stand for.
    void unpack(io::Packing packing) { m_packing = std::move(packing); }
    /// From here on the changes of a LoRA adapter are part of the maps that they are of.
    void merge(std::shared_ptr<const io::LoraAdapter> adapter) { m_adapter = std::move(adapter); }
    /// From here on what take() packs is kept there, or found.
    void keepPacked(std::shared_ptr<PackedStore> store) { m_store = std::move(store); }
    /// Modules of the adapter that no tensor was asked for.
    [[nodiscard]] std::vector<std::string> unmerged() const;
    /// Whether any map that was asked for was packed.
    [[nodiscard]] bool unpackedAny() const { return m_unpackedAny; }
    /// Whether a map is packed by rows of its outputs, as [out, in], whatever a plain one is in this family.
    [[nodiscard]] bool storedByOutputs(const std::string& name) const;

    /// From here on "model.X" is what a folder of several modalities calls "language_model.model.X" or
    /// "model.language_model.X", and "lm_head.X" may be "language_model.lm_head.X"; its other tensors are not asked
    /// about.
    void readTextPart() { m_textPart = true; }

    /// The tensor `name` of exactly this shape. After a failure (missing, other shape, NaN in it) the first error is
    /// kept and a meta tensor of the wanted shape is returned, so that a family's builder needs no branches. With a
    /// form packed as pack() does it, straight out of the file where that has the numbers row by row.
    [[nodiscard]] at::Tensor take(const std::string& name, std::vector<std::int64_t> shape,
                                  WeightForm form = WeightForm::Full);
    /// The same for the first of several names that exists (old and new spellings, prefixes).
    [[nodiscard]] at::Tensor takeAny(const std::vector<std::string>& names, std::vector<std::int64_t> shape);
    /// A tensor that several modules share: the first name that exists. Copies under the other names must be equal.
    [[nodiscard]] at::Tensor takeShared(const std::vector<std::string>& names, std::vector<std::int64_t> shape);
    /// A map [out, in] that was taken, in `form`; as it is where that takes no less, or in a dry run, which only
    /// counts. `key`: the name of what several modules share, packed once; empty: nothing.
    [[nodiscard]] at::Tensor pack(const at::Tensor& map, WeightForm form, const std::string& key = {});
    [[nodiscard]] bool has(const std::string& name) const;
    /// The first size of a tensor as stored; 0 where there is none, or no file.
    [[nodiscard]] std::int64_t rowsOf(const std::string& name) const;
    /// Whether both are there with the same numbers in the same type. Reads the file, also in a dry run.
    [[nodiscard]] bool equal(const std::string& a, const std::string& b) const;
    /// What is taken between share(true) and share(false) belongs to layers of several parts.
    void share(bool on) { m_sharing = on; }
    /// Marks a tensor that is left aside for a reason, so that it is not reported as unused.
    void leave(const std::string& name) { m_used.insert(stored(name)); }
    /// What a person should know of how the tensors were read, one sentence each.
    void warn(const std::string& sentence); ///< once
    [[nodiscard]] const std::vector<std::string>& warnings() const { return m_warnings; }
    /// Marks known buffers (GPT-2's causal mask) so that they are not reported as unused.
    void ignore(const std::function<bool(const std::string&)>& isBuffer);
    void fail(Error error); ///< keeps the first

    [[nodiscard]] bool hasNumbers() const { return !m_shapesOnly; } ///< false: names and shapes alone
    [[nodiscard]] bool failed() const { return m_error.has_value(); }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    [[nodiscard]] std::int64_t parameters() const { return m_parameters; } ///< elements handed out, each tensor once
    [[nodiscard]] std::int64_t bytes() const { return m_bytes; }           ///< of those, in the run's dtype or packed
    [[nodiscard]] const std::map<int, std::int64_t>& bytesByLayer() const { return m_layerBytes; } ///< -1: in none
    [[nodiscard]] std::vector<std::string> unused() const;
    [[nodiscard]] const Target& target() const { return m_target; }

private:
    [[nodiscard]] bool holds(const std::string& stored) const;
    [[nodiscard]] bool isOfPart(const std::string& asked) const;            ///< whether it is read
    [[nodiscard]] bool packs(at::IntArrayRef shape, WeightForm form) const; ///< whether pack() makes something else
    [[nodiscard]] at::Tensor packStored(const io::TensorView& source, at::ScalarType type, WeightForm form,
                                        bool& finite);
    /// What the checkpoint calls a name, and what all its names begin with besides.
    struct Place {
        std::string stored, outer;
    };
    [[nodiscard]] Place placeOf(const std::string& name) const;
    [[nodiscard]] std::string stored(const std::string& name) const { return placeOf(name).stored; }
    [[nodiscard]] std::vector<std::string> spellings(const std::string& name, const std::string& outer) const;
    [[nodiscard]] bool anyBelow(const std::string& prefix) const; ///< whether a stored name begins with it
    [[nodiscard]] std::string unsaidPacking(const std::string& stored) const;
    [[nodiscard]] Error missing(const std::string& name, const std::vector<std::int64_t>& shape) const;
    void readNames(std::vector<std::string> names);
    struct Source {
        io::TensorView view;
        std::optional<io::PackedTensor> packed; ///< that it is made of
    };
    /// Nothing where there is no such tensor. Only looks.
    [[nodiscard]] Result<std::optional<Source>> sourceOf(const std::string& stored) const;
    [[nodiscard]] std::optional<io::TensorView> viewOf(const std::string& stored) const;
    /// The change of a tensor, under the name that a family asks by or as it is stored; null: none.
    [[nodiscard]] const io::LoraAdapter::Map* changeOf(const std::string& asked, const std::string& stored);
    /// Fails where the change does not fit the shape.
    [[nodiscard]] Result<void> checkChange(const io::LoraAdapter::Map& change, const std::string& name,
                                           const std::vector<std::int64_t>& shape) const;
    std::shared_ptr<const io::LoraAdapter> m_adapter;
    std::set<std::string> m_merged; ///< modules of it
    bool m_textPart = false;
    bool m_unpackedAny = false;
    std::optional<io::Packing> m_packing;           ///< nothing: FP8 is read without factors
    std::vector<std::string> m_names;               ///< as stored, sorted
    std::vector<std::string> m_outer = {""};        ///< what all names begin with, part by part
    std::map<std::string, std::string> m_unwrapped; ///< stored names by what they are without wrappers
    std::shared_ptr<const io::Checkpoint> m_checkpoint;
    std::map<std::string, at::Tensor> m_tensors;
    bool m_shapesOnly = false;
    std::map<std::string, at::Tensor> m_taken; ///< shared tensors are converted once; none where maps are packed
    std::set<std::string> m_used;
    Target m_target;
    std::optional<Error> m_error;
    std::vector<std::string> m_warnings;
    std::int64_t m_parameters = 0;
    std::int64_t m_bytes = 0;
    std::map<int, std::int64_t> m_layerBytes;
    bool m_sharing = false;
    std::set<std::string> m_counted;            ///< names whose elements are in the two above
    std::map<std::string, at::Tensor> m_packed; ///< packed maps that are shared
    LargePages m_pages;                         ///< of packed maps
    std::shared_ptr<PackedStore> m_store;       ///< null: nothing is kept
};

} // namespace headscope::lm
