// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/tours/openedexam.h"

#include "app/backend/session/examsession.h"
#include "core/base/hash.h"
#include "core/io/textfiles/textfile.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <cmath>

namespace headscope::gui {

namespace {

struct ExamText {
    Q_DECLARE_TR_FUNCTIONS(ExamText)
};

constexpr qint64 kLargestExam = 1'000'000; // bytes
constexpr int kCountedDown = 5 * 60;       // seconds

Result<std::string> bytesOfExam(const QString& file)
{
    if (QFileInfo(file).isFile() && QFileInfo(file).size() > kLargestExam)
        return inputError("The exam '" + file.toStdString() + "' is larger than 1 MB; expected a file of exercises.");
    return io::readTextFile(file.toStdString(), kLargestExam);
}

Result<void> checkExam(const QString& file, const Tour& tour)
{
    const std::string name = "The exam '" + file.toStdString() + "' ";
    const auto asks = [](const widgets::TourStep& step) {
        return step.exercise || step.writing || !step.question.isEmpty();
    };
    if (std::ranges::none_of(tour.steps, asks))
        return inputError(name + R"(contains no questions; expected steps with a "check", a "question" or "write".)");
    for (qsizetype step = 0; step < tour.steps.size(); ++step) {
        const TourScene& scene = tour.scenes.at(step);
        QStringList heads{scene.head[0], scene.head[1], scene.off[0], scene.off[1]};
        for (const widgets::TourAction& action : tour.steps.at(step).actions)
            heads.append(action.id);
        for (const QString& head : std::as_const(heads))
            if (head.contains(QLatin1Char('{')))
                return inputError(name + "uses '" + head.toStdString() + "' in step " + std::to_string(step + 1)
                                  + ", which requires a ranking; expected a head such as L2H5.");
    }
    return {};
}

QDateTime timeOf(const std::string& written)
{
    return QDateTime::fromString(QString::fromStdString(written), Qt::ISODate);
}

} // namespace

Result<OpenedExam> openExam(const QString& file, const QString& resources, const QString& folder, const QString& locale)
{
    const QString included = QStringLiteral("%1/exercises/%2.json").arg(resources, file);
    const QString path = !QFileInfo::exists(file) && QFileInfo(included).isFile() ? included : file;
    const auto bytes = bytesOfExam(path);
    if (!bytes.has_value())
        return bytes.error();
    auto tour = readTranslated(path, locale);
    if (!tour.has_value())
        return tour.error();
    if (const auto good = checkExam(path, *tour); !good.has_value())
        return good.error();
    const std::string now = examTime(QDateTime::currentDateTimeUtc());
    OpenedExam exam{
        .tour = std::move(*tour), .record = {.hash = sha256Hex(*bytes), .started = now, .seen = now}, .session = {}};
    exam.record.name = exam.tour.id.toStdString();
    exam.record.minutes = exam.tour.minutes;
    const auto session = app::examSession(folder.toStdString(), exam.record);
    if (!session.has_value())
        return session.error();
    exam.session = QString::fromStdString(*session);
    exam.tour.id = QString::fromStdString(exam.record.name); // the file may have another name now
    return exam;
}

double secondsUsed(const sessions::Exam& exam, const QDateTime& now)
{
    const QDateTime seen = timeOf(exam.seen);
    const double since = seen.isValid() ? static_cast<double>(std::max<qint64>(seen.secsTo(now), 0)) : 0;
    const double used = exam.seconds + since;
    return exam.minutes > 0 ? std::min(used, exam.minutes * 60) : used;
}

std::string examTime(const QDateTime& time)
{
    return time.toUTC().toString(Qt::ISODate).toStdString();
}

QString timeLeftText(const sessions::Exam& exam, double secondsUsed)
{
    if (exam.minutes <= 0)
        return {};
    const int left = static_cast<int>(std::ceil(exam.minutes * 60 - secondsUsed));
    if (left <= 0)
        return ExamText::tr("Time is up");
    if (left > kCountedDown)
        return ExamText::tr("%1 min left").arg((left + 59) / 60);
    return ExamText::tr("%1:%2 left").arg(left / 60).arg(left % 60, 2, 10, QLatin1Char('0'));
}

} // namespace headscope::gui
