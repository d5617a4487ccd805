import Brokerage

/// The data of the company behind a share; funds have none.
///
/// Names and registry numbers are public record. Figures are realistic in size but invented, as are the
/// descriptions.
struct Company: Sendable {
    /// The symbols of its shares, as the market lists them.
    let symbols: [String]
    let name: String
    /// The company's number at the SEC.
    let cik: Int
    let sector: String
    let industry: String
    /// The country of the head office.
    var country: String { "United States" }
    let employees: Int
    /// All shares, converted to this class.
    let thousandsOfShares: Int
    /// Earnings per share of the last four quarters, in cents; negative for a loss.
    let earningsPerShare: Int
    /// Dividends per share and year, in cents; nil for none.
    let dividendPerShare: Int?
    /// The business, as text that follows the name.
    let business: String

    var description: String { "\(name) \(business)." }

    /// Returns the value of all shares at a price in cents, in whole dollars.
    func marketCapitalization(at price: Int) -> Int {
        thousandsOfShares * 10 * price
    }

    /// The company's website: a name that cannot be registered (RFC 2606).
    var website: String {
        "https://\((symbols.first ?? "company").lowercased().filter(\.isLetter)).example/"
    }

    /// Returns the company of a share; nil for a fund.
    static func issuer(of symbol: String) -> Company? {
        bySymbol[symbol]
    }

    private static let bySymbol = Dictionary(
        listing.flatMap { company in company.symbols.map { ($0, company) } },
        uniquingKeysWith: { first, _ in first })
}

