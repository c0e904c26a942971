// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Requests for the maps of heads, and their replies. Plain values; any thread.

#include "app/backend/values/promptvalues.h"
#include "core/analysis/convention.h"
#include "core/base/matrix.h"
#include "core/interventions/intervention.h"

#include <string>
#include <vector>

namespace headscope::app {

template <typename Reply> struct Job;

struct PatternRequest {
    interventions::HeadRef head;
    interventions::InterventionSet ablation;
    analysis::MatrixConvention convention{}; ///< its kind is taken from the head and ignored here
    bool operator==(const PatternRequest&) const = default;
};

struct PatternReply {
    PatternRequest request;
    std::string inputs{}; ///< see sessions::PatternRecord
    analysis::MatrixConvention convention{};
    std::string earlierWords{}; ///< of a stored pattern: see sessions::PatternRecord
    std::string text;           ///< the prompt
    TokenizedPrompt prompt;
    std::vector<Span> spans; ///< token ranges
    Matrix matrix;           ///< [T, T], or [ceil(T / pool), ceil(T / pool)]
    int pool = 1;            ///< tokens per side of one entry, which holds the strongest of their cells
    int unread = 0;          ///< tokens at the end whose rows are NaN because they are still being computed
    bool pruned = false;     ///< no later part of the model reads the output of this head
};

/// Exact rows of a map, for prompts with a pooled map and for the row profile.
struct PatternRows {
    PatternRequest request;
    int first = 0;
    Matrix rows; ///< [n, T]
};

/// One query row of every head: which tokens each head reads from one token.
struct RowOfHeads {
    interventions::InterventionSet ablation;
    int row = 0;
    std::vector<interventions::HeadRef> heads; ///< in order of layers
    Matrix matrix;                             ///< [heads, T]; each row divided by the sum of its absolute values
    bool probability = true;
};

/// A file with the maps of many heads, one matrix per head.
struct MapsFile {
    PatternRequest like; ///< ablation and convention; its head is ignored
    int layer = -1;      ///< heads of this layer only; -1: all layers
    std::string file;    ///< .npz
};

struct SavedMaps {
    std::string file;
    int heads = 0;
    int without = 0; ///< heads that have no map under the ablation, because their layer is skipped
};

/// A reduced map of a head for strips and tooltips.
struct PatternPreview {
    PatternRequest request;
    analysis::MatrixConvention convention{};
    Matrix matrix; ///< at most 96 rows
};

/// Requests the map of a head: whole up to 4,096 tokens, pooled beyond. The beginning of a long prompt is sent first.
struct MapRequest {
    using Reply = PatternReply;
    Side side = Side::A;
    Prompt prompt;
    PatternRequest of;
};
[[nodiscard]] Job<PatternReply> jobOf(const MapRequest& request);

/// Requests rows [first, first + count) of a map, exact at any length; fewer at the end of the prompt.
struct RowsRequest {
    using Reply = PatternRows;
    Side side = Side::A;
    Prompt prompt;
    PatternRequest of;
    int first = 0;
    int count = 1;
};
[[nodiscard]] Job<PatternRows> jobOf(const RowsRequest& request);

/// The same request for the profile below a map.
struct ProfileRowRequest : RowsRequest {
};

/// Requests one row of every head.
struct RowOfHeadsRequest {
    using Reply = RowOfHeads;
    Side side = Side::A;
    Prompt prompt;
    int row = 0;
    interventions::InterventionSet ablation;
};
[[nodiscard]] Job<RowOfHeads> jobOf(const RowOfHeadsRequest& request);

/// Requests reduced maps of some heads, sent one at a time.
struct PreviewsRequest {
    using Reply = PatternPreview;
    Side side = Side::A;
    Prompt prompt;
    std::vector<interventions::HeadRef> heads;
    PatternRequest like; ///< ablation and convention; its head is ignored
};
[[nodiscard]] Job<PatternPreview> jobOf(const PreviewsRequest& request);

/// The same request for the head under the pointer.
struct HoverRequest : PreviewsRequest {
};

/// Writes the whole maps (up to 4,096 tokens) of many heads to a file. Yields to all other requests between heads.
struct MapsRequest {
    using Reply = SavedMaps;
    Side side = Side::A;
    Prompt prompt;
    MapsFile ask;
};
[[nodiscard]] Job<SavedMaps> jobOf(const MapsRequest& request);

} // namespace headscope::app
