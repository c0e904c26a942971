// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Jacobian lenses in PyTorch files, in their published format: `J` {layer: [D, D]}, `n_prompts`, `source_layers`,
// `d_model` and `metadata`. Such a file counts the stream after a layer, so its layer l is JacobianLens's matrix
// before layer l + 1; the matrix of the embedding, for which the format has no place, is in the metadata. Worker
// thread.

#include "core/why/lenses/jacobianfit.h"

#include <filesystem>
#include <string>

namespace headscope::why {

/// Origin of a lens as recorded in its file: texts are empty and numbers -1 if not recorded.
struct LensOrigin {
    std::string model, modelHash; ///< name, and SHA-256 over weights and config
    std::string corpusHash;       ///< SHA-256 of the texts
    std::string promptsHash;      ///< SHA-256 of the tokens used from them
    std::string dtype;            ///< dtype in which the model ran: "fp32"
    int skip = -1, length = -1;

    bool operator==(const LensOrigin&) const = default;
};

/// File name of a lens stored in a model's folder.
inline constexpr const char* kLensOfFolder = "jacobian-lens.pt";

struct LensFile {
    JacobianLens lens;
    int prompts = 0; ///< 0: not recorded
    LensOrigin origin;
};

/// Writes the means as fp16, the published format of lenses.
[[nodiscard]] Result<void> writeLens(const std::filesystem::path& path, const JacobianLens& lens, int prompts,
                                     const LensOrigin& origin);

/// Reads a lens for a model with this spec and hash. Fails with one sentence for a file that is not a lens, matrices of
/// another width or with non-finite numbers, layers that the model does not have, a listed layer without a matrix,
/// another model's hash, and a fit on processed weights (folded norms, centred weights).
[[nodiscard]] Result<LensFile> readLens(const std::filesystem::path& path, const lm::ModelSpec& spec,
                                        const std::string& modelHash);

/// Reads a lens that covers all layers. Also fails if a layer has no matrix, which only the embedding may lack.
[[nodiscard]] Result<JacobianLens> readWholeLens(const std::filesystem::path& path, const lm::ModelSpec& spec,
                                                 const std::string& modelHash);

/// Returns the SHA-256 of the matrices: unchanged when a lens is copied or rewritten.
[[nodiscard]] std::string lensHash(const JacobianLens& lens);

/// Writes the exact sums of an unfinished fit; the same format with fp32 numbers.
[[nodiscard]] Result<void> writeUnfinished(const std::filesystem::path& path, const JacobianFit::Sums& sums,
                                           const LensOrigin& origin);
/// Reads them. Fails where readLens() fails, and if the fit was begun with another origin or other layers than `begun`.
[[nodiscard]] Result<JacobianFit::Sums> readUnfinished(const std::filesystem::path& path, const lm::ModelSpec& spec,
                                                       const LensOrigin& origin, const JacobianFit::Sums& begun);

} // namespace headscope::why
