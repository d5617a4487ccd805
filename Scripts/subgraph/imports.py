#!/usr/bin/env python3
"""Writes the import map of the check: imports.py FEDERATION HIVE GRAPHQL, the paths of the two checkouts and of graphql-js."""

import json
import pathlib
import sys

federation, hive, graphql = (pathlib.Path(path).absolute().as_uri() if path else "" for path in sys.argv[1:4])
stubs = (pathlib.Path(__file__).absolute().parent / "stubs").as_uri()

packages = {
    "@apollo/composition": "composition-js",
    "@apollo/federation-internals": "internals-js",
    "@apollo/query-graphs": "query-graphs-js",
}
stubbed = {
    "chalk.ts": ["chalk"],
    "query-planner.ts": ["@apollo/query-planner"],
    "compare.ts": ["deep-equal", "js-levenshtein", "uuid"],
    "telemetry.ts": ["@apollo/usage-reporting-protobuf", "@opentelemetry/api"],
    "unused.ts": [
        "@apollo/server-gateway-interface", "@apollo/utils.keyvaluecache", "node-fetch",
        "pretty-format", "ts-graphviz",
    ],
    "hive.ts": ["constant-case", "debug", "json5", "lodash.sortby"],
}
imports = {name: f"{federation}/{folder}/src/index.ts" for name, folder in packages.items()}
imports |= {name: f"{stubs}/{file}" for file, names in stubbed.items() for name in names}
imports |= {
    "@apollo/gateway/": f"{federation}/gateway-js/src/",
    "@apollo/query-planner/": f"{federation}/query-planner-js/src/",
    "@apollo/federation-internals/dist/knownCoreFeatures": f"{federation}/internals-js/src/knownCoreFeatures.ts",
    f"{federation}/gateway-js/src/utilities/opentelemetry.ts": f"{stubs}/telemetry.ts",
    f"{federation}/gateway-js/src/utilities/opentelemetry": f"{stubs}/telemetry.ts",
    "graphql": f"{graphql}/index.mjs",
    "util": "node:util",
    "url": "node:url",
}
imports |= {
    f"graphql/{module}": f"{graphql}/{module}.mjs"
    for module in [
        "index", "jsutils/Maybe", "jsutils/PromiseOrValue", "validation/ValidationContext", "validation/specifiedRules",
        "validation/validate",
    ]
}
imports["graphql/validation"] = f"{graphql}/validation/index.mjs"
if hive:
    imports["@theguild/federation-composition"] = f"{hive}/src/index.ts"
# The packages import their own index as ".".
scopes = {
    f"{federation}/{folder}/src/": {".": f"{federation}/{folder}/src/index.ts"}
    for folder in [*packages.values(), "query-planner-js"]
}
json.dump({"imports": imports, "scopes": scopes}, sys.stdout, indent=2)
