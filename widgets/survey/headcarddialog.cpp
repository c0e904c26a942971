// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/survey/headcarddialog.h"

#include "widgets/look/labels/plainlabel.h"
#include "widgets/look/picturefile.h"
#include "widgets/look/plaintext.h"
#include "widgets/look/theme.h"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QMessageBox>
#include <QPainter>
#include <QPdfWriter>
#include <QPushButton>
#include <QScrollBar>
#include <QTextBrowser>
#include <QTextDocument>
#include <QUrl>
#include <QVBoxLayout>

namespace headscope::widgets {

namespace {

/// Shows what it is given and loads nothing.
class Browser : public QTextBrowser
{
protected:
    QVariant loadResource(int, const QUrl&) override { return {}; }
};

constexpr QSize kSize(760, 820);
constexpr int kDotsPerInch = 96;

// Lays the page out so that all of it stands on one sheet, in letters as large as that allows.
double scaleToFit(QTextDocument& page, const QSizeF& sheet)
{
    const auto fits = [&](double scale) {
        page.setTextWidth(sheet.width() / scale); // smaller letters have longer lines
        return page.size().height() * scale <= sheet.height();
    };
    if (fits(1))
        return 1;
    double small = 0.1, large = 1;
    for (int i = 0; i < 10; ++i) {
        const double middle = (small + large) / 2;
        (fits(middle) ? small : large) = middle;
    }
    return fits(small) ? small : sheet.height() / page.size().height();
}

} // namespace

HeadCardDialog::HeadCardDialog(const QString& head, Page page, QWidget* parent)
    : QDialog(parent), m_head(head), m_page(std::move(page)), m_threshold(new QDoubleSpinBox)
{
    setWindowTitle(tr("Head %1").arg(head));
    m_browser = new Browser;
    m_browser->setOpenLinks(false);
    m_browser->setAccessibleName(tr("What this head does"));
    connect(m_browser, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
        bool number = false;
        const int place = link.path().toInt(&number);
        if (number && link.scheme() == QStringLiteral("place"))
            Q_EMIT placeChosen(place);
    });
    m_threshold->setRange(0, 1);
    m_threshold->setSingleStep(0.05);
    m_threshold->setValue(0.5);
    m_threshold->setPrefix(tr("label above "));
    m_threshold->setAccessibleName(tr("Score above which a head gets a label"));
    connect(m_threshold, &QDoubleSpinBox::valueChanged, this, &HeadCardDialog::showPage);
    showPage();
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    m_removal = buttons->addButton(QString(), QDialogButtonBox::ActionRole);
    m_removal->setToolTip(
        plainText(tr("Losses of each benchmark and of the next tokens of these texts without this head")));
    connect(m_removal, &QPushButton::clicked, this, &HeadCardDialog::removalRequested);
    setRemoving(false);
    auto* keep = buttons->addButton(tr("&Save…"), QDialogButtonBox::ActionRole);
    connect(keep, &QPushButton::clicked, this, &HeadCardDialog::save);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* hint = new PlainLabel(tr("Click a place to make it the prompt."));
    setMuted(hint);
    auto* below = new QHBoxLayout;
    below->addWidget(m_threshold);
    below->addWidget(hint, 1);
    below->addWidget(buttons);
    auto* lines = new QVBoxLayout(this);
    lines->addWidget(m_browser, 1);
    lines->addLayout(below);
    resize(kSize);
}

void HeadCardDialog::showPage()
{
    m_browser->setHtml(m_page(true, m_threshold->value()));
}

void HeadCardDialog::refresh()
{
    const int scrolled = m_browser->verticalScrollBar()->value();
    showPage();
    m_browser->verticalScrollBar()->setValue(scrolled);
}

void HeadCardDialog::setRemoving(bool running)
{
    m_removal->setText(running ? tr("Measuring…") : tr("&Ablation cost"));
    m_removal->setEnabled(!running);
}

QByteArray HeadCardDialog::pdf() const
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setResolution(kDotsPerInch);
    writer.setTitle(m_head);
    QPainter painter(&writer);
    QTextDocument page;
    page.documentLayout()->setPaintDevice(&writer);
    page.setHtml(m_page(false, m_threshold->value()));
    const double fits = scaleToFit(page, QSizeF(writer.width(), writer.height()));
    painter.scale(fits, fits);
    page.drawContents(&painter);
    painter.end();
    return bytes;
}

Result<void> HeadCardDialog::write(const QString& path) const
{
    const bool isPdf = path.endsWith(QStringLiteral(".pdf"), Qt::CaseInsensitive);
    return writeBytes(isPdf ? pdf() : m_page(false, m_threshold->value()).toUtf8(), path);
}

void HeadCardDialog::save()
{
    const QString path = QFileDialog::getSaveFileName(this, tr("Save the head"), m_head + QStringLiteral(".html"),
                                                      tr("Pages (*.html *.pdf)"));
    if (path.isEmpty())
        return;
    const auto written = write(path);
    if (written.has_value())
        return;
    auto* told =
        new QMessageBox(QMessageBox::Warning, windowTitle(),
                        tr("The file could not be written; the earlier file is unchanged."), QMessageBox::Ok, this);
    told->setTextFormat(Qt::PlainText);
    told->setInformativeText(QString::fromStdString(written.error().message));
    told->setAttribute(Qt::WA_DeleteOnClose);
    told->open();
}

} // namespace headscope::widgets
