// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Edges around a part of a model for a graph: parts in rows of layers, and the edges between them. Plain values; any
// thread.

#include "widgets/why/patch/promptdifference.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace headscope::widgets {

/// A head, an MLP, the embedding or the logits.
struct GraphPart {
    QString name;    ///< "L2H5", "L1.mlp", "embed", "logits"
    int row = 0;     ///< index into EdgeData::rows
    int column = -1; ///< -1: spans the whole row
};

struct GraphEdge {
    int from = 0, to = 0;     ///< indexes into EdgeData::parts
    QString through;          ///< the input that carries the edge: "k", "dt"; empty: an MLP, the logits
    double share = 0;         ///< effect of this edge alone as a share of the difference between the runs
    double low = 0, high = 0; ///< 95 % confidence interval of the share; both NaN for a single pair
    double change = 0;        ///< of the logit difference

    [[nodiscard]] bool hasInterval() const { return low <= high; }
};

struct EdgeData {
    QStringList rows;             ///< "", "L0", "L1" ... "": the embedding first, the logits last
    std::vector<int> cells;       ///< by row, the number of parts of the model; the last of a layer is its MLP
    std::vector<GraphPart> parts; ///< parts with edges
    std::vector<GraphEdge> edges; ///< strongest first
    int asked = -1;               ///< index of the part that the edges are around
    PromptPair pair;              ///< prompts of the compared runs

    /// "L1H2", "L2H5.k", "logits"
    [[nodiscard]] QString sender(const GraphEdge& edge) const
    {
        return parts[static_cast<std::size_t>(edge.from)].name;
    }
    [[nodiscard]] QString receiver(const GraphEdge& edge) const
    {
        const QString& name = parts[static_cast<std::size_t>(edge.to)].name;
        return edge.through.isEmpty() ? name : name + u'.' + edge.through;
    }
};

} // namespace headscope::widgets
