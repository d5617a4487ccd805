"""Compares the chart in Docker/helm with Docker/kubernetes: each combination of components must give the same objects.

    chart.py HELM        the executable of Helm, version 3 or 4

The names of the ConfigMap differ: Kustomize adds a hash to it, and the chart has one in an annotation of the pods, for the same purpose.
"""

import itertools
import re
import subprocess
import sys

import yaml

import check

CHART = "Docker/helm"
LAYOUT = "Docker/kubernetes"
IMAGE = "registry.example.com/portico:0.1.0"
KEY_ID = "PKCHECK"


def templated(helm, names):
    """The objects of the chart with some components, or the message of the failure."""
    values = [f"components.{re.sub('-(.)', lambda match: match[1].upper(), name)}=true" for name in names]
    # The base has the file of the Alpaca key; the chart has it only with the id of the key.
    values.append(f"settings.PORTICO_ALPACA_KEY_ID={KEY_ID}")
    command = [helm, "template", "portico", CHART, "--set", ",".join(values)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        return result.stderr.strip()
    return [check.Manifest(item, CHART) for item in yaml.load_all(result.stdout, check.Loader) if item]


def normal(items):
    """The contents by identity, without what differs: the order of elements with a name, and the hash of the settings."""
    for item in items:
        template, _ = item.pod
        if not template:
            continue
        annotations = template["metadata"].get("annotations", {})
        annotations.pop("checksum/settings", None)
        if not annotations:
            template["metadata"].pop("annotations", None)
        for one in check.containers(template):
            one["image"] = IMAGE
            one.get("env", []).sort(key=lambda variable: variable["name"])
    return {item.identity: item.content for item in items}


def main(helm):
    errors, count = [], 0
    combinations = list(check.combinations(f"{LAYOUT}/components"))
    for names in combinations:
        items = check.build(f"{LAYOUT}/base", set())
        for name in names:
            check.build(f"{LAYOUT}/components/{name}", set(), items)
        for item in items:
            if (item.kind, item.name) == ("ConfigMap", "portico"):
                item.content["data"]["PORTICO_ALPACA_KEY_ID"] = KEY_ID
        found = templated(helm, names)
        if isinstance(found, str):
            errors.append(f"{', '.join(names)}: {found}")
            continue
        expected, actual = normal(items), normal(found)
        count += 1
        for identity in sorted({*expected, *actual}):
            if expected.get(identity) != actual.get(identity):
                errors.append(f"{', '.join(names) or 'no component'}: {' '.join(identity)} differs")
    # What the check of the components refuses, the chart refuses, too.
    for group in check.ALTERNATIVES:
        for pair in itertools.combinations(sorted(group), 2):
            names = {*pair, *(check.NEEDED[name] for name in pair if name in check.NEEDED)}
            if not isinstance(templated(helm, sorted(names)), str):
                errors.append(f"{', '.join(names)}: the chart does not refuse them")
    for name, needed in check.NEEDED.items():
        if not isinstance(templated(helm, [name]), str):
            errors.append(f"{name} without {needed}: the chart does not refuse it")
    for error in errors[:20]:
        print(error, file=sys.stderr)
    if not errors:
        print(f"{CHART}: {count} combinations of components give the objects of {LAYOUT}")
    return 1 if errors else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
