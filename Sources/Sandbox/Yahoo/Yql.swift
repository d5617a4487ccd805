import Brokerage
import NIOHTTP1

/// `GET /v1/public/yql`: Yahoo's query language over the community's table of quotes, as it was answered in the
/// spring of 2017.
enum Yql {
    private static let table = "yahoo.finance.quotes"
    /// The file in which the community's tables were defined.
    private static let environment = "store://datatables.org/alltableswithkeys"

    static func respond(to request: SandboxRequest, _ view: MarketView, _ settings: FakeYahooSettings) throws
        -> SandboxResponse
    {
        switch settings.yql {
        case .discontinued: return discontinued
        case .serving: break
        }
        guard request[query: "format"] == "json" else {
            return errorResponse("The sandbox answers format=json only")
        }
        guard let statement = request[query: "q"].flatMap(YqlStatement.init) else {
            return errorResponse(
                "Query syntax error(s) [line 1:0 expecting statement_ql got '\(request[query: "q"] ?? "")']")
        }
        guard statement.table == table, request[query: "env"] == environment else {
            return errorResponse("No definition found for Table \(statement.table)")
        }
        return .json(try document(statement, view))
    }

    /// One quote is an object, several are an array, and none is null.
    private static func document(_ statement: YqlStatement, _ view: MarketView) throws -> JSONDocument {
        let quotes = try statement.symbols.map { symbol in
            let quote = try YqlQuote(symbol, view)
            return JSONDocument.object(quote.members.filter { statement.fields?.contains($0.name) ?? true })
        }
        let results: JSONDocument =
            switch quotes.count {
            case 0: .null
            case 1: ["quote": quotes[0]]
            default: ["quote": .array(quotes)]
            }
        let created = Instant(secondsSince1970: view.instant.secondsSince1970) ?? .earliest
        return [
            "query": [
                "count": JSONDocument(integerLiteral: quotes.count),
                "created": .string(created.description),
                "lang": "en-US",
                "results": results,
            ]
        ]
    }

    private static func errorResponse(_ description: String) -> SandboxResponse {
        .json(
            ["error": ["lang": "en-US", "description": .string(description)]], status: .badRequest)
    }

    /// What the source of the table said from 2017-11-01 on.
    private static let discontinued = SandboxResponse.text(
        """
        It has come to our attention that this service is being used in violation of the Yahoo Terms of Service. \
        As such, the service is being discontinued.
        """, status: .forbidden)
}
