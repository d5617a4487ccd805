import PorticoCore
import TestSupport

/// The requests of clients without a session that try to exhaust the server or its providers' quotas.
///
/// The same seed produces the same requests.
package struct HostileRequests {
    /// An attack, with its share of the requests in per mille.
    ///
    /// Large bodies are rare, so that the load generator is not the bottleneck.
    package enum Attack: String, CaseIterable, Codable, Sendable {
        /// Queries of symbols that do not exist: each would cost one call to each provider of the route.
        case unknownSymbol
        /// `Cache-Control: no-cache` for a symbol that is cached.
        case noCache
        /// Many aliases of a field that needs a provider call each.
        case manyCalls
        /// Documents that are rejected, each a different one, in a request that accepts a stream.
        case refusedDocument
        /// Valid documents, each a different one.
        case newDocument
        /// A valid document with a comment of some 100 KB, each a different one.
        case longComment
        /// Variables of some 600 KB that the operation does not declare.
        case undeclaredVariables
        /// A symbol that is one character of 200 KB.
        case longSymbol
        /// Hundreds of deferred fragments and streamed items, whose label is in each announcement.
        case deferredLabel
        case streamedLabel
        /// A label of 30 KB.
        case longLabel
        /// Methods, names, arguments and ids of 10 KB in messages to `/mcp`, which errors could repeat.
        case toolText
        /// The same with 900 KB, and a decimal number of this length.
        case longToolText
        case guestSession
        /// Sign-in with a user name that does not exist, and with one that does.
        case signInUnknown
        case signInKnown
        /// A token that was never issued.
        case unknownToken
        /// A token of the identity provider with an invented signature, by a key that it has or by another one.
        case bearerToken
        /// A request that is not valid HTTP.
        case malformed

        fileprivate var perMille: Int {
            switch self {
            case .unknownSymbol: 205
            case .noCache: 135
            case .manyCalls: 60
            case .refusedDocument: 136
            case .newDocument: 136
            case .longComment: 5
            case .undeclaredVariables: 3
            case .longSymbol: 3
            case .deferredLabel: 10
            case .streamedLabel: 10
            case .longLabel: 5
            case .toolText: 20
            case .longToolText: 3
            case .guestSession: 50
            case .signInUnknown: 40
            case .signInKnown: 10
            case .unknownToken: 79
            case .bearerToken: 40
            case .malformed: 50
            }
        }

        /// The maximum length of the body of a response, in bytes: that of the engine and its framing, or less where a
        /// response must not repeat the client's text.
        var longestResponse: Int {
            switch self {
            case .longLabel, .toolText, .longToolText, .longSymbol, .undeclaredVariables: 4 << 10
            case .unknownSymbol, .noCache, .manyCalls, .refusedDocument, .newDocument, .longComment,
                .deferredLabel, .streamedLabel, .guestSession, .signInUnknown, .signInKnown, .unknownToken,
                .bearerToken, .malformed:
                9 << 20
            }
        }
    }

    /// The user whose sign-in is attacked.
    package static let knownUser = "legitimate-0"

    private let addresses: Int
    private let tokens: InventedTokens
    private var random: SplitMix

    /// Creates requests from a number of client addresses.
    ///
    /// - Parameters:
    ///   - seed: The seed of the random numbers.
    ///   - addresses: The number of client addresses, at most 250.
    ///   - tokens: The tokens of clients that have none.
    package init(seed: UInt64, addresses: Int, tokens: InventedTokens) {
        random = SplitMix(seed: seed)
        (self.addresses, self.tokens) = (addresses, tokens)
    }

    /// Returns the next request, and its attack.
    package mutating func next() -> (text: String, attack: Attack) {
        var luck = Int.random(in: 0..<1_000, using: &random)
        for attack in Attack.allCases {
            luck -= attack.perMille
            if luck < 0 { return (request(attack), attack) }
        }
        return (request(.unknownSymbol), .unknownSymbol)
    }

    private mutating func request(_ attack: Attack) -> String {
        let number = random.next() % 1_000_000_007
        switch attack {
        case .unknownSymbol: return post("{ quote(symbol: \"\(symbol(number))\") { price } }")
        case .noCache: return post("{ quote(symbol: \"AAPL\") { price } }", ["Cache-Control: no-cache"])
        case .manyCalls:
            let fields = (0..<100).map { (index: UInt64) in
                "a\(index): chart(symbol: \"\(symbol(number &+ index))\") { symbol }"
            }
            return post("{ \(fields.joined(separator: " ")) }")
        case .refusedDocument:
            return post("{ unknown\(number) }", ["Accept: text/event-stream, application/json;q=0.5"])
        case .newDocument: return post("query Q\(number) { a\(number): __typename }")
        case .longComment:
            return post("{ __typename } # \(number)" + String(repeating: "x", count: 100_000))
        case .undeclaredVariables:
            let value = String(repeating: "v", count: 600_000)
            return raw("{\"query\":\"{ __typename }\",\"variables\":{\"v\(number)\":\"\(value)\"}}")
        case .longSymbol:
            let symbol = "e" + String(repeating: "\u{301}", count: 100_000)
            return post("{ quote(symbol: \"\(symbol)\") { price } }")
        case .deferredLabel, .streamedLabel: return labelled(attack, number)
        case .longLabel:
            let label = String(repeating: "l", count: 30_000)
            return post(
                "{ quotes(symbols: [\"AAPL\"]) { ... @defer(label: \"\(label)\") { price } } }",
                ["Accept: multipart/mixed;incrementalSpec=v0.2, application/json;q=0.5"])
        case .toolText: return toolMessage(number, text: String(repeating: "t", count: 10_000))
        case .longToolText: return toolMessage(number, text: String(repeating: "0", count: 900_000))
        case .guestSession: return post("mutation { startGuestSession { token } }")
        case .signInUnknown: return signIn("nobody-\(number)")
        case .signInKnown: return signIn(Self.knownUser)
        case .unknownToken:
            return post("{ account { equity } }", ["Authorization: Bearer pts_\(number)"])
        case .bearerToken:
            let token = tokens.token(number, using: &random)
            return post("{ account { equity } }", ["Authorization: Bearer \(token)"])
        case .malformed: return "GET /graphql HTTP/1.1\r\nHost: localhost\r\nBad Header\(number): 1\r\n\r\n"
        }
    }

    /// Returns a request for a hundred quotes of a known symbol in three fields, each quote deferred or streamed.
    private mutating func labelled(_ attack: Attack, _ number: UInt64) -> String {
        let label = "\(number)" + String(repeating: "l", count: 200)
        let symbols = String(repeating: "\"AAPL\" ", count: 100)
        let fields = (0..<3).map { index in
            attack == .deferredLabel
                ? "a\(index): quotes(symbols: [\(symbols)]) { symbol ... @defer(label: \"\(index)\(label)\") { price } }"
                : "a\(index): quotes(symbols: [\(symbols)]) @stream(label: \"\(index)\(label)\") { price }"
        }
        let format = number.isMultiple(of: 2) ? "deferSpec=20220824" : "incrementalSpec=v0.2"
        return post(
            "{ \(fields.joined(separator: " ")) }",
            ["Accept: multipart/mixed;\(format), application/json;q=0.5"])
    }

    /// Returns a message to `/mcp` with a text in one of the places that an error names.
    private mutating func toolMessage(_ number: UInt64, text: String) -> String {
        let call = #""method":"tools/call","params":{"name":"#
        let members =
            switch number % 6 {
            case 0: #""id":1,"method":"\#(text)""#
            case 1: #""id":1,\#(call)"\#(text)"}"#
            case 2: #""id":1,\#(call)"LatestPrices","arguments":{"\#(text)":1}}"#
            case 3: #""id":1,"method":"resources/read","params":{"uri":"\#(text)"}"#
            case 4: #""id":"\#(text)","method":"ping""#
            default:
                """
                "id":1,\(call)"PreviewOrder","arguments":{"input":{"accountId":"a","instrument":{"symbol":"AMD"},\
                "side":"BUY","size":{"quantity":"\(text)"}}}}
                """
            }
        return raw(#"{"jsonrpc":"2.0",\#(members)}"#, path: "/mcp")
    }

    /// Returns a symbol of five letters, which every provider could have.
    private func symbol(_ number: UInt64) -> String {
        var (rest, letters) = (number, "Q")
        for _ in 0..<5 {
            letters.unicodeScalars.append(Unicode.Scalar(UInt8(65 + rest % 26)))
            rest /= 26
        }
        return letters
    }

    private mutating func signIn(_ name: String) -> String {
        post(
            "mutation { signIn(input: { username: \"\(name)\" password: \"not-the-password\" }) { token } }")
    }

    private mutating func post(_ document: String, _ fields: [String] = []) -> String {
        raw(RawRequest.query(document), fields)
    }

    private mutating func raw(_ body: String, _ fields: [String] = [], path: String = "/graphql") -> String {
        let address = "X-Forwarded-For: 203.0.113.\(1 + Int(random.next() % UInt64(addresses)))"
        return RawRequest.post(body, path: path, fields: [address] + fields)
    }
}

/// Tokens like those of an identity provider, with invented signatures.
package struct InventedTokens: Codable, Sendable {
    /// The issuer, the audience and the id of the key of the provider's tokens.
    private let issuer: String
    private let audience: String
    private let keyID: String

    package init(issuer: String, audience: String, keyID: String) {
        (self.issuer, self.audience, self.keyID) = (issuer, audience, keyID)
    }

    /// Returns a token that is not expired, of an invented subject; every second one names an invented key.
    func token(_ number: UInt64, using random: inout SplitMix) -> String {
        let key = number.isMultiple(of: 2) ? keyID : "\(number)"
        let claims = """
            {"iss":"\(issuer)","aud":"\(audience)","sub":"\(number)","iat":1700000000,"exp":4000000000}
            """
        let header = #"{"alg":"ES256","kid":"\#(key)"}"#
        let signature = (0..<64).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        return [Array(header.utf8), Array(claims.utf8), signature].map { Base64.url.encoded($0) }
            .joined(separator: ".")
    }
}
