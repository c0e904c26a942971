// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Rows of heads' matrices in portions, for prompts whose whole matrices would not fit. Worker thread.

#include "core/engine/pattern/patterns.h"
#include "core/engine/pattern/streamstore.h"

#include <memory>

namespace headscope::engine {

/// Stores the stream before the layer of the chosen heads, [1, T, D], and the inputs of their rows: choose() costs one
/// mixer, rows() only these rows, and going through the layers costs each layer once. Memory: that, and the requested
/// rows, never T x T.
class PatternReader
{
public:
    /// Opens a prompt. `options.row` is not used. `streams` (null: none) belong to the model: layers found there are
    /// not run, newly run ones are stored there. Fails like patterns().
    [[nodiscard]] static Result<PatternReader> open(std::shared_ptr<const lm::Model> model, std::vector<int> ids,
                                                    const PatternOptions& options, const lm::DonorLoader& donors,
                                                    std::shared_ptr<StreamStore> streams = {});

    [[nodiscard]] int tokens() const { return static_cast<int>(m_ids.size()); }
    /// Chooses heads of one layer and site; head -1: all of them.
    [[nodiscard]] Result<void> choose(const std::vector<interventions::HeadRef>& heads, const Control& control);
    [[nodiscard]] const std::vector<interventions::HeadRef>& heads() const { return m_heads; }
    /// Runs the prompt up to the input of `layer`, so that choosing heads there is immediate.
    [[nodiscard]] Result<void> goTo(int layer, const Control& control);
    /// Returns query positions [first, first + count) of every chosen head: [count, T] each, in the order of heads().
    [[nodiscard]] Result<std::vector<Matrix>> rows(int first, int count, const Control& control) const;
    /// Writes the same into `into`, reusing its memory if the sizes match: first touching fresh memory takes longer
    /// than computing the numbers. After a failure the contents of `into` are undefined.
    [[nodiscard]] Result<void> rows(int first, int count, const Control& control, std::vector<Matrix>& into) const;

private:
    PatternReader() = default;
    /// Returns the input of a layer; undefined when stopped.
    [[nodiscard]] at::Tensor streamBefore(int layer, const Control& control) const;
    std::shared_ptr<const lm::Model> m_model;
    std::shared_ptr<StreamStore> m_streams; ///< null: none
    interventions::InterventionSet m_set;
    std::shared_ptr<const lm::Edits> m_edits;
    std::vector<int> m_ids;
    lm::MatrixConvention m_convention;
    at::Tensor m_embedding, m_stream;
    int m_layer = 0; ///< m_stream is the input of this layer
    std::vector<interventions::HeadRef> m_heads;
    lm::MatrixRows m_rows; ///< of these heads; null: their mixer is skipped
    lm::Site m_site = lm::Site::Attention;
};

} // namespace headscope::engine
