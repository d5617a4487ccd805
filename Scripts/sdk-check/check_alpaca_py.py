"""alpaca-py: every call of Portico's adapter, and both streams."""
import asyncio
import datetime
import threading
import uuid

from alpaca.data.enums import Adjustment, DataFeed
from alpaca.data.historical.corporate_actions import CorporateActionsClient
from alpaca.data.historical.news import NewsClient
from alpaca.data.historical.stock import StockHistoricalDataClient
from alpaca.data.live.stock import StockDataStream
from alpaca.data.requests import (
    CorporateActionsRequest, NewsRequest, StockBarsRequest, StockLatestBarRequest, StockLatestQuoteRequest,
    StockLatestTradeRequest, StockQuotesRequest, StockSnapshotRequest, StockTradesRequest)
from alpaca.data.timeframe import TimeFrame, TimeFrameUnit
from alpaca.trading.client import TradingClient
from alpaca.trading.enums import (
    AssetClass, AssetStatus, OrderClass, OrderSide, QueryOrderStatus, TimeInForce)
from alpaca.trading.models import NonTradeActivity, TradeActivity
from alpaca.trading.requests import (
    ClosePositionRequest, CreateWatchlistRequest, GetAssetsRequest, GetCalendarRequest, GetOptionContractsRequest, GetOrderByIdRequest, GetOrdersRequest,
    GetPortfolioHistoryRequest, LimitOrderRequest, MarketOrderRequest, ReplaceOrderRequest, StopLossRequest,
    TakeProfitRequest, UpdateWatchlistRequest)
from alpaca.trading.stream import TradingStream

from report import equal, members, moment, number, numbers

KEY, SECRET = "PKSANDBOXDEMO0000001", "sandbox-demo-secret"
HEADERS = {"APCA-API-KEY-ID": KEY, "APCA-API-SECRET-KEY": SECRET}


