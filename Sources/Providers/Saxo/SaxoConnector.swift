import Brokerage
import PorticoCore
import Upstream

/// Connects users with Saxo: by OAuth consent, or by an access token.
struct SaxoConnector: ProviderConnector {
    let configuration: SaxoConfiguration
    /// Nil if users can connect with tokens only.
    let application: SaxoSettings.Application?
    /// The instruments, which are public; shared by all users.
    let instrumentCache: SaxoInstrumentCache
    let channels: ProviderChannelFactory

    var provider: ProviderID { .saxo }
    var environments: [Environment] { [configuration.environment] }
    var offersRealTimePrices: Bool { true }

    func takingRealTimePrices(_ secret: Secret) -> Secret {
        Secret(SaxoCredential.takingTradeLevel(secret.bytes))
    }

    func page(for request: OAuthConsentRequest) throws(ConnectError) -> OAuthConsentURL {
        guard let application else { throw .noApplication(variable: SaxoSettings().appKey.variable) }
        let proof = application.secret == nil ? PKCEVerifier() : nil
        let app = application.app(redirectURI: request.redirectURI.text)
        guard let url = app.authorizationURL(state: request.state, proof: proof) else {
            throw .tooLongURL
        }
        return OAuthConsentURL(url: url, verifier: proof.map { Secret($0.verifier) })
    }

    func credential(
        for submitted: SubmittedCredential, in environment: Environment, by call: CallContext
    ) async throws(ConnectError) -> Secret {
        switch submitted {
        case .authorization(let code, let verifier, let redirectURI):
            guard let application else { throw .noApplication(variable: SaxoSettings().appKey.variable) }
            do throws(ProviderFailure) {
                return Secret(
                    try await SaxoOAuthSession.tokens(
                        forCode: code.text, of: application.app(redirectURI: redirectURI.text),
                        proof: verifier.map { PKCEVerifier(verifier: $0.text) },
                        over: channels.channel(for: QuotaAccount(.saxo)), by: call.deadline))
            } catch {
                throw .failed(error)
            }
        case .accessToken(let token):
            do throws(SaxoToken.Malformed) {
                return Secret(SaxoCredential.stored(try SaxoToken(token.text)))
            } catch {
                throw .argument("input.credential", message: "It cannot be sent. \(error)")
            }
        case .apiKey:
            throw .argument(
                "input.credential.apiKey",
                message: "It is not for saxo, which takes the code of a consent, or an access token.")
        }
    }

    func open(
        _ secret: Secret, of connection: ConnectionReference, spending account: QuotaAccount,
        renewedIn store: any RotatingCredentialStore
    ) -> ProviderClients? {
        let channel = channels.channel(for: account)
        guard connection.environment == configuration.environment,
            let access = SaxoCredential(
                stored: secret.bytes, of: application?.app(redirectURI: connection.redirectURI ?? ""),
                renewedIn: store, over: channel)
        else { return nil }
        let takesTradeLevel = SaxoCredential.takesTradeLevel(secret.bytes)
        let client = SaxoClient(
            configuration, access: access, over: channel, instrumentCache: instrumentCache,
            takesTradeLevel: takesTradeLevel)
        return ProviderClients(
            client, symbolMapping: configuration.symbolMapping, environment: configuration.environment,
            watchlists: client, isMarketPrivate: true, takesRealTimePrices: takesTradeLevel,
            limits: channels.limits(of: account),
            endsAt: { access.endsAt },
            backgroundRefresh: { () throws(ProviderFailure) in try await access.keepAlive() },
            settled: { await access.settle() })
    }
}

extension SaxoSettings.Application {
    fileprivate func app(redirectURI: String) -> SaxoOAuthClient {
        SaxoOAuthClient(key: key, secret: secret, redirectURI: redirectURI, loginURL: loginURL)
    }
}
