#!/usr/bin/env python3
"""Derives the tables of facts in Tests/Golden/specifications from the official OpenAPI documents of providers.

    derive.py DIRECTORY      DIRECTORY has the documents under the names below, for example from a checkout of their repositories

A table has, for each operation that Portico or its sandbox uses, the names of the parameters and the types of the request and
the response; for each of these types the names of the members, which of them are required, and the values of enumerations.
It has no text of the documents. Needs PyYAML."""
import json
import pathlib
import sys

import yaml

# Table: documents with their source and its date; operations by path, as the document writes it.
TABLES = {
    "alpaca": {
        "source": "github.com/alpacahq/alpaca-mcp-server, src/alpaca_mcp_server/specs",
        "date": "2026-06-29",
        "documents": {
            "trading-api.json": [
                "/v2/account", "/v2/account/activities", "/v2/account/activities/{activity_type}",
                "/v2/account/configurations", "/v2/account/portfolio/history", "/v2/assets",
                "/v2/assets/{symbol_or_asset_id}", "/v2/calendar", "/v2/clock", "/v2/orders", "/v2/orders/{order_id}",
                "/v2/orders:by_client_order_id", "/v2/positions", "/v2/positions/{symbol_or_asset_id}", "/v2/watchlists",
                "/v2/watchlists/{watchlist_id}", "/v2/watchlists/{watchlist_id}/{symbol}", "/v2/watchlists:by_name",
            ],
            "market-data-api.json": [
                "/v2/stocks/bars", "/v2/stocks/bars/latest", "/v2/stocks/quotes/latest", "/v2/stocks/snapshots",
                "/v2/stocks/trades/latest", "/v2/stocks/{symbol}/bars", "/v2/stocks/{symbol}/bars/latest",
                "/v2/stocks/{symbol}/quotes/latest", "/v2/stocks/{symbol}/snapshot", "/v2/stocks/{symbol}/trades/latest",
                "/v1beta1/news", "/v1/corporate-actions",
            ],
        },
    },
    "polygon": {
        "source": "github.com/polygon-io/client-js, src/openapi.json",
        "date": "2025-08-08",
        "documents": {
            "polygon.json": [
                "/v2/reference/news", "/v2/aggs/ticker/{stocksTicker}/range/{multiplier}/{timespan}/{from}/{to}",
                "/v2/aggs/ticker/{stocksTicker}/prev", "/v3/reference/tickers", "/v3/reference/tickers/{ticker}",
                "/v3/reference/dividends", "/v3/reference/splits", "/v2/snapshot/locale/us/markets/stocks/tickers",
            ],
        },
    },
    "saxo": {
        "source": "github.com/api-evangelist/saxo, openapi/_original (documents of gateway.saxobank.com/sim/openapi)",
        "date": "2026-08-03",
        "documents": {
            "port.yaml": [
                "/port/v1/accounts/me", "/port/v1/balances", "/port/v1/balances/me", "/port/v1/clients/me",
                "/port/v1/closedpositions", "/port/v1/closedpositions/me", "/port/v1/netpositions",
                "/port/v1/netpositions/me", "/port/v1/orders", "/port/v1/orders/me", "/port/v1/orders/{ClientKey}/{OrderId}",
                "/port/v1/positions", "/port/v1/positions/me", "/port/v1/positions/{PositionId}",
            ],
            "trade.yaml": [
                "/trade/v1/infoprices", "/trade/v1/infoprices/list", "/trade/v1/infoprices/subscriptions",
                "/trade/v1/prices/subscriptions", "/trade/v2/orders", "/trade/v2/orders/precheck",
                "/trade/v2/orders/{OrderIds}",
            ],
            "ref.yaml": [
                "/ref/v1/instruments", "/ref/v1/instruments/details", "/ref/v1/instruments/details/{Uic}/{AssetType}",
                "/ref/v1/exchanges", "/ref/v1/exchanges/{ExchangeId}",
                "/ref/v1/instruments/tradingschedule/{Uic}/{AssetType}",
            ],
            "chart.yaml": ["/chart/v1/charts"],
            "root.yaml": ["/root/v1/sessions/capabilities"],
            "hist.yaml": [
                "/hist/v3/accountvalues/{ClientKey}", "/hist/v4/performance/summary", "/hist/v4/performance/timeseries",
            ],
            "cs.yaml": [
                "/cs/v1/audit/orderactivities", "/cs/v1/reports/bookings/{ClientKey}", "/cs/v1/reports/trades/{ClientKey}",
                "/cs/v1/reports/closedPositions/{ClientKey}/{FromDate}/{ToDate}",
                "/cs/v1/reports/aggregatedAmounts/{ClientKey}/{FromDate}/{ToDate}",
            ],
            "ens.yaml": ["/ens/v1/activities/subscriptions"],
        },
    },
}
METHODS = ("get", "post", "put", "patch", "delete")


