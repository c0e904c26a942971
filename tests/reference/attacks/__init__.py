# SPDX-License-Identifier: GPL-3.0-or-later
"""What attack.py gives to the programs, each kind in a file of its own."""
