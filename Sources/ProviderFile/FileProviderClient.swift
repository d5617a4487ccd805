import Brokerage
package import Upstream

/// The calls of a provider file with one key.
///
/// Every call throws ``Upstream/ProviderFailure`` only, and ends by its deadline.
package struct FileProviderClient: Sendable {
    package let description: ProviderDescription
    let clock: TimeSource
    private let base: HTTPURL
    private let httpClient: ProviderHTTPClient
    private let headers: HTTPClientHeaders
    /// The query item that has the key; `APIKey` is not printed.
    private let keyItem: (name: String, key: APIKey)?

    /// The largest body of a response in bytes.
    static let maximumBodyBytes = 8 << 20

    /// - Parameters:
    ///   - description: The provider.
    ///   - base: The address instead of that of the file; nil for that of the file.
    ///   - key: The key; nil if the provider needs none.
    ///   - quotas: The limits of the key.
    ///   - channel: Sends the calls, and has their quota.
    package init(
        _ description: ProviderDescription, base: ProviderBaseURL? = nil, key: APIKey?,
        quotas: [QuotaWindow]? = nil, over channel: ProviderChannel
    ) {
        self.description = description
        self.base = (base ?? description.base).url
        clock = channel.clock
        httpClient = channel.client(
            within: quotas ?? description.quotas,
            failure: { [errors = description.errors] response, now in errors.cause(response, now: now) })
        var headers = HTTPClientHeaders()
        headers.add("Accept", "application/json")
        var keyItem: (name: String, key: APIKey)?
        switch (description.key, key) {
        case (.header(let name, let prefix)?, let key?): headers.add(name, prefix + key.text)
        case (.query(let name)?, let key?): keyItem = (name, key)
        case (nil, _), (_, nil): break
        }
        self.headers = headers
        self.keyItem = keyItem
    }

    var id: ProviderID { description.id }
    package var symbols: FileSymbols { description.symbols }

    /// The client of each kind of data that the provider has.
    package var market: MarketDataClients {
        MarketDataClients(
            quotes: description.quotes.map { FileQuotes(client: self, endpoint: $0) },
            charts: description.charts.map { FileCharts(client: self, endpoint: $0) },
            instruments: description.capabilities.contains(.instruments)
                ? FileInstruments(client: self) : nil,
            news: description.news.map { FileNews(client: self, endpoint: $0) })
    }

    /// Tests the key with one call.
    package func check(in call: CallContext) async throws(ProviderFailure) {
        do throws(ProviderFailure) {
            if description.search != nil {
                _ = try await FileInstruments(client: self).search("IBM", limit: 1, in: call)
            } else if let endpoint = description.quotes {
                _ = try await FileQuotes(client: self, endpoint: endpoint).quotes(for: [.example], in: call)
            } else if description.instrument != nil {
                _ = try await FileInstruments(client: self).instrument(.example, in: call)
            } else if let endpoint = description.charts {
                _ = try await FileCharts(client: self, endpoint: endpoint)
                    .charts(of: [.example], ChartWindow(interval: endpoint.checkInterval, last: 1), in: call)
            } else if let endpoint = description.news {
                _ = try await FileNews(client: self, endpoint: endpoint)
                    .news(about: nil, limit: 1, after: nil, in: call)
            }
        } catch {
            guard error.cause == .notFound else { throw error }
        }
    }

    /// Reads the items at an address below the base.
    func items<Item>(
        _ operation: String, _ request: RequestTemplate, _ values: [String: String], in context: CallContext,
        by reader: ItemListReader<Item>
    ) async throws(ProviderFailure) -> ItemList<Item> {
        try await get(operation, request, values, in: context, read: reader.read)
    }

    /// Reads an address below the base, with the retries of the channel's policy.
    func get<Value>(
        _ operation: String, _ request: RequestTemplate, _ values: [String: String],
        in context: CallContext, read: (inout JSONReader) throws(JSONError) -> Value
    ) async throws(ProviderFailure) -> Value {
        guard let address = request.url(base, values),
            let url = keyItem.map({ address.appending(query: [($0.name, $0.key.text)]) }) ?? address
        else {
            throw ProviderFailure(id, .unsupported)
        }
        let request = HTTPClientRequest(
            .get, url, headers: headers, deadline: context.deadline,
            maximumResponseBytes: Self.maximumBodyBytes)
        return try await httpClient.call(operation, request, in: context) { response throws(JSONError) in
            try JSONReader.read(response.body, read)
        }
    }
}
