#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Uses a page of headscope-cli page as its readers do, in headless Chromium, and compares it with its session.

  pagebrowser.py PAGE SESSION HOSTILE EXAM TWINS FOLDER

PAGE is of SESSION with the story one-head; HOSTILE is of a session whose texts are markup; EXAM is a class's page of the
exercises transformer-heads; TWINS is of a session whose states and benchmarks are easily confused, with the story layers;
answers are saved to FOLDER. Prints a JSON object: for each
check an empty text, or what was wrong.
"""

import base64
import json
import math
import pathlib
import re
import sqlite3
import sys
import time
import traceback

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

PATIENCE = 60  # seconds; a stop for a hung browser, not a measure
HEAD = "L2H5"
TASK = "toy_kv:pairs=8"


class Reader:
    """A browser with one page."""

    def __init__(self, folder):
        options = Options()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--lang=en"):
            options.add_argument(argument)
        options.add_experimental_option("prefs", {"download.default_directory": str(folder), "intl.accept_languages": "en"})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.set_page_load_timeout(PATIENCE)
        self.driver.set_script_timeout(PATIENCE)
        self.folder = folder
        self.faults = []
        self.requests = []

    def open(self, page, address="", width=1440, height=900):
        self.note_logs()
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.get("about:blank")
        self.driver.get(f"file://{page}{address}")
        self.wait("return document.documentElement.dataset.ready === 'true'")

    def wait(self, script):
        until = time.monotonic() + PATIENCE
        while not self.driver.execute_script(script):
            if time.monotonic() > until:
                raise AssertionError(f"waited in vain for: {script}; {self.text('#fault')}")
            time.sleep(0.05)

    def note_logs(self):
        self.faults += [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.script("return document.querySelector(arguments[0]).textContent", selector)

    def click(self, selector):
        self.script("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        self.find(selector).click()

    def press(self, *keys):
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def type(self, keys):
        """Keys for whatever has the focus as each of them comes."""
        ActionChains(self.driver, duration=0).send_keys(keys).perform()

    def saved(self, name):
        """The file of answers, once it is there."""
        file = self.folder / f"{name}.answers.json"
        until = time.monotonic() + PATIENCE
        while not file.exists() and time.monotonic() < until:
            time.sleep(0.05)
        return file

    def overhang(self):
        """Pixels by which the page is wider than its window."""
        return self.script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")

    def address(self):
        return self.script("return decodeURIComponent(location.hash)")


class Session:
    """The same numbers, read without the program."""

    def __init__(self, path):
        self.database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)

    def score(self, model, ablation, task=TASK):
        return self.database.execute(
            "SELECT acc, n FROM scores WHERE model = ? AND ablation = ? AND task = ?", (model, ablation, task)).fetchone()

    def scores(self):
        return self.database.execute("SELECT model, ablation, task, acc, n FROM scores").fetchall()

    def gold(self, model, ablation, row):
        """Log-likelihood of the right answer of a row."""
        likelihoods = self.database.execute(
            "SELECT r.log_likelihoods FROM results r JOIN examples e ON e.id = r.example_id JOIN series s ON s.id = r.series_id "
            "JOIN models m ON m.id = s.model_id JOIN ablations a ON a.id = s.ablation_id "
            "WHERE m.name = ? AND a.text = ? AND e.task = ? AND e.row = ?", (model, ablation, TASK, row)).fetchone()[0]
        return json.loads(likelihoods)[0]


UNPACK = """
  const done = arguments[1]; const text = document.getElementById(arguments[0]).textContent;
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text().then(done);"""


def unpacked(reader, block):
    return json.loads(reader.driver.execute_async_script(UNPACK, block))


def equal(got, expected, what):
    assert got == expected, f"{what}: got {got!r}, expected {expected!r}"


def head(side, name):
    return f'[data-key="head {side} {name}"]'


def shown_score(reader, task=TASK):
    return float(reader.script("return document.querySelector('#cost [data-task=\"' + arguments[0] + '\"]').dataset.value", task))


def ablating_shows_stored_scores(reader, page, session):
    reader.open(page)
    equal(shown_score(reader), session.score("tiny-transformer", "")[0], "score with all heads")
    reader.click(head(0, HEAD))
    value, n = session.score("tiny-transformer", HEAD)
    equal(shown_score(reader), value, f"score without {HEAD}")
    statistics = reader.text(f'#cost [data-task="{TASK}"] .statistics')
    assert f"n = {n}" in statistics and "p = " in statistics and "Tango" in statistics, statistics
    equal(reader.script(f"return document.querySelector('{head(0, HEAD)}').getAttribute('aria-pressed')"), "true", "pressed")
    reader.click(head(0, HEAD))
    equal(shown_score(reader), session.score("tiny-transformer", "")[0], "score after restoring")


def numbers_equal_the_sessions(reader, page, session):
    reader.open(page)
    study = unpacked(reader, "data")
    on_page = {(study["models"][state["model"]]["name"], state["ablation"], study["tasks"][score["task"]]["name"]): (score["value"], score["n"])
               for state in study["states"] for score in state["scores"]}
    stored = {(model, ablation, task): (value, n) for model, ablation, task, value, n in session.scores()}
    equal(on_page, stored, "scores")


def answers_follow(reader, page, session):
    reader.open(page, f"#off={HEAD}")
    line = reader.text('.answer[data-side="0"]')
    share = 100 * math.exp(session.gold("tiny-transformer", HEAD, 0))
    assert "was right" in line, line
    assert f"{share:.1f} %" in line or f"{share:.0f} %" in line, f"{line}: expected {share}"
    reader.click('[data-key="restore"]')
    assert "right" in reader.text('.answer[data-side="0"]') and "was" not in reader.text('.answer[data-side="0"]'), "restored"


def flipped_examples_are_listed(reader, page, session):
    reader.open(page, f"#off={HEAD}")
    assert len(reader.driver.find_elements(By.CSS_SELECTOR, "#flips .flip")) > 0, "no flipped example"
    assert "now wrong" in reader.text("#flips"), reader.text("#flips")


def what_was_not_measured_is_said(reader, page, session):
    reader.open(page, "#off=L0H0 L0H1 L3H7")
    assert "Not measured" in reader.text("#cost"), reader.text("#cost")


def a_row_is_locked(reader, page, session):
    reader.open(page)
    reader.click('[data-key="token 9"]')
    assert "row=9" in reader.address(), reader.address()
    assert "Row 9 " in reader.text('.readout[data-side="0"]'), reader.text('.readout[data-side="0"]')
    reader.click('[data-key="token 9"]')
    assert "row=" not in reader.address(), reader.address()


def an_address_leads_back(reader, page, session):
    reader.open(page, f"#a=L1H2&row=20&off={HEAD}")
    equal(shown_score(reader), session.score("tiny-transformer", HEAD)[0], "score of the address")
    assert "A L1H2" in reader.text(".map[data-side='0'] h2"), reader.text(".map[data-side='0'] h2")
    assert "Row 20 " in reader.text('.readout[data-side="0"]'), "row of the address"
    reader.script("location.hash = '#a=L0H3'")
    reader.wait("return document.querySelector(\".map[data-side='0'] h2\").textContent.includes('L0H3')")
    equal(shown_score(reader), session.score("tiny-transformer", "")[0], "score of the next address")
    for wrong in ("#a=%FF&row=-1&off=%3Cscript%3E", "#a=L99H99&row=1e9&sample=NaN&story=none", "#models=9 9 9&analysis=-4"):
        reader.open(page, wrong)


def a_story_is_answered_and_saved(reader, page, session):
    reader.open(page, "#story=one-head&step=3")
    covered = "return document.getElementById('maps').classList.contains('covered')"
    assert reader.script(covered), "the answer is seen before the question"
    reader.click('[data-key="choice 1"]')
    reader.click('#story [data-key="think"]')
    assert not reader.script(covered) and "Right." in reader.text("#story"), reader.text("#story")
    reader.click('#story [data-key="next"]')
    reader.click('[data-key="choice 0"]')
    reader.click('#story [data-key="know"]')
    assert "Not quite." in reader.text("#story"), reader.text("#story")
    equal(shown_score(reader), session.score("tiny-transformer", HEAD)[0], "what the step reveals")
    reader.find('[data-key="name"]').send_keys("Ada L.")
    reader.click('[data-key="save answers"]')
    answers = json.loads(reader.saved("Ada-L").read_text())
    equal([(one["lesson"], one["step"], one["kind"], one["correct"], one["confidence"]) for one in answers["answers"]],
          [("one-head", 2, "choice", True, "think"), ("one-head", 3, "choice", False, "know")], "saved answers")
    equal((answers["headscope_answers"], answers["name"], answers["answers"][0]["answer"][:3]), (1, "Ada L.", "b) "), "saved file")


def everything_by_keyboard(reader, page, session):
    reader.open(page)
    reader.script(f"document.querySelector('{head(0, 'L2H5')}').focus()")
    reader.press(Keys.ENTER)
    equal(shown_score(reader), session.score("tiny-transformer", HEAD)[0], "Enter ablates")
    reader.press(Keys.ARROW_LEFT)
    assert "a=L2H4" in reader.address() and f"off={HEAD}" in reader.address(), reader.address()
    reader.script("document.querySelector('[data-key=\"map 0\"]').focus()")
    reader.press(Keys.ARROW_UP, Keys.ENTER)
    assert "row=52" in reader.address(), reader.address()
    reader.press(Keys.ESCAPE)
    assert "row=" not in reader.address(), reader.address()
    # Tab reaches every control but the cells of a head map, where arrows lead from one to the next.
    reader.script("document.activeElement.blur(); window.reached = new Set();"
                  "addEventListener('focusin', (event) => window.reached.add(event.target))")
    controls = "[...document.querySelectorAll('main, header')].flatMap((part) => [...part.querySelectorAll('button, select, input, summary, canvas[tabindex], .wide')])" \
               ".filter((node) => node.checkVisibility() && !node.disabled && node.getAttribute('role') !== 'gridcell')"
    reader.type(Keys.TAB * reader.script(f"return {controls}.length + 20"))
    equal(reader.script(f"return {controls}.filter((node) => !window.reached.has(node)).map((node) => node.outerHTML.slice(0, 200))"), [], "what no key reaches")
    reader.script(f"document.querySelector('{head(0, 'L0H0')}').focus()")
    reader.type(Keys.ARROW_RIGHT * 7 + Keys.ARROW_DOWN + Keys.ARROW_LEFT * 7 + Keys.ARROW_DOWN + Keys.ARROW_RIGHT * 7 + Keys.ARROW_DOWN + Keys.ARROW_LEFT * 7)
    cells = reader.script("return [...document.querySelectorAll('[data-key^=\"head 0 \"]')].map((node) => node.dataset.key)")
    assert len(cells) == 32 and "a=L3H0" in reader.address(), reader.address()
    nameless = reader.script("return [...document.querySelectorAll('button, select, canvas, input, textarea, [role=img]')]"
                             ".filter((node) => !(node.getAttribute('aria-label') || node.textContent.trim() || node.closest('label') || node.ariaHidden)).map((node) => node.outerHTML)")
    equal(nameless, [], "what has no name")


def fits(reader, page, session):
    for width in (360, 700, 1024, 1440, 2560):
        for address in (f"#off={HEAD}", f"#off={HEAD}&lang=de", "#story=one-head&step=2"):
            reader.open(page, address, width, 800)
            equal(reader.overhang(), 0, f"overhang of the page in {width} px, {address}")


def light_and_dark_can_be_read(reader, page, session):
    contrast = """
      const luminance = (text) => { const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map((c) => c / 255)
        .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
      const ground = (node) => { for (let at = node; at; at = at.parentElement) {
        const colour = getComputedStyle(at).backgroundColor; if (!/, 0\\)$|transparent/.test(colour)) return colour; } return 'rgb(255, 255, 255)'; };
      const faults = [];
      for (const node of document.querySelectorAll('main *, header *')) {
        if (![...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim()) || node.closest('svg, option, .aside, button:disabled')) continue;
        if (!node.checkVisibility()) continue;
        const [a, b] = [luminance(getComputedStyle(node).color), luminance(ground(node))].sort((x, y) => y - x);
        const ratio = (a + 0.05) / (b + 0.05);
        if (ratio < 4.5) faults.push(`${node.textContent.slice(0, 20)} ${getComputedStyle(node).color} on ${ground(node)}: ${ratio.toFixed(2)}`);
      }
      return [...new Set(faults)];"""
    grounds = set()
    for theme in ("light", "dark"):
        reader.open(page, f"#off={HEAD}&theme={theme}")
        equal(reader.script(contrast), [], f"contrast below 4.5 in {theme}")
        grounds.add(reader.script("return getComputedStyle(document.body).backgroundColor"))
    equal(len(grounds), 2, "number of grounds")


def point(reader, x, y):
    """The cell that is read at this pixel of A's map."""
    canvas = reader.find('[data-key="map 0"]')
    width, height = canvas.size["width"], canvas.size["height"]
    ActionChains(reader.driver, duration=20).move_to_element_with_offset(canvas, x - width // 2, y - height // 2).perform()
    return [int(place) for place in re.findall(r"(?:Row|reads) (\d+) ", reader.text('.readout[data-side="0"]'))]


def maps_zoom_and_pan(reader, page, session):
    reader.open(page)
    canvas = reader.find('[data-key="map 0"]')
    reader.script("arguments[0].scrollIntoView({block: 'center'})", canvas)
    equal(point(reader, 47, 1), [0, 0], "first cell")
    for _ in range(3):
        reader.click('[data-key="+"]')
    row, col = point(reader, 47, 1)
    assert row > 10 and col > 10, f"zoomed about the middle: {row}, {col}"
    canvas.send_keys(Keys.SHIFT + Keys.ARROW_RIGHT * 3 + Keys.ARROW_DOWN * 2)
    equal(point(reader, 47, 2), [row + 2, col + 3], "after Shift and arrows")
    before = reader.address()
    ActionChains(reader.driver, duration=50).move_to_element_with_offset(canvas, 0, 0).click_and_hold().move_by_offset(60, 40).release().perform()
    near = point(reader, 47, 2)
    assert near[0] < row + 2 and near[1] < col + 3, f"dragged right and down: {near}"
    equal(reader.address(), before, "a drag locks no row")
    ActionChains(reader.driver).move_to_element_with_offset(canvas, 30, 30).click().perform()
    assert "row=" in reader.address(), "a click locks a row"
    for _ in range(3):
        reader.click('[data-key="−"]')
    equal(point(reader, 47, 1), [0, 0], "first cell at last")


def maps_are_painted(reader, page, session):
    reader.open(page)
    pixel = """
      const canvas = document.querySelector('[data-key="map 0"]'); const cell = (canvas.clientWidth - 46) / 54;
      const copy = document.createElement('canvas'); copy.width = canvas.width; copy.height = canvas.height;
      const pixels = copy.getContext('2d', { willReadFrequently: true }); pixels.drawImage(canvas, 0, 0);
      const at = (row, col) => [...pixels.getImageData(Math.round((46 + (col + 0.5) * cell) * devicePixelRatio), Math.round((row + 0.5) * cell * devicePixelRatio), 1, 1).data].slice(0, 3);
      return [at(0, 0), at(0, 40), at(40, 0)];"""
    own, ahead, other = reader.script(pixel)
    equal(own, [253, 231, 37], "a first row reads its own token only: the largest colour")
    assert ahead not in (own, other), "tokens ahead have a ground of their own"


COPIED = """
  window.copied = []; navigator.clipboard.writeText = (text) => { window.copied.push(text); return Promise.resolve(); };"""


def every_number_is_copied(reader, page, session):
    hashes = [model["hash"][:12] for model in (reader.open(page), unpacked(reader, "data"))[1]["models"]]
    for address in ("", f"#off={HEAD}&offb=L2H1&side=B", f"#off={HEAD}&analysis=1"):
        reader.open(page, address)
        silent = reader.script("return [...document.querySelectorAll('main > section')].filter((part) => !['prompt', 'about'].includes(part.id)"
                               " && part.checkVisibility() && /\\d[.,]\\d/.test(part.textContent) && !part.querySelector('.copy')).map((part) => part.id)")
        equal(silent, [], f"views with numbers that cannot be copied, {address}")
        reader.script(COPIED + "for (const node of document.querySelectorAll('.copy')) node.click();")
        texts = reader.script("return window.copied")
        equal(len(texts), len(reader.driver.find_elements(By.CSS_SELECTOR, ".copy")), "copied texts")
        for text in texts:
            assert any(known in text for known in hashes) and "Headscope" in text and "undefined" not in text and "object" not in text, f"without what it was measured on: {text[:300]}"
    value, n = session.score("tiny-transformer", HEAD)
    reader.open(page, f"#off={HEAD}")
    reader.script(COPIED)
    reader.click(f'[data-key="copy score {TASK}"]')
    text = reader.script("return window.copied[0]")
    equal(float(re.search(r"\): (\S+)", text)[1]), value, "copied score")
    assert f"n = {n}" in text and f"without {HEAD}" in text, text


def every_choice_has_an_address(reader, page, session):
    shown = "return [...document.querySelectorAll('main > section')].map((part) => part.textContent + [...part.querySelectorAll('[aria-pressed]')].map((node) => node.ariaPressed)).join('\\n')"
    choices = "return [...document.querySelectorAll('main select, #bar select:not([data-key=story])')].map((node) => node.dataset.key)"
    reader.open(page, f"#off={HEAD}&row=20&side=B&offb=L2H1")
    keys = reader.script(choices)
    assert len(keys) >= 5, keys
    for key in keys:
        reader.script("const node = document.querySelector(`select[data-key='${arguments[0]}']`); node.selectedIndex = node.options.length - 1;"
                      "node.dispatchEvent(new Event('change'))", key)
    for key in ("raw", "sign", "cost 0"):
        reader.click(f'[data-key="{key}"]')
    state, address = reader.script(shown), reader.address()
    reader.open(page, address)
    equal(reader.script(shown), state, f"what {address} shows")


def prints_a_page_for_each_view(reader, page, session):
    for address in (f"#off={HEAD}&theme=dark", "#analysis=1"):
        reader.open(page, address)
        titles = reader.script("return [...document.querySelectorAll('main > section')].filter((part) => part.checkVisibility() && !part.querySelector('h2.aside'))"
                               ".map((part) => part.querySelector('h2').textContent.trim())")
        pdf = reader.driver.execute_cdp_cmd("Page.printToPDF", {"generateTaggedPDF": True, "generateDocumentOutline": True})["data"]
        places = re.findall(rb"/Title \(((?:[^()\\]|\\.)*)\)\s*/Dest \[(\d+) 0 R /XYZ \S+ (\S+) 0\]", base64.b64decode(pdf))
        begun = {title.decode("latin-1"): (page_number, float(top)) for title, page_number, top in places}
        equal([title for title in titles if title not in begun], [], "views that are not printed")
        equal(len({begun[title][0] for title in titles}), len(titles), f"pages on which {titles} begin")
        equal([title for title in titles if begun[title][1] < 700], [], "views that do not begin a page")  # of 792 points
        equal(reader.script("return document.documentElement.dataset.theme"), "dark" if "dark" in address else "light", "theme after printing")
        reader.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        reader.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 717, "height": 1000, "deviceScaleFactor": 1, "mobile": False})
        cut = reader.script("dispatchEvent(new Event('beforeprint')); const cut = [...document.querySelectorAll('main *')].filter((node) => !node.closest('.aside, svg, select') && node.checkVisibility()"
                            " && (getComputedStyle(node).overflow !== 'visible' && (node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1) || node.getBoundingClientRect().right > 718))"
                            ".map((node) => node.outerHTML.slice(0, 120)); const theme = document.documentElement.dataset.theme; dispatchEvent(new Event('afterprint')); return [cut, theme]")
        reader.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        equal(cut, [[], "light"], "what paper cuts off, and its theme")


