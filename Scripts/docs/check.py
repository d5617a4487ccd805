"""Checks the documentation: runs its blocks, and looks up its links, make targets, variables and files.

A fenced block of sh, graphql, swift or json has a comment on the line before it, which Markdown does not show:

    <!-- check: run -->                  sh: it exits with status 0, and JSON that it prints has no "errors"
    <!-- check: run until TEXT -->       sh: it prints TEXT, and is then stopped
    <!-- check: run with servers -->     sh: as `run`, but all such blocks of a page run in one shell, whose variables and
                                         background processes they share; if PostgreSQL, Redis and nginx are installed
    <!-- check: shows -->                the output of the previous block: the same JSON, or the same text
    <!-- check: valid -->                graphql: it is valid against schema/schema.graphql
    <!-- check: prints TEXT -->          swift: it compiles with the library GraphQL, and prints TEXT
    <!-- check: in FILE -->              FILE contains its lines, in this order
    <!-- check: skip, REASON -->         it cannot be run by this script, with the reason

In commands, 127.0.0.1:8080 is replaced with the address of the server, and DIR with its data directory.
"""

import argparse
import glob
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

LANGUAGES = {"sh", "graphql", "swift", "json"}
MARK = re.compile(r"<!-- check: (run until|run with servers|run|shows|valid|prints|in|skip,)(?: (.*))? -->")
SERVERS = ["initdb", "redis-server", "nginx"]
# The output of a block that was not run, because a server is not installed.
NOT_RUN = object()


class Block:
    def __init__(self, page, line, language, text, mark):
        self.location, self.language, self.text, self.mark = f"{page}:{line}", language, text, mark


def blocks(page):
    """The fenced blocks of a page, with the mark on the line before each."""
    lines = open(page, encoding="utf-8").read().split("\n")
    inside, before = None, ""
    for number, line in enumerate(lines, 1):
        fence = re.match(r"^```(\w*)\s*$", line)
        if fence and inside is None:
            inside = (number, fence[1], [], before)
        elif fence:
            start, language, content, marked = inside
            yield Block(page, start, language, "\n".join(content) + "\n", MARK.fullmatch(marked.strip()))
            inside, before = None, ""
        elif inside:
            inside[2].append(line)
        else:
            before = line


