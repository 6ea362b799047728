# SPDX-License-Identifier: GPL-2.0-only
"""A real browser, Chromium, that shows a page; spoken to as WebDriver has it, on the loopback device."""

import base64
import json
import re
import urllib.error
import urllib.request

from harness import Failure, need, read_text, wait_for

# Nothing but the page: no services, no updates, no profile of anybody.
ARGUMENTS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--disable-dev-shm-usage", "--force-color-profile=srgb")


class Browser:
    """A window of its own: with Browser(env) as browser: ..."""

    def __init__(self, env, *arguments):
        need("chromium", "chromedriver")
        self.env = env
        self.arguments = [*ARGUMENTS, *arguments, f"--user-data-dir={env.path('profile')}"]
        self.url = None

    def __enter__(self):
        # Into a file: a pipe would be open as long as anything that the driver has started.
        log = self.env.path("driver.log")
        with open(log, "w", encoding="utf-8") as f:
            driver = self.env.spawn(["chromedriver", "--port=0"], stdout=f, stderr=f)
        started = wait_for(lambda: driver.poll() is not None or
                           re.search(r"successfully on port (\d+)", read_text(log)), "chromedriver")
        if started is True:
            raise Failure(f"chromedriver ended: {read_text(log)}")
        self.url = f"http://127.0.0.1:{started[1]}/session"
        options = {"args": self.arguments, "binary": "/usr/bin/chromium"}
        wanted = {"alwaysMatch": {"goog:chromeOptions": options,
                                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}
        self.url += "/" + self.ask("POST", "", {"capabilities": wanted})["sessionId"]
        return self

    def __exit__(self, *_):
        self.ask("DELETE", "")

    def ask(self, method, path, body=None):
        """What the driver answers to a command; a Failure where it cannot."""
        request = urllib.request.Request(self.url + path, method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise Failure(f"{path}: {error.read().decode()[:1000]}") from error

    def command(self, name, **parameters):
        """A command of Chromium's own protocol."""
        return self.ask("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def show(self, path, width=1280, height=900, dark=False):
        """Opens a file, as a window of that size would show it."""
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height,
                     deviceScaleFactor=1, mobile=False)
        self.command("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.ask("POST", "/url", {"url": f"file://{path}"})
        wait_for(lambda: self.run("return document.readyState") == "complete", "the page")

    def run(self, script, *arguments):
        """The value of a script's return."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def press(self, *keys):
        """Keys, one after the other, each pressed and released."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def errors(self):
        """What the console has told since it was asked last."""
        return [entry["message"] for entry in self.ask("POST", "/se/log", {"type": "browser"})]

    def addresses(self):
        """What was asked for since then, by whatever but the browser itself."""
        events = [json.loads(entry["message"])["message"]
                  for entry in self.ask("POST", "/se/log", {"type": "performance"})]
        asked = [event["params"]["request"]["url"] for event in events
                 if event["method"] == "Network.requestWillBeSent"]
        return [address for address in asked if not address.startswith(("chrome:", "data:"))]

    def picture(self, path, whole=True):
        """The page as a PNG file, as a whole or as the window shows it."""
        size = self.command("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        taken = self.command("Page.captureScreenshot", captureBeyondViewport=whole,
                             **({"clip": clip} if whole else {}))
        with open(path, "wb") as f:
            f.write(base64.b64decode(taken["data"]))

    def print(self, path, **parameters):
        """The page as a PDF file, as it is printed on A4, or with other parameters."""
        printed = self.command("Page.printToPDF", **{"preferCSSPageSize": True, "printBackground": True,
                                                     "paperWidth": 8.27, "paperHeight": 11.69, **parameters})
        with open(path, "wb") as f:
            f.write(base64.b64decode(printed["data"]))