def german(reader, page, session):
    reader.open(page)
    reader.click('[data-key="language"]')
    equal(reader.script("return document.documentElement.lang"), "de", "language")
    assert "Was es kostet" in reader.text("#cost") and "lang=de" in reader.address(), reader.address()
    sentences = [text for text, words in unpacked(reader, "words").items() if text != words and re.search("[a-z]{3}", re.sub(r"\{\d\}", "", text))]
    patterns = [re.compile(re.sub(r"\\\{\d\\\}", ".+", re.escape(text)) + "$") for text in sentences]
    for address in (f"#off={HEAD}&lang=de", "#off=L0H0 L0H1&lang=de&analysis=1", "#story=one-head&step=3&lang=de"):
        reader.open(page, address)
        texts = reader.script("const texts = new Set(); const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);"
                              "while (walk.nextNode()) if (!walk.currentNode.parentNode.closest('script, style, noscript, .token, pre')) texts.add(walk.currentNode.data.trim());"
                              "for (const node of document.querySelectorAll('[title], [aria-label]')) { texts.add(node.title ?? ''); texts.add(node.ariaLabel ?? ''); } return [...texts]")
        equal([text for text in texts if text and any(pattern.match(text) for pattern in patterns)], [], f"English sentences that stayed, {address}")


def policy_is_in_force(reader, page, session):
    reader.open(page)
    policy = reader.script("return document.querySelector('meta[http-equiv]').content")
    assert policy.startswith("default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src 'sha256-"), policy
    ran = reader.script("const node = document.createElement('script'); node.textContent = 'window.intruder = 1';"
                        "document.body.append(node); return window.intruder === 1")
    equal(ran, False, "a script of somebody else ran")
    blocked = reader.driver.execute_async_script("fetch('data:text/plain,x').then(() => arguments[0](false), () => arguments[0](true))")
    equal(blocked, True, "a request is blocked")
    reader.driver.get_log("browser")  # that the two were blocked


