# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs on a Ray cluster: a remote function per job, whose session comes back through the object store."""

from __future__ import annotations

import importlib
import math
import re
import socket
from typing import Any, Collection, Mapping

from headscope_cluster import jobs
from headscope_cluster.driver import Failed, Handle
from headscope_cluster.jobs import Job, Outcome


class RayCluster:
    """An Executor. `needs` are Ray resources of one part: CPU, GPU, memory (bytes) and any that nodes declare."""

    def __init__(self, address: str | None, needs: Mapping[str, float], runtime_env: Mapping[str, Any] | None = None,
                 retries: int = 3) -> None:
        try:
            ray: Any = importlib.import_module("ray")
        except ImportError as error:
            raise Failed("Ray is not installed; run: pip install 'headscope-cluster[ray]'") from error
        self._ray = ray
        self._needs = {name: amount for name, amount in needs.items() if amount}
        ray.cloudpickle.register_pickle_by_value(jobs)  # workers need not have this package
        try:
            if endpoint := re.fullmatch(r"(?:ray://)?([^:/]+):(\d+)", address or ""):  # Ray itself waits for minutes
                socket.create_connection((endpoint[1], int(endpoint[2])), 10).close()
            ray.init(address=address, runtime_env=dict(runtime_env or {}), log_to_driver=False, logging_level="ERROR",
                     ignore_reinit_error=True)
        except (OSError, RuntimeError, TypeError, ValueError, ray.exceptions.RayError) as error:  # a refused connection too
            raise Failed(f"No Ray cluster can be used at {address or 'this machine'}: {_first_line(error)}") from error
        others = {name: amount for name, amount in self._needs.items() if name not in ("CPU", "GPU", "memory")}
        try:
            self._remote: Any = ray.remote(
                num_cpus=needs.get("CPU", 0), num_gpus=needs.get("GPU", 0), memory=needs.get("memory") or None, resources=others,
                max_retries=retries, retry_exceptions=[ChildProcessError], scheduling_strategy="SPREAD")(jobs.run_job)
        except (TypeError, ValueError) as error:
            raise Failed(f"Ray cannot give a part {_amounts(self._needs)}: {_first_line(error)}") from error
        if self.slots() == 0:
            raise Failed(f"No node of the Ray cluster has what a part needs: {_amounts(self._needs)}. The nodes have "
                         f"{'; '.join(_amounts(node) for node in self._nodes()) or 'nothing'}. Ask for less or add a node.")

    def _nodes(self) -> list[dict[str, float]]:
        return [node["Resources"] for node in self._ray.nodes() if node["Alive"]]

    def slots(self) -> int:
        return sum(min((math.floor(node.get(name, 0) / amount) for name, amount in self._needs.items()), default=1)
                   for node in self._nodes())

    def start(self, job: Job) -> Handle:
        handle: Handle = self._remote.remote(job)
        return handle

    def wait(self, handles: Collection[Handle], seconds: float) -> Handle | None:
        ready, _ = self._ray.wait(list(handles), num_returns=1, timeout=seconds)
        return ready[0] if ready else None

    def result(self, handle: Handle) -> Outcome:
        errors = self._ray.exceptions
        try:
            return Outcome(*self._ray.get(handle))
        except ChildProcessError as error:  # a RayTaskError too, with the worker's traceback before its own text
            raise Failed(str(getattr(error, "cause", error))) from error
        except errors.OutOfMemoryError as error:
            raise Failed("Its node ran out of memory, and so did the others that tried it: give each part more with --memory, or "
                         "run fewer on a node with --cpus-per-part.") from error
        except errors.RayError as error:
            raise Failed(f"Ray lost it ({type(error).__name__}): {_first_line(error)}") from error

    def cancel(self, handle: Handle) -> None:
        self._ray.cancel(handle)


def _amounts(resources: Mapping[str, float]) -> str:
    names = {"memory": "GB of memory", "CPU": "CPUs", "GPU": "GPUs"}
    return ", ".join(f"{amount / 1e9 if name == 'memory' else amount:.3g} {names.get(name, name)}"
                     for name, amount in sorted(resources.items()) if not name.startswith(("node:", "object_store")))


def _first_line(error: BaseException) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
