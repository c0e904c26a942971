// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The builders of all families, one per file in this folder. Worker thread.

#include "core/lm/family.h"

namespace headscope::lm {

ModelParts buildLlama(Config& config, Weights& weights, int layerLimit);
ModelParts buildMistral(Config& config, Weights& weights, int layerLimit);
ModelParts buildQwen2(Config& config, Weights& weights, int layerLimit);
ModelParts buildQwen3(Config& config, Weights& weights, int layerLimit);
ModelParts buildGpt2(Config& config, Weights& weights, int layerLimit);
ModelParts buildGptNeox(Config& config, Weights& weights, int layerLimit);
ModelParts buildPhi(Config& config, Weights& weights, int layerLimit);
ModelParts buildGemma2(Config& config, Weights& weights, int layerLimit);
ModelParts buildGemma3(Config& config, Weights& weights, int layerLimit);
ModelParts buildGemma3n(Config& config, Weights& weights, int layerLimit);
ModelParts buildGemma4(Config& config, Weights& weights, int layerLimit);
ModelParts buildLfm2(Config& config, Weights& weights, int layerLimit);
ModelParts buildNemotronH(Config& config, Weights& weights, int layerLimit);
ModelParts buildRecurrentGemma(Config& config, Weights& weights, int layerLimit);
ModelParts buildMiniMax(Config& config, Weights& weights, int layerLimit);
ModelParts buildOlmoHybrid(Config& config, Weights& weights, int layerLimit);
ModelParts buildKimiLinear(Config& config, Weights& weights, int layerLimit);
ModelParts buildSmolLm3(Config& config, Weights& weights, int layerLimit);
ModelParts buildOlmo2(Config& config, Weights& weights, int layerLimit);
ModelParts buildOlmo3(Config& config, Weights& weights, int layerLimit);
ModelParts buildPhi3(Config& config, Weights& weights, int layerLimit);
ModelParts buildStableLm(Config& config, Weights& weights, int layerLimit);
ModelParts buildCohere(Config& config, Weights& weights, int layerLimit);
ModelParts buildCohere2(Config& config, Weights& weights, int layerLimit);
ModelParts buildGlm(Config& config, Weights& weights, int layerLimit);
ModelParts buildGlm4(Config& config, Weights& weights, int layerLimit);
ModelParts buildGranite(Config& config, Weights& weights, int layerLimit);
ModelParts buildFalcon(Config& config, Weights& weights, int layerLimit);
ModelParts buildBloom(Config& config, Weights& weights, int layerLimit);
ModelParts buildMpt(Config& config, Weights& weights, int layerLimit);
ModelParts buildOpt(Config& config, Weights& weights, int layerLimit);
ModelParts buildArcee(Config& config, Weights& weights, int layerLimit);
ModelParts buildSeedOss(Config& config, Weights& weights, int layerLimit);
ModelParts buildErnie45(Config& config, Weights& weights, int layerLimit);
ModelParts buildErnie45Moe(Config& config, Weights& weights, int layerLimit);
ModelParts buildHelium(Config& config, Weights& weights, int layerLimit);
ModelParts buildExaone4(Config& config, Weights& weights, int layerLimit);
ModelParts buildGptNeo(Config& config, Weights& weights, int layerLimit);
ModelParts buildGptj(Config& config, Weights& weights, int layerLimit);
ModelParts buildCodeGen(Config& config, Weights& weights, int layerLimit);
ModelParts buildGptBigCode(Config& config, Weights& weights, int layerLimit);
ModelParts buildApertus(Config& config, Weights& weights, int layerLimit);
ModelParts buildHunyuanDense(Config& config, Weights& weights, int layerLimit);
ModelParts buildNanochat(Config& config, Weights& weights, int layerLimit);
ModelParts buildGlm4Moe(Config& config, Weights& weights, int layerLimit);
ModelParts buildDots1(Config& config, Weights& weights, int layerLimit);
ModelParts buildMiniMaxM2(Config& config, Weights& weights, int layerLimit);
ModelParts buildLlama4(Config& config, Weights& weights, int layerLimit);
ModelParts buildStarCoder2(Config& config, Weights& weights, int layerLimit);
ModelParts buildMixtral(Config& config, Weights& weights, int layerLimit);
ModelParts buildQwen2Moe(Config& config, Weights& weights, int layerLimit);
ModelParts buildQwen3Moe(Config& config, Weights& weights, int layerLimit);
ModelParts buildOlmoe(Config& config, Weights& weights, int layerLimit);
ModelParts buildGptOss(Config& config, Weights& weights, int layerLimit);
ModelParts buildGraniteMoe(Config& config, Weights& weights, int layerLimit);
ModelParts buildDeepseekV2(Config& config, Weights& weights, int layerLimit);
ModelParts buildDeepseekV3(Config& config, Weights& weights, int layerLimit);
ModelParts buildDeepseekV32(Config& config, Weights& weights, int layerLimit);
ModelParts buildMamba(Config& config, Weights& weights, int layerLimit);
ModelParts buildFalconMamba(Config& config, Weights& weights, int layerLimit);
ModelParts buildMambaOriginal(Config& config, Weights& weights, int layerLimit);
ModelParts buildMamba2(Config& config, Weights& weights, int layerLimit);
ModelParts buildMamba2Original(Config& config, Weights& weights, int layerLimit);
ModelParts buildLlamba(Config& config, Weights& weights, int layerLimit);
ModelParts buildXlstm(Config& config, Weights& weights, int layerLimit);
ModelParts buildRwkv7(Config& config, Weights& weights, int layerLimit);
ModelParts buildZamba(Config& config, Weights& weights, int layerLimit);
ModelParts buildZamba2(Config& config, Weights& weights, int layerLimit);
ModelParts buildHybridLlamba(Config& config, Weights& weights, int layerLimit);
ModelParts buildBamba(Config& config, Weights& weights, int layerLimit);
ModelParts buildJamba(Config& config, Weights& weights, int layerLimit);
ModelParts buildGraniteHybrid(Config& config, Weights& weights, int layerLimit);
ModelParts buildFalconH1(Config& config, Weights& weights, int layerLimit);
ModelParts buildQwen3Next(Config& config, Weights& weights, int layerLimit);

/// Returns the window of a layer by use_sliding_window and max_window_layers, for the Qwen families.
[[nodiscard]] int qwenWindow(Config& config, int layer);

} // namespace headscope::lm