def an_exercise_is_done(reader, exam):
    reader.open(exam)
    equal(reader.script("return ['ranking', 'states', 'why'].map((id) => document.getElementById(id).hidden)"), [True] * 3, "what would give answers away")
    equal(reader.script("return [...document.querySelectorAll('.head')].filter((node) => node.textContent || node.style.background).length"), 0, "heads with roles or colours")
    equal(len(reader.driver.find_elements(By.CSS_SELECTOR, "#story .reveal")), 0, "explanations before it is done")
    reader.click(head(0, HEAD))
    equal(len(reader.driver.find_elements(By.CSS_SELECTOR, "#story .reveal")), 1, "explanations after it is done")
    equal(reader.text("#story li").count("✓"), 1, "conditions that hold")
    reader.click('[data-key="save answers"]')
    saved = json.loads(reader.saved("answers").read_text())["answers"]
    equal([(one["lesson"], one["step"], one["kind"], one["correct"]) for one in saved], [("transformer-heads", 0, "check", True)], "saved answers")


def hostile_text_is_text(reader, hostile):
    reader.open(hostile)
    equal(reader.script("return window.intruder === undefined"), True, "nothing ran")
    equal(reader.script("return document.querySelectorAll('main img, main iframe, main b b, main script').length"), 0, "elements of the session's texts")
    text = reader.script("return document.body.textContent")
    assert "<img src=x onerror=" in text and "</script><script>" in text, "the texts are shown"
    packed = json.dumps(unpacked(reader, "data"))
    assert "/home/ada" not in packed and "/srv/secret" not in packed, "a folder of the machine is on the page"
    reader.script("for (const node of document.querySelectorAll('select')) for (const option of [...node.options].keys()) {"
                  "const again = document.querySelector(`select[data-key=\"${CSS.escape(node.dataset.key)}\"]`); again.selectedIndex = option; again.dispatchEvent(new Event('change')); }")
    equal(reader.script("return window.intruder === undefined && document.querySelectorAll('main img, #story img, main script, #story script').length === 0"), True, "nothing ran in any view")
    equal(reader.overhang(), 0, "overhang of long labels")
    reader.open(hostile, "", 360, 800)
    equal(reader.overhang(), 0, "overhang of long labels in 360 px")


