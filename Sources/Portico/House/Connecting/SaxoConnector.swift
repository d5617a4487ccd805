import Brokerage
import Gateway
import Saxo
import Storage
import Upstream

/// Connects users with Saxo: by consent, or by a token of a day.
struct SaxoConnector: ProviderConnector {
    /// Portico as it is registered with Saxo, and where its users consent.
    struct Registration: Sendable {
        let key: String
        /// Nil for a native app, which proves itself with a code challenge (PKCE).
        let secret: String?
        let loginURL: HTTPURL
    }

    let configuration: SaxoConfiguration
    /// Nil where users can bring tokens only.
    let registration: Registration?
    /// Which instrument is which: public, and shared by all users.
    let directory: SaxoDirectory
    let lines: Lines

    var provider: Provider { .saxo }
    var environments: [Environment] { [configuration.environment] }

    func page(for request: ConsentRequest) throws -> ConsentPage {
        guard let registration else { throw FieldError.noApplication(of: .saxo, Setting.saxoAppKey) }
        let proof = registration.secret == nil ? SaxoProofKey() : nil
        let app = registration.app(redirectURI: request.redirectURI.text)
        guard let url = app.authorizationURL(state: request.state, proof: proof) else {
            throw FieldError.tooLong
        }
        return ConsentPage(url: url, verifier: proof.map { Secret($0.verifier) })
    }

    func credential(
        for proof: ConnectionProof, in environment: Environment, by call: CallContext
    ) async throws -> Secret {
        switch proof {
        case .authorization(let code, let verifier, let redirectURI):
            guard let registration else { throw FieldError.noApplication(of: .saxo, Setting.saxoAppKey) }
            do throws(ProviderFailure) {
                return Secret(
                    try await SaxoAuthorization.tokens(
                        forCode: code.text, of: registration.app(redirectURI: redirectURI.text),
                        proof: verifier.map { SaxoProofKey(verifier: $0.text) },
                        over: lines.line(of: QuotaHolder(.saxo)), by: call.deadline))
            } catch {
                throw FieldError(connecting: error)
            }
        case .accessToken(let token):
            do throws(SaxoToken.Malformed) {
                return Secret(Saxo.SaxoAccess.kept(try SaxoToken(token.text)))
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
        _ secret: Secret, of kept: KeptConnection, spending holder: QuotaHolder,
        renewedIn keeper: any CredentialKeeper
    ) -> OpenedConnection? {
        let line = lines.line(of: holder)
        guard kept.environment == configuration.environment,
            let access = Saxo.SaxoAccess(
                kept: secret.bytes, of: registration?.app(redirectURI: kept.redirectURI ?? ""),
                renewedIn: keeper, over: line)
        else { return nil }
        let client = SaxoClient(configuration, access: access, over: line, directory: directory)
        return OpenedConnection(
            accounts: client, orders: client,
            market: MarketSource(
                client, spelling: configuration.dialect, provider: .saxo,
                environment: configuration.environment, for: .owner(kept.owner, connection: kept.id)),
            limits: lines.limits(of: holder), endsAt: { access.endsAt },
            upkeep: { () throws(ProviderFailure) in try await access.keepAlive() },
            settled: { await access.settle() })
    }
}

extension SaxoConnector.Registration {
    fileprivate func app(redirectURI: String) -> SaxoApp {
        SaxoApp(key: key, secret: secret, redirectURI: redirectURI, loginURL: loginURL)
    }
}
