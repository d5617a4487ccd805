import Brokerage
import Gateway

extension FieldError {
    /// The server is not registered with a provider, so that users cannot consent.
    static func noApplication(of provider: ProviderID, _ setting: SettingDefinition) -> FieldError {
        FieldError(
            .unsupported,
            """
            This server is not registered as an application with \(provider.rawValue): whoever runs it sets \
            \(setting.variable), or users bring another credential that `connectProvider` takes.
            """, provider: provider)
    }

    /// The page of consent would have an address that is longer than one may be.
    static let tooLong = FieldError.argument(
        "redirectUri", "It makes the address of the page of consent too long.")
}
