# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs Headscope's measurements on many machines, and plans such runs: python -m headscope_cluster --help"""

from headscope_cluster.driver import Executor, Failed, Study, run
from headscope_cluster.jobs import Job, Outcome, run_job

__all__ = ["Executor", "Failed", "Job", "Outcome", "Study", "run", "run_job"]