def states_of_one_name(reader, twins):
    for name, score in (("", 1), (" (2)", 0)):
        reader.open(twins)
        reader.click(f'[data-key="state 0 steer:L1*2=v.npz[x]{name}"]')
        equal(shown_score(reader), score, f"score of the state{name}")
        reader.open(twins, reader.address())
        equal(shown_score(reader), score, f"score by the address of the state{name}")


def losses_are_bright(reader, twins):
    reader.open(twins)
    options = reader.script("return [...document.querySelectorAll('#heads option')].map((node) => node.textContent)")
    equal([text for text in options if "8 pairs" in text and "Cost" not in text],
          ["Loss (race) on KV retrieval, 8 pairs (toy_kv)", "Estimated loss on KV retrieval, 8 pairs (toy_kv)"], "colours by rankings")
    rankings = [ranking["method"] for ranking in unpacked(reader, "data")["rankings"]]
    for method, largest in (("race", "0.800"), ("estimate", "2.000")):
        reader.open(twins, f"#colour=rank%20{method}%20toy_kv:pairs%3D8&ranking={rankings.index(method)}")
        ground = "return document.querySelector(arguments[0]).style.background"
        equal([reader.script(ground, head(0, name)) for name in ("L0H0", "L1H0")], ["rgb(253, 231, 37)", "rgb(68, 1, 84)"], f"colours by {method}")
        equal(reader.text("#ranking .amount"), largest, f"first bar by {method}")
    for method, largest in (("greedy", "0.800"), ("pairs", "0.900"), ("random", "0.800")):
        reader.open(twins, f"#ranking={rankings.index(method)}")
        equal(reader.text("#ranking .amount"), largest, f"first bar by {method}")


