"""alpha_vantage: every function of Portico's adapter that the library has, in JSON and in CSV."""
from alpha_vantage.alphavantage import AlphaVantage
from alpha_vantage.fundamentaldata import FundamentalData
from alpha_vantage.timeseries import TimeSeries

from report import equal, numbers

KEY = "SANDBOXDEMO00001"


class Check:
    def __init__(self, report, sandbox):
        self.report, self.sandbox = report, sandbox
        sandbox.has_limits = True
        # The library has no option for the address.
        AlphaVantage._ALPHA_VANTAGE_API_URL = sandbox.base + "/alpha-vantage/query?"
        self.series, self.fundamentals = TimeSeries(key=KEY), FundamentalData(key=KEY)

    def body(self, query):
        return self.sandbox.get(f"/alpha-vantage/query?apikey={KEY}&{query}")

    def check_quote(self):
        found, _ = self.series.get_quote_endpoint("IBM")
        equal(found, self.body("function=GLOBAL_QUOTE&symbol=IBM")["Global Quote"])

    def check_series(self):
        for method, query, name in [
            (lambda: self.series.get_daily("IBM", outputsize="compact"), "function=TIME_SERIES_DAILY&outputsize=compact", "Time Series (Daily)"),
            (lambda: self.series.get_weekly("IBM"), "function=TIME_SERIES_WEEKLY", "Weekly Time Series"),
            (lambda: self.series.get_monthly("IBM"), "function=TIME_SERIES_MONTHLY", "Monthly Time Series"),
            (lambda: self.series.get_intraday("IBM", interval="5min", outputsize="compact"),
             "function=TIME_SERIES_INTRADAY&interval=5min&outputsize=compact", "Time Series (5min)"),
        ]:
            found, _ = method()
            body = self.body(query + "&symbol=IBM")[name]
            # The first one is that of the running day, week or month, whose price changes.
            equal(list(found)[0], list(body)[0], name)
            equal(list(found.items())[1:], list(body.items())[1:], name)

    def check_search(self):
        found, _ = self.series.get_symbol_search("apple")
        equal(found.to_dict("records"), self.body("function=SYMBOL_SEARCH&keywords=apple")["bestMatches"])

    def check_overview(self):
        found, _ = self.fundamentals.get_company_overview("IBM")
        equal(found, self.body("function=OVERVIEW&symbol=IBM"))
        numbers(found["MarketCapitalization"], self.body("function=OVERVIEW&symbol=IBM")["MarketCapitalization"])

    def check_series_as_csv(self):
        rows = list(TimeSeries(key=KEY, output_format="csv").get_daily("IBM", outputsize="compact")[0])
        body = self.body("function=TIME_SERIES_DAILY&outputsize=compact&symbol=IBM")["Time Series (Daily)"]
        equal(rows[0], ["timestamp", "open", "high", "low", "close", "volume"])
        expected = [[day, *values.values()] for day, values in body.items()]
        equal(rows[2:], expected[1:])

    def lacks_news_sentiment(self):
        equal(len(self.body("function=NEWS_SENTIMENT&tickers=IBM")["feed"]) > 0, True)

    def lacks_income_statement(self):
        equal(len(self.fundamentals.get_income_statement_annual("IBM")) > 0, True)
