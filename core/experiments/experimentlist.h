// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The experiments of the program, one function each. allExperiments() lists them.

#include "core/experiments/experiment.h"

namespace headscope::experiments {

/// Layers removed from the end, one after another: the point at which multiple choice falls but not yet knowledge.
[[nodiscard]] Experiment gradualPruning();
/// KV retrieval by dictionary size, with the gather and the aggregate head removed.
[[nodiscard]] Experiment kvCurve();
/// Patterns of gather and aggregate heads in attention and in SSMs: peaked or diffuse.
[[nodiscard]] Experiment heatmaps();
/// The first heads of a ranking removed, with random heads as control.
[[nodiscard]] Experiment ranking();
/// The same questions in two forms, under the same removals.
[[nodiscard]] Experiment format();
/// SSM and attention heads reduced to the entries of gathering and aggregating, sample by sample.
[[nodiscard]] Experiment masks();
/// How many heads share the role: scores by number of removed heads, SSM and Transformer.
[[nodiscard]] Experiment redundancy();
/// One layer of an aligned SSM replaced by its Transformer's.
[[nodiscard]] Experiment layerReplacement();
/// Attention heads of a hybrid removed, and the last row of its attention masked; SSM heads as control.
[[nodiscard]] Experiment hybridMasking();
/// The first k heads of a ranking stay attention, the others are distilled into SSM heads.
[[nodiscard]] Experiment hybrids();
/// Perplexity by the number of heads that stay attention.
[[nodiscard]] Experiment perplexity();
/// Accuracy by state size of the SSM heads beside a few attention heads.
[[nodiscard]] Experiment stateSize();
/// Bytes of keys, values and states by prompt length.
[[nodiscard]] Experiment cacheMemory();
/// Whether scores of a head's pattern predict the cost of its removal.
[[nodiscard]] Experiment quantify();
/// Heads removed in pairs: additive, redundant or synergistic.
[[nodiscard]] Experiment complementary();
/// A head's output scaled instead of removed.
[[nodiscard]] Experiment promote();

// Two experiments of the paper, defined as study files in resources/studies.
[[nodiscard]] Experiment headsKept();
[[nodiscard]] Experiment individualPruning();

// Beyond the paper: how a model retrieves.
/// The edges between heads, MLPs, embedding and logits that retrieval needs: found by path patching, then kept alone
/// and removed alone.
[[nodiscard]] Experiment circuit();
/// The layer at which an answer appears in the logit lens, and the effect of removing gather and aggregate heads.
[[nodiscard]] Experiment lensRetrieval();
/// The layers and positions at which a retrieved value is readable from the stream, with the logit lens and a Jacobian
/// lens fitted during the experiment, and the effect of removing gather and aggregate heads.
[[nodiscard]] Experiment jlensRetrieval();
/// When the heads that carry retrieval appear during training: checkpoints of one model, in the order of their steps.
[[nodiscard]] Experiment emergence();
/// Whether a head's pattern on one prompt predicts its removal cost over many.
[[nodiscard]] Experiment surveyGatherAggregate();

} // namespace headscope::experiments
