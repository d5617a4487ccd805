import Alpaca
import Brokerage
import Testing
import Upstream

@Suite("A credential")
struct CredentialTests {
    @Test("never prints itself, in whatever way it is asked to")
    func silence() throws {
        let configuration = try AlpacaConfiguration(
            environment: .live, tradingURL: #require(AlpacaConfiguration.tradingURL(of: .live)),
            dataURL: #require(AlpacaConfiguration.dataURL(of: .live)),
            credential: .keys(id: keyID, secret: secretKey))
        let token = try AlpacaCredential.token(secretKey)
        var dumped = ""
        dump(configuration, to: &dumped)
        dump(token, to: &dumped)
        let channel = ProviderChannel(QuotaAccount(.alpaca), over: try HTTPClient(userAgent: "alpaca-tests"))
        dump(AlpacaClient(configuration, over: channel), to: &dumped)
        for text in [
            "\(configuration)", String(reflecting: configuration), "\(token)", String(reflecting: token),
            "\(configuration.credential)", String(reflecting: [configuration.credential]), dumped,
        ] {
            #expect(!text.contains(secretKey))
            #expect(!text.contains(keyID))
        }
        #expect(configuration.credential.description == "Alpaca keys …")
        #expect(token.description == "Alpaca token …")
    }

    @Test(
        "that would break out of its header, or is not there, is refused",
        arguments: ["", "a b", "a\r\nX-Evil: 1", "a\u{0}", "schlüssel", String(repeating: "k", count: 4_097)])
    func malformed(text: String) {
        #expect(throws: AlpacaCredential.Malformed.keyID) { try AlpacaCredential.keys(id: text, secret: "s") }
        #expect(throws: AlpacaCredential.Malformed.secretKey) {
            try AlpacaCredential.keys(id: "k", secret: text)
        }
        #expect(throws: AlpacaCredential.Malformed.token) { try AlpacaCredential.token(text) }
    }

    @Test("that is refused says which part, and what to do")
    func wording() {
        #expect(
            AlpacaCredential.Malformed.secretKey.description
                == "The secret key for Alpaca is empty, too long, or has characters other than visible ASCII;"
                + " copy it again without quotes and line breaks.")
    }

    @Test("is not sent to an address that paths cannot be put behind")
    func base() throws {
        let (good, bad) = (
            try #require(HTTPURL("https://a.example")), try #require(HTTPURL("https://b.example?x=1"))
        )
        let error = #expect(throws: AlpacaConfiguration.InvalidBase.self) {
            try AlpacaConfiguration(
                environment: .paper, tradingURL: good, dataURL: bad, credential: .token("t"))
        }
        #expect(
            error?.description == "https://b.example?x=1 cannot be a base address of Alpaca:"
                + " paths are put behind it, so it must end before the \"?\".")
    }

    @Test(
        "is exposed by plain HTTP to another machine",
        arguments: [
            ("https://a.example", "https://b.example", false),
            ("http://127.0.0.1:9", "http://localhost:9", false),
            ("https://a.example", "http://b.example", true), ("http://a.example", "https://b.example", true),
        ])
    func exposure(trading: String, data: String, isExposed: Bool) throws {
        let configuration = try AlpacaConfiguration(
            environment: .paper, tradingURL: #require(HTTPURL(trading)), dataURL: #require(HTTPURL(data)),
            credential: .token("t"))
        #expect(configuration.exposesCredential == isExposed)
    }

    @Test("goes to Alpaca's own addresses unless others are given")
    func addresses() {
        #expect(AlpacaConfiguration.tradingURL(of: .live)?.text == "https://api.alpaca.markets")
        #expect(AlpacaConfiguration.tradingURL(of: .paper)?.text == "https://paper-api.alpaca.markets")
        #expect(AlpacaConfiguration.tradingURL(of: .sandbox) == nil)
        #expect(AlpacaConfiguration.dataURL(of: .live)?.text == "https://data.alpaca.markets")
        #expect(AlpacaConfiguration.dataURL(of: .paper)?.text == "https://data.alpaca.markets")
        #expect(AlpacaConfiguration.dataURL(of: .sandbox) == nil)
        #expect(
            AlpacaConfiguration.dataStreamURL(of: .paper)?.text == "https://stream.data.alpaca.markets")
        #expect(AlpacaConfiguration.dataStreamURL(of: .sandbox) == nil)
    }
}
