"""Runs public SDKs against the sandbox: each call that Portico makes of a provider must give the sandbox's values in the model of
the SDK.

    check.py SANDBOX-URL SDK …      the names are those of the packages; polygon-api-client and massive have one module
"""
import importlib
import logging
import sys

from report import Report, Sandbox


def main(base, names):
    failed = False
    # The libraries report what they repeat.
    logging.disable(logging.CRITICAL)
    for name in names:
        sandbox = Sandbox(base)
        report = Report(name, sandbox)
        module = "polygon" if name in ("massive", "polygon-api-client") else name.replace("-", "_")
        checks = importlib.import_module("check_" + module).Check(report, sandbox)
        for method in sorted(dir(checks)):
            kind, _, title = method.partition("_")
            if kind == "check":
                report.check(title.replace("_", " "), getattr(checks, method))
            elif kind == "lacks":
                report.lacks(title.replace("_", " "), getattr(checks, method))
        print(f"{name}: {len(report.passed)} calls agree, {len(report.failed)} differ, "
              f"{len(report.missing)} are of endpoints that the sandbox lacks")
        for text in report.failed:
            print(f"  {text}")
        for text in report.missing:
            print(f"  lacks {text}")
        failed = failed or bool(report.failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
