"""yfinance: charts with their events, quotes, instruments and search, as Portico's adapter calls them."""
import functools
import importlib

import yfinance
from yfinance import data

from report import equal, number


class Check:
    def __init__(self, report, sandbox):
        self.report, self.sandbox = report, sandbox
        base = sandbox.base + "/yahoo"
        # The library has no option for the addresses, which modules copy from `const`, and of which some are in its functions.
        for name in ["yfinance.const", "yfinance.base", "yfinance.calendars", "yfinance.lookup", "yfinance.search", "yfinance.ticker",
                     "yfinance.scrapers.funds", "yfinance.scrapers.history", "yfinance.scrapers.holders", "yfinance.scrapers.quote"]:
            module = importlib.import_module(name)
            for constant in ["_BASE_URL_", "_QUERY1_URL_", "_ROOT_URL_", "_QUOTE_SUMMARY_URL_"]:
                if hasattr(module, constant):
                    value = getattr(module, constant)
                    for host in ["https://query1.finance.yahoo.com", "https://query2.finance.yahoo.com", "https://finance.yahoo.com"]:
                        value = value.replace(host, base)
                    setattr(module, constant, value)
        session = data.YfData()._session
        send = session.request

        def request(method, url, *rest, **more):
            url = url.replace("https://fc.yahoo.com", sandbox.base + "/yahoo-cookie/")
            for host in ["https://query1.finance.yahoo.com", "https://query2.finance.yahoo.com"]:
                url = url.replace(host, base)
            return send(method, url, *rest, **more)

        session.request = request
        session.get, session.post = functools.partial(request, "GET"), functools.partial(request, "POST")

    def chart(self, query):
        return self.sandbox.get(f"/yahoo/v8/finance/chart/{query}")["chart"]["result"][0]

    def check_history(self):
        found = yfinance.Ticker("AAPL").history(start="2026-10-01", end="2026-11-13", interval="1d", auto_adjust=False)
        body = self.chart("AAPL?period1=1790827200&period2=1794528000&interval=1d&events=div,splits")
        quote = body["indicators"]["quote"][0]
        equal(len(found), len(body["timestamp"]))
        equal([number(round(value, 4)) for value in found["Close"]], [number(round(value, 4)) for value in quote["close"]])
        equal([int(value) for value in found["Volume"]], quote["volume"])

    def check_dividends_and_splits(self):
        ticker = yfinance.Ticker("NVDA")
        ticker.history(period="max", interval="1d")
        body = self.chart("NVDA?period1=0&period2=1795000000&interval=1d&events=div,splits").get("events", {})
        equal(len(ticker.dividends), len(body.get("dividends", {})), "dividends")
        equal(len(ticker.splits), len(body.get("splits", {})), "splits")

    def check_intraday_history(self):
        found = yfinance.Ticker("AAPL").history(period="5d", interval="15m", prepost=False)
        equal(len(found) > 0, True, "there are bars")

    def check_search(self):
        found = yfinance.Search("apple", max_results=10, news_count=0, lists_count=0).quotes
        body = self.sandbox.get("/yahoo/v1/finance/search?q=apple&quotesCount=10&newsCount=0")["quotes"]
        # One without a symbol is no listing.
        equal([each["symbol"] for each in found], [each["symbol"] for each in body if "symbol" in each])

    def check_information(self):
        ticker = yfinance.Ticker("AAPL")
        # It also reads a figure of an endpoint that the sandbox lacks.
        ticker._quote._fetch_complementary = lambda: None
        found = ticker.get_info()
        equal((found["symbol"], found["currency"], found["quoteType"]), ("AAPL", "USD", "EQUITY"))
        equal(found["regularMarketPreviousClose"] > 0, True, "there is a previous close")

    def lacks_lookup(self):
        equal(len(yfinance.Lookup("apple").get_stock(count=5)) > 0, True)

    def lacks_options(self):
        equal(len(yfinance.Ticker("AAPL").options) > 0, True)

    def lacks_financial_statements(self):
        equal(yfinance.Ticker("AAPL").income_stmt.empty, False)
