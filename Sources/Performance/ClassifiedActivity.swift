package import Brokerage

/// One booked activity of an account, by its effect on return and cost.
package struct ClassifiedActivity: Sendable, Hashable {
    /// The broker's id.
    package var id: String
    /// The day on which the activity counts: the trade date of a trade, otherwise the booking date.
    package var date: CalendarDate
    package var kind: Kind

    package init(id: String, date: CalendarDate, kind: Kind) {
        (self.id, self.date, self.kind) = (id, date, kind)
    }

    /// What an activity is, with its amounts from the account's view: positive amounts are credited to it.
    package enum Kind: Sendable, Hashable {
        /// A deposit, or a withdrawal if it is negative: an external flow.
        case cashFlow(CurrencyAmount)
        /// Securities that enter or leave the account: an external flow of `quantity` × `price`.
        case securitiesTransfer(SecuritiesTransfer)
        case trade(Trade)
        /// Dividends, interest and rebates, before tax.
        case income(CurrencyAmount, Symbol?)
        /// A dividend in units: the holding has so many more, without a cost.
        case stockDividend(Symbol, Decimal)
        /// A distribution that lowers the cost of a holding and is no income.
        case returnOfCapital(CurrencyAmount, Symbol)
        /// Withheld tax, and the refund of it.
        case tax(CurrencyAmount, Symbol?)
        case fee(Fee)
        /// `old` units of `from` become `new` units of `to`: a split or a reverse split if both symbols are the
        /// same, otherwise a change of the symbol or a merger paid in shares. The cost is carried over.
        case exchange(from: Symbol, to: Symbol, new: Decimal, old: Decimal)
        case spinOff(SpinOff)
        /// An activity of a known kind whose amount, or the currency of it, is unknown: no figure of which it is a part is known.
        case unknownAmount(UnknownAmount)
        /// An activity whose effect is unknown, in the broker's term; the calculations leave it out and list it.
        case unclassified(String, CurrencyAmount?)
    }

    /// A purchase or a sale.
    package struct Trade: Sendable, Hashable {
        package var symbol: Symbol
        /// Negative for a sale.
        package var quantity: Decimal
        package var price: Decimal
        /// The number by which quantity × price is multiplied for the value: 1 for shares, nil if it is unknown.
        package var multiplier: Decimal?
        /// The ISO 4217 code of the price.
        package var currency: String
        /// The booked amount without fees, negative for a purchase; nil if the broker books none.
        package var booked: CurrencyAmount?
        /// A sale that opens or increases a short position.
        package var isShortSale: Bool
        /// Whether it moves no cash: the amount is the value of the contract.
        package var isOnMargin: Bool
        /// Whether a merger takes the units for cash: it is no order, so that no fee of a trade belongs to it.
        package var isMerger: Bool
        /// Whether the units pay a fee, which is an activity of its own: it is no order, and follows the trades of its day.
        package var isFeePayment: Bool

        package init(
            _ symbol: Symbol, quantity: Decimal, price: Decimal, multiplier: Decimal? = 1, currency: String,
            booked: CurrencyAmount? = nil, isShortSale: Bool = false, isOnMargin: Bool = false,
            isMerger: Bool = false, isFeePayment: Bool = false
        ) {
            (self.symbol, self.quantity, self.price) = (symbol, quantity, price)
            (self.multiplier, self.currency) = (multiplier, currency)
            (self.booked, self.isShortSale) = (booked, isShortSale)
            (self.isOnMargin, self.isMerger, self.isFeePayment) = (isOnMargin, isMerger, isFeePayment)
        }

        /// The booked amount; without one, quantity × price × ``multiplier``, rounded half up to the currency's minor unit.
        ///
        /// Nil if it is unknown.
        package var amount: CurrencyAmount? {
            get throws(Decimal.Overflow) {
                if let booked { return booked }
                guard let multiplier else { return nil }
                let digits = MinorUnit.digits(of: currency)
                let value = try (quantity * price * multiplier).rounded(to: digits, .halfUp)
                return CurrencyAmount(try value.negated, currency)
            }
        }
    }

    /// Securities that another broker delivers or receives.
    package struct SecuritiesTransfer: Sendable, Hashable {
        package var symbol: Symbol
        /// Negative if the securities leave the account.
        package var quantity: Decimal
        /// The market value of a unit of the quantity on the day; nil if it is unknown.
        package var price: Decimal?
        /// The ISO 4217 code of `price` and `cost`; nil if it is unknown.
        package var currency: String?
        /// What the securities cost; nil if it is unknown.
        package var cost: Decimal?

        package init(
            _ symbol: Symbol, quantity: Decimal, price: Decimal?, currency: String?, cost: Decimal? = nil
        ) {
            (self.symbol, self.quantity, self.price) = (symbol, quantity, price)
            (self.currency, self.cost) = (currency, cost)
        }
    }

    /// A fee, or its refund.
    package struct Fee: Sendable, Hashable {
        package var amount: CurrencyAmount
        package var category: Category
        package var symbol: Symbol?
        /// The id of the activity of the trade that it belongs to, if the broker names it.
        package var trade: String?

        package init(
            _ amount: CurrencyAmount, _ category: Category, symbol: Symbol? = nil, trade: String? = nil
        ) {
            (self.amount, self.category, self.symbol, self.trade) = (amount, category, symbol, trade)
        }

        /// What a fee is paid for.
        package enum Category: Sendable, Hashable, CaseIterable {
            /// Commissions, exchange fees and regulatory fees of trades.
            case transaction
            /// Custody and management: the gross return adds them back.
            case service
            /// Interest on borrowed cash and securities.
            case financing
            /// Any other fee, and the refund of one.
            case other
        }
    }

    /// What an activity without an amount is.
    package struct UnknownAmount: Sendable, Hashable {
        package var effect: Effect
        package var symbol: Symbol?
        /// Whether it can be of any instrument: a dividend, or a tax, without one.
        package var isOfUnknownInstrument: Bool
        /// The id of the activity of the trade that a fee belongs to, if the broker names it.
        package var trade: String?

        package init(
            _ effect: Effect, symbol: Symbol? = nil, isOfUnknownInstrument: Bool = false, trade: String? = nil
        ) {
            (self.effect, self.symbol, self.trade) = (effect, symbol, trade)
            self.isOfUnknownInstrument = isOfUnknownInstrument
        }

        /// What the amount would be a part of.
        package enum Effect: Sendable, Hashable {
            /// Deposits, withdrawals and transfers.
            case externalFlow
            case income
            case returnOfCapital
            case tax
            case fee(Fee.Category)
        }
    }

    /// A part of a company becomes a company of its own.
    package struct SpinOff: Sendable, Hashable {
        /// Nil if it is unknown: the cost of the new shares is then unknown, too.
        package var parent: Symbol?
        package var child: Symbol
        /// The received quantity of the new company; negative for a short position.
        package var quantity: Decimal
        /// The prices of the first regular day, by which the cost is divided; nil if they are unknown.
        package var parentPrice: Decimal?
        package var childPrice: Decimal?

        package init(
            parent: Symbol?, child: Symbol, quantity: Decimal, parentPrice: Decimal?, childPrice: Decimal?
        ) {
            (self.parent, self.child, self.quantity) = (parent, child, quantity)
            (self.parentPrice, self.childPrice) = (parentPrice, childPrice)
        }
    }
}

