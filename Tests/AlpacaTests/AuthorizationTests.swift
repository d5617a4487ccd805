import Alpaca
import Brokerage
import ProviderTestSupport
import Testing
import Upstream

@Suite("OAuth with Alpaca")
struct AuthorizationTests {
    private func application() throws -> AlpacaOAuthClient {
        AlpacaOAuthClient(
            clientID: "the-client", clientSecret: secretKey,
            redirectURL: try #require(HTTPURL("https://portico.example/back?x=1")))
    }

    private func withAuthorization(
        answering answer: @escaping @Sendable (CannedServer.Request, Int) -> CannedServer.Reply,
        _ body: (AlpacaOAuthFlow, CannedServer) async throws -> Void
    ) async throws {
        try await CannedServer.run(answering: answer) { server, transport in
            let authorization = AlpacaOAuthFlow(
                try application(),
                authorizeURL: try #require(HTTPURL("https://app.alpaca.markets/oauth/authorize")),
                tokenURL: try #require(HTTPURL(server.url + "/oauth/token")),
                over: ProviderChannel(QuotaAccount(.alpaca), over: transport, retry: .attempts(3)))
            try await body(authorization, server)
        }
    }

    @Test("sends a browser to Alpaca's page, with what is asked for")
    func address() async throws {
        try await withAuthorization(answering: { _, _ in .text("{}") }) { authorization, _ in
            let address = authorization.address(
                state: "s+1", scopes: [.account, .trading], environment: .paper)
            #expect(
                address?.text
                    == "https://app.alpaca.markets/oauth/authorize?response_type=code&client_id=the-client"
                    + "&redirect_uri=https%3A%2F%2Fportico.example%2Fback%3Fx%3D1&state=s%2B1"
                    + "&scope=account%3Awrite%20trading&env=paper")
            let plain = authorization.address(state: "s", scopes: [])
            #expect(plain?.text.hasSuffix("&state=s") == true)
        }
    }

    @Test("makes a credential of a code")
    func grant() async throws {
        let body = try example("oauth-token")
        try await withAuthorization(answering: { _, _ in .body(body) }) { authorization, server in
            let grant = try await authorization.grant(for: "c&1", in: .patient)
            #expect(grant.credential == (try AlpacaCredential.token("1f7a2c55-0d2e-4a5a-9d7e-6b7f4c0b9a11")))
            #expect(grant.scopes == [.account, .trading, .data])
            let request = try #require(server.requests.first)
            #expect(request.method == "POST")
            #expect(request.target == "/oauth/token")
            #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
            #expect(
                request.text == "grant_type=authorization_code&code=c%261&client_id=the-client"
                    + "&client_secret=\(secretKey)&redirect_uri=https%3A%2F%2Fportico.example%2Fback%3Fx%3D1")
        }
    }

    @Test(
        "tells a code that is not taken from a host that is out of order, and asks once",
        arguments: [
            (
                CannedServer.Reply.text(#"{"error":"invalid_grant"}"#, status: 400),
                "the credential was refused"
            ),
            (.text(#"{"code":40110000,"message":"x"}"#, status: 401), "the credential was refused"),
            (.text("", status: 422), "the credential was refused"), (.text("", status: 503), "unavailable"),
            (
                .text(#"{"access_token":"t","token_type":"mac"}"#),
                #"an invalid response: no "token_type of bearer" (byte 39)"#
            ),
            (
                .text(#"{"access_token":"t\u0001","token_type":"bearer"}"#),
                #"an invalid response: no "access_token that can be sent" (byte 48)"#
            ),
            (
                .text(#"{"token_type":"Bearer"}"#),
                #"an invalid response: no "access_token" (byte 23)"#
            ),
        ])
    func failures(reply: CannedServer.Reply, wording: String) async throws {
        try await withAuthorization(answering: { _, _ in reply }) { authorization, server in
            let failure = await #expect(throws: ProviderFailure.self) {
                try await authorization.grant(for: "code", in: .patient)
            }
            #expect(failure?.description == "alpaca: " + wording)
            #expect(server.requests.count == 1)
        }
    }

    @Test("prints no secret of an application or a grant")
    func secrets() throws {
        let application = try application()
        let grant = try AlpacaTokenResponse(json: example("oauth-token"))
        var dumped = ""
        dump(application, to: &dumped)
        dump(grant, to: &dumped)
        let texts = [
            "\(application)", String(reflecting: [application]), "\(grant)", String(reflecting: grant),
            dumped,
        ]
        for text in texts {
            #expect(!text.contains(secretKey))
            #expect(!text.contains("1f7a2c55"))
        }
    }
}