class Document:
    def __init__(self, content):
        self.content = content
        self.types = {}

    def resolve(self, node):
        while isinstance(node, dict) and "$ref" in node:
            target = self.content
            for part in node["$ref"].removeprefix("#/").split("/"):
                target = target[part.replace("~1", "/").replace("~0", "~")]
            node = target
        return node

    def schema(self, node, name):
        """The fact of a schema: a text for a scalar or a named type, a list for an array, an object for an enumeration without a name."""
        if node is None:
            return "any"
        is_named = "$ref" in node
        if is_named:
            name = node["$ref"].rsplit("/", 1)[-1]
        node = self.resolve(node)
        for key in ("oneOf", "anyOf"):
            if key in node:
                choices = [self.schema(choice, f"{name}.{i}") for i, choice in enumerate(node[key])]
                return choices[0] if len(choices) == 1 else {"oneOf": choices}
        if "enum" in node:
            enumeration = {"enum": sorted(str(value) for value in node["enum"] if value is not None)}
            if not is_named:
                return enumeration
            self.types[name] = enumeration
            return name
        if node.get("type") == "array" or "items" in node:
            return [self.schema(node.get("items"), name + ".item")]
        if "properties" not in node and len(node.get("allOf", [])) == 1:
            # A reference with a description of its own, which OpenAPI 3.0 writes so.
            return self.schema(node["allOf"][0], name)
        if "properties" in node or "allOf" in node:
            self.object(node, name)
            return name
        if isinstance(node.get("additionalProperties"), dict):
            return {"map": self.schema(node["additionalProperties"], name + ".value")}
        kind = node.get("type", "any")
        return kind if isinstance(kind, str) else "any"

    def object(self, node, name):
        if name in self.types:
            return
        self.types[name] = {}
        members, required = {}, set()
        self.collect(node, name, members, required)
        self.types[name] = {"required": sorted(required), "members": dict(sorted(members.items()))}

    def collect(self, node, name, members, required):
        node = self.resolve(node)
        for part in node.get("allOf", []):
            self.collect(part, name, members, required)
        required.update(node.get("required", []))
        for key, value in node.get("properties", {}).items():
            members[key] = self.schema(value, f"{name}.{key}")

    def operation(self, method, path, shared):
        operation = self.content["paths"][path][method]
        parameters = [self.resolve(p) for p in shared + operation.get("parameters", [])]
        names = set()
        for parameter in parameters:
            if parameter["in"] == "query":
                names.add(parameter["name"])
                # Polygon's range filters are parameters of their own, as `timestamp.gte`.
                if parameter.get("x-polygon-filter-field", {}).get("range"):
                    names.update(f"{parameter['name']}.{suffix}" for suffix in ("gte", "gt", "lte", "lt"))
        fact = {"parameters": sorted(names)}
        identity = operation.get("operationId", f"{method} {path}")
        body = self.content_schema(self.resolve(operation.get("requestBody", {})))
        if body is not None:
            fact["request"] = self.schema(body, identity + ".request")
        for status, response in operation.get("responses", {}).items():
            schema = self.content_schema(self.resolve(response))
            if str(status).startswith("2") and schema is not None:
                fact.setdefault("responses", {})[str(status)] = self.schema(schema, identity + ".response")
        return fact

    @staticmethod
    def content_schema(node):
        for kind, media in (node or {}).get("content", {}).items():
            if "json" in kind:
                return media.get("schema")
        return None


def table(description, directory):
    result = {"source": description["source"], "date": description["date"], "documents": {}, "operations": {}, "types": {}}
    for file, paths in description["documents"].items():
        document = Document(yaml.load((directory / file).read_text(), Loader=yaml.CSafeLoader))
        info = document.content["info"]
        result["documents"][file] = {"title": info["title"], "version": str(info["version"])}
        for path in paths:
            item = document.content["paths"].get(path)
            if item is None:
                print(f"{file}: no path {path}", file=sys.stderr)
                continue
            for method in METHODS:
                if method in item:
                    fact = document.operation(method, path, item.get("parameters", []))
                    result["operations"][f"{method.upper()} {path}"] = {"document": file, **fact}
        # Two documents of one provider may have types of the same name.
        result["types"][file] = document.types
    return result


def main():
    directory = pathlib.Path(sys.argv[1])
    out = pathlib.Path(__file__).resolve().parents[2] / "Tests/Golden/specifications"
    for name, description in TABLES.items():
        facts = table(description, directory)
        (out / f"{name}.json").write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n")
        types = sum(len(t) for t in facts["types"].values())
        print(f"{name}: {len(facts['operations'])} operations, {types} types")


main()
