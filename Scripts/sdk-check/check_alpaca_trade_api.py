"""alpaca-trade-api, the predecessor of alpaca-py: every call of Portico's adapter, and both streams."""
import asyncio
import os
import threading
import uuid

from report import equal, members, moment, number, numbers

KEY, SECRET = "PKSANDBOXDEMO0000001", "sandbox-demo-secret"
HEADERS = {"APCA-API-KEY-ID": KEY, "APCA-API-SECRET-KEY": SECRET}


class Check:
    def __init__(self, report, sandbox):
        self.report, self.sandbox = report, sandbox
        # The library has no option for the address of the market data.
        os.environ["APCA_API_DATA_URL"] = sandbox.base + "/alpaca-data"
        from alpaca_trade_api.rest import REST, TimeFrame
        self.rest, self.day = REST(KEY, SECRET, sandbox.base + "/alpaca"), TimeFrame.Day

    def body(self, path, api="alpaca"):
        return self.sandbox.get(f"/{api}{path}", HEADERS)

    def check_account_and_clock(self):
        members(self.rest.get_account(), self.body("/v2/account"), ["cash", "equity", "buying_power"])
        members(self.rest.get_clock(), self.body("/v2/clock"), ["next_open", "next_close"], moment)

    def check_calendar(self):
        days = self.rest.get_calendar("2026-11-16", "2026-11-27")
        equal([str(day.date.date()) for day in days],
              [day["date"] for day in self.body("/v2/calendar?start=2026-11-16&end=2026-11-27")])

    def check_assets(self):
        body = self.body("/v2/assets?status=active&asset_class=us_equity")
        equal([asset.symbol for asset in self.rest.list_assets("active", "us_equity")], [asset["symbol"] for asset in body])
        equal(self.rest.get_asset("AAPL").name, self.body("/v2/assets/AAPL")["name"])

    def check_positions(self):
        for position, row in zip(self.rest.list_positions(), self.body("/v2/positions"), strict=True):
            members(position, row, ["qty", "cost_basis", "avg_entry_price"])
        numbers(self.rest.get_position("AAPL").qty, self.body("/v2/positions/AAPL")["qty"])

    def check_activities(self):
        found, body = self.rest.get_activities(page_size=100), self.body("/v2/account/activities?page_size=100")
        equal([each.id for each in found], [row["id"] for row in body])
        fills = self.rest.get_activities(activity_types="FILL", page_size=20)
        equal({each.activity_type for each in fills}, {"FILL"})

    def check_portfolio_history(self):
        found = self.rest.get_portfolio_history(period="1M", timeframe="1D", extended_hours=True)
        equal(found.timestamp, self.body("/v2/account/portfolio/history?period=1M&timeframe=1D")["timestamp"])

    def order(self, **more):
        return self.rest.submit_order(
            symbol="KO", qty=2, side="buy", type="limit", time_in_force="gtc", limit_price=5,
            client_order_id=str(uuid.uuid4()), **more)

    def check_orders(self):
        order = self.order()
        equal(self.rest.get_order(order.id, nested=True).id, order.id)
        equal(self.rest.get_order_by_client_order_id(order.client_order_id).id, order.id)
        listed = self.rest.list_orders(status="open", limit=100, nested=True, symbols=["KO"])
        equal(order.id in [each.id for each in listed], True, "the order is listed")
        after = self.rest.replace_order(order.id, qty=3, limit_price=4)
        numbers(after.qty, 3)
        self.rest.cancel_order(after.id)
        equal(self.rest.get_order(after.id).status, "canceled")

    def check_bracket(self):
        order = self.order(
            order_class="bracket", take_profit={"limit_price": 9}, stop_loss={"stop_price": 4, "limit_price": 3.5})
        equal([number(leg.limit_price) for leg in order.legs], [9, number("3.5")])
        self.rest.cancel_all_orders()
        equal(self.rest.get_order(order.id).status, "canceled")

    def check_watchlists(self):
        made = self.rest.create_watchlist(str(uuid.uuid4()), symbols=["AAPL", "KO"])
        try:
            self.rest.add_to_watchlist(made.id, "MSFT")
            self.rest.delete_from_watchlist(made.id, "KO")
            equal([asset["symbol"] for asset in self.rest.get_watchlist(made.id).assets], ["AAPL", "MSFT"])
            equal(self.rest.get_watchlist_by_name(made.name).id, made.id)
            equal(made.id in [each.id for each in self.rest.get_watchlists()], True, "the list is listed")
        finally:
            self.rest.delete_watchlist(made.id)

    def check_bars(self):
        found = self.rest.get_bars(["AAPL", "BRK.B"], self.day, "2026-11-02", "2026-11-13", adjustment="split", feed="iex")
        body = self.body(
            "/v2/stocks/bars?symbols=AAPL,BRK.B&timeframe=1Day&start=2026-11-02&end=2026-11-13&adjustment=split&feed=iex"
            "&limit=10000", "alpaca-data")["bars"]
        rows = [(symbol, row) for symbol in body for row in body[symbol]]
        equal([(bar.S, number(bar.c), number(bar.v)) for bar in found],
              [(symbol, number(row["c"]), number(row["v"])) for symbol, row in rows])

    def check_latest_bars_quotes_and_trades(self):
        for method, name in [(self.rest.get_latest_bars, "bars"), (self.rest.get_latest_quotes, "quotes"),
                             (self.rest.get_latest_trades, "trades")]:
            body = self.body(f"/v2/stocks/{name}/latest?symbols=AAPL,KO", "alpaca-data")
            equal(set(method(["AAPL", "KO"])), set(body[name]), name)

    def check_snapshots(self):
        found, body = self.rest.get_snapshots(["AAPL", "KO"]), self.body("/v2/stocks/snapshots?symbols=AAPL,KO", "alpaca-data")
        for symbol in ["AAPL", "KO"]:
            numbers(found[symbol].prev_daily_bar.c, body[symbol]["prevDailyBar"]["c"])
        numbers(self.rest.get_snapshot("AAPL").prev_daily_bar.c, body["AAPL"]["prevDailyBar"]["c"])

    def check_news(self):
        found = self.rest.get_news("AAPL", limit=5, include_content=True)
        equal([article.id for article in found],
              [article["id"] for article in self.body("/v1beta1/news?symbols=AAPL&limit=5", "alpaca-data")["news"]])

    def check_streams(self):
        from alpaca_trade_api.stream import Stream
        stream = Stream(
            KEY, SECRET, base_url=self.sandbox.base + "/alpaca", data_stream_url=self.sandbox.base + "/alpaca-stream",
            data_feed="iex", websocket_params={})
        received, has_all = {}, threading.Event()

        async def receive(kind, item):
            received[kind] = item
            if {"trade", "quote", "order"} <= set(received):
                has_all.set()

        async def trade(item):
            await receive("trade", item)

        async def quote(item):
            await receive("quote", item)

        async def update(item):
            await receive("order", item)

        stream.subscribe_trades(trade, "AAPL")
        stream.subscribe_quotes(quote, "AAPL")
        stream.subscribe_trade_updates(update)
        threading.Thread(target=lambda: asyncio.run(stream._run_forever()), daemon=True).start()
        # The stream does not report when it follows the orders.
        for _ in range(60):
            if has_all.wait(1):
                break
            self.rest.cancel_order(self.order().id)
        equal(set(received), {"trade", "quote", "order"})
        equal((received["trade"].symbol, received["quote"].symbol), ("AAPL", "AAPL"))
        equal(received["order"].order["symbol"], "KO")

    def check_account_configurations(self):
        found, body = self.rest.get_account_configurations(), self.body("/v2/account/configurations")
        members(found, body, ["no_shorting", "suspend_trade", "dtbp_check"], lambda value: value)
        try:
            equal(self.rest.update_account_configurations(no_shorting=True).no_shorting, True)
        finally:
            self.rest.update_account_configurations(no_shorting=False)

    def check_close_position(self):
        before = number(self.rest.get_position("NVDA").qty)
        numbers(self.rest.close_position("NVDA", qty=1).qty, 1)
        numbers(self.rest.get_position("NVDA").qty, before - 1)

    def check_close_all_positions(self):
        from alpaca_trade_api.rest import REST
        second = REST("PKSANDBOXSECOND00002", "sandbox-second-secret", self.sandbox.base + "/alpaca")
        second.submit_order(symbol="KO", qty=1, side="buy", type="market", time_in_force="day")
        held = {position.symbol for position in second.list_positions()}
        closed = second.close_all_positions()
        equal({answer.symbol for answer in closed}, held)
        equal({answer.status for answer in closed}, {200})
        equal(second.list_positions(), [])

    def check_latest_bar_quote_and_trade_of_one_symbol(self):
        for method, path, name in [(self.rest.get_latest_bar, "bars", "bar"), (self.rest.get_latest_quote, "quotes", "quote"),
                                   (self.rest.get_latest_trade, "trades", "trade")]:
            method("KO")
            equal(self.body(f"/v2/stocks/KO/{path}/latest", "alpaca-data")["symbol"], "KO", name)
        numbers(self.rest.get_latest_bar("KO").o, self.body("/v2/stocks/KO/bars/latest", "alpaca-data")["bar"]["o"])

    def lacks_past_trades_and_quotes(self):
        self.rest.get_trades("AAPL", "2026-11-13T15:00:00Z", "2026-11-13T15:01:00Z")

    def lacks_crypto(self):
        self.rest.get_latest_crypto_trades(["BTC/USD"])
