// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Jacobian lenses in files of PyTorch, in the form in which they are published: `J` {layer: [D, D]}, `n_prompts`,
// `source_layers`, `d_model` and `metadata`. Such a file counts the stream after a layer, so its layer l is what
// JacobianLens has before layer l + 1; the matrix of the embedding, which the form has no place for, is in the
// metadata. Worker thread.

#include "core/why/lenses/jacobianfit.h"

#include <filesystem>
#include <string>

namespace headscope::why {

/// Where a lens comes from, as far as its file says: texts are empty and numbers -1 where it does not.
struct LensOrigin {
    std::string model, modelHash; ///< name, and SHA-256 over weights and config
    std::string corpusHash;       ///< SHA-256 of the texts
    std::string promptsHash;      ///< SHA-256 of the tokens that were taken of them
    std::string dtype;            ///< that the model was run in: "fp32"
    int skip = -1, length = -1;

    bool operator==(const LensOrigin&) const = default;
};

/// The name under which a model's folder holds a lens of its own.
inline constexpr const char* kLensOfFolder = "jacobian-lens.pt";

struct LensFile {
    JacobianLens lens;
    int prompts = 0; ///< 0: the file does not say
    LensOrigin origin;
};

/// Writes means as fp16, which is how lenses are published.
[[nodiscard]] Result<void> writeLens(const std::filesystem::path& path, const JacobianLens& lens, int prompts,
                                     const LensOrigin& origin);

/// Reads a lens for a model with this spec and hash. Fails with one sentence for a file that is not a lens, matrices of
/// another width or with numbers that are not finite, layers that the model does not have, a listed layer without a
/// matrix, another model's hash, and a fit on weights that were processed (folded norms, centred weights).
[[nodiscard]] Result<LensFile> readLens(const std::filesystem::path& path, const lm::ModelSpec& spec,
                                        const std::string& modelHash);

/// The same for a read-out of all layers. Fails too where a layer has no matrix, which only the embedding may lack.
[[nodiscard]] Result<JacobianLens> readWholeLens(const std::filesystem::path& path, const lm::ModelSpec& spec,
                                                 const std::string& modelHash);

/// SHA-256 of the matrices: the same for a lens that was copied or written again.
[[nodiscard]] std::string lensHash(const JacobianLens& lens);

/// The sums of a fit that is not finished, exactly; the same form with fp32 numbers.
[[nodiscard]] Result<void> writeUnfinished(const std::filesystem::path& path, const JacobianFit::Sums& sums,
                                           const LensOrigin& origin);
/// Fails where readLens() does, and where the fit was begun with another origin or for other layers than `begun`.
[[nodiscard]] Result<JacobianFit::Sums> readUnfinished(const std::filesystem::path& path, const lm::ModelSpec& spec,
                                                       const LensOrigin& origin, const JacobianFit::Sums& begun);

} // namespace headscope::why
