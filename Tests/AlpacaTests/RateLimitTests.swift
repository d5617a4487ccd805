import Alpaca
import Brokerage
import Testing
import Upstream

@Suite("A rate limit")
struct RateLimitTests {
    private func response(_ fields: String) -> HTTPClientResponse {
        HTTPClientResponse(status: 200, head: Array("HTTP/1.1 200 OK\r\n\(fields)\r\n".utf8), body: [])
    }

    @Test("is read from an answer under its host's name, the reset as seconds since 1970")
    func reading() {
        let response = response(
            "x-ratelimit-limit: 200\r\nX-RateLimit-Remaining: 7\r\nX-RateLimit-Reset: 1795014330\r\n")
        let expected = ReportedQuota(
            name: "trading", limit: 200, remaining: 7, resetsAt: wallTime + .seconds(30))
        #expect(AlpacaRateLimit.reportedQuotas(of: .trading, in: response) == [expected])
        #expect(AlpacaRateLimit.reportedQuotas(of: .data, in: response).map(\.name) == ["data"])
    }

    @Test("may lack its limit and its reset")
    func remainingOnly() {
        let readings = AlpacaRateLimit.reportedQuotas(of: .data, in: response("X-RateLimit-Remaining: 0\r\n"))
        #expect(readings == [ReportedQuota(name: "data", limit: nil, remaining: 0, resetsAt: nil)])
    }

    @Test(
        "that is none says nothing",
        arguments: [
            "", "X-RateLimit-Limit: 200\r\n", "X-RateLimit-Remaining: many\r\n",
            "X-RateLimit-Remaining: -1\r\n",
        ])
    func nothing(fields: String) {
        #expect(AlpacaRateLimit.reportedQuotas(of: .data, in: response(fields)) == [])
    }
}
