import Brokerage
import NIOHTTP1

/// What tests and demonstrations do to a running sandbox, over HTTP and from this machine only.
///
/// - `GET /_sandbox/calls`: how often each endpoint was called, by provider.
/// - `POST /_sandbox/reset`: forgets calls, faults, script and what has been used of rate limits.
/// - `GET /_sandbox/faults`: the script of faults. `POST`: adds one (see ``Fault/init(_:)-json``).
/// - `POST /_sandbox/market`: `{"hours": "open"|"closed"|"as_scheduled", "unpriced": ["AAPL"]}`.
/// - `POST /_sandbox/disconnect`: `{"provider": "alpaca", "endpoint": "GET /v2/{feed}"}`, both optional: cuts
///   the streams that are open.
/// - `POST /_sandbox/oauth`: `{"decision": "ask"|"approve"|"refuse", "user": "demo"}`, where `user` belongs to
///   `approve`: what users do when an application asks for access.
struct ControlDesk: Sendable {
    static let prefix = "_sandbox"

    let counter: CallCounter
    let faults: FaultBook
    let stage: Stage
    let limiters: [any Resettable]
    let decisions: OAuthDecisionBook
    let streams: OpenStreams

    var routes: [Route] {
        [
            .get("/calls") { _ in .json(["calls": calls]) },
            .post("/reset") { _ in
                reset()
                return Response(status: .noContent)
            },
            .get("/faults") { _ in .json(["faults": .array(faults.faults.map(\.json))]) },
            .post("/faults") { request in
                try told {
                    let fault = try Fault(JSON(parsing: request.body))
                    guard faults.add(fault) else {
                        throw ScriptError("the script holds \(FaultBook.maximumCount) faults; reset it first")
                    }
                    return .json(fault.json, status: .created)
                }
            },
            .post("/market") { request in
                try told {
                    let script = try MarketScript(JSON(parsing: request.body))
                    stage.set(script)
                    return .json(script.json)
                }
            },
            .post("/disconnect") { request in
                try told {
                    let target = try StreamTarget(JSON(parsing: request.body))
                    let count = streams.cut(target.provider, target.endpoint)
                    return .json(["streams": JSON(integerLiteral: count)])
                }
            },
            .post("/oauth") { request in
                try told {
                    let decision = try OAuthDecision(JSON(parsing: request.body))
                    decisions.decision = decision
                    return .json(decision.json)
                }
            },
        ]
    }

    func reset() {
        counter.reset()
        faults.reset()
        stage.set(MarketScript())
        decisions.reset()
        for limiter in limiters { limiter.reset() }
    }

    private var calls: JSON {
        .object(
            Provider.allCases.map { provider in
                let counts = counter.calls.all(of: provider)
                return .init(
                    name: provider.controlName,
                    value: .object(counts.map { .init(name: $0.name, value: JSON(integerLiteral: $0.count)) })
                )
            })
    }

    /// Errors in what was sent are told to the sender.
    private func told(_ answer: () throws -> Response) throws -> Response {
        do {
            return try answer()
        } catch let error as ScriptError {
            return .json(["error": .string(error.description)], status: .badRequest)
        } catch let error as JSON.SyntaxError {
            return .json(["error": .string("not JSON: \(error)")], status: .badRequest)
        }
    }
}

/// Why a script is refused.
struct ScriptError: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
