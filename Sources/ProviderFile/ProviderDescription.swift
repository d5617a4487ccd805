package import Brokerage
package import Upstream

/// A provider of a provider file: its address, limits and errors, and the calls that it has.
package struct ProviderDescription: Sendable {
    package let name: ProviderName
    let base: ProviderBaseURL
    /// Nil for a provider that needs no key.
    let key: KeyPlace?
    package let quotas: [QuotaWindow]
    package let symbols: FileSymbols
    /// The positions in the routes, from 1.
    package let routes: [MarketDataCapability: Int]
    let errors: ErrorForms
    let quotes: QuoteEndpoint?
    let charts: ChartEndpoint?
    let instrument: InstrumentEndpoint?
    let search: SearchEndpoint?
    let news: NewsEndpoint?

    package var id: ProviderID { ProviderID(name) }

    package var needsKey: Bool { key != nil }

    /// The kinds of data that it has.
    package var capabilities: Set<MarketDataCapability> {
        var capabilities: Set<MarketDataCapability> = []
        if quotes != nil { capabilities.insert(.quotes) }
        if charts != nil { capabilities.insert(.charts) }
        if instrument != nil || search != nil { capabilities.insert(.instruments) }
        if news != nil { capabilities.insert(.news) }
        return capabilities
    }

    /// Where a request has the key.
    enum KeyPlace: Sendable {
        case header(String, prefix: String)
        case query(String)
    }
}

/// The forms of a provider's errors.
struct ErrorForms: Sendable {
    struct Form: Sendable {
        /// Nil for any.
        let status: Int?
        /// The path of a value of the body; nil if the status decides.
        let path: JSONPath?
        /// In small letters; nil for any value.
        let text: String?
        let cause: Cause
        let retryAfterSeconds: Int?
    }

    enum Cause: String, Sendable, CaseIterable {
        case unavailable = "UNAVAILABLE"
        case timedOut = "TIMED_OUT"
        case invalidResponse = "INVALID_RESPONSE"
        case unauthorized = "UNAUTHORIZED"
        case notEntitled = "NOT_ENTITLED"
        case notFound = "NOT_FOUND"
        case rateLimited = "RATE_LIMITED"
        case quotaExhausted = "QUOTA_EXHAUSTED"
        case unsupported = "UNSUPPORTED"
    }

    private let forms: [(form: Form, body: JSONPathFields<Value>?)]

    /// The longest body with a good status that may be an error, in bytes.
    static let maximumErrorBytes = 8_192

    private struct Value: Sendable {
        var text: String?
    }

    init(_ forms: [Form]) {
        self.forms = forms.map { form in
            let body = form.path.map { path in
                JSONPathFields(Value()) {
                    $0.optional(path, \.text) { reader throws(JSONError) in
                        switch try reader.kind() {
                        case .string: return try reader.string()
                        case .number, .true, .false, .null, .array, .object:
                            try reader.skip()
                            return ""
                        }
                    }
                }
            }
            return (form, body)
        }
    }

    /// The meaning of a response; nil for a success.
    ///
    /// A response without a form of its own has the meaning of its status by RFC 9110.
    func cause(_ response: HTTPClientResponse, now: Instant) -> ProviderFailure.Cause? {
        for (form, body) in forms where form.status ?? response.status == response.status {
            if let body {
                // Errors are short; a longer good body is data, and is not parsed twice.
                guard !response.isSuccess || response.body.count <= Self.maximumErrorBytes else { continue }
                let value = try? JSONReader.read(response.body) { reader throws(JSONError) in
                    try body.read(from: &reader)
                }
                guard let text = value?.text, form.text.map({ text.lowercased().contains($0) }) ?? true else {
                    continue
                }
            }
            return form.meaning(of: response, now: now)
        }
        return ProviderFailure.Cause.status(of: response, now: now)
    }
}

extension ErrorForms.Form {
    fileprivate func meaning(of response: HTTPClientResponse, now: Instant) -> ProviderFailure.Cause {
        var retryAt: Instant? {
            RetryAfter.instant(in: response, now: now) ?? retryAfterSeconds.map { now + .seconds($0) }
        }
        return switch cause {
        case .unavailable: .unavailable
        case .timedOut: .timedOut
        case .invalidResponse: .invalidResponse(nil)
        case .unauthorized: .unauthorized
        case .notEntitled: .notEntitled
        case .notFound: .notFound
        case .rateLimited: .rateLimited(retryAt: retryAt)
        case .quotaExhausted: .quotaExhausted(retryAt: retryAt)
        case .unsupported: .unsupported
        }
    }
}

/// The member of a response that says that it is a success.
struct StatusMember: Sendable {
    let path: JSONPath
    let choices: [String: Timeliness]
    let delayMinutes: Int

    static let standardDelay = 15
}
