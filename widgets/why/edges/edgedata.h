// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Edges around a part of a model as a graph shows them: parts in rows of layers, and who feeds whom. Plain values; any
// thread.

#include "widgets/why/patch/promptdifference.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace headscope::widgets {

/// A head, an MLP, the embedding or the logits.
struct GraphPart {
    QString name;    ///< "L2H5", "L1.mlp", "embed", "logits"
    int row = 0;     ///< of EdgeData::rows
    int column = -1; ///< -1: over the whole row
};

struct GraphEdge {
    int from = 0, to = 0;     ///< of EdgeData::parts
    QString through;          ///< what the reader reads it by: "k", "dt"; empty: an MLP, the logits
    double share = 0;         ///< of the way to the other run that this edge alone goes
    double low = 0, high = 0; ///< 95 % interval of the share; both NaN where there is one pair
    double change = 0;        ///< of the logit difference

    [[nodiscard]] bool hasInterval() const { return low <= high; }
};

struct EdgeData {
    QStringList rows;             ///< "", "L0", "L1" ... "": the embedding first, the logits last
    std::vector<int> cells;       ///< by row, how many parts the model has there; the last of a layer is its MLP
    std::vector<GraphPart> parts; ///< that edges touch
    std::vector<GraphEdge> edges; ///< the strongest first
    int asked = -1;               ///< of parts: what the edges are around
    PromptPair pair;              ///< whose runs are compared

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
