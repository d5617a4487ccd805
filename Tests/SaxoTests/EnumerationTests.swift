import Brokerage
import ProviderTestSupport
import TestSupport
import Testing
import Upstream

@testable import Saxo

/// The tables are derived from Saxo's documents: see `Tests/Golden/specifications`.
@Suite("The enumerations of Saxo's documents")
struct EnumerationTests {
    /// An enumeration, and the values for which Portico has no term.
    struct Enumeration: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let document: String
        let isKnown: @Sendable (String) -> Bool
        let others: Set<String>

        init(
            _ name: String, in document: String, isKnown: @escaping @Sendable (String) -> Bool,
            except others: Set<String> = []
        ) {
            (testDescription, self.document, self.isKnown, self.others) = (name, document, isKnown, others)
        }
    }

    /// Types of orders that Saxo or a terminal of Saxo makes, which are shown without a type.
    private static let otherOrderTypes: Set = [
        "Algorithmic", "BreakoutTrigger", "CallLimit", "CallStop", "DealCapture", "GuaranteedStop",
        "LimitTrigger", "MarketDefault", "MarketExpiry", "MarketRollover", "MarketStopOut", "PeggedToMid",
        "PreviouslyQuoted", "StopTrigger", "Switch", "TrailingStopLimit", "Traspaso", "TraspasoIn",
        "TraspasoOut", "TriggerBreakout", "TriggerLimit", "TriggerStop", "Unknown",
    ]
    private static let orderType: @Sendable (String) -> Bool = { OrderType(saxo: $0) != nil }
    private static let timeInForce: @Sendable (String) -> Bool = { TimeInForce(saxo: $0) != nil }

    private static let enumerations = [
        Enumeration("OrderType", in: "port.yaml", isKnown: orderType, except: otherOrderTypes),
        Enumeration("OpenOrderType", in: "cs.yaml", isKnown: orderType, except: otherOrderTypes),
        Enumeration("PlaceableOrderType", in: "ens.yaml", isKnown: orderType, except: otherOrderTypes),
        Enumeration(
            "OrderDurationType", in: "port.yaml", isKnown: timeInForce, except: ["GoodForPeriod"]),
        Enumeration(
            "OpenOrderDuration", in: "ens.yaml", isKnown: timeInForce, except: ["GoodForPeriod", "Unknown"]),
        Enumeration(
            "OpenOrderRelation", in: "port.yaml", isKnown: { SaxoOpenOrder.Relation(saxo: $0) != nil }),
        Enumeration(
            "OrderStatus", in: "port.yaml",
            isKnown: { OrderState(saxo: $0, isPartlyFilled: false) != .accepted },
            // Accepted orders: those that wait for a condition, for their entry, or for the exchange.
            except: ["LockedPlacementPending", "NotWorking", "Parked", "Unknown"]),
        Enumeration(
            "CalculationReliability", in: "port.yaml", isKnown: { ValuationReliability(saxo: $0) != nil }),
        Enumeration(
            "AssetType", in: "port.yaml", isKnown: { AssetClass(saxo: $0) != .other },
            except: [
                "CertificateBonus", "CertificateCappedBonus", "CertificateCappedCapitalProtected",
                "CertificateCappedOutperformance", "CertificateConstantLeverage", "CertificateDiscount",
                "CertificateExpress", "CertificateTracker", "CertificateUncappedCapitalProtection",
                "CertificateUncappedOutperformance", "GuaranteeNote", "IpoOnStock", "ManagedFund",
                "MiniFuture",
                "PortfolioNote", "SrdOnEtf", "SrdOnStock", "Warrant", "WarrantDoubleKnockOut",
                "WarrantKnockOut", "WarrantOpenEndKnockOut", "WarrantSpread",
            ]),
    ]

    @Test(
        "have only values that the adapter knows, and those for which Portico has no term",
        arguments: enumerations)
    func values(enumeration: Enumeration) throws {
        let values = try Specification(of: "saxo")
            .values(of: enumeration.testDescription, of: enumeration.document)
        #expect(values.count >= 5)
        for value in values {
            #expect(enumeration.isKnown(value) != enumeration.others.contains(value), "\(value)")
        }
    }

    @Test("of events of orders give each event a state", arguments: ["cs.yaml", "ens.yaml"])
    func events(document: String) throws {
        let specification = try Specification(of: "saxo")
        let name = document == "cs.yaml" ? "OrderLogStatus" : "OrderStatus"
        let statuses = specification.values(of: name, of: document)
        #expect(statuses.count == 8)
        let outcomes = specification.values(of: "Domain.OrderSubStatus", of: "cs.yaml")
        #expect(outcomes.count == 6)
        for status in statuses {
            for outcome in outcomes {
                let text =
                    #"{"Status":"\#(status)","SubStatus":"\#(outcome)","OrderId":"1","Amount":4,"FilledAmount":4,"#
                    + #""AssetType":"Stock","BuySell":"Buy","OrderType":"Limit","Uic":211}"#
                let event = try #require(try SaxoOrderEvent.events(in: Array(text.utf8)).elements.first)
                let listing = SaxoListing(
                    SaxoInstrumentKey(uic: 211, assetType: "Stock"), symbol: try symbol("AAPL"),
                    currencyName: "USD")
                let state = event.order(of: listing, fetchedAt: wallTime, isLast: true).state
                #expect(state != .unknown, "\(status) \(outcome)")
                // Only a confirmed end is one: the exchange may still refuse a request that was routed to it.
                if status == "Cancelled" {
                    #expect(
                        (state == .canceled) == ["Confirmed", "WaitCondition"].contains(outcome), "\(outcome)"
                    )
                }
            }
        }
    }
}
