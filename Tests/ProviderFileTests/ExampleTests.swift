import Brokerage
import ProviderFile
import Testing

@Suite("The examples beside a provider file")
struct ExampleTests {
    private func results(_ examples: String) throws -> [ProviderExamples.Result] {
        let providers = try ProviderFile(repositoryText("docs/examples/polygon.yaml"), file: "polygon.yaml")
        return try ProviderExamples(examples, file: "polygon.examples.yaml", of: providers).run()
    }

    @Test("of the documentation pass")
    func documentation() throws {
        let results = try results(repositoryText("docs/examples/polygon.examples.yaml"))
        #expect(results.count == 5)
        for result in results { #expect(result.problems.isEmpty, "\(result)") }
    }

    @Test("are in a file with the name of the provider file")
    func path() {
        #expect(ProviderExamples.path(beside: "a.b/providers.yaml") == "a.b/providers.examples.yaml")
        #expect(ProviderExamples.path(beside: "a.b/providers") == "a.b/providers.examples")
    }

    @Test("report each difference with its place")
    func differences() throws {
        let results = try results(
            """
            examples:
              - provider: polygon-file
                call: search
                text: apple
                request: /v3/reference/tickers?search=pear
                response: '{"status": "OK", "results": [{"ticker": "AAPL", "name": "Apple Inc."}]}'
                expect:
                  - symbol: AAPL
                    name: Pear
                  - symbol: MSFT
              - provider: polygon-file
                call: search
                text: apple
                response: '{"status": "BROKEN"}'
                expect: []
            """)
        #expect(
            results.flatMap(\.problems).map(\.description) == [
                "polygon.examples.yaml:5:14: examples[0].request: "
                    + "The request is /v3/reference/tickers?search=apple&active=true&limit=10.",
                "polygon.examples.yaml:8:7: examples[0].expect: The call gives 1 values, not 2.",
                "polygon.examples.yaml:9:15: examples[0].expect[0].name: It is Apple Inc..",
                "polygon.examples.yaml:15:13: examples[1].expect: The call fails: an invalid response: "
                    + "status: expected one of DELAYED, OK, found a string that is none (byte 19).",
            ])
    }

    @Test("report every error of their file")
    func errors() {
        let error = #expect(throws: FileProblems.self) {
            try results(
                """
                examples:
                  - provider: nobody
                    call: dividends
                    colour: red
                    response: '{}'
                """)
        }
        #expect(
            error?.problems.map(\.message) == [
                #"It needs either "expect", a list of values, or "error", a cause."#,
                "The providers of the file are: polygon-file.",
                "The calls are: quotes, charts, instrument, search, news.",
                #""colour" is not a key of an example. The keys are: adjustment, call, error, expect, from, interval, "#
                    + "last, limit, now, provider, request, response, status, symbols, text, to.",
            ])
    }
}
