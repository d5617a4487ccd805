"""Builds the overlays of a Kustomize layout and checks the results.

    check.py FOLDER        FOLDER/overlays has one folder for each overlay

It builds the part of Kustomize that the layout needs: `resources`, `components`, `patches` with a `path`, `images`, and
`configMapGenerator` with `envs`, whose hash is added to the name. Patches can have lists whose elements have a key, and
`$patch: delete`. Besides the overlays it checks every combination of FOLDER/components that ALTERNATIVES and NEEDED allow.
If `kustomize` or `kubectl` is installed, its result must be the same. Each object of the result

- must be valid against the schemas of the oldest and the newest supported version of Kubernetes, without unknown fields;
- may refer only to objects, ports and labels that exist;
- must meet the Pod Security Standard `restricted`, and a Deployment with a volume claim must have one replica (SQLite has
  one writer).

Each error is one line on standard error: the file, the path in the object, the message. Exit status 0: no error; 1: errors.
"""

import functools
import hashlib
import itertools
import json
import os
import shutil
import subprocess
import sys

import jsonschema
import kubernetes_validate.utils as kubernetes
import referencing
import yaml

VERSIONS = ["1.31", "1.37"]
# Schemas of custom resources, which Kubernetes does not define.
CUSTOM = "Tests/Golden/kubernetes"
# The rules that PrometheusRule has in common with the file for a Prometheus without the operator.
ALERTS = "Docker/monitoring/alerts.yaml"
# Of a group at most one component can be used; the others combine freely.
ALTERNATIVES = [{"ingress", "ingress-nginx", "gateway"}, {"backup", "postgres"}, {"replicas", "autoscaling"}]
# A component that needs another one.
NEEDED = {"replicas": "postgres", "autoscaling": "postgres", "redis": "postgres"}


class Failure(Exception):
    """A file that cannot be built."""


class Loader(yaml.SafeLoader):
    """Rejects keys that occur twice, of which PyYAML uses the last one."""

    def construct_mapping(self, node, deep=False):
        keys = set()
        for key, _ in node.value:
            if str(key.value) in keys:
                raise yaml.constructor.ConstructorError(None, None, f"the key {key.value} occurs twice", key.start_mark)
            keys.add(str(key.value))
        return super().construct_mapping(node, deep)


