#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what the built programs are made of as SPDX 2.3 (JSON): the Debian packages of the libraries that they are linked
with, of the headers that are compiled into them and of the typeface, the icons, and the wheels of packaging/wheels; each with
its version, licence and SHA-256 sums. Python 3.9, dpkg and
readelf, no other module.

    sbom.py --build build/release --output headscope.spdx.json
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from datetime import datetime, timezone

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Compiled in, so that no library names them.
HEADER_PACKAGES = ("nlohmann-json3-dev", "libsqlitecpp-dev", "libcli11-dev", "libboost-dev", "libfmt-dev")
TYPEFACE = "fonts-inter" # in the one-file bundle
# By the beginning of the package's name: what the upstream project says, of the part that is used here.
GCC = "GPL-3.0-or-later WITH GCC-exception-3.1"
LICENCES = {
    "fonts-inter": "OFL-1.1", "libboost": "BSL-1.0", "libc6": "LGPL-2.1-or-later", "libcli11": "BSD-3-Clause", "libcurl": "curl", "libfmt": "MIT",
    "libgcc-s": GCC, "libgomp": GCC, "libharfbuzz": "MIT-Modern-Variant", "libicu": "Unicode-DFS-2016", "libminizip": "Zlib",
    "libpcre2": "BSD-3-Clause", "libqcustomplot": "GPL-3.0-or-later", "libqt6": "LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only",
    "libqt6charts": "GPL-3.0-only", "libsnappy": "BSD-3-Clause", "libsqlite3": "blessing", "libsqlitecpp": "MIT", "libssl": "Apache-2.0",
    "libstdc++": GCC, "libyaml-cpp": "MIT", "libzstd": "BSD-3-Clause OR GPL-2.0-only", "nlohmann-json3": "MIT", "zlib1g": "Zlib",
}


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def version_of_project():
    return re.search(r"project\(headscope VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def needed_by(program):
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output_of("readelf", "-d", str(program)))


def debian_packages(libraries):
    """The installed packages that hold libraries of these names; Debian has not all of them."""
    architecture = f"{os.uname().machine}-linux-gnu"
    paths = [f"{folder}/{architecture}/{library}" for folder in ("/usr/lib", "/lib") for library in libraries]
    asked = subprocess.run(["dpkg", "-S", *paths], capture_output=True, text=True) # fails for those that it does not know
    return {line.split(":")[0] for line in asked.stdout.splitlines()}


def licence_of(name):
    beginnings = [beginning for beginning in LICENCES if name.startswith(beginning)]
    if not beginnings:
        sys.exit(f"sbom.py: the licence of {name} is not listed; add it to LICENCES")
    return LICENCES[max(beginnings, key=len)]


def listed_sums(packages):
    """The sums of packages as Debian signs them, by name; of the versions that apt still lists."""
    asked = subprocess.run(["apt-cache", "show", *(f"{name}={version}" for name, version in packages)], capture_output=True, text=True)
    return dict(re.findall(r"^Package: (\S+)$(?:\n.+)*?\nSHA256: ([0-9a-f]{64})$", asked.stdout, re.MULTILINE))


def sums_of(name, listed):
    if name in listed:
        return {"checksums": [{"algorithm": "SHA256", "checksumValue": listed[name]}]}
    files = output_of("dpkg-query", "--control-show", name, "md5sums")
    return {"comment": f"SHA-256 of dpkg's list of its files and their MD5 sums: {hashlib.sha256(files.encode()).hexdigest()}"}


def of_debian(names):
    told = output_of("dpkg-query", "-W", "-f", "${Package}\t${Version}\t${source:Package}\t${Homepage}\n", *names)
    fields = [line.split("\t") for line in told.splitlines()]
    missing = set(names) - {one[0] for one in fields}
    if missing:
        sys.exit(f"sbom.py: not installed: {' '.join(sorted(missing))}; run: bash packaging/install.sh")
    listed = listed_sums([one[:2] for one in fields]) if shutil.which("apt-cache") else {}
    return [{**package_of(*one), **sums_of(one[0], listed)} for one in fields]


def package_of(name, version, source, homepage):
    return {
        "SPDXID": "SPDXRef-debian-" + re.sub(r"[^A-Za-z0-9.-]", "-", name),
        "name": name,
        "versionInfo": version,
        "supplier": "Organization: Debian",
        "downloadLocation": "NOASSERTION",
        "homepage": homepage or "NOASSERTION",
        "sourceInfo": f"Debian source package {source}",
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": licence_of(name),
        "copyrightText": f"see /usr/share/doc/{name}/copyright",
        "filesAnalyzed": False,
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{name}@{version}",
        }],
    }


