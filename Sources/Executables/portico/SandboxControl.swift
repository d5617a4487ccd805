import ArgumentParser
import GraphQL
import PorticoApp
import PorticoCore
import Upstream

/// The control API of a running sandbox.
struct SandboxControl: ParsableArguments {
    @Option(help: "The address of the sandbox, as `portico sandbox` prints it.")
    var url = "http://127.0.0.1:9000"

    static let commands: [any ParsableCommand.Type] = [
        SandboxFaultCommand.self, SandboxCallsCommand.self, SandboxMarketCommand.self,
        SandboxDisconnectCommand.self, SandboxResetCommand.self,
    ]

    /// Sends a request, and prints the JSON of its response.
    ///
    /// - Throws: `UsageError` if the sandbox does not respond, or with its reason if it rejects the request.
    func send(_ method: HTTPClientMethod, _ path: String, _ members: [(String, InputValue?)] = [])
        async throws
    {
        let sandbox = try HTTPURL.read(url, like: "http://127.0.0.1:9000")
        guard let address = sandbox.appending(path: "_sandbox", path) else {
            throw UsageError("\(sandbox) is not the address of a sandbox: it has a query.")
        }
        var request = HTTPClientRequest(method, address, deadline: .now + .seconds(10))
        if method == .post {
            let given = members.compactMap { name, value in value.map { (name: name, value: $0) } }
            request.body = InputValue.object(InputObject(given)).json
            request.headers.add("Content-Type", "application/json")
        }
        let response = try await HTTPClient.with(userAgent: "portico") { client in
            await Result.of { () throws(HTTPClientError) in try await client.send(request) }
        }
        switch response {
        case .failure(let error):
            throw UsageError(
                "No sandbox responds at \(sandbox) (\(error)). Start one with `portico sandbox`.")
        case .success(let response):
            let text = String(decoding: response.body, as: UTF8.self)
            guard response.isSuccess else {
                throw UsageError("The sandbox rejects the request: \(Self.reason(in: response.body) ?? text)")
            }
            if !text.isEmpty { try Terminal.write(text + "\n") }
        }
    }
}

extension SandboxControl {
    /// The text of `{"error": "…"}`; nil for another body.
    private static func reason(in body: [UInt8]) -> String? {
        guard case .object(let object)? = try? InputValue(json: body),
            case .string(let text)? = object["error"]
        else { return nil }
        return text
    }
}

/// The calls to which a fault or a count applies.
struct SandboxTarget: ParsableArguments {
    @Option(help: "Only calls to this provider: alpaca, saxo, alpha-vantage, yahoo or polygon.")
    var provider: String?

    @Option(
        help:
            "Only calls of this endpoint, such as 'GET /v2/account'; `portico sandbox calls --endpoints` lists them."
    )
    var endpoint: String?

    var members: [(String, InputValue?)] {
        [("provider", provider.map(InputValue.string)), ("endpoint", endpoint.map(InputValue.string))]
    }
}

/// `portico sandbox fault`.
struct SandboxFaultCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fault",
        abstract: "Make calls to the simulated providers fail.",
        discussion: HelpText.paragraphs(
            """
            Effects: latency (with --milliseconds), status (with --status, and optionally --retry-after), malformed_body,
            duplicate_key, unreadable_row, truncated_body, lost_answer (the provider processes the call, and responds
            with status 500), proxy_response (with --status: the provider processes the call, and a proxy responds with HTML),
            closed_connection, hang, disconnect, expired_token; and with --member: absent_member, other_type, extra_member,
            unknown_name (the member is missing, is an object, has another beside it, or has a name that no list has).

            Examples:
              portico sandbox fault status --status 503 --provider alpaca
              portico sandbox fault latency --milliseconds 2000 --percent 20
              portico sandbox fault lost_answer --endpoint 'POST /v2/orders' --remaining 1
              portico sandbox fault unknown_name --member status --endpoint 'GET /v2/orders'
              portico sandbox fault --list
              portico sandbox fault --clear
            """))

    @OptionGroup
    var sandbox: SandboxControl

    @ArgumentParser.Argument(help: "The effect.")
    var effect: String?

    @OptionGroup
    var target: SandboxTarget

    @Option(help: "The delay of the effect latency, 0 to 600000.")
    var milliseconds: Int?

    @Option(help: "The status of the effects status and proxy_response, 400 to 599.")
    var status: Int?

    @Option(help: "Retry-After of the effect status, in seconds.")
    var retryAfter: Int?

    @Option(help: "The name of the member that differs.")
    var member: String?

    @Option(help: "The fault ends after this number of calls; without it, it stays.")
    var remaining: Int?

    @Option(help: "The fault affects every n-th call: 3 is every third call.")
    var every: Int?

    @Option(help: "The fault affects this percentage of the calls.")
    var percent: Int?

    @Flag(help: "Print the faults.")
    var list = false

    @Flag(help: "Remove all faults.")
    var clear = false

    func validate() throws {
        guard [effect != nil, list, clear].count(where: { $0 }) == 1 else {
            throw ValidationError("Give an effect, such as hang, or --list, or --clear.")
        }
    }

    func run() async throws {
        if list { return try await sandbox.send(.get, "faults") }
        if clear { return try await sandbox.send(.delete, "faults") }
        let numbers = [
            ("milliseconds", milliseconds), ("status", status), ("retry_after", retryAfter),
            ("remaining", remaining),
            ("every", every), ("percent", percent),
        ]
        try await sandbox.send(
            .post, "faults",
            [("effect", effect.map(InputValue.string)), ("member", member.map(InputValue.string))]
                + target.members
                + numbers.map { name, value in (name, value.map(InputValue.int)) })
    }
}

/// `portico sandbox calls`.
struct SandboxCallsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calls", abstract: "Print how often each endpoint of the simulated providers was called."
    )

    @OptionGroup
    var sandbox: SandboxControl

    @Flag(help: "Print all endpoints instead.")
    var endpoints = false

    @Flag(help: "Set the numbers to 0.")
    var clear = false

    func run() async throws {
        if clear { return try await sandbox.send(.delete, "calls") }
        try await sandbox.send(.get, endpoints ? "endpoints" : "calls")
    }
}

/// `portico sandbox market`.
struct SandboxMarketCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "market", abstract: "Open or close the market, or withhold prices.")

    @OptionGroup
    var sandbox: SandboxControl

    @Option(help: "open, closed or as_scheduled.")
    var hours: String?

    @Option(help: "An instrument without a price, such as AAPL; may be given more than once.")
    var unpriced: [String] = []

    @Option(help: "Only at this provider.")
    var provider: String?

    func run() async throws {
        try await sandbox.send(
            .post, "market",
            [
                ("hours", hours.map(InputValue.string)), ("unpriced", .list(unpriced.map(InputValue.string))),
                ("provider", provider.map(InputValue.string)),
            ])
    }
}

/// `portico sandbox disconnect`.
struct SandboxDisconnectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disconnect", abstract: "Close the open streams of the simulated providers.")

    @OptionGroup
    var sandbox: SandboxControl

    @OptionGroup
    var target: SandboxTarget

    func run() async throws {
        try await sandbox.send(.post, "disconnect", target.members)
    }
}

/// `portico sandbox reset`.
struct SandboxResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Reset faults, counts, the market, consents and rate limits.")

    @OptionGroup
    var sandbox: SandboxControl

    func run() async throws {
        try await sandbox.send(.post, "reset")
    }
}
