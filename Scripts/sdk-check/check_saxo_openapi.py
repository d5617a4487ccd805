"""saxo_openapi: the calls of Portico's adapter that this library of 2019 has; it has no models, only paths and parameters."""
import time
import uuid
from urllib.parse import quote

import saxo_openapi
from saxo_openapi.endpoints import accounthistory, chart, portfolio, referencedata, rootservices, trading

from report import equal

TOKEN = "sandbox-saxo-demo-access"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}


class Check:
    def __init__(self, report, sandbox):
        self.report, self.sandbox = report, sandbox
        # The library adds `openapi` to the address of the environment.
        saxo_openapi.saxo_openapi.TRADING_ENVIRONMENTS["live"]["api"] = sandbox.base + "/saxo"
        self.api = saxo_openapi.API(access_token=TOKEN, environment="live")
        send = self.api.client.request
        self.api.client.request = lambda method, url, **more: send(method, url.replace("/saxo/openapi/", "/saxo/"), **more)

    def order(self, request):
        """Sends a change of orders, of which Saxo allows one a second."""
        time.sleep(1.1)
        return self.api.request(request)

    def body(self, path):
        return self.sandbox.get("/saxo" + path, HEADERS)

    def agrees(self, request, path, names):
        """Compares the members of a response whose values do not change within a second."""
        found, body = self.api.request(request), self.body(path)
        rows, expected = (found["Data"], body["Data"]) if "Data" in found else ([found], [body])
        equal(len(rows), len(expected), "number of rows")
        for row, other in zip(rows, expected):
            equal([row.get(name) for name in names], [other.get(name) for name in names])
        return found

    def client_key(self):
        return self.body("/port/v1/clients/me")["ClientKey"]

    def check_client_and_accounts(self):
        self.agrees(portfolio.clients.ClientDetailsMe(), "/port/v1/clients/me", ["ClientKey", "DefaultAccountKey", "Name"])
        self.agrees(portfolio.accounts.AccountsMe(), "/port/v1/accounts/me", ["AccountKey", "AccountId", "Currency", "Active"])

    def check_balance(self):
        self.agrees(portfolio.balances.AccountBalancesMe(), "/port/v1/balances/me", ["Currency", "CashBalance", "OpenPositionsCount"])

    def check_net_positions(self):
        self.agrees(portfolio.netpositions.NetPositionsMe(params={}), "/port/v1/netpositions/me", ["NetPositionId", "NetPositionBase"])

    def check_positions(self):
        query = f"?ClientKey={quote(self.client_key())}"
        found = self.agrees(portfolio.positions.PositionsMe(params={}), "/port/v1/positions/me", ["PositionId", "PositionBase"])
        self.agrees(
            portfolio.positions.PositionsQuery(params={"ClientKey": self.client_key()}), "/port/v1/positions" + query, ["PositionId"])
        first = found["Data"][0]["PositionId"]
        self.agrees(
            portfolio.positions.SinglePosition(PositionId=first, params={"ClientKey": self.client_key()}),
            f"/port/v1/positions/{first}{query}", ["PositionId", "PositionBase"])

    def check_order_by_id(self):
        key = self.client_key()
        order = self.body("/port/v1/orders/me?Status=All")["Data"][0]["OrderId"]
        self.agrees(
            portfolio.orders.GetOpenOrder(ClientKey=key, OrderId=order, params={}), f"/port/v1/orders/{quote(key)}/{order}",
            ["OrderId", "Amount", "Status"])

    def check_exchanges_and_schedules(self):
        names = ["ExchangeId", "Mic", "Name", "CountryCode", "Currency"]
        self.agrees(referencedata.exchanges.ExchangeList(), "/ref/v1/exchanges", names)
        self.agrees(referencedata.exchanges.ExchangeDetails(ExchangeId="NASDAQ"), "/ref/v1/exchanges/NASDAQ", names)
        for uic, kind in [(21, "FxSpot"), (211, "Stock")]:
            self.agrees(
                referencedata.instruments.TradingSchedule(Uic=uic, AssetType=kind),
                f"/ref/v1/instruments/tradingschedule/{uic}/{kind}", ["Sessions"])

    def check_session_capabilities(self):
        path, names = "/root/v1/sessions/capabilities", ["TradeLevel", "DataLevel", "AuthenticationLevel"]
        for level, delay in [("FullTradingAndChat", 0), ("OrdersOnly", 15)]:
            self.api.request(rootservices.sessions.ChangeSessionCapabilities(data={"TradeLevel": level}))
            equal(self.agrees(rootservices.sessions.GetSessionCapabilities(), path, names)["TradeLevel"], level)
            price = self.api.request(trading.infoprices.InfoPrice(params={"Uic": 211, "AssetType": "Stock"}))
            equal(price["Quote"]["DelayedByMinutes"], delay)

    def check_closed_positions(self):
        self.agrees(portfolio.closedpositions.ClosedPositionsMe(params={}), "/port/v1/closedpositions/me", ["ClosedPositionUniqueId"])

    def check_orders(self):
        account = self.body("/port/v1/accounts/me")["Data"][0]["AccountKey"]
        bid = self.body("/trade/v1/infoprices?Uic=21&AssetType=FxSpot")["Quote"]["Bid"]
        first, second = round(bid * 0.99, 4), round(bid * 0.985, 4)
        placed = self.order(trading.orders.Order(data={
            "AccountKey": account, "Uic": 21, "AssetType": "FxSpot", "BuySell": "Buy", "Amount": 10000, "OrderType": "Limit",
            "OrderPrice": first, "OrderDuration": {"DurationType": "GoodTillCancel"}, "ManualOrder": True,
            "ExternalReference": str(uuid.uuid4())}))
        found = self.agrees(portfolio.orders.GetOpenOrdersMe(params={}), "/port/v1/orders/me", ["OrderId", "Amount", "BuySell", "Status"])
        equal(placed["OrderId"] in [order["OrderId"] for order in found["Data"]], True, "the order is listed")
        self.order(trading.orders.ChangeOrder(data={
            "AccountKey": account, "OrderId": placed["OrderId"], "AssetType": "FxSpot", "OrderType": "Limit", "OrderPrice": second,
            "Amount": 20000, "OrderDuration": {"DurationType": "GoodTillCancel"}}))
        changed = [order for order in self.body("/port/v1/orders/me")["Data"] if order["OrderId"] == placed["OrderId"]]
        equal([(order["Amount"], order["Price"]) for order in changed], [(20000, second)])
        self.order(trading.orders.CancelOrders(OrderIds=placed["OrderId"], params={"AccountKey": account}))
        rest = self.body("/port/v1/orders/me")["Data"]
        equal([order for order in rest if order["OrderId"] == placed["OrderId"]], [])

    def check_precheck(self):
        account = self.body("/port/v1/accounts/me")["Data"][0]["AccountKey"]
        found = self.order(trading.orders.PrecheckOrder(data={
            "AccountKey": account, "Uic": 21, "AssetType": "FxSpot", "BuySell": "Buy", "Amount": 10000, "OrderType": "Market",
            "OrderDuration": {"DurationType": "DayOrder"}, "ManualOrder": True}))
        equal(found["PreCheckResult"], "Ok")

    def check_instruments(self):
        self.agrees(
            referencedata.instruments.Instruments(params={"Keywords": "apple"}), "/ref/v1/instruments?Keywords=apple",
            ["Identifier", "AssetType", "Symbol", "Description", "ExchangeId"])
        self.agrees(
            referencedata.instruments.InstrumentsDetails(params={"Uics": "211,21"}), "/ref/v1/instruments/details?Uics=211,21",
            ["Uic", "AssetType", "Symbol", "TickSize"])

    def check_prices(self):
        query = {"Uics": "21,42", "AssetType": "FxSpot"}
        self.agrees(trading.infoprices.InfoPrices(params=query), "/trade/v1/infoprices/list?Uics=21,42&AssetType=FxSpot", ["Uic", "AssetType"])
        self.agrees(
            trading.infoprices.InfoPrice(params={"Uic": 21, "AssetType": "FxSpot"}),
            "/trade/v1/infoprices?Uic=21&AssetType=FxSpot", ["Uic", "PriceSource"])

    def check_account_values(self):
        key = self.client_key()
        self.agrees(accounthistory.accountvalues.AccountSummary(ClientKey=key), f"/hist/v3/accountvalues/{key}", ["Key", "KeyType"])

    def lacks_charts_of_version_1(self):
        self.api.request(chart.charts.GetChartData(params={"AssetType": "FxSpot", "Uic": 21, "Horizon": 60, "Count": 3}))

    def lacks_performance_of_version_3(self):
        self.api.request(accounthistory.performance.AccountPerformance(ClientKey=self.client_key(), params={"StandardPeriod": "Month"}))

    def lacks_historical_positions_of_version_3(self):
        self.api.request(accounthistory.historicalpositions.HistoricalPositions(
            ClientKey=self.client_key(), params={"FromDate": "2026-11-01", "ToDate": "2026-11-20"}))

    def lacks_exposure(self):
        self.api.request(portfolio.exposure.NetInstrumentsExposureMe())

    def lacks_users(self):
        self.api.request(portfolio.users.UsersMe())

    def lacks_session_events(self):
        self.api.request(rootservices.sessions.CreateSessionCapabilitiesSubscription(
            data={"ContextId": "c", "ReferenceId": "r"}))
