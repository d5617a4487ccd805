"""polygon-api-client, and its successor massive: every call of Portico's adapter, and those of the free plan for tests."""
import importlib

from report import equal, members, moment

KEY = "sandbox-polygon-demo"
HEADERS = {"Authorization": f"Bearer {KEY}"}


class Check:
    def __init__(self, report, sandbox):
        self.report, self.sandbox = report, sandbox
        sandbox.has_limits = True
        package = "massive" if report.sdk == "massive" else "polygon"
        client = importlib.import_module(package).RESTClient
        self.client = client(KEY, base=sandbox.base + "/polygon", retries=0)
        # The library takes the whole path of the next page, and the sandbox has the API below a path.
        get = self.client._get
        self.client._get = lambda path, *rest, **more: get(path.removeprefix("/polygon"), *rest, **more)

    def body(self, path):
        return self.sandbox.get("/polygon" + path, HEADERS)

    def check_aggregates(self):
        for size, span, start, end in [
            (1, "day", "2026-10-01", "2026-11-13"), (1, "week", "2025-12-01", "2026-11-13"),
            (15, "minute", "2026-11-12", "2026-11-13"), (1, "month", "2025-11-21", "2026-11-13"),
        ]:
            found = list(self.client.list_aggs("AAPL", size, span, start, end, adjusted=True, sort="asc", limit=50000))
            body = self.body(f"/v2/aggs/ticker/AAPL/range/{size}/{span}/{start}/{end}?adjusted=true&sort=asc&limit=50000")
            equal(len(found), len(body["results"]), span)
            for bar, row in zip(found, body["results"]):
                members(bar, row, [("open", "o"), ("high", "h"), ("low", "l"), ("close", "c"), ("volume", "v"),
                                   ("vwap", "vw"), ("transactions", "n"), ("timestamp", "t")])

    def check_previous_close(self):
        found = self.client.get_previous_close_agg("AAPL")[0]
        members(found, self.body("/v2/aggs/ticker/AAPL/prev")["results"][0], [("close", "c"), ("volume", "v")])

    def check_snapshots(self):
        path = "/v2/snapshot/locale/us/markets/stocks/tickers"
        try:
            self.client.get_snapshot_all("stocks", ["AAPL"])
            raise AssertionError("the free plan has snapshots")
        except importlib.import_module(type(self.client).__module__.split(".")[0]).exceptions.BadResponse as refusal:
            equal("NOT_AUTHORIZED" in str(refusal), True, "the free plan has no snapshots")
        headers = {"Authorization": "Bearer sandbox-polygon-realtime"}
        client = type(self.client)("sandbox-polygon-realtime", base=self.sandbox.base + "/polygon", retries=0)
        found = client.get_snapshot_all("stocks", ["AAPL", "IBM"])
        rows = self.sandbox.get(f"/polygon{path}?tickers=AAPL,IBM", headers)["tickers"]
        equal([each.ticker for each in found], [row["ticker"] for row in rows])
        for each, row in zip(found, rows):
            members(each, row, [("todays_change", "todaysChange"), ("updated", "updated")])
            members(each.last_trade, row["lastTrade"], [("price", "p"), ("size", "s"), ("sip_timestamp", "t")])
            members(each.last_quote, row["lastQuote"], [("ask_price", "P"), ("bid_price", "p")])
            for day, bar in [(each.day, row["day"]), (each.prev_day, row["prevDay"]), (each.min, row["min"])]:
                members(day, bar, [("open", "o"), ("high", "h"), ("low", "l"), ("close", "c"), ("volume", "v")])

    def check_ticker(self):
        found, body = self.client.get_ticker_details("AAPL"), self.body("/v3/reference/tickers/AAPL")["results"]
        members(found, body, ["name", "primary_exchange", "type", "currency_name", "composite_figi", "sic_description"], str)
        members(found, body, ["market_cap", "total_employees"])

    def check_search(self):
        found = list(self.client.list_tickers(search="apple", market="stocks", active=True, limit=50))
        body = self.body("/v3/reference/tickers?search=apple&market=stocks&active=true&limit=50")["results"]
        equal([each.ticker for each in found], [each["ticker"] for each in body])
        equal(len(found) > 0, True, "there is a result")

    def check_news(self):
        found = []
        for article in self.client.list_ticker_news("AAPL", order="desc", sort="published_utc", limit=10):
            found.append(article)
            if len(found) == 25:
                break
        body = self.body("/v2/reference/news?ticker=AAPL&order=desc&sort=published_utc&limit=25")["results"]
        equal([article.id for article in found], [article["id"] for article in body])
        equal([moment(article.published_utc) for article in found], [moment(each["published_utc"]) for each in body])
        equal(found[0].publisher.name, body[0]["publisher"]["name"])

    def check_dividends_and_splits(self):
        if self.report.sdk == "polygon-api-client":
            # It has those of an earlier version of the API only.
            self.report.lacks("dividends of /v3/reference", lambda: list(self.client.list_dividends("NVDA")))
            self.report.lacks("splits of /v3/reference", lambda: list(self.client.list_splits("NVDA")))
            return
        for method, path, names in [
            (self.client.list_stocks_dividends, "/stocks/v1/dividends", ["cash_amount", "frequency"]),
            (self.client.list_stocks_splits, "/stocks/v1/splits", ["split_from", "split_to"]),
        ]:
            found = list(method(ticker="NVDA", limit=1000))
            body = self.body(f"{path}?ticker=NVDA&limit=1000")["results"]
            equal(len(found), len(body), path)
            for each, row in zip(found, body):
                members(each, row, names)

    def lacks_universal_snapshots(self):
        equal(len(list(self.client.list_universal_snapshots(ticker_any_of=["AAPL"]))), 1)

    def lacks_grouped_daily_bars(self):
        equal(len(self.client.get_grouped_daily_aggs("2026-11-13")) > 0, True)

    def lacks_types_of_tickers(self):
        equal(len(self.client.get_ticker_types("stocks")) > 0, True)

    def lacks_market_status(self):
        equal(self.client.get_market_status().market is not None, True)
