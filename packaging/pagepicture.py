#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes the picture of a web page of headscope-cli page: pagepicture.py PAGE ADDRESS PICTURE [WIDTH [HEIGHT]]"""

import pathlib
import sys
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

PATIENCE = 60  # seconds; a stop for a hung browser


def main():
    page, address, picture = sys.argv[1:4]
    width, height = (int(text) for text in (sys.argv[4:6] + ["1440", "1000"][len(sys.argv) - 4:]))
    options = Options()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    try:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        driver.get(pathlib.Path(page).resolve().as_uri() + address)
        until = time.monotonic() + PATIENCE
        while not driver.execute_script("return document.documentElement.dataset.ready === 'true'"):
            if time.monotonic() > until:
                sys.exit(f"{page} did not open.")
            time.sleep(0.05)
        if not driver.save_screenshot(picture):
            sys.exit(f"{picture} cannot be written.")
    finally:
        driver.quit()


if __name__ == "__main__":
    main()
