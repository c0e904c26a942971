// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Gives a family its tensors by name, checked for presence and shape, converted one by one to the run's dtype and
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

/// A source of tensors: a checkpoint, or a table of tensors being trained.
///
/// A checkpoint may omit "model." from all names (a base class such as LlamaModel was saved), begin all names with one
/// prefix ("module._orig_mod."), and have the parts of training wrappers within names.
class Weights
{
public:
    /// Layers [first, last), and with `rest` everything outside the layers.
    struct Part {
        int first = 0, last = 0;
        bool rest = false;
    };
    struct Target {
        at::ScalarType dtype = at::kFloat;
        at::Device device = at::kCPU;
        bool dryRun = false; ///< check names and shapes only: tensors are on the meta device and cost no memory
        WeightForm form = WeightForm::Full; ///< form into which pack() converts maps
        std::optional<Part> part;           ///< read only this part, the rest stays shapes; nothing: all
    };

    Weights(std::shared_ptr<const io::Checkpoint> checkpoint, Target target);
    /// Tensors under training, used as they are.
    explicit Weights(std::map<std::string, at::Tensor> tensors);
    /// Returns the mapped file's bytes as tensors, without a copy; nothing if a tensor has another type or is
    /// misaligned for its type. The file must not change while they are used.
    [[nodiscard]] static std::optional<Weights> mapped(const std::shared_ptr<const io::Checkpoint>& checkpoint,
                                                       at::ScalarType dtype);
    /// Returns an empty source in which every name exists in every shape, on the meta device: describes a model from a
    /// config alone.
    [[nodiscard]] static Weights shapesOnly(at::ScalarType dtype, WeightForm form = WeightForm::Full);

    /// From now on, maps that are packed in this way are unpacked when they are taken.
    void unpack(io::Packing packing) { m_packing = std::move(packing); }
    /// From now on, a LoRA adapter's changes are merged into their maps.
    void merge(std::shared_ptr<const io::LoraAdapter> adapter);
    /// From now on, maps packed by take() are stored there, or loaded from there.
    void keepPacked(std::shared_ptr<PackedStore> store) { m_store = std::move(store); }
    /// Returns modules of the adapter whose tensor was never requested; warns of those of parts that are not opened.
    [[nodiscard]] std::vector<std::string> unmerged();
    /// Returns whether any requested map was packed.
    [[nodiscard]] bool unpackedAny() const { return m_unpackedAny; }
    /// Returns whether a packed map is stored by outputs, as [out, in], whatever the family's plain layout is.
    [[nodiscard]] bool storedByOutputs(const std::string& name) const;

    /// From now on, "model.X" is stored as "language_model.model.X" or "model.language_model.X", as in a
    /// multimodal model, and "lm_head.X" possibly as "language_model.lm_head.X"; the model's other tensors are
    /// ignored.
    void readTextPart() { m_textPart = true; }

    /// Returns the tensor `name` of exactly this shape. After a failure (missing, other shape, NaN in it) the first
    /// error is kept and a meta tensor of the requested shape is returned, so that a family's builder needs no
    /// branches. With a form, packs it like pack(), directly from the file if that stores the numbers row by row.
    /// `byInputs`: the map is stored as [in, out], so that an adapter's change, [out, in], is transposed.
    [[nodiscard]] at::Tensor take(const std::string& name, std::vector<std::int64_t> shape,
                                  WeightForm form = WeightForm::Full, bool byInputs = false);
    /// Returns a tensor that several modules share: the first name that exists. Copies under other names must be equal.
    [[nodiscard]] at::Tensor takeShared(const std::vector<std::string>& names, std::vector<std::int64_t> shape);
    /// Returns a map [out, in] that was taken, in `form`; unchanged if that is not smaller, or in a dry run, which only
    /// counts. `key`: name of a map that several modules share, packed once; empty: none.
    [[nodiscard]] at::Tensor pack(const at::Tensor& map, WeightForm form, const std::string& key = {});
    [[nodiscard]] bool has(const std::string& name) const;
    /// Returns the first size of a tensor as stored; 0 if it does not exist or there is no file.
    [[nodiscard]] std::int64_t rowsOf(const std::string& name) const;
    /// Returns whether both exist with the same numbers in the same type. Reads the file, also in a dry run.
    [[nodiscard]] bool equal(const std::string& a, const std::string& b) const;
    /// Marks tensors taken between share(true) and share(false) as belonging to layers of several parts.
    void share(bool on) { m_sharing = on; }
    /// Marks a tensor that is deliberately skipped, so that it is not reported as unused.
    void leave(const std::string& name) { m_used.insert(stored(name)); }
    /// Records what a user should know about how the tensors were read, one sentence each.
    void warn(const std::string& sentence); ///< each sentence only once
    [[nodiscard]] const std::vector<std::string>& warnings() const { return m_warnings; }
    /// Marks known buffers (GPT-2's causal mask) so that they are not reported as unused.
    void ignore(const std::function<bool(const std::string&)>& isBuffer);
    void fail(Error error); ///< keeps the first

