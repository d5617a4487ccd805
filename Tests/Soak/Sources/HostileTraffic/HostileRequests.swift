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
        case guestSession
        /// Sign-in with a user name that does not exist, and with one that does.
        case signInUnknown
        case signInKnown
        /// A token that was never issued.
        case unknownToken
        /// A request that is not valid HTTP.
        case malformed

        fileprivate var perMille: Int {
            switch self {
            case .unknownSymbol: 250
            case .noCache: 150
            case .manyCalls: 60
            case .refusedDocument: 150
            case .newDocument: 150
            case .longComment: 5
            case .undeclaredVariables: 3
            case .longSymbol: 3
            case .guestSession: 50
            case .signInUnknown: 40
            case .signInKnown: 10
            case .unknownToken: 79
            case .malformed: 50
            }
        }
    }

    /// The user whose sign-in is attacked.
    package static let knownUser = "legitimate-0"

    private let addresses: Int
    private var random: SplitMix

    /// Creates requests from a number of client addresses.
    ///
    /// - Parameters:
    ///   - seed: The seed of the random numbers.
    ///   - addresses: The number of client addresses, at most 250.
    package init(seed: UInt64, addresses: Int) {
        random = SplitMix(seed: seed)
        self.addresses = addresses
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
        case .guestSession: return post("mutation { startGuestSession { token } }")
        case .signInUnknown: return signIn("nobody-\(number)")
        case .signInKnown: return signIn(Self.knownUser)
        case .unknownToken:
            return post("{ account { equity } }", ["Authorization: Bearer pts_\(number)"])
        case .malformed: return "GET /graphql HTTP/1.1\r\nHost: localhost\r\nBad Header\(number): 1\r\n\r\n"
        }
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

    private mutating func raw(_ body: String, _ fields: [String] = []) -> String {
        let address = "X-Forwarded-For: 203.0.113.\(1 + Int(random.next() % UInt64(addresses)))"
        return RawRequest.post(body, fields: [address] + fields)
    }
}