def a_line_for_each_dictionary(reader, twins):
    reader.open(twins)
    labels = reader.script("return [...document.querySelectorAll('#curve text.strong')].map((node) => node.textContent)")
    equal(labels, ["A toy_kv", "A word_kv", "A word_kv_plain", "B toy_kv"], "lines")
    equal(reader.script("return document.querySelectorAll('#curve path.curve').length"), 4, "drawn lines")
    titles = reader.script("return [...document.querySelectorAll('#cost .score span[title]')].map((node) => node.textContent)")
    assert len(titles) == 5 and len(set(titles)) == 5, titles


def a_layer_is_its_whole_number(reader, twins):
    for name, met in (("L10H0", 0), ("L1H0", 1)):
        reader.open(twins, "#story=layers&step=1")
        reader.click(head(0, name))
        equal(reader.text("#story li").count("✓"), met, f"{name} as a head of layer 1")


def what_is_left_out_in_german(reader, twins):
    reader.open(twins, "#a=L0H0&lang=de")
    about, meaning = reader.text("#about"), reader.text(".meaning")
    for sentence in ("1 von 3 Prompts mit Karten fehlen (--samples).", "my wurde auch mit anderen Zeilen gemessen"):
        assert sentence in about, about
    assert "Softmax" in meaning and "jetzt minus Ausgangswert" in meaning, meaning