def field(value, *keys):
    """The member of nested mappings; None if a part of the path is missing or not a mapping."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


class Manifest:
    """An object, and the files that define it."""

    def __init__(self, content, file):
        self.content, self.files, self.is_generated = content, [file], False

    @property
    def location(self):
        changes = f" (with {', '.join(self.files[1:])})" if len(self.files) > 1 else ""
        return self.files[0] + changes

    @property
    def kind(self):
        return self.content["kind"]

    @property
    def name(self):
        return self.content["metadata"]["name"]

    @property
    def identity(self):
        return self.content["apiVersion"], self.kind, self.name

    @property
    def labels(self):
        return field(self.content, "metadata", "labels") or {}

    @property
    def pod(self):
        """The pod template of a workload, with its path; None for other kinds."""
        path = ["spec", "template"]
        if self.kind == "CronJob":
            path = ["spec", "jobTemplate", *path]
        elif self.kind not in ("Deployment", "StatefulSet", "DaemonSet", "Job"):
            return None, None
        return field(self.content, *path), ".".join(path)


# --- building -------------------------------------------------------------------------------------------------------


def documents(file):
    """The YAML documents of a file."""
    try:
        with open(file, encoding="utf-8") as stream:
            found = [item for item in yaml.load_all(stream, Loader) if item is not None]
    except OSError as error:
        raise Failure(f"{file}: cannot be read: {error.strerror}")
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise Failure(f"{file}:{mark.line + 1}:{mark.column + 1}: {error.problem}")
    except yaml.YAMLError as error:
        raise Failure(f"{file}: {error}")
    for item in found:
        if not isinstance(item, dict):
            raise Failure(f"{file}: a document is not a mapping")
    return found


def manifests(file):
    found = [Manifest(item, file) for item in documents(file)]
    for item in found:
        try:
            item.identity
        except (KeyError, TypeError):
            raise Failure(f"{file}: an object without apiVersion, kind or metadata.name")
    return found


# The key of the elements of lists that a patch changes by element (Kubernetes API, `patchMergeKey`).
MERGE_KEYS = {"containers": "name", "env": "name", "volumeMounts": "mountPath", "volumes": "name"}
# Lists that a patch replaces as a whole, or that the base does not have.
REPLACED_LISTS = {"command", "topologySpreadConstraints"}


def merge_list(target, patch, location, key):
    """Kustomize puts new elements before the others."""
    new = []
    for value in patch:
        name = value.get(MERGE_KEYS[key]) if isinstance(value, dict) else None
        if name is None:
            raise Failure(f"{location}: {key}: an element without {MERGE_KEYS[key]}")
        found = [item for item in target if item.get(MERGE_KEYS[key]) == name]
        if value.get("$patch") == "delete":
            if not found:
                raise Failure(f"{location}: {key}: no element {name} to delete")
            target.remove(found[0])
        elif found:
            merge(found[0], value, location)
        else:
            new.append(value)
    target[:0] = new


def merge(target, patch, location):
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        elif isinstance(value, list) and key in MERGE_KEYS:
            merge_list(target.setdefault(key, []), value, location, key)
        elif isinstance(value, list) and key in REPLACED_LISTS:
            target[key] = value
        elif isinstance(value, list):
            raise Failure(f"{location}: {key}: this check cannot merge this list")
        elif isinstance(value, dict):
            if not isinstance(target.get(key), dict):
                target[key] = {}
            merge(target[key], value, location)
        else:
            target[key] = value


def build(folder, used, base=None):
    """The objects of a kustomization; `used` collects the files that it reads. A component changes the objects of `base`."""
    file = os.path.join(folder, "kustomization.yaml")
    used.add(file)
    content = documents(file)
    if len(content) != 1:
        raise Failure(f"{file}: has {len(content)} documents, not 1")
    content = content[0]
    for key in content:
        if key not in ("apiVersion", "kind", "resources", "components", "patches", "images", "configMapGenerator"):
            raise Failure(f"{file}: {key}: is unknown to this check")
    expected = ("v1beta1", "Kustomization") if base is None else ("v1alpha1", "Component")
    if (content.get("apiVersion"), content.get("kind")) != (f"kustomize.config.k8s.io/{expected[0]}", expected[1]):
        raise Failure(f"{file}: is not a {expected[1]} of kustomize.config.k8s.io/{expected[0]}")

    found = [] if base is None else base
    for resource in content.get("resources", []):
        path = os.path.normpath(os.path.join(folder, resource))
        if not os.path.exists(path):
            raise Failure(f"{file}: resources: {resource} does not exist")
        used.add(path)
        found += build(path, used) if os.path.isdir(path) else manifests(path)
    for item in found:
        if sum(other.identity == item.identity for other in found) > 1:
            raise Failure(f"{item.location}: {item.kind} {item.name} is defined twice")
    for component in content.get("components", []):
        path = os.path.normpath(os.path.join(folder, component))
        if not os.path.isdir(path):
            raise Failure(f"{file}: components: {component} does not exist")
        build(path, used, found)
    for generator in content.get("configMapGenerator", []):
        generate(generator, folder, file, found, used)
    for patch in content.get("patches", []):
        apply_patch(patch, folder, file, found, used)
    for image in content.get("images", []):
        replace_image(image, file, found)
    return found


def generate(generator, folder, file, found, used):
    """Makes a ConfigMap of files with lines NAME=value, or adds their values to one that another kustomization made."""
    unknown = set(generator) - {"name", "behavior", "envs", "options"}
    if unknown or generator.get("behavior", "create") not in ("create", "merge"):
        raise Failure(f"{file}: configMapGenerator: this check knows only name, behavior, envs and options")
    data = {}
    for name in generator["envs"]:
        path = os.path.normpath(os.path.join(folder, name))
        used.add(path)
        for number, line in enumerate(open(path, encoding="utf-8"), 1):
            line = line.strip()
            key, equals, value = line.partition("=")
            if line and not line.startswith("#"):
                if not equals:
                    raise Failure(f"{path}:{number}: has no =")
                data[key] = value
    maps = [item for item in found if (item.kind, item.name) == ("ConfigMap", generator["name"])]
    if generator.get("behavior") == "merge":
        if not maps:
            raise Failure(f"{file}: configMapGenerator: there is no ConfigMap {generator['name']} to merge with")
        maps[0].content["data"].update(data)
        maps[0].files.append(file)
    else:
        if maps:
            raise Failure(f"{file}: configMapGenerator: ConfigMap {generator['name']} is defined twice")
        metadata = {"name": generator["name"], "labels": generator.get("options", {}).get("labels", {})}
        item = Manifest({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}, file)
        item.is_generated = True
        found.append(item)


def add_hashes(items):
    """Adds the hash of their content to the names of generated ConfigMaps, as Kustomize does, and to the references."""
    for item in items:
        if not item.is_generated:
            continue
        name = item.name
        # The name is empty: Kustomize calculates the hash before it is known.
        encoded = {"data": item.content["data"], "kind": "ConfigMap", "name": ""}
        text = json.dumps(encoded, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        for old, new in (("&", "\\u0026"), ("<", "\\u003c"), (">", "\\u003e")):
            text = text.replace(old, new)
        # No vowel and no similar digits, so that the name contains no word.
        digest = hashlib.sha256(text.encode()).hexdigest()[:10].translate(str.maketrans("013ae", "ghkmt"))
        item.content["metadata"]["name"] = f"{name}-{digest}"
        for other in items:
            template, _ = other.pod
            for container in containers(template):
                for source in container.get("envFrom", []):
                    if field(source, "configMapRef", "name") == name:
                        source["configMapRef"]["name"] = item.name


def apply_patch(patch, folder, file, found, used):
    if not isinstance(patch, dict) or set(patch) != {"path"}:
        raise Failure(f"{file}: patches: this check knows only patches with a path")
    path = os.path.normpath(os.path.join(folder, patch["path"]))
    used.add(path)
    for change in manifests(path):
        targets = [item for item in found if item.identity == change.identity]
        if not targets:
            raise Failure(f"{path}: {change.kind} {change.name}: no resource has this name")
        if change.content.get("$patch") == "delete":
            found.remove(targets[0])
            continue
        merge(targets[0].content, change.content, path)
        targets[0].files.append(path)


def replace_image(image, file, found):
    unknown = set(image) - {"name", "newName", "newTag"}
    if unknown or "name" not in image:
        raise Failure(f"{file}: images: this check knows only name, newName and newTag")
    count = 0
    for item in found:
        template, _ = item.pod
        for container in containers(template):
            name, _, tag = str(container.get("image", "")).partition(":")
            if name == image["name"]:
                tag = str(image.get("newTag", tag))
                container["image"] = image.get("newName", name) + (f":{tag}" if tag else "")
                count += 1
    if count == 0:
        raise Failure(f"{file}: images: no container has the image {image['name']}")


def containers(template):
    lists = [field(template, "spec", key) for key in ("containers", "initContainers")]
    return [item for items in lists if isinstance(items, list) for item in items if isinstance(item, dict)]


def built_by_kustomize(folder):
    """The objects that an installed Kustomize builds, by identity; None if none is installed."""
    if shutil.which("kustomize"):
        command = ["kustomize", "build", folder]
    elif shutil.which("kubectl"):
        command = ["kubectl", "kustomize", folder]
    else:
        return None
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise Failure(f"{folder}: {' '.join(command)}: {result.stderr.strip()}")
    return {Manifest(item, folder).identity: item for item in yaml.load_all(result.stdout, Loader)}


# --- checks ---------------------------------------------------------------------------------------------------------


@functools.cache
def validator(kind, api_version, version):
    """The validator of a kind in a version of Kubernetes; None if there is no schema."""
    group, _, suffix = api_version.rpartition("/")
    name = "-".join(filter(None, [kind.lower(), group.split(".")[0], suffix])) + ".json"
    custom = os.path.join(CUSTOM, name)
    if os.path.exists(custom):
        with open(custom, encoding="utf-8") as stream:
            return jsonschema.Draft202012Validator(json.load(stream))
    folder = f"kubernetes-json-schema/v{version}.0-local-strict"
    try:
        schema = kubernetes.schema_contents(f"{folder}/{name}", version)
        definitions = kubernetes.schema_contents(f"{folder}/_definitions.json", version)
    except FileNotFoundError:
        return None
    registry = referencing.Registry()
    for content in (schema, definitions):
        registry = referencing.Resource.from_contents(content) @ registry
    return jsonschema.Draft202012Validator(schema, registry=registry)


def path_text(path):
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or "(document)"


def schema_errors(item):
    return schema_errors_of(json.dumps(item.content, sort_keys=True))


# Combinations have most objects in common.
@functools.cache
def schema_errors_of(text):
    """Each error once, with the versions of Kubernetes that have it."""
    content = json.loads(text)
    found, errors = {}, []
    for version in VERSIONS:
        schema = validator(content["kind"], content["apiVersion"], version)
        if schema is None:
            found.setdefault(("kind", f"there is no {content['kind']} in {content['apiVersion']}"), []).append(version)
            continue
        for error in schema.iter_errors(content):
            error = jsonschema.exceptions.best_match([error])
            found.setdefault((path_text(error.absolute_path), error.message), []).append(version)
    for (path, message), versions in found.items():
        errors.append((path, f"{message} (Kubernetes {', '.join(versions)})"))
    return errors


def selects(selector, labels):
    return all(labels.get(key) == value for key, value in selector.items())


class References:
    """Whether the references between the objects of one overlay lead to something."""

    def __init__(self, items):
        self.items = items
        self.names = {(item.kind, item.name) for item in items}
        self.pods = [item.pod[0] for item in items if item.pod[0]]

    def selected(self, selector):
        return [pod for pod in self.pods if selects(selector, field(pod, "metadata", "labels") or {})]

    def ports(self, selector):
        """The names and numbers of the ports of the pods that a selector selects."""
        ports = [port for pod in self.selected(selector) for one in containers(pod) for port in one.get("ports", [])]
        return {port.get("name") for port in ports} | {port["containerPort"] for port in ports}

    def errors(self, item):
        template, path = item.pod
        if template:
            yield from self.pod_errors(item, template["spec"], f"{path}.spec")
        check = getattr(self, item.kind.lower(), None)
        if check and "spec" in item.content:
            yield from check(item.content["spec"])

    def pod_errors(self, item, spec, path):
        volumes = {volume["name"]: volume for volume in spec.get("volumes", [])}
        for volume in volumes.values():
            for kind, key, name in (("PersistentVolumeClaim", "persistentVolumeClaim", "claimName"),
                                    ("ConfigMap", "configMap", "name")):
                if key in volume and (kind, volume[key].get(name)) not in self.names:
                    yield f"{path}.volumes", f"there is no {kind} {volume[key].get(name)}"
        for one in containers(item.pod[0]):
            place = f"{path}.containers.{one['name']}"
            for source in one.get("envFrom", []):
                name = source.get("configMapRef", {}).get("name")
                if name and ("ConfigMap", name) not in self.names:
                    yield f"{place}.envFrom", f"there is no ConfigMap {name}"
            for mount in one.get("volumeMounts", []):
                if mount["name"] not in volumes:
                    yield f"{place}.volumeMounts", f"there is no volume {mount['name']}"
            names = {port.get("name") for port in one.get("ports", [])}
            for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                port = one.get(probe, {}).get("httpGet", {}).get("port")
                if isinstance(port, str) and port not in names:
                    yield f"{place}.{probe}", f"there is no port {port}"

    def selector_errors(self, path, selector):
        if not self.selected(selector):
            yield path, f"selects no pod of this overlay: {json.dumps(selector)}"

    def service(self, spec):
        selector = spec.get("selector", {})
        yield from self.selector_errors("spec.selector", selector)
        ports = self.ports(selector)
        for port in spec.get("ports", []):
            if port.get("targetPort", port["port"]) not in ports:
                yield "spec.ports", f"the selected pods have no port {port.get('targetPort', port['port'])}"

    def ingress(self, spec):
        for rule in spec.get("rules", []):
            for path in field(rule, "http", "paths") or []:
                service = path["backend"].get("service")
                if not service:
                    continue
                key = "name" if field(service, "port", "name") else "port"
                wanted = field(service, "port", "name") or field(service, "port", "number")
                found = [item for item in self.items if (item.kind, item.name) == ("Service", service["name"])]
                if not found:
                    yield "spec.rules", f"there is no Service {service['name']}"
                elif wanted not in [port.get(key) for port in field(found[0].content, "spec", "ports") or []]:
                    yield "spec.rules", f"the Service {service['name']} has no port {wanted}"

    def networkpolicy(self, spec):
        selector = field(spec, "podSelector", "matchLabels") or {}
        yield from self.selector_errors("spec.podSelector", selector)
        ports = self.ports(selector)
        for rule in spec.get("ingress", []):
            for port in rule.get("ports", []):
                if "port" in port and port["port"] not in ports:
                    yield "spec.ingress", f"the selected pods have no port {port['port']}"

    def httproute(self, spec):
        for rule in spec.get("rules", []):
            for backend in rule.get("backendRefs", []):
                found = [item for item in self.items if (item.kind, item.name) == ("Service", backend["name"])]
                ports = [port["port"] for item in found for port in item.content["spec"]["ports"]]
                if backend.get("port") not in ports:
                    yield "spec.rules", f"there is no Service {backend['name']} with the port {backend.get('port')}"

    def horizontalpodautoscaler(self, spec):
        target = spec["scaleTargetRef"]
        found = [item for item in self.items if (item.kind, item.name) == (target["kind"], target["name"])]
        if not found:
            yield "spec.scaleTargetRef", f"there is no {target['kind']} {target['name']}"
        for item in found:
            if "replicas" in item.content["spec"]:
                yield "spec.scaleTargetRef", "the target sets spec.replicas, which would undo the autoscaler at each update"

    def prometheusrule(self, spec):
        if spec != documents(ALERTS)[0]:
            yield "spec", f"is not equal to {ALERTS}"

    def poddisruptionbudget(self, spec):
        yield from self.selector_errors("spec.selector", field(spec, "selector", "matchLabels") or {})

    def servicemonitor(self, spec):
        selector = field(spec, "selector", "matchLabels") or {}
        services = [item.content for item in self.items if item.kind == "Service" and selects(selector, item.labels)]
        if not services:
            yield "spec.selector", f"selects no Service of this overlay: {json.dumps(selector)}"
        names = {port.get("name") for service in services for port in field(service, "spec", "ports") or []}
        for endpoint in spec["endpoints"]:
            if services and endpoint.get("port") not in names:
                yield "spec.endpoints", f"the selected Service has no port {endpoint.get('port')}"


def policy_errors(item):
    """Deviations from the Pod Security Standard `restricted`, and from one replica of a Deployment with a volume claim."""
    template, path = item.pod
    if not template:
        return
    spec = template["spec"]
    required = [
        (f"{path}.spec.enableServiceLinks", spec.get("enableServiceLinks"), False),
        (f"{path}.spec.automountServiceAccountToken", spec.get("automountServiceAccountToken"), False),
        (f"{path}.spec.securityContext.runAsNonRoot", field(spec, "securityContext", "runAsNonRoot"), True),
        (f"{path}.spec.securityContext.seccompProfile.type",
         field(spec, "securityContext", "seccompProfile", "type"), "RuntimeDefault"),
    ]
    for one in containers(template):
        context = one.get("securityContext", {})
        place = f"{path}.spec.containers.{one['name']}"
        required += [
            (f"{place}.securityContext.allowPrivilegeEscalation", context.get("allowPrivilegeEscalation"), False),
            (f"{place}.securityContext.readOnlyRootFilesystem", context.get("readOnlyRootFilesystem"), True),
            (f"{place}.securityContext.capabilities", context.get("capabilities"), {"drop": ["ALL"]}),
            (f"{place}.resources.limits.memory",
             field(one, "resources", "limits", "memory") is not None, True),
        ]
    if item.kind == "Deployment" and any("persistentVolumeClaim" in one for one in spec.get("volumes", [])):
        required += [
            ("spec.replicas", item.content["spec"].get("replicas"), 1),
            ("spec.strategy.type", field(item.content, "spec", "strategy", "type"), "Recreate"),
        ]
    for place, value, expected in required:
        if value != expected:
            yield place, f"must be {json.dumps(expected)}"


def combinations(folder):
    """The sets of components that can be used together."""
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    for count in range(len(names) + 1):
        for chosen in map(set, itertools.combinations(names, count)):
            if any(len(chosen & group) > 1 for group in ALTERNATIVES):
                continue
            if all(NEEDED.get(name) is None or NEEDED[name] in chosen for name in chosen):
                yield sorted(chosen)


def check_combinations(layout, used):
    """The number of combinations that were checked, and their errors."""
    count, errors = 0, []
    for names in combinations(os.path.join(layout, "components")):
        items = build(os.path.join(layout, "base"), used)
        for name in names:
            build(os.path.join(layout, "components", name), used, items)
        add_hashes(items)
        count += 1
        errors += [f"{error} (with {', '.join(names) or 'no component'})" for error in errors_in(items)]
    return count, errors


def check(folder, used):
    """The objects of an overlay, and the errors in them, each with its file."""
    items = build(folder, used)
    add_hashes(items)
    reference = built_by_kustomize(folder)
    if reference is not None and reference != {item.identity: item.content for item in items}:
        raise Failure(f"{folder}: Kustomize builds other objects than this check")
    return items, errors_in(items)


def errors_in(items):
    errors = []
    for item in items:
        errors += [(item, *error) for error in schema_errors(item)]
    # The other checks read fields whose types the schemas define.
    if not errors:
        references = References(items)
        for item in items:
            errors += [(item, *error) for error in [*references.errors(item), *policy_errors(item)]]
    return [f"{item.location}: {path}: {message}" for item, path, message in errors]


def main():
    layout = os.path.normpath(sys.argv[1])
    overlays = os.path.join(layout, "overlays")
    errors, used = [], set()
    names = sorted(os.listdir(overlays)) if os.path.isdir(overlays) else []
    if not names:
        errors.append(f"{overlays}: there is no overlay")
    for name in names:
        try:
            items, found = check(os.path.join(overlays, name), used)
            errors += found
            if not found:
                kinds = ", ".join(sorted({item.kind for item in items}))
                print(f"{os.path.join(overlays, name)}: {len(items)} objects are valid: {kinds}")
        except Failure as failure:
            errors.append(str(failure))
    try:
        count, found = check_combinations(layout, used)
        # An error of one component is an error of all its combinations: the first ones suffice.
        errors += found[:20]
        if count and not found:
            print(f"{os.path.join(layout, 'components')}: {count} combinations are valid")
    except Failure as failure:
        errors.append(str(failure))
    files = {os.path.join(folder, file) for folder, _, files in os.walk(layout) for file in files}
    if not errors:
        errors += [f"{file}: no kustomization.yaml names it" for file in sorted(files - used)]
    # Overlays have errors of their base in common.
    for error in dict.fromkeys(errors):
        print(error, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