    [[nodiscard]] bool hasNumbers() const { return !m_shapesOnly; } ///< false: names and shapes only
    [[nodiscard]] bool failed() const { return m_error.has_value(); }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    [[nodiscard]] std::int64_t parameters() const { return m_parameters; } ///< elements returned, each tensor once
    [[nodiscard]] std::int64_t bytes() const { return m_bytes; }           ///< of these, in the run's dtype or packed
    [[nodiscard]] const std::map<int, std::int64_t>& bytesByLayer() const { return m_layerBytes; } ///< -1: no layer
    [[nodiscard]] std::vector<std::string> unused() const;
    [[nodiscard]] const Target& target() const { return m_target; }

private:
    [[nodiscard]] bool holds(const std::string& stored) const;
    [[nodiscard]] bool isOfPart(const std::string& asked) const;            ///< whether it is to be read
    [[nodiscard]] bool packs(at::IntArrayRef shape, WeightForm form) const; ///< whether pack() changes the form
    [[nodiscard]] at::Tensor packStored(const io::TensorView& source, at::ScalarType type, WeightForm form,
                                        bool& finite);
    /// The checkpoint's spelling of a name, and the prefix before it.
    struct Place {
        std::string stored, outer;
    };
    [[nodiscard]] Place placeOf(const std::string& name) const;
    [[nodiscard]] std::string stored(const std::string& name) const { return placeOf(name).stored; }
    [[nodiscard]] std::vector<std::string> spellings(const std::string& name, const std::string& outer) const;
    [[nodiscard]] bool anyBelow(const std::string& prefix) const; ///< whether a stored name begins with it
    [[nodiscard]] std::string undeclaredPacking(const std::string& stored) const;
    [[nodiscard]] Error missing(const std::string& name, const std::vector<std::int64_t>& shape) const;
    void readNames(std::vector<std::string> names);
    struct Source {
        io::TensorView view;
        std::optional<io::PackedTensor> packed; ///< the parts that it is made of
    };
    /// Returns the source; nothing if there is no such tensor. Does not change the state.
    [[nodiscard]] Result<std::optional<Source>> sourceOf(const std::string& stored) const;
    [[nodiscard]] std::optional<io::TensorView> viewOf(const std::string& stored) const;
    /// Returns the adapter's change of a tensor, by its requested or stored name; null: none.
    [[nodiscard]] const io::LoraAdapter::Map* changeOf(const std::string& asked, const std::string& stored);
    /// Fails if the change does not fit the shape.
    [[nodiscard]] Result<void> checkChange(const io::LoraAdapter::Map& change, bool turned, const std::string& name,
                                           const std::vector<std::int64_t>& shape) const;
    std::shared_ptr<const io::LoraAdapter> m_adapter;
    std::map<std::string, std::string> m_changes; ///< modules of the adapter by their plain names
    std::set<std::string> m_merged;               ///< modules of the adapter
    bool m_textPart = false;
    bool m_unpackedAny = false;
    std::optional<io::Packing> m_packing;           ///< nothing: FP8 is read without factors
    std::vector<std::string> m_names;               ///< as stored, sorted
    std::vector<std::string> m_outer = {""};        ///< common prefix of all names, part by part
    std::map<std::string, std::string> m_unwrapped; ///< stored names by their names without wrappers
    std::shared_ptr<const io::Checkpoint> m_checkpoint;
    std::map<std::string, at::Tensor> m_tensors;
    bool m_shapesOnly = false;
    std::map<std::string, at::Tensor> m_taken; ///< shared tensors are converted once; unused if maps are packed
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
    LargePages m_pages;                         ///< of maps
    std::shared_ptr<PackedStore> m_store;       ///< null: nothing is kept
};

} // namespace headscope::lm
