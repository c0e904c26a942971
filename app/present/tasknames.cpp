// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/tasknames.h"

#include "core/tasks/registry.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace headscope::gui {

namespace {

struct TaskNames {
    Q_DECLARE_TR_FUNCTIONS(TaskNames)
};

int pairsOf(const QString& task)
{
    const qsizetype at = task.indexOf(QLatin1String("pairs="));
    return at < 0 ? 0 : task.mid(at + 6).toInt();
}

} // namespace

bool isTaskFile(const QString& task)
{
    return tasks::isTaskFile(task.toStdString());
}

QString taskTitle(const QString& task)
{
    if (isTaskFile(task))
        return QFileInfo(task).completeBaseName();
    const int pairs = pairsOf(task);
    if (task.startsWith(QLatin1String("toy_kv")) || task.startsWith(QLatin1String("kv_retrieval"))
        || task.startsWith(QLatin1String("word_kv")))
        return pairs > 0 ? TaskNames::tr("KV retrieval, %1 pairs").arg(pairs) : TaskNames::tr("KV retrieval");
    if (task == QLatin1String("toy_mc"))
        return TaskNames::tr("MC (4 options)");
    if (task == QLatin1String("toy_knowledge"))
        return TaskNames::tr("knowledge");
    if (task == QLatin1String("passage_mc"))
        return TaskNames::tr("MC on a passage");
    if (task == QLatin1String("ioi"))
        return TaskNames::tr("names");
    if (task == QLatin1String("induction"))
        return TaskNames::tr("induction");
    if (task == QLatin1String("facts"))
        return TaskNames::tr("made-up facts");
    if (task == QLatin1String("cloze"))
        return TaskNames::tr("last word of a paragraph");
    if (task == QLatin1String("mmlu"))
        return TaskNames::tr("MMLU");
    if (task == QLatin1String("lambada_openai"))
        return TaskNames::tr("LAMBADA");
    return task;
}

QString taskShortName(const QString& task)
{
    if (!isTaskFile(task) && task.contains(QLatin1String("kv")))
        return QStringLiteral("KV%1").arg(pairsOf(task));
    if (task == QLatin1String("toy_mc") || task == QLatin1String("passage_mc"))
        return QStringLiteral("MC");
    return !isTaskFile(task) && task.contains(QLatin1String("knowledge")) ? QStringLiteral("know") : taskTitle(task);
}

} // namespace headscope::gui
