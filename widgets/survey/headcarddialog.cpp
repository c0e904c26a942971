// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/survey/headcarddialog.h"

#include <QAbstractTextDocumentLayout>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QMessageBox>
#include <QPainter>
#include <QPdfWriter>
#include <QPushButton>
#include <QSaveFile>
#include <QTextBrowser>
#include <QTextDocument>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::widgets {

namespace {

/// Shows what it is given and loads nothing.
class Page : public QTextBrowser
{
protected:
    QVariant loadResource(int, const QUrl&) override { return {}; }
};

constexpr QSize kSize(760, 820);
constexpr int kDotsPerInch = 96;

} // namespace

HeadCardDialog::HeadCardDialog(const QString& head, const QString& html, QWidget* parent)
    : QDialog(parent), m_head(head), m_html(html)
{
    setWindowTitle(tr("Head %1").arg(head));
    m_browser = new Page;
    m_browser->setOpenLinks(false);
    m_browser->setHtml(html);
    m_browser->setAccessibleName(tr("What this head does"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    auto* keep = buttons->addButton(tr("&Save…"), QDialogButtonBox::ActionRole);
    connect(keep, &QPushButton::clicked, this, &HeadCardDialog::save);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* lines = new QVBoxLayout(this);
    lines->addWidget(m_browser, 1);
    lines->addWidget(buttons);
    resize(kSize);
}

bool HeadCardDialog::saveHtml(const QString& path) const
{
    QSaveFile file(path);
    const QByteArray bytes = m_html.toUtf8();
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit();
}

bool HeadCardDialog::savePdf(const QString& path) const
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return false;
    {
        QPdfWriter writer(&file);
        writer.setPageSize(QPageSize(QPageSize::A4));
        writer.setResolution(kDotsPerInch);
        writer.setTitle(m_head);
        QPainter painter(&writer);
        if (!painter.isActive())
            return false;
        QTextDocument page;
        page.documentLayout()->setPaintDevice(&writer);
        page.setHtml(m_html);
        page.setTextWidth(writer.width());
        const double fits = std::min(1.0, writer.height() / page.size().height());
        painter.scale(fits, fits);
        page.drawContents(&painter);
    }
    return file.commit();
}

void HeadCardDialog::save()
{
    const QString path = QFileDialog::getSaveFileName(this, tr("Save the head"), m_head + QStringLiteral(".html"),
                                                      tr("Pages (*.html *.pdf)"));
    if (path.isEmpty())
        return;
    const bool pdf = path.endsWith(QStringLiteral(".pdf"), Qt::CaseInsensitive);
    if (pdf ? savePdf(path) : saveHtml(path))
        return;
    auto* told =
        new QMessageBox(QMessageBox::Warning, windowTitle(),
                        tr("The file could not be written; what was there before stays."), QMessageBox::Ok, this);
    told->setTextFormat(Qt::PlainText);
    told->setAttribute(Qt::WA_DeleteOnClose);
    told->open();
}

} // namespace headscope::widgets