def nothing_is_asked_or_reported(reader):
    reader.note_logs()
    equal(reader.faults, [], "console")
    outside = [url for url in reader.requests if not url.startswith(("file://", "about:", "blob:", "data:"))]
    equal(outside, [], "requests")


def main():
    page, database, hostile, exam, twins, folder = sys.argv[1:7]
    session = Session(database)
    reader = Reader(pathlib.Path(folder))
    checks = [(check, (page, session)) for check in (
        ablating_shows_stored_scores, numbers_equal_the_sessions, answers_follow, flipped_examples_are_listed, what_was_not_measured_is_said,
        a_row_is_locked, an_address_leads_back, a_story_is_answered_and_saved, everything_by_keyboard, fits, light_and_dark_can_be_read, german,
        maps_zoom_and_pan, maps_are_painted, every_number_is_copied, every_choice_has_an_address, prints_a_page_for_each_view, policy_is_in_force)]
    checks += [(check, (twins,)) for check in (states_of_one_name, losses_are_bright, a_line_for_each_dictionary, a_layer_is_its_whole_number,
                                              what_is_left_out_in_german)]
    checks += [(an_exercise_is_done, (exam,)), (hostile_text_is_text, (hostile,)), (nothing_is_asked_or_reported, ())]
    results = {}
    for check, arguments in checks:
        try:
            check(reader, *arguments)
            results[check.__name__] = ""
        except Exception as fault:  # each check is told of, whatever the one before did
            results[check.__name__] = f"{type(fault).__name__}: {str(fault)[:1500]} {traceback.extract_tb(fault.__traceback__)[-1].lineno}"
    reader.driver.quit()
    print(json.dumps(results))


if __name__ == "__main__":
    main()
