# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the examples of the manual's page about many machines with stand-ins for headscope-cli, srun and sbatch."""

import importlib.util
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "packaging" / "python"))
from headscope_cluster import __main__  # noqa: E402

YAML = importlib.util.find_spec("yaml") is not None
SRUN = '#!/bin/bash\nexec "$@"\n'
SBATCH = """#!/bin/bash
for last; do :; done
ids=$(cat "$last" <(printf '%s\\n' "$@") | grep -o -e '--array=[0-9,-]*' | tail -n 1 | cut -d= -f2)
case "$ids" in *-*) ids=$(seq ${ids%-*} ${ids#*-}) ;; esac
for id in ${ids//,/ }; do SLURM_ARRAY_TASK_ID=$id bash "$last" >&2 || exit 1; done
if [ -z "$ids" ]; then bash "$last" >&2 || exit 1; fi
echo 17
"""


def blocks(language):
    page = (ROOT / "resources" / "manual" / language / "17-cluster.md").read_text(encoding="utf-8")
    return dict(re.findall(r"```([\w-]+)\n(.*?)\n```", page, re.DOTALL))


class Examples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.blocks = blocks("en")
        standin = pathlib.Path(__file__).with_name("standin.py").read_text()
        for name, text in (("headscope-cli", f"#!{sys.executable} -IS\n{standin}"), ("srun", SRUN), ("sbatch", SBATCH)):
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o700)
        self.environment = {**os.environ, "PATH": f"{folder.name}:{os.environ['PATH']}"}

    def bash(self, text, **more):
        return subprocess.run(["bash", "-e", "-c", text], cwd=self.folder, env={**self.environment, **more}, capture_output=True, text=True)

    def whole(self, model):
        done = self.bash(f"headscope-cli rank {model} --task arc_easy --session one --json")
        return json.loads(done.stdout)

    def test_the_german_page_has_the_same(self):
        german = blocks("de")
        self.assertEqual(set(german), set(self.blocks))
        for name in set(german) - {"ray"}:
            self.assertEqual(german[name], self.blocks[name])

    def test_slurm(self):
        (self.folder / "rank.sbatch").write_text(self.blocks["slurm-part"])
        (self.folder / "merge.sbatch").write_text(self.blocks["slurm-merge"])
        done = self.bash(self.blocks["slurm-submit"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads((self.folder / "ranking.json").read_text()), self.whole("/models/llama-8b"))
        # A part that is missing is named, and submitted again.
        for file in ("parts/3.headscope", "parts/5.headscope", "study.headscope", "ranking.json"):
            (self.folder / file).unlink()
        variables = {"MODEL": "/models/llama-8b", "TASK": "arc_easy"}
        done = self.bash("bash merge.sbatch", **variables)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Missing: {3, 5}", done.stderr)
        self.assertFalse((self.folder / "ranking.json").exists())
        done = self.bash("sbatch --array=3,5 rank.sbatch && bash merge.sbatch && bash merge.sbatch", **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads((self.folder / "ranking.json").read_text()), self.whole("/models/llama-8b"))

    @unittest.skipUnless(YAML, "PyYAML is not installed")
    def test_kubernetes(self):
        import yaml
        job = yaml.safe_load(self.blocks["kubernetes"])
        spec, pod = job["spec"], job["spec"]["template"]["spec"]
        container = pod["containers"][0]
        self.assertEqual((job["kind"], spec["completionMode"], pod["restartPolicy"]), ("Job", "Indexed", "Never"))
        self.assertEqual({mount["name"] for mount in container["volumeMounts"]}, {volume["name"] for volume in pod["volumes"]})
        for index in range(spec["completions"]):
            command = [word.replace("$(JOB_COMPLETION_INDEX)", str(index)).replace("/study/", f"{self.folder}/") for word in container["command"]]
            done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.bash("headscope-cli session parts [0-9]*.headscope").returncode, 0)
        done = self.bash("headscope-cli session duplicate 0.headscope study.headscope; "
                         "for part in [0-9]*.headscope; do headscope-cli session merge study.headscope $part; done; "
                         "headscope-cli rank /models/llama-8b --task arc_easy --session study.headscope --json")
        self.assertEqual(json.loads(done.stdout), self.whole("/models/llama-8b"))

    def test_ray(self):
        line = self.blocks["ray"].replace("\\\n", " ").splitlines()[-1]
        words = shlex.split(line)
        self.assertEqual(words[:3], ["python", "-m", "headscope_cluster"])
        study, options = __main__.study_of(words[3], words[4], words[5:])
        self.assertEqual(study.words, ("rank", "/models/llama-8b", "--task", "arc_easy", "--threads", "8"))
        self.assertEqual((study.parts, options.address, options.gpus_per_part), (64, "auto", 1))


if __name__ == "__main__":
    unittest.main()
