import Brokerage
import Foundation
import ProviderTestSupport
import Synchronization
import TestSupport
import Testing
import Upstream
import Yahoo

/// The time that the clients under test read off the wall: a Saturday.
let wallTime = Instant(nanosecondsSince1970: 1_795_262_400_000_000_000)

/// An example out of `Tests/Golden/providers/yahoo`.
func example(_ name: String) throws -> String {
    try String(contentsOf: Golden.url("providers/yahoo/\(name).json"), encoding: .utf8)
}

/// What the stand-in for Yahoo answers; cookies and crumbs come by themselves where nothing else is said.
struct Answers: Sendable {
    var cookie: @Sendable () -> CannedServer.Reply = {
        .text("", status: 404, headers: [("Set-Cookie", "A3=cookie; Domain=.yahoo.com; Secure")])
    }
    /// Gets the number of the request for a crumb, counted from 1.
    var crumb: @Sendable (Int) -> CannedServer.Reply = { .text("aB.c/D_e-f\($0)") }
    var others: @Sendable (CannedServer.Request) -> CannedServer.Reply
}

/// Runs `body` with a client of a server that gives the answers written down.
func withYahoo(
    _ answers: Answers, windows: [QuotaWindow] = [], clock: TimeSource = .showing(wallTime),
    _ body: (YahooClient, CannedServer) async throws -> Void
) async throws {
    let crumbs = Atomic(0)
    try await CannedServer.run(answering: { request, _ in
        if request.target == "/fc" { return answers.cookie() }
        guard request.target == "/q/v1/test/getcrumb" else { return answers.others(request) }
        return answers.crumb(crumbs.add(1, ordering: .relaxed).newValue)
    }) { server, transport in
        let configuration = try YahooConfiguration(
            base: ProviderBaseURL(#require(HTTPURL(server.url + "/q"))),
            cookiePage: ProviderBaseURL(#require(HTTPURL(server.url + "/fc"))), windows: windows)
        let channel = ProviderChannel(
            QuotaAccount(.yahoo), over: transport, clock: clock, retry: .once)
        try await body(YahooClient(configuration, over: channel), server)
    }
}

/// Runs `body` with a client of a server that answers everything but cookies and crumbs with one body.
func withYahoo(
    _ text: String, status: Int = 200, _ body: (YahooClient, CannedServer) async throws -> Void
) async throws {
    try await withYahoo(Answers(others: { _ in .text(text, status: status) }), body)
}

extension CannedServer {
    /// What was asked for besides cookies and crumbs.
    var targets: [String] {
        requests.map(\.target).filter { $0 != "/fc" && $0 != "/q/v1/test/getcrumb" }
    }
}

/// A clock of calls that begins at the present and is advanced by a test.
final class ManualCallClock: Sendable {
    // Calls read it on any task; held for one addition.
    private let advance = Mutex(Duration.zero)

    func advance(by duration: Duration) {
        advance.withLock { $0 += duration }
    }

    var source: TimeSource {
        let system = TimeSource.system
        return TimeSource(
            now: { [self] in system.now() + advance.withLock(\.self) }, wallTime: { wallTime },
            sleep: system.sleep)
    }
}
