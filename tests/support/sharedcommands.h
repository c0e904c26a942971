// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Every command whose work processes share through a session, or that is divided into parts, small enough to be run
// many times. tst_parts holds it against the program's own list of commands.

#include "tests/support/clihere.h"

#include <vector>

namespace clifixture {

struct SharedCommand {
    const char* name;
    QStringList arguments;
    QByteArray undivided{}; ///< the sentence that refuses --part; empty: it can be divided
    bool follows = false;   ///< some of what it measures follows from the rest, and is not in any part
};

inline std::vector<SharedCommand> sharedCommands()
{
    const auto score = [](const QStringList& more) {
        return QStringList{u"score"_s, kModel, u"--limit"_s, u"40"_s, u"--json"_s} + more;
    };
    const auto rank = [](const QStringList& more, int limit = 40) {
        return QStringList{u"rank"_s,  kModel, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, QString::number(limit),
                           u"--json"_s}
               + more;
    };
    const auto method = [&](const QString& name, const QStringList& more = {}, int limit = 24) {
        return rank(QStringList{u"--method"_s, name} + more, limit);
    };
    const auto pairs = [](const QString& command, const QStringList& more) {
        return QStringList{command, kModel, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"6"_s, u"--json"_s} + more;
    };
    const QByteArray rounds = "cannot be divided into parts: it measures in rounds";
    return {
        {"baseline", score({u"--task"_s, u"toy_mc"_s})},
        {"two tasks, ablated", score({u"--task"_s, u"toy_kv:pairs=4,toy_mc"_s, u"--ablate"_s, u"L2H5"_s})},
        {"a mean over all examples", score({u"--task"_s, u"toy_kv:pairs=4"_s, u"--ablate"_s, u"L1H3=mean"_s})},
        {"until decided", score({u"--task"_s, u"toy_mc"_s, u"--ablate"_s, u"L2H5"_s, u"--until-decided"_s, u"0.1"_s}),
         "cannot be divided; leave out --part"},
        {"exact", rank({u"--head"_s, u"L1H*,L2H5"_s})},
        {"random", method(u"random"_s, {u"--draws"_s, u"3"_s})},
        {"pairs", method(u"pairs"_s, {u"--head"_s, u"L1H2-4"_s})},
        {"pairs of the best", method(u"pairs"_s, {u"--top"_s, u"3"_s}), rounds},
        {"race", method(u"race"_s, {u"--top"_s, u"3"_s}, 100), rounds},
        {"greedy", method(u"greedy"_s, {u"--top"_s, u"2"_s}), rounds},
        {"estimate", method(u"estimate"_s, {}, 400)},
        {"estimate on all examples", method(u"estimate"_s, {u"--agreement"_s, u"1"_s}, 400)},
        {"gather", method(u"gather"_s), rounds},
        {"aggregate", method(u"aggregate"_s), rounds},
        {"survey",
         {u"survey"_s, kModel, u"--task"_s, u"toy_kv:pairs=4"_s, u"--limit"_s, u"900"_s, u"--window"_s, u"32"_s,
          u"--json"_s}},
        {"survey of some heads",
         {u"survey"_s, kModel, u"--task"_s, u"toy_mc"_s, u"--token-count"_s, u"20000"_s, u"--head"_s, u"L1H*,L2H5"_s,
          u"--json"_s}},
        {"patching heads", pairs(u"patch"_s, {})},
        {"patching the stream", pairs(u"patch"_s, {u"--what"_s, u"stream"_s, u"--direction"_s, u"noise"_s})},
        {"edges into a head", pairs(u"edges"_s, {u"--receiver"_s, u"L2H5.q"_s})},
        {"edges from a head", pairs(u"edges"_s, {u"--sender"_s, u"L1H2"_s})},
        {"experiment", {u"experiment"_s, u"kv-curve"_s, kModel, u"--limit"_s, u"8"_s, u"--json"_s}, {}, true},
    };
}

/// What a run says of its results; not how long it took and where they came from.
inline QJsonObject resultsOf(const Outcome& outcome)
{
    QJsonObject json = outcome.json();
    for (const QString& key : {u"seconds"_s, u"memory"_s, u"tokens"_s, u"reused"_s, u"known"_s, u"finished"_s})
        json.remove(key);
    return json;
}

} // namespace clifixture