class Check:
    def __init__(self, report, sandbox):
        self.report, self.sandbox = report, sandbox
        self.trading = TradingClient(KEY, SECRET, paper=True, url_override=sandbox.base + "/alpaca")
        data = sandbox.base + "/alpaca-data"
        self.stocks = StockHistoricalDataClient(KEY, SECRET, url_override=data)
        self.news = NewsClient(KEY, SECRET, url_override=data)
        self.actions = CorporateActionsClient(KEY, SECRET, url_override=data)

    def body(self, path, api="alpaca"):
        return self.sandbox.get(f"/{api}{path}", HEADERS)

    # --- account and market ---------------------------------------------------------------------------------------

    def check_account(self):
        account, body = self.trading.get_account(), self.body("/v2/account")
        members(account, body, ["cash", "equity", "last_equity", "buying_power", "multiplier", "long_market_value"])
        members(account, body, ["currency", "account_number", "pattern_day_trader", "trading_blocked"], lambda value: value)

    def check_clock(self):
        members(self.trading.get_clock(), self.body("/v2/clock"), ["next_open", "next_close"], moment)

    def check_calendar(self):
        days = self.trading.get_calendar(
            GetCalendarRequest(start=datetime.date(2026, 11, 16), end=datetime.date(2026, 11, 27)))
        body = self.body("/v2/calendar?start=2026-11-16&end=2026-11-27")
        equal([str(day.date) for day in days], [day["date"] for day in body])
        equal([day.close.strftime("%H:%M") for day in days], [day["close"] for day in body])

    def check_assets(self):
        assets = self.trading.get_all_assets(
            GetAssetsRequest(asset_class=AssetClass.US_EQUITY, status=AssetStatus.ACTIVE))
        body = self.body("/v2/assets?asset_class=us_equity&status=active")
        equal([asset.symbol for asset in assets], [asset["symbol"] for asset in body])
        equal([asset.fractionable for asset in assets], [asset["fractionable"] for asset in body])

    def check_asset(self):
        asset, body = self.trading.get_asset("AAPL"), self.body("/v2/assets/AAPL")
        members(asset, body, ["symbol", "name", "tradable", "shortable", "easy_to_borrow"], lambda value: value)
        equal(self.trading.get_asset(asset.id).symbol, "AAPL")

    def check_positions(self):
        positions, body = self.trading.get_all_positions(), self.body("/v2/positions")
        equal([position.symbol for position in positions], [position["symbol"] for position in body])
        for position, row in zip(positions, body):
            members(position, row, ["qty", "avg_entry_price", "cost_basis", "lastday_price"])

    def check_position(self):
        members(self.trading.get_open_position("AAPL"), self.body("/v2/positions/AAPL"), ["qty", "cost_basis"])

    def check_portfolio_history(self):
        history = self.trading.get_portfolio_history(GetPortfolioHistoryRequest(period="1M", timeframe="1D"))
        body = self.body("/v2/account/portfolio/history?period=1M&timeframe=1D")
        equal(history.timestamp, body["timestamp"])
        equal(list(map(number, history.equity[:-1])), list(map(number, body["equity"][:-1])))
        numbers(history.base_value, body["base_value"])

    def check_activities(self):
        # The SDK has no method for them at this API. Its models are those of the API for brokers, whose rows also have an
        # account and a description.
        rows = self.trading.get("/account/activities", {"page_size": 100})
        equal(rows, self.body("/v2/account/activities?page_size=100"))
        account = str(self.trading.get_account().id)
        for row in rows:
            model = TradeActivity if row["activity_type"] == "FILL" else NonTradeActivity
            members(model(**{"account_id": account, "description": ""} | row), row, ["price", "qty"])

    # --- orders ---------------------------------------------------------------------------------------------------

    def limit(self, **more):
        return LimitOrderRequest(
            symbol="KO", qty=2, side=OrderSide.BUY, time_in_force=TimeInForce.GTC, limit_price=5,
            client_order_id=str(uuid.uuid4()), **more)

    def check_order_placed_read_replaced_and_canceled(self):
        order = self.trading.submit_order(self.limit())
        body = self.body(f"/v2/orders/{order.id}")
        members(order, body, ["qty", "limit_price", "filled_qty"])
        members(order, body, ["symbol", "client_order_id"], lambda value: value)
        members(order, body, ["submitted_at"], moment)
        equal(self.trading.get_order_by_client_id(order.client_order_id).id, order.id)
        equal(self.trading.get_order_by_id(order.id, GetOrderByIdRequest(nested=True)).id, order.id)
        listed = self.trading.get_orders(GetOrdersRequest(status=QueryOrderStatus.OPEN, symbols=["KO"]))
        equal(order.id in [each.id for each in listed], True, "the order is listed")
        after = self.trading.replace_order_by_id(order.id, ReplaceOrderRequest(qty=3, limit_price=4))
        equal((number(after.qty), after.replaces), (3, order.id))
        self.trading.cancel_order_by_id(after.id)
        equal(self.trading.get_order_by_id(after.id).status.value, "canceled")

    def check_bracket(self):
        order = self.trading.submit_order(self.limit(
            order_class=OrderClass.BRACKET, take_profit=TakeProfitRequest(limit_price=9),
            stop_loss=StopLossRequest(stop_price=4, limit_price=3.5)))
        equal([number(leg.limit_price) for leg in order.legs], [9, number("3.5")])
        nested = self.trading.get_orders(GetOrdersRequest(status=QueryOrderStatus.OPEN, nested=True))
        equal([len(each.legs) for each in nested if each.id == order.id], [2])
        self.trading.cancel_order_by_id(order.id)

    def check_market_order_by_money(self):
        order = self.trading.submit_order(MarketOrderRequest(
            symbol="MSFT", notional=50, side=OrderSide.BUY, time_in_force=TimeInForce.DAY))
        numbers(order.notional, 50)

    def check_cancel_all_orders(self):
        order = self.trading.submit_order(self.limit())
        answers = self.trading.cancel_orders()
        equal(order.id in [answer.id for answer in answers], True, "the order is canceled")

    def check_exits_after_the_entry_has_filled(self):
        market = MarketOrderRequest(
            symbol="AMD", qty=2, side=OrderSide.BUY, time_in_force=TimeInForce.DAY, order_class=OrderClass.BRACKET,
            take_profit=TakeProfitRequest(limit_price=9000), stop_loss=StopLossRequest(stop_price=1))
        placed = self.trading.submit_order(market)
        order = self.trading.get_order_by_id(placed.id, GetOrderByIdRequest(nested=True))
        equal((order.status.value, [leg.status.value for leg in order.legs]), ("filled", ["new", "held"]))
        nested = self.trading.get_orders(GetOrdersRequest(status=QueryOrderStatus.OPEN, nested=True))
        flat = self.trading.get_orders(GetOrdersRequest(status=QueryOrderStatus.OPEN, nested=False))
        ids = {order.id} | {leg.id for leg in order.legs}
        # As users report it: no nested list of open orders has an exit, and none has the held one.
        equal([each.id for each in nested if each.id in ids], [])
        equal([each.id for each in flat if each.id in ids], [order.legs[0].id])
        self.trading.cancel_order_by_id(order.legs[0].id)
        self.trading.close_position("AMD", ClosePositionRequest(qty="2"))

    # --- closing, and the configuration ----------------------------------------------------------------------------

    def check_account_configurations(self):
        found = self.trading.get_account_configurations()
        body = self.body("/v2/account/configurations")
        members(found, body, ["no_shorting", "suspend_trade", "fractional_trading", "max_margin_multiplier"], lambda value: value)
        try:
            changed = self.trading.set_account_configurations(found.model_copy(update={"suspend_trade": True}))
            equal(changed.suspend_trade, True)
            equal(self.trading.get_account().trade_suspended_by_user, True)
        finally:
            self.trading.set_account_configurations(found)

    def check_close_position(self):
        before = number(self.trading.get_open_position("NVDA").qty)
        order = self.trading.close_position("NVDA", ClosePositionRequest(qty="1"))
        equal((order.symbol, number(order.qty), order.side.value), ("NVDA", 1, "sell"))
        equal(number(self.trading.get_open_position("NVDA").qty), before - 1)

    def check_close_all_positions(self):
        second = TradingClient(
            "PKSANDBOXSECOND00002", "sandbox-second-secret", paper=True, url_override=self.sandbox.base + "/alpaca")
        second.submit_order(MarketOrderRequest(symbol="KO", qty=1, side=OrderSide.BUY, time_in_force=TimeInForce.DAY))
        held = {position.symbol for position in second.get_all_positions()}
        closed = second.close_all_positions(cancel_orders=True)
        equal({answer.symbol for answer in closed}, held)
        equal({answer.status for answer in closed}, {200})
        equal(second.get_all_positions(), [])

    # --- watchlists -----------------------------------------------------------------------------------------------

    def check_watchlists(self):
        made = self.trading.create_watchlist(CreateWatchlistRequest(name=str(uuid.uuid4()), symbols=["AAPL", "KO"]))
        try:
            body = self.body(f"/v2/watchlists/{made.id}")
            equal([asset.symbol for asset in made.assets], [asset["symbol"] for asset in body["assets"]])
            self.trading.add_asset_to_watchlist_by_id(made.id, "MSFT")
            self.trading.remove_asset_from_watchlist_by_id(made.id, "KO")
            changed = self.trading.update_watchlist_by_id(made.id, UpdateWatchlistRequest(name=made.name + "2"))
            equal(changed.name, made.name + "2")
            equal([asset.symbol for asset in self.trading.get_watchlist_by_id(made.id).assets], ["AAPL", "MSFT"])
            equal(made.id in [each.id for each in self.trading.get_watchlists()], True, "the list is listed")
        finally:
            self.trading.delete_watchlist_by_id(made.id)

    # --- market data ----------------------------------------------------------------------------------------------

    def check_bars(self):
        start, end = datetime.datetime(2026, 11, 2), datetime.datetime(2026, 11, 13)
        for frame, text in [(TimeFrame.Day, "1Day"), (TimeFrame(15, TimeFrameUnit.Minute), "15Min")]:
            bars = self.stocks.get_stock_bars(StockBarsRequest(
                symbol_or_symbols=["AAPL", "BRK.B"], timeframe=frame, start=start, end=end, adjustment=Adjustment.SPLIT,
                feed=DataFeed.IEX))
            body = self.body(
                f"/v2/stocks/bars?symbols=AAPL,BRK.B&timeframe={text}&start=2026-11-02T00:00:00Z&end=2026-11-13T00:00:00Z"
                "&adjustment=split&feed=iex&limit=10000", "alpaca-data")
            for symbol, rows in body["bars"].items():
                equal(len(bars[symbol]), len(rows), symbol)
                for bar, row in zip(bars[symbol], rows):
                    members(bar, row, [("open", "o"), ("high", "h"), ("low", "l"), ("close", "c"), ("volume", "v")])
                    members(bar, row, [("timestamp", "t")], moment)

    def check_latest_bars_quotes_and_trades(self):
        for method, request, path in [
            (self.stocks.get_stock_latest_bar, StockLatestBarRequest, "bars"),
            (self.stocks.get_stock_latest_quote, StockLatestQuoteRequest, "quotes"),
            (self.stocks.get_stock_latest_trade, StockLatestTradeRequest, "trades"),
        ]:
            found = method(request(symbol_or_symbols=["AAPL", "KO"]))
            equal(set(found), set(self.body(f"/v2/stocks/{path}/latest?symbols=AAPL,KO", "alpaca-data")[path]), path)

    def check_snapshots(self):
        found = self.stocks.get_stock_snapshot(StockSnapshotRequest(symbol_or_symbols=["AAPL", "KO"]))
        body = self.body("/v2/stocks/snapshots?symbols=AAPL,KO", "alpaca-data")
        for symbol in ["AAPL", "KO"]:
            numbers(found[symbol].previous_daily_bar.close, body[symbol]["prevDailyBar"]["c"])
            members(found[symbol].latest_trade, body[symbol]["latestTrade"], [("timestamp", "t")], moment)

    def check_news(self):
        found = self.news.get_news(NewsRequest(symbols="AAPL", limit=5))
        body = self.body("/v1beta1/news?symbols=AAPL&limit=5", "alpaca-data")
        articles = found.data["news"]
        equal([article.id for article in articles], [article["id"] for article in body["news"]])
        equal([article.headline for article in articles], [article["headline"] for article in body["news"]])

    def check_corporate_actions(self):
        found = self.actions.get_corporate_actions(CorporateActionsRequest(
            symbols=["AAPL", "NVDA", "T"], start=datetime.date(2022, 1, 1), end=datetime.date(2026, 11, 20)))
        body = self.body(
            "/v1/corporate-actions?symbols=AAPL,NVDA,T&start=2022-01-01&end=2026-11-20&limit=1000", "alpaca-data")
        for kind, rows in body["corporate_actions"].items():
            equal(len(found.data[kind]), len(rows), kind)

    # --- what the sandbox lacks ------------------------------------------------------------------------------------

    def lacks_past_quotes(self):
        self.stocks.get_stock_quotes(StockQuotesRequest(symbol_or_symbols="AAPL", start=datetime.datetime(2026, 11, 13), limit=5))

    def lacks_past_trades(self):
        self.stocks.get_stock_trades(StockTradesRequest(symbol_or_symbols="AAPL", start=datetime.datetime(2026, 11, 13), limit=5))

    def lacks_option_contracts(self):
        self.trading.get_option_contracts(GetOptionContractsRequest(underlying_symbols=["AAPL"]))

    # --- streams --------------------------------------------------------------------------------------------------

    def check_stream_of_orders(self):
        stream = TradingStream(KEY, SECRET, paper=True, url_override=self.sandbox.websocket("/alpaca/stream"))
        events, is_placed = [], threading.Event()

        async def receive(update):
            # One of the two kinds is an enumeration.
            event = getattr(update.event, "value", update.event)
            events.append((event, update.order.id))
            if event == "canceled":
                await stream.stop_ws()

        stream.subscribe_trade_updates(receive)
        placed = []

        def place():
            # The stream confirms its subscription to the SDK only.
            for _ in range(600):
                if getattr(stream, "_running", False):
                    break
                is_placed.wait(0.1)
            order = self.trading.submit_order(self.limit())
            placed.append(order.id)
            self.trading.cancel_order_by_id(order.id)

        self.follow(stream, place)
        equal([event for event, order in events if order in placed], ["new", "canceled"])

    def check_stream_of_quotes(self):
        stream = StockDataStream(
            KEY, SECRET, feed=DataFeed.IEX, url_override=self.sandbox.websocket("/alpaca-stream/v2/iex"))
        received = {}

        async def receive(kind, item):
            received[kind] = item
            if {"trade", "quote"} <= set(received):
                await stream.stop_ws()

        async def trade(item):
            await receive("trade", item)

        async def quote(item):
            await receive("quote", item)

        stream.subscribe_trades(trade, "AAPL")
        stream.subscribe_quotes(quote, "AAPL")
        self.follow(stream, lambda: None)
        equal({item.symbol for item in received.values()}, {"AAPL"})
        equal(number(received["quote"].bid_price) <= number(received["quote"].ask_price), True, "bid and ask")

    def follow(self, stream, act):
        """Runs a stream until it stops itself, or for a minute."""
        ended = []

        def run():
            try:
                asyncio.run(stream._run_forever())
            except Exception as error:
                ended.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        act()
        thread.join(60)
        if ended:
            raise ended[0]
        equal(thread.is_alive(), False, "the stream waits for messages")