def of_wheels():
    for file, licence in (("cpu.txt", {"torch": "BSD-3-Clause"}), ("words.txt", {"wonderwords": "MIT"})):
        text = (ROOT / "packaging" / "wheels" / file).read_text().replace("\\\n", " ")
        for line in text.splitlines():
            pinned = re.match(r"([a-z0-9-]+)==([0-9.]+)(.*)", line)
            if not pinned:
                continue
            name, version, rest = pinned.groups()
            yield {
                "SPDXID": f"SPDXRef-wheel-{name}",
                "name": name,
                "versionInfo": version,
                "downloadLocation": f"https://pypi.org/project/{name}/{version}/",
                "licenseConcluded": "NOASSERTION",
                "licenseDeclared": licence.get(name, "LicenseRef-NVIDIA-CUDA"),
                "copyrightText": "NOASSERTION",
                "filesAnalyzed": False,
                "comment": "One of the wheels with these SHA-256 sums: " + " ".join(re.findall(r"sha256:([0-9a-f]{64})", rest)),
                "externalRefs": [{
                    "referenceCategory": "PACKAGE-MANAGER",
                    "referenceType": "purl",
                    "referenceLocator": f"pkg:pypi/{name}@{version}",
                }],
            }


def icons():
    """Compiled in; they have no version of their own."""
    files = sorted((ROOT / "resources" / "icons" / "lucide").glob("*.svg"))
    sums = "".join(hashlib.sha256(file.read_bytes()).hexdigest() for file in files)
    return {
        "SPDXID": "SPDXRef-lucide",
        "name": "lucide",
        "versionInfo": "as in resources/icons/lucide",
        "downloadLocation": "https://github.com/lucide-icons/lucide",
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "ISC",
        "copyrightText": "2013-2022 Cole Bemis, 2022 Lucide Contributors",
        "filesAnalyzed": False,
        "comment": f"SHA-256 of the SHA-256 sums of its {len(files)} files in order: {hashlib.sha256(sums.encode()).hexdigest()}",
    }


def document(programs):
    version = version_of_project()
    own = {
        "SPDXID": "SPDXRef-headscope",
        "name": "headscope",
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "licenseConcluded": "GPL-3.0-or-later",
        "licenseDeclared": "GPL-3.0-or-later",
        "copyrightText": "The Headscope authors",
        "primaryPackagePurpose": "APPLICATION",
        "filesAnalyzed": False,
    }
    libraries = {library for program in programs for library in needed_by(program)}
    parts = of_debian(sorted(debian_packages(sorted(libraries)) | {*HEADER_PACKAGES, TYPEFACE})) + [icons(), *of_wheels()]
    # The same build gives the same document.
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", max(int(program.stat().st_mtime) for program in programs)))
    sums = "".join(hashlib.sha256(program.read_bytes()).hexdigest() for program in programs)
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"headscope-{version}",
        "documentNamespace": f"https://headscope.invalid/spdx/{hashlib.sha256(sums.encode()).hexdigest()}",
        "creationInfo": {
            "created": datetime.fromtimestamp(epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Organization: The Headscope authors", "Tool: packaging/sbom.py"],
        },
        "packages": [own] + parts,
        "hasExtractedLicensingInfos": [{
            "licenseId": "LicenseRef-NVIDIA-CUDA",
            "extractedText": "NVIDIA Software License Agreement and CUDA Supplement, as it comes with the wheel.",
        }],
        "relationships": [{
            "spdxElementId": "SPDXRef-DOCUMENT",
            "relationshipType": "DESCRIBES",
            "relatedSpdxElement": "SPDXRef-headscope",
        }] + [{
            "spdxElementId": "SPDXRef-headscope",
            "relationshipType": "DEPENDS_ON",
            "relatedSpdxElement": part["SPDXID"],
        } for part in parts],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    programs = [arguments.build / "app" / name for name in ("headscope", "headscope-cli")]
    programs = [program for program in programs if program.is_file()]
    if not programs:
        sys.exit(f"sbom.py: {arguments.build} contains no program; run: bash packaging/build.sh headscope headscope-cli")
    arguments.output.write_text(json.dumps(document(programs), indent=2) + "\n")


if __name__ == "__main__":
    main()
