// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Small records for the session tests, all different where identities differ. Any thread.

#include "core/base/hash.h"
#include "core/base/result.h"
#include "sessions/records.h"

#include <string>
#include <vector>

namespace headscope::testing {

inline sessions::ModelRecord exampleModel(const std::string& name = "tiny-transformer")
{
    sessions::ModelRecord model;
    model.hash = sha256Hex("model " + name);
    model.name = name;
    model.source = "resources/models/" + name;
    model.family = "llama";
    model.dtype = "fp32";
    model.device = "cpu";
    model.layers = 3;
    model.headsJson = R"([{"kind":"attention","heads":8}])";
    model.parameters = 123456;
    return model;
}

inline sessions::ExampleRecord exampleAt(int row, const std::string& task = "toy_kv:pairs=8")
{
    sessions::ExampleRecord example;
    example.task = task;
    example.file = "generated";
    example.row = row;
    example.scoring = "multiple_choice";
    example.context = "red Paris blue Oslo, number " + std::to_string(row) + ": red";
    example.continuations = {" Paris", " Oslo"};
    example.gold = row % 2;
    example.extraJson = R"({"norm_lengths":[6,5]})";
    example.hash = sha256Hex(example.task + example.context);
    return example;
}

inline std::vector<sessions::ExampleRecord> examples(int count, const std::string& task = "toy_kv:pairs=8")
{
    std::vector<sessions::ExampleRecord> all;
    for (int row = 0; row < count; ++row)
        all.push_back(exampleAt(row, task));
    return all;
}

inline sessions::SeriesKey series(const std::string& ablation = "")
{
    sessions::SeriesKey key;
    key.modelHash = exampleModel().hash;
    key.dtype = "fp32";
    key.device = "cpu";
    key.task = "toy_kv:pairs=8";
    key.ablation = ablation;
    return key;
}

inline sessions::ResultRecord resultFor(const sessions::ExampleRecord& example, bool right)
{
    sessions::ResultRecord result;
    result.exampleHash = example.hash;
    result.prediction = right ? example.gold : 1 - example.gold;
    result.correct = right;
    result.correctNorm = right;
    result.greedy = false;
    result.logLikelihoods = {-0.1 * example.row - 1.0 / 3.0, -12.25};
    result.seconds = 0.001;
    return result;
}

/// Empty when all is well, else the sentence; evaluates its argument once.
template <typename T>
std::string failure(const Result<T>& result)
{
    return result.has_value() ? std::string() : result.error().message;
}

} // namespace headscope::testing

#define VERIFY_OK(result) QCOMPARE(headscope::testing::failure(result), std::string())
