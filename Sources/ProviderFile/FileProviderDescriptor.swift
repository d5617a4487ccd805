import Brokerage
package import PorticoCore
package import Upstream

/// The settings of a provider of a file.
package struct FileProviderSettings: DataServiceSettings {
    package let title: String
    package let key: SecretSetting
    package let baseURL: Setting<HTTPURL?>
    package let standardURL: HTTPURL?

    init(_ provider: ProviderDescription) {
        let name = provider.name
        title = name.text
        key = SecretSetting("provider-\(name)-key", "The API key of \(name).")
        baseURL = Setting(
            "provider-\(name)-base-url", .url, unset: "the address in the provider file",
            "The address of \(name).")
        standardURL = provider.base.url
    }
}

extension ProviderDescription {
    package var settings: FileProviderSettings { FileProviderSettings(self) }

    package var descriptor: ProviderDescriptor {
        ProviderDescriptor(id: id, settings: settings) { values, environment throws(UsageError) in
            try dataService(values, in: environment)
        }
    }

    private func dataService(
        _ values: SettingValues, in environment: Environment?
    ) throws(UsageError) -> DataService {
        let settings = settings
        let base = try settings.base(values)
        guard needsKey else {
            guard try values[settings.key] == nil else {
                throw UsageError(
                    """
                    \(values.name(of: settings.key)) is set, and the provider file says of \(name) that it needs no key. Add \
                    `key` to the provider, or remove the setting.
                    """)
            }
            return dataService(in: environment, ofServer: .some(nil), ofUser: nil, base)
        }
        let key = try values[settings.key] == nil ? nil : settings.serverKey(values)
        return dataService(in: environment, ofServer: key.map { .some($0) }, ofUser: { $0 }, base)
    }

    /// The key of a configuration is nil if the provider needs none.
    private func dataService(
        in environment: Environment?, ofServer: APIKey??, ofUser: (@Sendable (APIKey) -> APIKey?)?,
        _ base: ProviderBaseURL
    ) -> DataService {
        DataService(id, in: environment, ofServer: ofServer, ofUser: ofUser) {
            client(base, $0, over: $1)
        }
    }

    private func client(
        _ base: ProviderBaseURL, _ key: APIKey?, over channel: ProviderChannel
    ) -> DataService.Client {
        let client = FileProviderClient(self, base: base, key: key, over: channel)
        return DataService.Client(market: client.market, symbolMapping: client.symbols) {
            call throws(ProviderFailure) in try await client.check(in: call)
        }
    }
}