extension Company {
    /// The companies of the shares of ``FakeInstrument/listing``, by symbol.
    static let listing: [Company] = [
        Company(
            symbols: ["AAPL"], name: "Apple Inc.", cik: 320_193,
            sector: "Technology", industry: "Consumer Electronics", employees: 164_000,
            thousandsOfShares: 14_800_000, earningsPerShare: 728, dividendPerShare: 104,
            business: "designs phones, computers and watches, and sells the services that run on them"),
        Company(
            symbols: ["ADBE"], name: "Adobe Inc.", cik: 796_343,
            sector: "Technology", industry: "Software - Application", employees: 30_700,
            thousandsOfShares: 424_000, earningsPerShare: 1605, dividendPerShare: nil,
            business: "makes software for design, documents and marketing"),
        Company(
            symbols: ["AMD"], name: "Advanced Micro Devices, Inc.", cik: 2488,
            sector: "Technology", industry: "Semiconductors", employees: 28_000,
            thousandsOfShares: 1_623_000, earningsPerShare: 165, dividendPerShare: nil,
            business: "designs processors and accelerators for computers and data centres"),
        Company(
            symbols: ["AMZN"], name: "Amazon.com, Inc.", cik: 1_018_724,
            sector: "Consumer Cyclical", industry: "Internet Retail", employees: 1_556_000,
            thousandsOfShares: 10_660_000, earningsPerShare: 655, dividendPerShare: nil,
            business: "runs online shops, their logistics, and a large cloud"),
        Company(
            symbols: ["AVGO"], name: "Broadcom Inc.", cik: 1_730_168,
            sector: "Technology", industry: "Semiconductors", employees: 37_000,
            thousandsOfShares: 4_722_000, earningsPerShare: 390, dividendPerShare: 236,
            business: "makes chips for networks and storage, and software for data centres"),
        Company(
            symbols: ["BA"], name: "The Boeing Company", cik: 12_927,
            sector: "Industrials", industry: "Aerospace & Defense", employees: 172_000,
            thousandsOfShares: 760_000, earningsPerShare: -1860, dividendPerShare: nil,
            business: "builds airliners, military aircraft and satellites"),
        Company(
            symbols: ["BAC"], name: "Bank of America Corporation", cik: 70_858,
            sector: "Financial Services", industry: "Banks - Diversified", employees: 213_000,
            thousandsOfShares: 7_400_000, earningsPerShare: 342, dividendPerShare: 108,
            business: "takes deposits, lends, and manages wealth across the United States"),
        Company(
            symbols: ["BRK.A"], name: "Berkshire Hathaway Inc.", cik: 1_067_983,
            sector: "Financial Services", industry: "Insurance - Diversified", employees: 392_000,
            thousandsOfShares: 1438, earningsPerShare: 4_385_000, dividendPerShare: nil,
            business: "owns insurers, a railway, utilities and stakes in many listed companies"),
        Company(
            symbols: ["BRK.B"], name: "Berkshire Hathaway Inc.", cik: 1_067_983,
            sector: "Financial Services", industry: "Insurance - Diversified", employees: 392_000,
            thousandsOfShares: 2_157_000, earningsPerShare: 2923, dividendPerShare: nil,
            business: "owns insurers, a railway, utilities and stakes in many listed companies"),
        Company(
            symbols: ["C"], name: "Citigroup Inc.", cik: 831_001,
            sector: "Financial Services", industry: "Banks - Diversified", employees: 227_000,
            thousandsOfShares: 1_790_000, earningsPerShare: 695, dividendPerShare: 232,
            business: "runs a bank for companies and households around the world"),
        Company(
            symbols: ["CAT"], name: "Caterpillar Inc.", cik: 18_230,
            sector: "Industrials", industry: "Farm & Heavy Construction Machinery", employees: 112_900,
            thousandsOfShares: 468_000, earningsPerShare: 1960, dividendPerShare: 574,
            business: "builds machines for construction and mining"),
        Company(
            symbols: ["COST"], name: "Costco Wholesale Corporation", cik: 909_832,
            sector: "Consumer Defensive", industry: "Discount Stores", employees: 341_000,
            thousandsOfShares: 443_000, earningsPerShare: 1821, dividendPerShare: 500,
            business: "runs warehouses that sell to members"),
        Company(
            symbols: ["CRM"], name: "Salesforce, Inc.", cik: 1_108_524,
            sector: "Technology", industry: "Software - Application", employees: 76_500,
            thousandsOfShares: 952_000, earningsPerShare: 690, dividendPerShare: 164,
            business: "makes software for sales, service and marketing"),
        Company(
            symbols: ["CSCO"], name: "Cisco Systems, Inc.", cik: 858_877,
            sector: "Technology", industry: "Communication Equipment", employees: 86_200,
            thousandsOfShares: 3_950_000, earningsPerShare: 261, dividendPerShare: 162,
            business: "makes equipment and software for networks"),
        Company(
            symbols: ["CVX"], name: "Chevron Corporation", cik: 93_410,
            sector: "Energy", industry: "Oil & Gas Integrated", employees: 45_300,
            thousandsOfShares: 2_010_000, earningsPerShare: 711, dividendPerShare: 684,
            business: "finds, produces and refines oil and gas"),
        Company(
            symbols: ["DIS"], name: "The Walt Disney Company", cik: 1_744_489,
            sector: "Communication Services", industry: "Entertainment", employees: 233_000,
            thousandsOfShares: 1_785_000, earningsPerShare: 685, dividendPerShare: 100,
            business: "makes films and television, and runs parks and streaming services"),
        Company(
            symbols: ["GOOG", "GOOGL"], name: "Alphabet Inc.", cik: 1_652_044,
            sector: "Communication Services", industry: "Internet Content & Information", employees: 187_000,
            thousandsOfShares: 12_080_000, earningsPerShare: 1013, dividendPerShare: 83,
            business: "runs a search engine, a video platform, advertising and a cloud"),
        Company(
            symbols: ["GS"], name: "The Goldman Sachs Group, Inc.", cik: 886_982,
            sector: "Financial Services", industry: "Capital Markets", employees: 46_500,
            thousandsOfShares: 300_000, earningsPerShare: 4923, dividendPerShare: 1400,
            business: "advises, trades and manages money for companies and investors"),
        Company(
            symbols: ["HD"], name: "The Home Depot, Inc.", cik: 354_950,
            sector: "Consumer Cyclical", industry: "Home Improvement Retail", employees: 470_000,
            thousandsOfShares: 995_000, earningsPerShare: 1468, dividendPerShare: 914,
            business: "sells what homes are built and mended with"),
        Company(
            symbols: ["IBM"], name: "International Business Machines Corporation", cik: 51_143,
            sector: "Technology", industry: "Information Technology Services", employees: 270_000,
            thousandsOfShares: 935_000, earningsPerShare: 831, dividendPerShare: 671,
            business: "sells software, consulting and large computers"),
        Company(
            symbols: ["INTC"], name: "Intel Corporation", cik: 50_863,
            sector: "Technology", industry: "Semiconductors", employees: 108_900,
            thousandsOfShares: 4_770_000, earningsPerShare: 6, dividendPerShare: nil,
            business: "designs and makes processors"),
        Company(
            symbols: ["JNJ"], name: "Johnson & Johnson", cik: 200_406,
            sector: "Healthcare", industry: "Drug Manufacturers - General", employees: 138_100,
            thousandsOfShares: 2_410_000, earningsPerShare: 1036, dividendPerShare: 508,
            business: "makes medicines and medical devices"),
        Company(
            symbols: ["JPM"], name: "JPMorgan Chase & Co.", cik: 19_617,
            sector: "Financial Services", industry: "Banks - Diversified", employees: 317_000,
            thousandsOfShares: 2_722_000, earningsPerShare: 2019, dividendPerShare: 580,
            business: "runs a bank for households, companies and investors"),
        Company(
            symbols: ["KO"], name: "The Coca-Cola Company", cik: 21_344,
            sector: "Consumer Defensive", industry: "Beverages - Non-Alcoholic", employees: 69_700,
            thousandsOfShares: 4_300_000, earningsPerShare: 303, dividendPerShare: 202,
            business: "makes and markets soft drinks"),
        Company(
            symbols: ["MA"], name: "Mastercard Incorporated", cik: 1_141_391,
            sector: "Financial Services", industry: "Credit Services", employees: 35_300,
            thousandsOfShares: 898_000, earningsPerShare: 1564, dividendPerShare: 304,
            business: "runs a network for card payments"),
        Company(
            symbols: ["MCD"], name: "McDonald's Corporation", cik: 63_908,
            sector: "Consumer Cyclical", industry: "Restaurants", employees: 150_000,
            thousandsOfShares: 712_000, earningsPerShare: 1177, dividendPerShare: 717,
            business: "runs and franchises restaurants"),
        Company(
            symbols: ["META"], name: "Meta Platforms, Inc.", cik: 1_326_801,
            sector: "Communication Services", industry: "Internet Content & Information", employees: 74_000,
            thousandsOfShares: 2_520_000, earningsPerShare: 2262, dividendPerShare: 210,
            business: "runs social networks and sells advertising on them"),
        Company(
            symbols: ["MSFT"], name: "Microsoft Corporation", cik: 789_019,
            sector: "Technology", industry: "Software - Infrastructure", employees: 228_000,
            thousandsOfShares: 7_433_000, earningsPerShare: 1408, dividendPerShare: 348,
            business: "makes operating systems, office software and a cloud"),
        Company(
            symbols: ["NFLX"], name: "Netflix, Inc.", cik: 1_065_280,
            sector: "Communication Services", industry: "Entertainment", employees: 14_000,
            thousandsOfShares: 4_237_000, earningsPerShare: 240, dividendPerShare: nil,
            business: "streams films and series that it makes or licenses"),
        Company(
            symbols: ["NKE"], name: "NIKE, Inc.", cik: 320_187,
            sector: "Consumer Cyclical", industry: "Footwear & Accessories", employees: 77_800,
            thousandsOfShares: 1_478_000, earningsPerShare: 195, dividendPerShare: 160,
            business: "designs and sells sports shoes and clothing"),
        Company(
            symbols: ["NVDA"], name: "NVIDIA Corporation", cik: 1_045_810,
            sector: "Technology", industry: "Semiconductors", employees: 36_000,
            thousandsOfShares: 24_300_000, earningsPerShare: 404, dividendPerShare: 4,
            business: "designs graphics processors and computers for machine learning"),
        Company(
            symbols: ["ORCL"], name: "Oracle Corporation", cik: 1_341_439,
            sector: "Technology", industry: "Software - Infrastructure", employees: 162_000,
            thousandsOfShares: 2_850_000, earningsPerShare: 532, dividendPerShare: 200,
            business: "makes databases and business software, and runs a cloud"),
        Company(
            symbols: ["PEP"], name: "PepsiCo, Inc.", cik: 77_476,
            sector: "Consumer Defensive", industry: "Beverages - Non-Alcoholic", employees: 319_000,
            thousandsOfShares: 1_369_000, earningsPerShare: 527, dividendPerShare: 562,
            business: "makes drinks and snacks"),
        Company(
            symbols: ["PFE"], name: "Pfizer Inc.", cik: 78_003,
            sector: "Healthcare", industry: "Drug Manufacturers - General", employees: 81_000,
            thousandsOfShares: 5_686_000, earningsPerShare: 172, dividendPerShare: 172,
            business: "discovers and makes medicines and vaccines"),
        Company(
            symbols: ["PG"], name: "The Procter & Gamble Company", cik: 80_424,
            sector: "Consumer Defensive", industry: "Household & Personal Products", employees: 109_000,
            thousandsOfShares: 2_337_000, earningsPerShare: 685, dividendPerShare: 415,
            business: "makes goods for the household and personal care"),
        Company(
            symbols: ["PLTR"], name: "Palantir Technologies Inc.", cik: 1_321_655,
            sector: "Technology", industry: "Software - Infrastructure", employees: 3940,
            thousandsOfShares: 2_380_000, earningsPerShare: 43, dividendPerShare: nil,
            business: "makes software that joins and analyses data"),
        Company(
            symbols: ["PYPL"], name: "PayPal Holdings, Inc.", cik: 1_633_917,
            sector: "Financial Services", industry: "Credit Services", employees: 24_400,
            thousandsOfShares: 936_000, earningsPerShare: 499, dividendPerShare: 56,
            business: "runs a network for payments online"),
        Company(
            symbols: ["SBUX"], name: "Starbucks Corporation", cik: 829_224,
            sector: "Consumer Cyclical", industry: "Restaurants", employees: 361_000,
            thousandsOfShares: 1_137_000, earningsPerShare: 163, dividendPerShare: 245,
            business: "runs coffee houses"),
        Company(
            symbols: ["T"], name: "AT&T Inc.", cik: 732_717,
            sector: "Communication Services", industry: "Telecom Services", employees: 140_990,
            thousandsOfShares: 7_090_000, earningsPerShare: 304, dividendPerShare: 111,
            business: "runs networks for telephones and the internet"),
        Company(
            symbols: ["TSLA"], name: "Tesla, Inc.", cik: 1_318_605,
            sector: "Consumer Cyclical", industry: "Auto Manufacturers", employees: 125_665,
            thousandsOfShares: 3_330_000, earningsPerShare: 145, dividendPerShare: nil,
            business: "builds electric cars and batteries"),
        Company(
            symbols: ["UNH"], name: "UnitedHealth Group Incorporated", cik: 731_766,
            sector: "Healthcare", industry: "Healthcare Plans", employees: 400_000,
            thousandsOfShares: 906_000, earningsPerShare: 1920, dividendPerShare: 884,
            business: "insures health and runs medical services"),
        Company(
            symbols: ["V"], name: "Visa Inc.", cik: 1_403_161,
            sector: "Financial Services", industry: "Credit Services", employees: 31_600,
            thousandsOfShares: 1_910_000, earningsPerShare: 1020, dividendPerShare: 268,
            business: "runs a network for card payments"),
        Company(
            symbols: ["VZ"], name: "Verizon Communications Inc.", cik: 732_712,
            sector: "Communication Services", industry: "Telecom Services", employees: 99_600,
            thousandsOfShares: 4_216_000, earningsPerShare: 469, dividendPerShare: 276,
            business: "runs networks for telephones and the internet"),
        Company(
            symbols: ["WMT"], name: "Walmart Inc.", cik: 104_169,
            sector: "Consumer Defensive", industry: "Discount Stores", employees: 2_100_000,
            thousandsOfShares: 7_973_000, earningsPerShare: 286, dividendPerShare: 94,
            business: "runs supermarkets and online shops"),
        Company(
            symbols: ["XOM"], name: "Exxon Mobil Corporation", cik: 34_088,
            sector: "Energy", industry: "Oil & Gas Integrated", employees: 61_000,
            thousandsOfShares: 4_260_000, earningsPerShare: 688, dividendPerShare: 412,
            business: "finds, produces and refines oil and gas"),
    ]
}

/// Statistics of the official closes of the last year, the last close included; prices in ticks.
struct YearPriceStats: Sendable {
    let high: Int
    let low: Int
    /// Newest first; at least one.
    private let closes: [Int]

    /// Nil if the instrument has no price.
    init?(_ instrument: FakeInstrument, _ view: MarketView) {
        guard view.priced(instrument.symbol) != nil, let today = view.marketDay(of: instrument),
            let yearAgo = today.date.adding(months: -12), let bar = view.dayBar(instrument, today)
        else { return nil }
        let earlier = view.market.schedule(of: instrument).sessions(from: yearAgo, through: today.date)
            .dropLast()
            .map { view.market.close(instrument, $0) }
        high = max(bar.high, earlier.max() ?? bar.high)
        low = min(bar.low, earlier.min() ?? bar.low)
        closes = [bar.close] + earlier.reversed()
    }

    /// Returns the mean of the last `count` closes, or of all if there are fewer; for prices in cents.
    func average(ofLast count: Int) -> Decimal {
        let last = closes.prefix(count)
        let sum = Decimal(cents: last.reduce(0, +))
        return (try? sum.divided(by: Decimal(last.count), to: 4, .halfEven)) ?? .zero
    }
}
