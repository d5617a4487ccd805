import Alpaca
import Brokerage
import Gateway
import Storage
import Upstream

/// Connects users with Alpaca: by consent, by a pair of keys, or by a token.
struct AlpacaConnector: ProviderConnector {
    /// One of Alpaca's worlds, and where it is.
    struct Place: Sendable {
        let environment: Environment
        let tradingURL: HTTPURL
        let dataURL: HTTPURL
        /// Nil for none: prices are polled.
        let dataStreamURL: HTTPURL?
        /// What its clients share.
        let directory: AlpacaDirectory
    }

    /// Portico as it is registered with Alpaca, and where its users consent.
    struct Registration: Sendable {
        let clientID: String
        let clientSecret: String
        let authorizeURL: HTTPURL
        let tokenURL: HTTPURL
    }

    /// The one that is meant where a user does not say comes first.
    let places: [Place]
    /// Nil where users can bring keys and tokens only.
    let registration: Registration?
    let lines: Lines

    var provider: Provider { .alpaca }
    var environments: [Environment] { places.map(\.environment) }

    func page(for request: ConsentRequest) throws -> ConsentPage {
        guard let registration else { throw FieldError.noApplication(of: .alpaca, Setting.alpacaClientID) }
        let authorization = authorization(registration, redirectURL: request.redirectURI)
        guard
            let url = authorization.address(
                state: request.state, scopes: AlpacaApplication.Scope.allCases,
                environment: request.environment)
        else { throw FieldError.tooLong }
        return ConsentPage(url: url)
    }

    func credential(
        for proof: ConnectionProof, in environment: Environment, by call: CallContext
    ) async throws -> Secret {
        switch proof {
        case .authorization(let code, _, let redirectURI):
            guard let registration else {
                throw FieldError.noApplication(of: .alpaca, Setting.alpacaClientID)
            }
            do throws(ProviderFailure) {
                let grant = try await authorization(registration, redirectURL: redirectURI)
                    .grant(for: code.text, in: call)
                return Secret(grant.credential.kept)
            } catch {
                throw FieldError(connecting: error)
            }
        case .apiKey(let key, let secret?):
            return try Self.secret { () throws(AlpacaCredential.Malformed) in
                try .keys(id: key.text, secret: secret.text)
            }
        case .apiKey(_, nil):
            throw FieldError.argument(
                "input.credential.apiKey.secret", "It is missing: Alpaca's keys come in pairs.",
                provider: .alpaca)
        case .accessToken(let token):
            return try Self.secret { () throws(AlpacaCredential.Malformed) in try .token(token.text) }
        }
    }

    /// What is kept of a credential that can be sent.
    private static func secret(
        _ make: () throws(AlpacaCredential.Malformed) -> AlpacaCredential
    ) throws(FieldError) -> Secret {
        do throws(AlpacaCredential.Malformed) {
            return Secret(try make().kept)
        } catch {
            throw .argument("input.credential", "It cannot be sent. \(error)", provider: .alpaca)
        }
    }

    private func authorization(_ registration: Registration, redirectURL: HTTPURL) -> AlpacaAuthorization {
        AlpacaAuthorization(
            AlpacaApplication(
                clientID: registration.clientID, clientSecret: registration.clientSecret,
                redirectURL: redirectURL),
            authorizeURL: registration.authorizeURL, tokenURL: registration.tokenURL,
            over: lines.line(of: QuotaHolder(.alpaca)))
    }

    func open(
        _ secret: Secret, of kept: KeptConnection, spending holder: QuotaHolder,
        renewedIn keeper: any CredentialKeeper
    ) -> OpenedConnection? {
        guard let credential = AlpacaCredential(kept: secret.bytes),
            let place = places.first(where: { $0.environment == kept.environment }),
            let configuration = try? AlpacaConfiguration(
                environment: place.environment, tradingURL: place.tradingURL, dataURL: place.dataURL,
                dataStreamURL: credential.isToken ? nil : place.dataStreamURL, credential: credential)
        else { return nil }
        let client = AlpacaClient(
            configuration, over: lines.line(of: holder), directory: place.directory)
        return OpenedConnection(
            accounts: client, orders: client, watchlists: client,
            market: MarketSource(
                client, spelling: AlpacaDialect(), provider: .alpaca, environment: place.environment,
                for: .owner(kept.owner, connection: kept.id)),
            limits: lines.limits(of: holder))
    }
}