extension ClassifiedActivity {
    /// What the activity adds to the account's cash; nil if it moves none, or an unknown amount.
    package var cash: CurrencyAmount? {
        get throws(Decimal.Overflow) {
            switch kind {
            case .cashFlow(let amount), .income(let amount, _), .returnOfCapital(let amount, _),
                .tax(let amount, _):
                amount
            case .fee(let fee): fee.amount
            case .trade(let trade): trade.isOnMargin ? nil : try trade.amount
            case .unclassified(_, let amount): amount
            case .securitiesTransfer, .stockDividend, .exchange, .spinOff, .unknownAmount: nil
            }
        }
    }

    /// The instrument of the activity; of corporate actions the one that the holder had before.
    package var symbol: Symbol? {
        switch kind {
        case .cashFlow, .unclassified: nil
        case .income(_, let symbol), .tax(_, let symbol): symbol
        case .returnOfCapital(_, let symbol), .stockDividend(let symbol, _): symbol
        case .securitiesTransfer(let transfer): transfer.symbol
        case .trade(let trade): trade.symbol
        case .fee(let fee): fee.symbol
        case .unknownAmount(let unknown): unknown.symbol
        case .exchange(let from, _, _, _): from
        case .spinOff(let spinOff): spinOff.parent
        }
    }
}

/// An exact amount of a currency.
package struct CurrencyAmount: Sendable, Hashable {
    package var amount: Decimal
    /// ISO 4217.
    package var currency: String
    /// The amount that the broker booked in the currency of the account, if that is another one.
    package var converted: Converted?

    package init(_ amount: Decimal, _ currency: String, converted: Converted? = nil) {
        (self.amount, self.currency, self.converted) = (amount, currency, converted)
    }

    /// An amount that the broker has converted.
    package struct Converted: Sendable, Hashable {
        package var amount: Decimal
        /// ISO 4217.
        package var currency: String

        package init(_ amount: Decimal, _ currency: String) {
            (self.amount, self.currency) = (amount, currency)
        }
    }
}
