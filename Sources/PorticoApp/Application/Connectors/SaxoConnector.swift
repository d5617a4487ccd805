import Brokerage
import Gateway
import PorticoCore
import Saxo
import Storage
import Upstream

/// Connects users with Saxo: by consent, or by a token of a day.
struct SaxoConnector: ProviderConnector {
    let configuration: SaxoConfiguration
    /// Nil if users can connect with tokens only.
    let application: SaxoSettings.Application?
    /// The instruments, which are public; shared by all users.
    let directory: SaxoInstrumentCache
    let channelFactory: ProviderChannelFactory

    var provider: ProviderID { .saxo }
    var environments: [Environment] { [configuration.environment] }

    func page(for request: OAuthConsentRequest) throws -> OAuthConsentURL {
        guard let application else {
            throw FieldError.noApplication(of: .saxo, Settings.saxo.appKey)
        }
        let proof = application.secret == nil ? PKCEVerifier() : nil
        let app = application.app(redirectURI: request.redirectURI.text)
        guard let url = app.authorizationURL(state: request.state, proof: proof) else {
            throw FieldError.tooLong
        }
        return OAuthConsentURL(url: url, verifier: proof.map { Secret($0.verifier) })
    }

    func credential(
        for proof: SubmittedCredential, in environment: Environment, by call: CallContext
    ) async throws -> Secret {
        switch proof {
        case .authorization(let code, let verifier, let redirectURI):
            guard let application else {
                throw FieldError.noApplication(of: .saxo, Settings.saxo.appKey)
            }
            do throws(ProviderFailure) {
                return Secret(
                    try await SaxoOAuthSession.tokens(
                        forCode: code.text, of: application.app(redirectURI: redirectURI.text),
                        proof: verifier.map { PKCEVerifier(verifier: $0.text) },
                        over: channelFactory.channel(for: QuotaAccount(.saxo)), by: call.deadline))
            } catch {
                throw FieldError(connecting: error)
            }
        case .accessToken(let token):
            do throws(SaxoToken.Malformed) {
                return Secret(Saxo.SaxoCredential.stored(try SaxoToken(token.text)))
            } catch {
                throw FieldError.argument("input.credential", "It cannot be sent. \(error)", provider: .saxo)
            }
        case .apiKey:
            throw FieldError.argument(
                "input.credential.apiKey",
                "It is not for SAXO, which takes the code of a consent, or an access token.",
                provider: .saxo)
        }
    }

    func open(
        _ secret: Secret, of kept: StoredConnection, spending holder: QuotaAccount,
        renewedIn keeper: any RotatingCredentialStore
    ) -> ConnectionClients? {
        let line = channelFactory.channel(for: holder)
        guard kept.environment == configuration.environment,
            let access = Saxo.SaxoCredential(
                kept: secret.bytes, of: application?.app(redirectURI: kept.redirectURI ?? ""),
                renewedIn: keeper, over: line)
        else { return nil }
        let client = SaxoClient(configuration, access: access, over: line, directory: directory)
        return ConnectionClients(
            accounts: client, orders: client,
            market: MarketDataSource(
                client, symbolMapping: configuration.symbolMapping, provider: .saxo,
                environment: configuration.environment, for: .owner(kept.owner, connection: kept.id)),
            limits: channelFactory.limits(of: holder), endsAt: { access.endsAt },
            backgroundRefresh: { () throws(ProviderFailure) in try await access.keepAlive() },
            settled: { await access.settle() })
    }
}

extension SaxoSettings.Application {
    fileprivate func app(redirectURI: String) -> SaxoOAuthClient {
        SaxoOAuthClient(key: key, secret: secret, redirectURI: redirectURI, loginURL: loginURL)
    }
}
