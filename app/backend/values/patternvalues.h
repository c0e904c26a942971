// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Maps of heads as they are asked for and come back. Plain values; any thread.

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
    analysis::MatrixConvention convention{}; ///< its kind is the head's, whatever stands here
    bool operator==(const PatternRequest&) const = default;
};

struct PatternReply {
    PatternRequest request;
    std::string inputs{}; ///< sessions::PatternRecord
    analysis::MatrixConvention convention{};
    std::string earlierWords{}; ///< of a kept one: sessions::PatternRecord
    std::string text;           ///< the prompt
    TokenizedPrompt prompt;
    std::vector<Span> spans; ///< token ranges
    Matrix matrix;           ///< [T, T], or [ceil(T / pool), the same]
    int pool = 1;            ///< tokens a side of one entry: of that many cells the strongest
    int unread = 0;          ///< tokens at the end whose rows are NaN: they are being read
    bool pruned = false;     ///< nothing reads what the head writes
};

/// Exact rows of a map, for prompts whose map came pooled and for the row profile.
struct PatternRows {
    PatternRequest request;
    int first = 0;
    Matrix rows; ///< [n, T]
};

/// One row of every head: who looks where from one token.
struct RowOfHeads {
    interventions::InterventionSet ablation;
    int row = 0;
    std::vector<interventions::HeadRef> heads; ///< from the first layer to the last
    Matrix matrix;                             ///< [heads, T]; each row divided by the sum of its absolute values
    bool probability = true;
};

/// The maps of many heads as a file, a matrix a head.
struct MapsFile {
    PatternRequest like; ///< ablation and convention; its head does not count
    int layer = -1;      ///< of which; -1: of all
    std::string file;    ///< .npz
};

struct SavedMaps {
    std::string file;
    int heads = 0;
    int without = 0; ///< heads that have no map under the ablation: their layer is skipped
};

/// A head's map made small, for strips and tooltips.
struct PatternPreview {
    PatternRequest request;
    analysis::MatrixConvention convention{};
    Matrix matrix; ///< at most 96 rows
};

/// The map of a head: whole up to 4,096 tokens, pooled beyond. Of a long prompt its beginning is sent first.
struct MapRequest {
    using Reply = PatternReply;
    Side side = Side::A;
    Prompt prompt;
    PatternRequest of;
};
[[nodiscard]] Job<PatternReply> jobOf(const MapRequest& request);

/// Rows [first, first + count) of a map, exact whatever the length; fewer where the prompt ends.
struct RowsRequest {
    using Reply = PatternRows;
    Side side = Side::A;
    Prompt prompt;
    PatternRequest of;
    int first = 0;
    int count = 1;
};
[[nodiscard]] Job<PatternRows> jobOf(const RowsRequest& request);

/// The same for the profile under a map.
struct ProfileRowRequest : RowsRequest {
};

/// One row of every head.
struct RowOfHeadsRequest {
    using Reply = RowOfHeads;
    Side side = Side::A;
    Prompt prompt;
    int row = 0;
    interventions::InterventionSet ablation;
};
[[nodiscard]] Job<RowOfHeads> jobOf(const RowOfHeadsRequest& request);

/// Small maps of some heads, sent one after another.
struct PreviewsRequest {
    using Reply = PatternPreview;
    Side side = Side::A;
    Prompt prompt;
    std::vector<interventions::HeadRef> heads;
    PatternRequest like; ///< ablation and convention; its head does not count
};
[[nodiscard]] Job<PatternPreview> jobOf(const PreviewsRequest& request);

/// The same for the head under the pointer.
struct HoverRequest : PreviewsRequest {
};

/// Whole maps of up to 4,096 tokens, a head at a time, and then the file. Yields to everything else between heads.
struct MapsRequest {
    using Reply = SavedMaps;
    Side side = Side::A;
    Prompt prompt;
    MapsFile ask;
};
[[nodiscard]] Job<SavedMaps> jobOf(const MapsRequest& request);

} // namespace headscope::app
