import Testing
import Upstream

@Suite("An API key")
struct APIKeyTests {
    @Test("is never printed")
    func silence() throws {
        let key = try APIKey("a-secret-that-nobody-may-see")
        var dumped = ""
        dump([key], to: &dumped)
        for text in ["\(key)", String(reflecting: key), "\([key])", dumped] {
            #expect(!text.contains("nobody"))
        }
        #expect(key.description == "API key …")
        #expect(key.text == "a-secret-that-nobody-may-see")
    }

    @Test(
        "that cannot be in a header or an address, or is empty, is refused",
        arguments: ["", "a b", "a\r\nX-Evil: 1", "a\u{0}", "schlüssel", String(repeating: "k", count: 1_025)])
    func malformed(text: String) {
        let error = #expect(throws: APIKey.Malformed.self) { try APIKey(text) }
        #expect(
            error?.description == "The key is empty, too long, or has characters other than visible ASCII;"
                + " copy it again without quotes and line breaks.")
    }
}

@Suite("The base address of a provider")
struct ProviderBaseURLTests {
    @Test("ends before the query")
    func query() throws {
        let url = try #require(HTTPURL("https://a.example/b?apikey=1"))
        let error = #expect(throws: ProviderBaseURL.Invalid.self) { try ProviderBaseURL(url) }
        #expect(
            error?.description == "https://a.example/b?apikey=… cannot be the base address of a provider:"
                + " paths are put behind it, so it must end before the \"?\".")
    }
}
