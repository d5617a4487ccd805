import Brokerage
import PorticoCore
package import Upstream

/// The settings of a provider of a file.
package struct FileProviderSettings: SettingGroup {
    package let title: String
    let key: SecretSetting
    let baseURL: Setting<HTTPURL?>

    init(_ name: ProviderName) {
        title = name.text
        key = SecretSetting("provider-\(name)-key", "The API key of \(name).")
        baseURL = Setting(
            "provider-\(name)-base-url", .url, unset: "the address in the provider file",
            "The address of \(name).")
    }
}

extension ProviderDescription {
    package var settings: FileProviderSettings { FileProviderSettings(name) }

    package var descriptor: ProviderDescriptor {
        ProviderDescriptor(id: id, settings: settings) { values, environment throws(UsageError) in
            try ConfiguredFileProvider(self, values, in: environment)
        }
    }
}

/// A provider of a file with the values of its settings.
private struct ConfiguredFileProvider: ConfiguredProvider {
    let description: ProviderDescription
    let environment: Environment
    /// The server's own key; nil if none is set.
    let key: APIKey?
    let base: ProviderBaseURL

    init(
        _ description: ProviderDescription, _ values: SettingValues, in environment: Environment?
    ) throws(UsageError) {
        let settings = description.settings
        self.description = description
        self.environment = environment ?? .live
        let secret = try values[settings.key]
        guard secret == nil || description.needsKey else {
            throw UsageError(
                """
                \(settings.key.value.variable) is set, and the provider file says of \(description.name) that it needs no \
                key. Add `key` to the provider, or remove the setting.
                """)
        }
        do throws(APIKey.Malformed) {
            key = try secret.map { text throws(APIKey.Malformed) in try APIKey(text) }
        } catch {
            throw UsageError("\(settings.key.value.variable) cannot be used: \(error)")
        }
        let url = try values.secureURL(settings.baseURL, for: "key")
        do throws(ProviderBaseURL.Invalid) {
            base =
                try url.map { url throws(ProviderBaseURL.Invalid) in try ProviderBaseURL(url) }
                ?? description.base
        } catch {
            throw UsageError("\(settings.baseURL.variable) cannot be used: \(error)")
        }
    }

    var hasAccount: Bool { key != nil || !description.needsKey }

    func clients(over channels: ProviderChannelFactory) -> ProviderClients? {
        guard hasAccount else { return nil }
        let account = QuotaAccount(description.id)
        return clients(key, over: channels.channel(for: account), limits: channels.limits(of: account))
    }

    /// Users' keys are assumed to have the limits of the file.
    func connector(over channels: ProviderChannelFactory) -> (any ProviderConnector)? {
        guard description.needsKey else { return nil }
        return APIKeyConnector(description.id, in: environment, over: channels) { key, channel, limits in
            clients(key, over: channel, limits: limits)
        }
    }

    private func clients(
        _ key: APIKey?, over channel: ProviderChannel, limits: @escaping @Sendable () -> [QuotaStatus]
    ) -> ProviderClients {
        let client = FileProviderClient(description, base: base, key: key, over: channel)
        return ProviderClients(
            market: client.market, symbolMapping: client.symbols, environment: environment, limits: limits
        ) { call throws(ProviderFailure) in try await client.check(in: call) }
    }
}