class Shell:
    """A shell that runs one block after the other, as a user does at a terminal.

    PostgreSQL does not run as root, so that root runs the shell as the user `postgres`.
    """

    def __init__(self, environment):
        account = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        self.scratch = tempfile.TemporaryDirectory()
        os.chmod(self.scratch.name, 0o755)
        self.errors = open(os.path.join(self.scratch.name, "errors"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            account + ["bash", "--noprofile", "--norc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
            text=True, env=environment | {"HOME": self.scratch.name, "LC_ALL": "C.UTF-8"}, start_new_session=True)

    def run(self, text):
        """The failed commands of a block, and what it prints."""
        path = os.path.join(self.scratch.name, "block")
        open(path, "w", encoding="utf-8").write(text)
        if self.process.poll() is not None:
            return "the shell has ended", ""
        self.process.stdin.write(
            f"failed=; set -o pipefail -E; trap 'failed+=\"$BASH_COMMAND; \"' ERR; . {path} </dev/null\n"
            "trap - ERR; printf '\\n\\x1eend of block %s\\n' \"$failed\"\n")
        self.process.stdin.flush()
        # Ends a command that waits for ever.
        guard = threading.Timer(180, os.killpg, (self.process.pid, signal.SIGKILL))
        guard.start()
        printed = ""
        for line in self.process.stdout:
            if line.startswith("\x1eend of block "):
                guard.cancel()
                return line.removeprefix("\x1eend of block ").strip(), printed[:-1]
            printed += line
        guard.cancel()
        return "the shell has ended, or was stopped after three minutes", printed

    def close(self):
        """Ends the shell, and returns the error output of its commands."""
        # The background processes are of the same group.
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.errors.seek(0)
        errors = self.errors.read()
        self.errors.close()
        self.scratch.cleanup()
        return errors


class Checks:
    def __init__(self, options):
        self.options = options
        self.faults = []
        self.counts = {}
        self.printed = None
        self.environment = dict(os.environ)
        # Commands must use this executable, and no settings of this machine.
        for name in [name for name in self.environment if name.startswith("PORTICO_")]:
            del self.environment[name]
        folder = os.path.dirname(os.path.abspath(options.portico))
        self.environment["PATH"] = folder + os.pathsep + self.environment["PATH"]
        self.shell, self.missing = None, []
        # Debian has the programs of PostgreSQL in the directory of its version, and nginx in that of the administrator.
        directories = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1:] + ["/usr/sbin"]
        self.server_environment = self.environment | {
            "PATH": os.pathsep.join([self.environment["PATH"]] + directories)}

    def fault(self, location, text):
        self.faults.append(f"{location}: {text}")

    def check(self, block):
        if block.mark is None:
            if block.language in LANGUAGES:
                self.fault(block.location, f"a block of {block.language} without a mark <!-- check: … -->")
            return
        verb, detail = block.mark[1].rstrip(","), block.mark[2] or ""
        self.counts[verb] = self.counts.get(verb, 0) + 1
        if verb != "skip":
            {"run": self.run, "run until": self.run_until, "run with servers": self.run_with_servers, "shows": self.shows,
             "valid": self.valid, "prints": self.prints, "in": self.contained_in}[verb](block, detail)
        elif not detail:
            self.fault(block.location, "skipped without a reason")

    # --- commands ---------------------------------------------------------------------------------------------------

    def command(self, block):
        text = block.text.replace("127.0.0.1:8080", self.options.address).replace("DIR", self.options.data)
        return ["bash", "-euo", "pipefail", "-c", text]

    def run(self, block, _):
        run = subprocess.run(self.command(block), capture_output=True, text=True, env=self.environment)
        self.printed = run.stdout
        if run.returncode:
            self.fault(block.location, f"exit status {run.returncode}: {run.stderr.strip() or run.stdout.strip()}")
        try:
            errors = json.loads(run.stdout).get("errors")
        except (ValueError, AttributeError):
            return
        if errors:
            self.fault(block.location, f"the response has errors: {json.dumps(errors)}")

    def run_with_servers(self, block, _):
        path = self.server_environment["PATH"]
        self.missing = [name for name in SERVERS if not shutil.which(name, path=path)]
        if self.missing:
            self.printed = NOT_RUN
            return
        if self.shell is None:
            self.shell = Shell(self.server_environment)
        failed, self.printed = self.shell.run(block.text)
        if failed:
            self.fault(block.location, f"failed: {failed}; it printed: {self.printed.strip()}")

    def end_page(self, page):
        """Ends the shell of a page, and its background processes."""
        if self.shell is None:
            return
        errors = self.shell.close()
        self.shell = None
        if any(fault.startswith(page + ":") for fault in self.faults):
            self.fault(page, f"the errors of its commands: {errors.strip()}")

    def run_until(self, block, awaited):
        """Runs the block until it prints the text, or ends."""
        process = subprocess.Popen(
            self.command(block), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.environment,
            start_new_session=True)
        # Stops a command that prints nothing.
        guard = subprocess.Popen(["bash", "-c", f"sleep 60; kill -- -{process.pid}"], start_new_session=True)
        seen = b""
        while awaited.encode() not in seen:
            more = os.read(process.stdout.fileno(), 65536)
            if not more:
                break
            seen += more
        for each in (process, guard):
            try:
                os.killpg(each.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            each.wait()
        self.printed = seen.decode()
        if awaited not in self.printed:
            self.fault(block.location, f"did not print {awaited!r}, but {self.printed[:300]!r}")

    def shows(self, block, _):
        if self.printed is None:
            self.fault(block.location, "shows an output, but no block before it was run")
            return
        if self.printed is NOT_RUN:
            return
        printed, shown = self.printed, block.text
        if block.language == "json":
            try:
                printed, shown = json.loads(printed), json.loads(shown)
            except ValueError as error:
                self.fault(block.location, f"is not JSON: {error}")
                return
        if printed != shown:
            as_text = printed if isinstance(printed, str) else json.dumps(printed)
            self.fault(block.location, f"differs from the output: {as_text.strip()}")

    # --- documents and programs -------------------------------------------------------------------------------------

    def valid(self, block, _):
        run = subprocess.run(
            [self.options.portico, "graphql", "validate", "--schema", "schema/schema.graphql", "-"],
            input=block.text, capture_output=True, text=True)
        if run.returncode:
            self.fault(block.location, f"is not valid: {run.stdout}{run.stderr}")

    def prints(self, block, expected):
        """Compiles and runs the block with the library of the executable's build."""
        folder = os.path.dirname(os.path.abspath(self.options.portico))
        # The objects that the executable was linked from; the folder also has objects of deleted files.
        linked = open(os.path.join(folder, "portico.product", "Objects.LinkFileList"), encoding="utf-8").read()
        objects = [path for path in shlex.split(linked) if "/GraphQL.build/" in path and path.endswith(".swift.o")]
        with tempfile.TemporaryDirectory() as scratch:
            source, program = os.path.join(scratch, "main.swift"), os.path.join(scratch, "program")
            open(source, "w", encoding="utf-8").write(block.text)
            build = subprocess.run(
                ["swiftc", "-swift-version", "6", source, "-o", program, "-I", os.path.join(folder, "Modules")]
                + objects,
                capture_output=True, text=True)
            if build.returncode:
                self.fault(block.location, f"does not compile: {build.stderr[-2000:]}")
                return
            run = subprocess.run([program], capture_output=True, text=True)
            if run.returncode or run.stdout.strip() != expected:
                self.fault(block.location, f"prints {run.stdout.strip()!r}{run.stderr}, not {expected!r}")

    def contained_in(self, block, file):
        try:
            rest = [line.strip() for line in open(file, encoding="utf-8")]
        except OSError as error:
            self.fault(block.location, str(error))
            return
        for line in filter(None, map(str.strip, block.text.split("\n"))):
            # An ellipsis marks omitted lines.
            if line in ("…", "// …", "# …"):
                continue
            if line not in rest:
                self.fault(block.location, f"{file} does not contain, or not in this order: {line}")
                return
            rest = rest[rest.index(line) + 1:]

    # --- links, settings, targets and files -------------------------------------------------------------------------

    def names(self, page, variables, targets):
        text = open(page, encoding="utf-8").read()
        for link in re.findall(r"\]\(([^)#:]+)\)", text):
            if not os.path.exists(os.path.join(os.path.dirname(page), link)):
                self.fault(page, f"links to {link}, which does not exist")
        for variable in sorted(set(re.findall(r"\bPORTICO_[A-Z_]*[A-Z]\b", text))):
            # A provider file names its providers, and thereby their settings.
            if variable not in variables and not variable.startswith("PORTICO_PROVIDER_"):
                self.fault(page, f"names {variable}, which is not a setting")
        for target in sorted(set(re.findall(r"`make ([a-z-]+)|^make ([a-z-]+)", text, re.M))):
            if "".join(target) not in targets:
                self.fault(page, f"names `make {''.join(target)}`, which is not a target")
        for path in sorted(set(re.findall(r"`((?:Sources|Tests|Scripts|Docker|schema)/[\w./+-]+)`", text))):
            if not os.path.exists(path):
                self.fault(page, f"names {path}, which does not exist")


def main():
    parser = argparse.ArgumentParser()
    for name in ("portico", "address", "data"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("pages", nargs="+")
    options = parser.parse_args()

    checks = Checks(options)
    configuration = open("docs/settings.md", encoding="utf-8").read()
    variables = set(re.findall(r"`(PORTICO_[A-Z_]+)`", configuration))
    # Variables of commands and of generated files, which are not settings of the server.
    variables |= {"PORTICO_TOKEN", "PORTICO_SCHEMA"}
    targets = set(re.findall(r"^([a-z-]+):", open("Makefile", encoding="utf-8").read(), re.M))
    for page in options.pages:
        checks.names(page, variables, targets)
        for block in blocks(page):
            checks.check(block)
        checks.end_page(page)
    if checks.missing:
        print(f"Not run, because {', '.join(checks.missing)} is not installed: the blocks with servers", file=sys.stderr)
    for fault in checks.faults:
        print(fault, file=sys.stderr)
    print(f"{len(options.pages)} pages: " + ", ".join(f"{count} {verb}" for verb, count in checks.counts.items()))
    sys.exit(1 if checks.faults else 0)


if __name__ == "__main__":
    main()
