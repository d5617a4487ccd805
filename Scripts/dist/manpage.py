"""Writes the man page portico(1) from the JSON of `portico --experimental-dump-help`, which is read from standard input."""

import json
import sys


def escaped(text):
    lines = []
    for line in (text or "").split("\n"):
        line = line.replace("\\", "\\e").replace("-", "\\-")
        lines.append("\\&" + line if line.startswith((".", "'")) else line)
    return "\n".join(lines)


def names(argument):
    """The names of an option with its value, or the name of a positional argument."""
    value = argument.get("valueName") or ""
    if argument["kind"] == "positional":
        return f"\\fI{escaped(value)}\\fR"
    found = []
    for name in argument.get("names") or []:
        dashes = {"long": "--", "short": "-", "longWithSingleDash": "-"}[name["kind"]]
        found.append("\\fB" + escaped(dashes + name["name"]) + "\\fR")
    text = ", ".join(found)
    return f"{text} \\fI{escaped(value)}\\fR" if argument["kind"] == "option" else text


def command(node, path, out):
    title = " ".join(path)
    out.append(f".SS {escaped(title)}")
    out.append(escaped(node.get("abstract")))
    if node.get("discussion"):
        out += [".PP", ".nf", escaped(node["discussion"]), ".fi"]
    for argument in node.get("arguments") or []:
        if not argument.get("shouldDisplay", True):
            continue
        out += [".TP", names(argument), escaped(argument.get("abstract") or "")]
        default = argument.get("defaultValue")
        if default:
            out.append(f"(default: {escaped(default)})")
    for child in node.get("subcommands") or []:
        if child.get("shouldDisplay", True) and child["commandName"] != "help":
            command(child, path + [child["commandName"]], out)


def main():
    version = sys.argv[1]
    root = json.load(sys.stdin)["command"]
    out = [
        f'.TH PORTICO 1 "" "portico {version}" "Portico"',
        ".SH NAME", f"portico \\- {escaped(root.get('abstract'))}",
        ".SH SYNOPSIS", "\\fBportico\\fR \\fIcommand\\fR [\\fIoptions\\fR]",
        ".SH COMMANDS",
    ]
    for child in root.get("subcommands") or []:
        if child.get("shouldDisplay", True) and child["commandName"] != "help":
            command(child, ["portico", child["commandName"]], out)
    out += [
        ".SH EXIT STATUS", "0: success. 1: the command has findings, or the server is not ready. 2: wrong usage.",
        ".SH ENVIRONMENT",
        "Every setting of \\fBportico serve\\fR is also a variable: \\fB\\-\\-log\\-level\\fR is PORTICO_LOG_LEVEL.",
    ]
    print("\n".join(out))


if __name__ == "__main__":
    main()
