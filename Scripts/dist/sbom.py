"""Writes a software bill of materials (CycloneDX 1.6, JSON) to standard output.

    sbom.py VERSION PACKAGE_RESOLVED EXECUTABLE [PACKAGES]

The components are the Swift packages in Package.resolved, and the system libraries that the executable loads, with their
Debian packages where dpkg knows them; for an image, all Debian packages, from a file with `name<tab>version` lines. It contains no time and no random number, so that equal builds have equal documents.
"""

import hashlib
import json
import os
import re
import subprocess
import sys


def swift_packages(path):
    for pin in sorted(json.load(open(path, encoding="utf-8"))["pins"], key=lambda pin: pin["identity"]):
        version = pin["state"].get("version") or pin["state"]["revision"]
        location = re.sub(r"\.git$", "", pin["location"])
        # Only the public address: a mirror of the build machine must not appear.
        match = re.search(r"([^/]+)/([^/]+)$", location)
        purl = f"pkg:swift/github.com/{match[1]}/{match[2]}@{version}"
        yield {"type": "library", "name": pin["identity"], "version": version, "purl": purl, "bom-ref": purl}


def debian_package(name, version):
    purl = f"pkg:deb/debian/{name}@{version}"
    return {"type": "library", "name": name, "version": version, "purl": purl, "bom-ref": purl}


def system_libraries(executable):
    output = subprocess.run(["ldd", executable], capture_output=True, text=True, check=True).stdout
    seen = set()
    for path in re.findall(r"=> (/\S+)", output):
        try:
            real = os.path.realpath(path)
            candidates = {path, real, real.removeprefix("/usr"), path.removeprefix("/usr")}
            owner = next(
                line.rsplit(": ", 1)[0]
                for candidate in sorted(candidates)
                for line in subprocess.run(["dpkg", "-S", candidate], capture_output=True, text=True).stdout.splitlines()
            )
        except (StopIteration, FileNotFoundError):
            owner = None
        if owner is None:
            component = {"type": "library", "name": os.path.basename(path), "bom-ref": os.path.basename(path)}
        else:
            package = owner.split(",")[0].split(":")[0]
            version = subprocess.run(
                ["dpkg-query", "-W", "-f", "${Version}\n", package], capture_output=True, text=True
            ).stdout.split("\n")[0]
            component = debian_package(package, version)
        if component["bom-ref"] not in seen:
            seen.add(component["bom-ref"])
            yield component


def main():
    version, resolved, executable, *packages = sys.argv[1:]
    reference = f"pkg:generic/portico@{version}"
    libraries = {component["bom-ref"]: component for component in system_libraries(executable)}
    for line in open(packages[0], encoding="utf-8") if packages else []:
        component = debian_package(*line.rstrip("\n").split("\t"))
        libraries[component["bom-ref"]] = component
    libraries = [libraries[reference] for reference in sorted(libraries)]
    components = list(swift_packages(resolved)) + libraries
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application", "name": "portico", "version": version, "bom-ref": reference,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": components,
        "dependencies": [{"ref": reference, "dependsOn": [component["bom-ref"] for component in components]}],
    }
    digest = hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
    document["serialNumber"] = f"urn:uuid:{digest[:8]}-{digest[8:12]}-5{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}"
    print(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
