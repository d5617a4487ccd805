package import GraphQL

extension Synonyms {
    /// Names of brokers' interfaces, of other schemas, and names that users have tried, for names of the schema.
    ///
    /// The names are those of Alpaca, Saxo, SnapTrade and Plaid, and of schemas with mutations such as `addGoal`. A name is
    /// here only if its spelling does not resemble that of the schema.
    package static let finance: Synonyms = [
        // Mutations.
        "add": ["create", "addto"], "new": ["create"], "edit": ["update"], "modify": ["update", "replace"],
        "remove": ["delete", "removefrom"], "submit": ["place"], "createorder": ["placeorder"],
        "updateorder": ["replaceorder"], "deleteorder": ["cancelorder"], "link": ["connect"],
        "unlink": ["disconnect"],
        "login": ["signin"], "logout": ["signout"], "register": ["signup"],
        "refreshsession": ["renewsession"], "closeposition": ["placeorder"],
        // Objects.
        "security": ["instrument"], "stock": ["instrument"], "asset": ["instrument"], "me": ["viewer"],
        "user": ["viewer"],
        "ticker": ["symbol", "quote"], "tickers": ["symbols", "quotes"],
        "securities": ["instrument", "search"],
        "uic": ["symbol"], "netpositions": ["positions"], "holdings": ["positions", "portfolio"],
        "candles": ["chart"], "latestquote": ["quote"], "latesttrade": ["quote"],
        "transactions": ["activities"],
        "trades": ["activities"], "investmenttransactions": ["activities"], "bars": ["candles", "chart"],
        "history": ["chart"], "portfoliohistory": ["portfolio", "history"], "balances": ["account"],
        "snapshot": ["quote"], "brokerages": ["providers"], "brokers": ["providers"], "broker": ["provider"],
        "source": ["provider"], "institution": ["provider"], "favorites": ["watchlists"],
        "lists": ["watchlists"],
        "clock": ["marketclock"], "results": ["nodes"], "items": ["nodes"], "data": ["nodes"],
        "entries": ["nodes"],
        // Figures.
        "timestamp": ["time", "asof", "fetchedat", "publishedat", "executedat"], "datetime": ["time"],
        "time": ["asof"], "qty": ["quantity", "size"],
        "units": ["quantity"],
        "shares": ["quantity"], "amount": ["quantity", "value"], "pl": ["profitloss"], "pnl": ["profitloss"],
        "gain": ["profitloss"], "unrealizedpl": ["unrealizedprofitloss"], "openpnl": ["unrealizedprofitloss"],
        "profitlossontrade": ["unrealizedprofitloss"], "unrealizedgain": ["unrealizedprofitloss"],
        "percent": ["percentage"], "pct": ["percentage"], "plpc": ["profitlosspercentage"],
        "unrealizedplpc": ["unrealizedprofitlosspercentage"], "avgentryprice": ["averageentryprice"],
        "averagepurchaseprice": ["averageentryprice"], "openprice": ["averageentryprice"],
        "avgprice": ["averageentryprice", "averagefillprice"], "filledavgprice": ["averagefillprice"],
        "filledqty": ["filledquantity"], "cost": ["costbasis"], "last": ["price"],
        "lastprice": ["price", "currentprice"], "price": ["currentprice", "limitprice"], "bidprice": ["bid"],
        "askprice": ["ask"],
        "close": ["previousclose"], "closeprice": ["price"], "institutionprice": ["currentprice"],
        "balance": ["equity", "cash"], "networth": ["totalvalue"], "total": ["totalvalue", "equity"],
        "equity": ["totalvalue"], "value": ["marketvalue", "totalvalue", "price"],
        "leverage": ["buyingpower"],
        "twr": ["timeweighted"], "mwr": ["moneyweighted"], "irr": ["moneyweighted"],
        "xirr": ["moneyweighted"],
        "greeks": ["option"], "impliedvolatility": ["option"], "openinterest": ["option"],
        "portfoliovalue": ["equity", "totalvalue"], "accountnumber": ["number"],
        "pe": ["peratio"], "eps": ["earningspershare"], "annual": ["annualized"],
        // Other fields, arguments and values.
        "about": ["description"], "summary": ["description"], "title": ["headline", "name"],
        "type": ["kind", "assetclass"],
        "status": ["state"], "tif": ["timeinforce"], "duration": ["timeinforce"],
        "period": ["range"], "timeframe": ["interval", "range"], "resolution": ["interval"],
        "limit": ["first"],
        "count": ["first"], "pagesize": ["first"], "cursor": ["after"], "q": ["text"], "query": ["text"],
        "currencycode": ["currency"], "isocurrencycode": ["currency"], "deadline": ["dueon"],
        "targetdate": ["dueon"],
        "cancelled": ["canceled"], "ytd": ["yeartodate"], "all": ["max"], "shortname": ["name"],
        "longname": ["name"],
        "buysell": ["side"], "action": ["side"], "createdat": ["submittedat"], "reason": ["rejection"],
        "start": ["from"], "startdate": ["from"], "since": ["from"], "end": ["to"], "enddate": ["to"],
        "until": ["to"], "keywords": ["text"], "orderid": ["id"], "accountid": ["id", "account"],
        // The input of an order.
        "quantity": ["size"], "notional": ["size"], "symbol": ["instrument"], "limitprice": ["price"],
        "stopprice": ["price"], "clientorderid": ["idempotencykey"], "takeprofit": ["exits"],
        "stoploss": ["exits"],
        "opg": ["opening"], "cls": ["closing"], "goodtillcancel": ["gtc"], "div": ["dividend"],
        "fill": ["trade"], "minute": ["oneminute"], "hour": ["onehour"], "day": ["oneday"],
        "week": ["oneweek"], "month": ["onemonth"], "oneweek": ["fivedays"],
        // Names of the schema before version 0.1.0.
        "progress": ["progresspercentage"], "provider": ["name"], "providername": ["name", "provider"],
        "marginutilization": ["marginutilizationpercentage"], "performance": ["percentage"],
        "historyrange": ["range"], "chartrange": ["range"],
    ]
}
