// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/convention.h"

namespace headscope::analysis {

namespace {

std::string matrixOf(const MatrixConvention& convention)
{
    switch (convention.kind) {
    case MatrixKind::Attention: return "softmax attention (rows sum to 1)";
    case MatrixKind::Other: return "another matrix";
    case MatrixKind::Hidden:
    case MatrixKind::HiddenChannel: break;
    }
    std::string text = "hidden attention";
    text += convention.kind == MatrixKind::HiddenChannel ? " of a channel" : "";
    if (convention.hasD)
        text += convention.withD ? ", with D" : ", without D";
    text += convention.withDt ? "" : ", without dt";
    text += convention.withGate ? ", times the gate" : "";
    return text + " (signed, rows do not sum to 1)";
}

} // namespace

std::string describe(const MatrixConvention& convention)
{
    switch (convention.shown) {
    case MatrixShown::Plain: break;
    case MatrixShown::Weighted: return matrixOf(convention) + ", times the norm of what is taken";
    case MatrixShown::MinusBaseline: return matrixOf(convention) + ", now minus baseline";
    }
    return matrixOf(convention);
}

} // namespace headscope::analysis
