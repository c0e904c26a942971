#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A hub for tests of core/hub and of what fetches benchmarks: servers on this machine, the hub, the host that its large files lie on, and
the hub once more by TLS with the certificate tests/data/hub/localhost.pem, which signs itself.

Prints their ports as a line and serves until its input ends. The model's name says what goes wrong: org/cut, org/shifted ...
GET /log tells what was asked: server, path, token, range.
"""
import hashlib
import http.server
import json
import os
import random
import ssl
import sys
import threading
import time

from parquetfile import parquet

WEIGHTS = random.Random(1).randbytes(300_000)
FILES = {"config.json": b'{"model_type": "llama"}', "tokenizer.json": b"{}", "README.md": b"# no part of a model",
         "model.safetensors": WEIGHTS, "pytorch_model.bin": b"another form"}
LARGE = {"model.safetensors", "pytorch_model.bin"}
PACKED = json.dumps({"model_type": "llama", "vocab_size": 64, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
                     "quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 32}}).encode()  # config.json of org/packed
LOG, BUSY = [], {}
BESIDE = threading.Barrier(3)  # files of org/beside


def questions(rows):
    return parquet({"id": [str(i) for i in range(rows)], "question_stem": [f"stem {i}" for i in range(rows)],
                    "choices": {"text": [["sand", "rain", "salt", f"{i}"] for i in range(rows)],
                                "label": [["A", "B", "C", "D"]] * rows},
                    "answerKey": ["ABCD"[i % 4] for i in range(rows)]})


# Data sets by name, in the branch of converted files. gsm8k has too few rows, winogrande no Parquet, ai2_arc no such files.
DATA = {"openbookqa": {"main/test/0000.parquet": questions(500), "main/train/0000.parquet": questions(4957)},
        "gsm8k": {"main/test/0000.parquet": questions(1319), "main/train/0000.parquet": questions(7)},
        "winogrande": {f"winogrande_xl/{split}/0000.parquet": b"PAR1 is how it begins" for split in ("validation", "train")},
        "ai2_arc": {"README.md": b"# moved"}}


def sibling(name, data):
    entry = {"rfilename": name, "size": len(data), "blobId": hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()}
    if name in LARGE:
        entry["lfs"] = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    return entry


class Host(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def note(self):
        LOG.append({"server": self.server.role, "path": self.path, "token": self.headers.get("Authorization", ""),
                    "range": self.headers.get("Range", "")})

    def answer(self, status, data=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", headers.pop("length", str(len(data))))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path == "/log":
            return self.answer(200, json.dumps(LOG).encode())
        self.note()
        parts = self.path.split("?")[0].strip("/").split("/")
        if "datasets" in parts[:2]:
            return self.data_set(parts)
        return self.api(parts[3]) if parts[0] == "api" else self.file(parts[1], parts[-1])

    def data_set(self, parts):
        files = DATA.get(parts[3] if parts[0] == "api" else parts[2])
        if files is None or (parts[0] == "api" and parts[4:] != ["revision", "refs%2Fconvert%2Fparquet"]):
            return self.answer(404)
        if parts[0] == "api":
            return self.answer(200, json.dumps({"sha": hashlib.sha1(parts[3].encode()).hexdigest(), "gated": False,
                                                "siblings": [sibling(*file) for file in files.items()]}).encode())
        return self.send("good", parts[-1], files["/".join(parts[5:])])

    def api(self, model):
        if model == "private":
            return self.answer(401)
        if model == "nowhere":
            return self.answer(404)
        if model == "broken":
            return self.answer(503)
        if model == "often":
            return self.answer(429)
        if model == "busy":
            BUSY[model] = BUSY.get(model, 0) + 1
            if BUSY[model] < 3:
                return self.answer(429, Retry_After="0")
        if model == "nonsense":
            return self.answer(200, b"<html>")
        files = dict(FILES)
        if model == "ggufs":
            files = {"a-Q4_0.gguf": b"a", "a-Q8_0.gguf": b"b"}
        if model == "hostile":
            files = {"../../config.json": b"{}", "/etc/passwd": b"", **FILES}
        if model == "twins":
            files["tokenizer.json"] = files["config.json"]
        if model == "packed":
            files["config.json"] = PACKED
        answer = {"sha": hashlib.sha1(model.encode()).hexdigest(), "gated": model == "gated",
                  "siblings": [sibling(name, data) for name, data in files.items()]}
        if model == "immense":
            answer["siblings"][3]["lfs"]["size"] = 10**15
        return self.answer(200, json.dumps(answer).encode())

    def file(self, model, name):
        if model == "gated":
            return self.answer(403)
        if model == "beside" and self.server.role == "hub":
            try:
                BESIDE.wait(60)
            except threading.BrokenBarrierError:
                return self.answer(404)
        if model == "twins" and name == "tokenizer.json":
            name = "config.json"
        if name in LARGE and self.server.role == "hub":
            other = f"http://127.0.0.1:{self.server.other}/org/{model}/{name}"
            return self.answer(302, Location=other if model != "strange" else "file:///etc/passwd")
        data = PACKED if model == "packed" and name == "config.json" else FILES.get(name, b"")
        if name in LARGE and model == "changed":
            data = data[:-1] + b"?"
        if name in LARGE and model == "long":
            data += b"more"
        if name in LARGE and model == "short":
            data = data[:1000]
        return self.send(model, name, data)

    def send(self, model, name, data):
        start = 0
        asked = self.headers.get("Range", "")
        if asked.startswith("bytes=") and model not in ("norange", "short"):
            start = int(asked[6:].split("-")[0])
            if start >= len(data):
                return self.answer(416)
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(data) - start))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        self.end_headers()
        rest = data[start:] if model != "shifted" or not start else data[:len(data) - start]
        if name in LARGE and model in ("cut", "norange", "shifted") and len(rest) > 100_000:
            if model != "norange" or BUSY.setdefault(model, 0) == 0:
                BUSY[model] = 1
                self.wfile.write(rest[:100_000])
                self.close_connection = True
                return None
        if name in LARGE and model == "slow":
            self.wfile.write(rest[:1000])
            self.wfile.flush()
            time.sleep(30)
            self.close_connection = True
            return None
        self.wfile.write(rest)
        return None


def main():
    servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), Host) for _ in range(3)]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(os.path.dirname(__file__), "..", "data", "hub", "localhost.pem"))
    servers[2].socket = context.wrap_socket(servers[2].socket, server_side=True, do_handshake_on_connect=False)
    for server, role in zip(servers, ("hub", "files", "hub")):
        server.role, server.daemon_threads = role, True
        server.other = servers[1].server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
    # In one piece: a reader takes what is there first for the whole line.
    sys.stdout.write(" ".join(str(server.server_address[1]) for server in servers) + "\n")
    sys.stdout.flush()
    sys.stdin.read()


main()
