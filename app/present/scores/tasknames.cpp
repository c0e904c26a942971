// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/present/scores/tasknames.h"

#include "core/tasks/registry.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace headscope::gui {

namespace {

struct TaskNames {
    Q_DECLARE_TR_FUNCTIONS(TaskNames)
};

// What core/tasks says of its tasks, for the translation.
[[maybe_unused]] constexpr const char* kAbout[] = {
    QT_TRANSLATE_NOOP("TaskTitles", "the paper's mean of six multiple-choice tasks (acc)"),
    QT_TRANSLATE_NOOP("TaskTitles", "grade-school science questions, hard for simple methods"),
    QT_TRANSLATE_NOOP("TaskTitles", "grade-school science questions"),
    QT_TRANSLATE_NOOP("TaskTitles", "the better of two ways to reach a goal"),
    QT_TRANSLATE_NOOP("TaskTitles", "whom a pronoun means, by the likelihood of the rest of the sentence"),
    QT_TRANSLATE_NOOP("TaskTitles", "which ending continues a scene"),
    QT_TRANSLATE_NOOP("TaskTitles", "elementary science facts applied"),
    QT_TRANSLATE_NOOP("TaskTitles", "the last word of a passage"),
    QT_TRANSLATE_NOOP("TaskTitles", "grade-school arithmetic in words"),
    QT_TRANSLATE_NOOP("TaskTitles", "a value out of a web page (version 0)"),
    QT_TRANSLATE_NOOP("TaskTitles", "ARC-Challenge answered by letter, as harness v0.4.8 asks it"),
    QT_TRANSLATE_NOOP("TaskTitles", "57 school and professional subjects, four options"),
    QT_TRANSLATE_NOOP("TaskTitles", "BIG-Bench Hard: 27 tasks that need steps"),
    QT_TRANSLATE_NOOP("TaskTitles", "the value of a key in a list; kv_retrieval:pairs=16"),
    QT_TRANSLATE_NOOP("TaskTitles", "the tiny models' dictionary task; toy_kv:pairs=8"),
    QT_TRANSLATE_NOOP("TaskTitles", "the tiny models' multiple-choice task"),
    QT_TRANSLATE_NOOP("TaskTitles", "the tiny models' facts"),
    QT_TRANSLATE_NOOP("TaskTitles", "a dictionary of any words; word_kv:pairs=8, word_kv_plain, word_kv_short"),
    QT_TRANSLATE_NOOP("TaskTitles", "facts in a passage, answered by the letter of an option"),
    QT_TRANSLATE_NOOP("TaskTitles", "the one of two people who receives something"),
    QT_TRANSLATE_NOOP("TaskTitles", "the next word of a list that is repeated"),
    QT_TRANSLATE_NOOP("TaskTitles", "the small English models' made-up facts"),
    QT_TRANSLATE_NOOP("TaskTitles", "the last word of a paragraph, which also occurs earlier in it"),
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
    if (tasks::isDictionaryTask(task.toStdString()))
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

QString taskDescription(const std::string& title)
{
    return QCoreApplication::translate("TaskTitles", title.c_str());
}

QString taskShortName(const QString& task)
{
    if (!isTaskFile(task) && task.contains(QLatin1String("kv")))
        return QStringLiteral("KV%1").arg(pairsOf(task));
    if (task == QLatin1String("toy_mc") || task == QLatin1String("passage_mc"))
        return QStringLiteral("MC");
    return !isTaskFile(task) && task.contains(QLatin1String("knowledge"))
               ? TaskNames::tr("knowledge", "short name of a benchmark")
               : taskTitle(task);
}

} // namespace headscope::gui
