# SPDX-License-Identifier: GPL-3.0-or-later
"""One run of a program on hostile input, and what is asked of it."""
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
CODES = {0, 1, 2, 130}
LIMIT = 120  # s; beside other work
MEMORY = 2 << 30
FILE_SIZE = 1 << 30
PLAIN = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]")
UNEXPECTED = re.compile(rb"Unexpected|what\(\)|terminate called|\[json\.exception|std::|c10::|Sanitizer|runtime error:|not aligned|QObject|QPainter")
PROMPT = "<s> The food of Ada is"  # words that the tiny models know
NUMBERS = [0, -1, 1, 2, 3, 7, 2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1, -(2**63), 1e300, -1e-300, 0.5, float("nan"), float("inf")]
TEXTS = ["", " ", "x", "\x1b]0;owned\x07\x1b[2J", "<img src=\"/dev/zero\">", "=HYPERLINK(\"x\")", "/dev/zero", "/dev/stdin", "../../../etc/passwd",
         "\u202e\u0000\U0001f600", "a" * 70000, "L2H5", "L999999999H999999999", "keep:", "[[[[", "{\"a\":" * 2000, "%s%n%d", "toy_kv:pairs=-1",
         "toy_kv:pairs=99999999999", "cuda:99", "fp0", "1e400", "0x10", "--", "\ud800".encode("utf-8", "surrogatepass").decode("latin-1")]


class Program:
    """The programs with what they may not hurt: a home and a folder of their own, and no network."""

    def __init__(self, options):
        self.options, self.random = options, random.Random(options.seed)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="attack-"))
        self.keep = pathlib.Path(options.keep)
        self.runs, self.found, self.slow, self.codes = 0, [], [], {}
        runtime = self.folder / "runtime"
        runtime.mkdir(mode=0o700)
        self.environment = dict(os.environ, HF_ENDPOINT="http://127.0.0.1:9", HF_HUB_CACHE=str(self.folder / "hub"), QT_QPA_PLATFORM="offscreen",
                                HOME=str(self.folder), XDG_RUNTIME_DIR=str(runtime),
                                **{f"XDG_{name}_HOME": str(self.folder / name.lower()) for name in ("CONFIG", "DATA", "CACHE", "STATE")})

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def hostile(self):
        kind = self.random.randrange(4)
        if kind == 0:
            return self.random.choice(NUMBERS)
        if kind == 1:
            return self.random.choice(TEXTS)
        return self.random.choice([None, True, [], {}, [[]], [1, "x", None], {"type": "x"}, [0] * 1000]) if kind == 2 else self.random.randrange(-5, 300)

    def changed_bytes(self, data):
        data = bytearray(data)
        for _ in range(self.random.choice([1, 2, 20, 500]) if data else 0):
            at = self.random.randrange(len(data)) if self.random.random() < 0.7 else self.random.randrange(min(100, len(data)))
            data[at] = self.random.randrange(256)
        if data and self.random.random() < 0.2:
            del data[self.random.randrange(len(data)):]
        return bytes(data)

    def changed(self, value):
        """One place of a JSON value, wherever it lies, made hostile or taken away."""
        parent, key, at = None, None, value
        while isinstance(at, (dict, list)) and at and (parent is None or self.random.random() < 0.8):
            parent, key = at, self.random.choice(list(at)) if isinstance(at, dict) else self.random.randrange(len(at))
            at = at[key]
        if parent is None:
            return self.hostile()
        drawn = self.random.random()
        if drawn < 0.15:
            del parent[key]
        elif drawn < 0.3 and isinstance(at, (int, float)) and not isinstance(at, bool):
            parent[key] = at * self.random.choice([2, -1, 1000, 0.5]) + self.random.choice([0, 1, -1])
        else:
            parent[key] = self.hostile()
        return value

    def quietly(self, words):
        """What an attack begins with; it must work."""
        subprocess.run([self.options.cli, *map(str, words), "--quiet", "--device", "cpu"], env=self.environment, check=True, capture_output=True)

    def run(self, words, inputs=(), program=None, stop_after=None):
        """One command; `inputs` are kept where it did not withstand. `stop_after` s it is asked to end, as by Ctrl+C."""
        words = [str(word).replace("\0", "") for word in words]
        self.runs += 1
        begun = time.monotonic()
        stopped = False
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            # No larger file: a limit that asks for one must not fill the disk.
            process = subprocess.Popen([program or self.options.cli] + words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=self.environment, cwd=self.folder,
                                       start_new_session=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE)))
            pid, status, usage = 0, 0, None
            while pid == 0 and time.monotonic() - begun < LIMIT:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                time.sleep(0.005)
                if pid == 0 and stop_after is not None and not stopped and time.monotonic() - begun > stop_after:
                    os.kill(process.pid, signal.SIGINT)  # send_signal() would reap it
                    stopped = True
            if pid == 0:
                os.killpg(process.pid, signal.SIGKILL)
                os.wait4(process.pid, 0)
                process.returncode = 0
                self.slow.append(" ".join(words)[:300])
                print(f"SLOW: {self.slow[-1]!r}", flush=True)
                return None
            process.returncode = os.waitstatus_to_exitcode(status)
            err.seek(0)
            said = err.read()
            out.seek(0)
            written = out.read(1 << 20)
        code = process.returncode
        self.codes[code] = self.codes.get(code, 0) + 1
        wrong = []
        if code not in CODES:
            wrong.append(f"ended with {code}")
        if code == 130 and not stopped:
            wrong.append("says that it was stopped")
        if UNEXPECTED.search(said):
            wrong.append("words of a program and not of a person")
        if code in (1, 2) and not said.strip() and b"--json" not in [word.encode(errors="replace") for word in words]:
            wrong.append("failed without a word")
        if len(said) > 20000:
            wrong.append(f"{len(said)} bytes of messages")
        if PLAIN.search(said) or ("--output" not in words and "-o" not in words and PLAIN.search(written.replace(b"\r\n", b"\n"))):
            wrong.append("orders for a terminal")
        if usage.ru_maxrss * 1024 > MEMORY:
            wrong.append(f"{usage.ru_maxrss >> 10} MB of memory")
        if wrong:
            self.report(wrong, words, said, inputs)
        return code

    def report(self, wrong, words, said, inputs):
        number = len(self.found)
        self.found.append(wrong)
        self.keep.mkdir(parents=True, exist_ok=True)
        for path in inputs:
            target = self.keep / f"{self.options.seed}-{number}-{path.name}"
            shutil.copytree(path, target, symlinks=True, dirs_exist_ok=True) if path.is_dir() else shutil.copy(path, target)
        print(f"FOUND {number}: {', '.join(wrong)}\n  {' '.join(words)[:600]!r}\n  {said[-300:]!r}", flush=True)
