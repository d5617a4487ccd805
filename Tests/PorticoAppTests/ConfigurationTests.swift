import Foundation
import Sandbox
import TestSupport
import Testing

@Suite("The configuration")
struct ConfigurationTests {
    /// A way to use `portico serve` wrongly.
    struct Misuse: CustomTestStringConvertible {
        var arguments: [String] = []
        var environment: [String: String] = [:]
        let messages: [String]

        var testDescription: String { "\(arguments) \(environment)" }
    }

    private static let keys = [
        "PORTICO_ALPACA_KEY_ID": "PKTEST", "PORTICO_ALPACA_SECRET_KEY": "planted-secret",
    ]
    private static let wayOut = [
        "PORTICO_ALPACA_KEY_ID", "PORTICO_ALPACA_SECRET_KEY_FILE", "--sandbox (PORTICO_SANDBOX)",
    ]

    static let misuses: [Misuse] = [
        // A public address needs a market that was asked for.
        Misuse(arguments: ["--host", "0.0.0.0"], messages: ["other machines may reach 0.0.0.0"] + wayOut),
        Misuse(arguments: ["--host", "::"], messages: ["other machines may reach ::"] + wayOut),
        Misuse(
            environment: ["PORTICO_HOST": "0.0.0.0"], messages: ["other machines may reach 0.0.0.0"] + wayOut),
        Misuse(
            arguments: ["--host", "127.0.0.1.evil.example"],
            messages: ["other machines may reach 127.0.0.1.evil.example"] + wayOut),
        Misuse(
            arguments: ["--no-sandbox"],
            messages: ["No provider is configured and the sandbox is off."] + wayOut),
        Misuse(
            environment: ["PORTICO_SANDBOX": "maybe"],
            messages: ["(PORTICO_SANDBOX) is \"maybe\"", "true or false"]),
        // Both.
        Misuse(
            arguments: ["--sandbox"], environment: keys,
            messages: ["--sandbox (PORTICO_SANDBOX)", "exclude each other"]),
        // A time that stands still.
        Misuse(
            environment: ["PORTICO_SANDBOX_TIME": "noon"],
            messages: ["PORTICO_SANDBOX_TIME is \"noon\"", "RFC 3339"]),
        Misuse(
            environment: keys.merging(["PORTICO_SANDBOX_TIME": "2026-11-20T16:00:00Z"]) { $1 },
            messages: ["PORTICO_SANDBOX_TIME and the settings of a provider exclude each other"]),
        // Names.
        Misuse(
            environment: ["PORTICO_ALPACA_KEYID": "PKTEST"],
            messages: [
                "PORTICO_ALPACA_KEYID, which is not a variable of Portico. Did you mean PORTICO_ALPACA_KEY_ID?"
            ]),
        Misuse(
            environment: ["PORTICO_BOGUS": "1"],
            messages: [
                "PORTICO_BOGUS, which is not a variable of Portico. `portico serve --help` and docs/settings.md list all."
            ]),
        // Values.
        Misuse(
            arguments: ["--port", "65536"],
            messages: ["--port (PORTICO_PORT) is \"65536\"", "from 0 to 65535"]),
        Misuse(
            arguments: ["--port", "http"], messages: ["--port (PORTICO_PORT) is \"http\"", "from 0 to 65535"]),
        Misuse(
            environment: ["PORTICO_PORT": "-1"],
            messages: ["--port (PORTICO_PORT) is \"-1\"", "from 0 to 65535"]),
        Misuse(
            arguments: ["--log-level", "loud"],
            messages: ["--log-level (PORTICO_LOG_LEVEL) is \"loud\"", "debug"]),
        Misuse(
            environment: keys.merging(["PORTICO_ALPACA_ENVIRONMENT": "demo"]) { $1 },
            messages: ["PORTICO_ALPACA_ENVIRONMENT is \"demo\"", "paper or live"]),
        Misuse(
            environment: keys.merging(["PORTICO_ALPACA_BASE_URL": "ftp://alpaca"]) { $1 },
            messages: ["PORTICO_ALPACA_BASE_URL is not an http or https address"]),
        Misuse(
            environment: keys.merging(["PORTICO_ALPACA_BASE_URL": "http://alpaca.example"]) { $1 },
            messages: ["PORTICO_ALPACA_BASE_URL", "in clear", "use https"]),
        Misuse(
            environment: keys.merging(["PORTICO_ALPACA_DATA_STREAM_URL": "wss://alpaca"]) { $1 },
            messages: ["PORTICO_ALPACA_DATA_STREAM_URL is not an http or https address"]),
        Misuse(
            environment: keys.merging(["PORTICO_ALPACA_DATA_STREAM_URL": "http://alpaca.example"]) { $1 },
            messages: ["PORTICO_ALPACA_DATA_STREAM_URL", "in clear", "use https"]),
        Misuse(
            arguments: ["--explorer", "/nonexistent"],
            messages: [
                "--explorer (PORTICO_EXPLORER) is \"/nonexistent\"", "index.html",
                "off to disable the explorer",
            ]),
        // Credentials.
        Misuse(environment: ["PORTICO_ALPACA_KEY_ID": "PKTEST"], messages: ["Alpaca needs one credential"]),
        Misuse(
            environment: ["PORTICO_ALPACA_PER_MINUTE": "300"],
            messages: [
                "Of the settings of Alpaca, these are set: PORTICO_ALPACA_PER_MINUTE. Alpaca needs one credential: "
                    + "either PORTICO_ALPACA_KEY_ID together with PORTICO_ALPACA_SECRET_KEY or",
                "Add what is missing, or remove what is not needed.",
            ]),
        Misuse(
            environment: keys.merging(["PORTICO_ALPACA_TOKEN": "planted-token"]) { $1 },
            messages: ["Alpaca needs one credential"]),
        Misuse(
            environment: ["PORTICO_ALPACA_BASE_URL": "https://alpaca.example"],
            messages: ["Alpaca needs one credential", "PORTICO_ALPACA_TOKEN"]),
        Misuse(
            environment: ["PORTICO_SAXO_ENVIRONMENT": "live"],
            messages: [
                "Of the settings of Saxo, these are set: PORTICO_SAXO_ENVIRONMENT. Saxo needs PORTICO_SAXO_TOKEN or "
                    + "PORTICO_SAXO_TOKEN_FILE or PORTICO_SAXO_APP_KEY."
            ]),
        Misuse(
            environment: ["PORTICO_SAXO_TOKEN": "planted-token", "PORTICO_SAXO_ENVIRONMENT": "demo"],
            messages: ["PORTICO_SAXO_ENVIRONMENT is \"demo\"; it takes sim or live"]),
        Misuse(
            environment: [
                "PORTICO_SAXO_TOKEN": "planted-token", "PORTICO_SAXO_BASE_URL": "http://saxo.example",
            ],
            messages: ["would send the token over a network in clear", "use https"]),
        Misuse(
            environment: ["PORTICO_SAXO_TOKEN": "planted token"],
            messages: ["The configuration of Saxo cannot be used", "copy it again without quotes"]),
        // Applications that users connect by.
        Misuse(
            environment: ["PORTICO_ALPACA_CLIENT_ID": "id"],
            messages: ["PORTICO_ALPACA_CLIENT_ID together with PORTICO_ALPACA_CLIENT_SECRET_FILE"]),
        Misuse(
            environment: keys.merging(["PORTICO_ALPACA_CLIENT_SECRET": "planted-secret"]) { $1 },
            messages: ["PORTICO_ALPACA_CLIENT_ID together with PORTICO_ALPACA_CLIENT_SECRET_FILE"]),
        Misuse(
            environment: ["PORTICO_SAXO_APP_KEY": "key"],
            messages: ["An application needs PORTICO_REDIRECT_URIS"]),
        Misuse(
            environment: keys.merging(["PORTICO_SAXO_APP_SECRET": "planted-secret"]) { $1 },
            messages: ["Saxo needs PORTICO_SAXO_TOKEN"]),
        Misuse(
            environment: [
                "PORTICO_SAXO_TOKEN": "planted-token", "PORTICO_SAXO_APP_SECRET": "planted-secret",
            ],
            messages: ["Saxo's application needs PORTICO_SAXO_APP_KEY together with its secret"]),
        Misuse(
            environment: [
                "PORTICO_SAXO_APP_KEY": "key",
                "PORTICO_REDIRECT_URIS": "https://a.example/b,http://c.example/d",
            ],
            messages: ["PORTICO_REDIRECT_URIS has \"http://c.example/d\", which is not an https address"]),
        Misuse(
            environment: [
                "PORTICO_SAXO_APP_KEY": "key", "PORTICO_REDIRECT_URIS": "https://a.example/b",
                "PORTICO_SAXO_LOGIN_URL": "http://login.example",
            ],
            messages: ["PORTICO_SAXO_LOGIN_URL would send the token over a network in clear", "use https"]),
        Misuse(
            environment: [
                "PORTICO_ALPACA_CLIENT_ID": "id", "PORTICO_ALPACA_CLIENT_SECRET": "planted-secret",
                "PORTICO_REDIRECT_URIS": "https://a.example/b",
                "PORTICO_ALPACA_TOKEN_URL": "http://alpaca.example",
            ],
            messages: ["PORTICO_ALPACA_TOKEN_URL would send the credential over a network in clear"]),
        // Data services.
        Misuse(
            environment: ["PORTICO_POLYGON_PER_MINUTE": "100"],
            messages: [
                "Of the settings of Polygon, these are set: PORTICO_POLYGON_PER_MINUTE. Polygon needs "
                    + "PORTICO_POLYGON_KEY or PORTICO_POLYGON_KEY_FILE. Add what is missing, or remove what is not needed."
            ]),
        Misuse(
            environment: ["PORTICO_ALPHA_VANTAGE_PER_DAY": "100"],
            messages: [
                "Of the settings of Alpha Vantage, these are set: PORTICO_ALPHA_VANTAGE_PER_DAY. Alpha Vantage needs "
                    + "PORTICO_ALPHA_VANTAGE_KEY or PORTICO_ALPHA_VANTAGE_KEY_FILE."
            ]),
        Misuse(
            environment: [
                "PORTICO_POLYGON_KEY": "planted-key", "PORTICO_POLYGON_BASE_URL": "http://polygon.example",
            ],
            messages: ["PORTICO_POLYGON_BASE_URL would send the key over a network in clear", "use https"]),
        Misuse(
            environment: ["PORTICO_POLYGON_KEY": "planted\u{7}key"],
            messages: ["PORTICO_POLYGON_KEY cannot be used: "]),
        Misuse(
            environment: ["PORTICO_POLYGON_KEY_FILE": "/etc/hosts"],
            messages: ["PORTICO_POLYGON_KEY_FILE cannot be used: "]),
        Misuse(
            environment: [
                "PORTICO_POLYGON_KEY": "planted-key",
                "PORTICO_POLYGON_BASE_URL": "https://polygon.example/?a=b",
            ],
            messages: ["PORTICO_POLYGON_BASE_URL cannot be used: ", "must end before the \"?\""]),
        Misuse(
            environment: ["PORTICO_YAHOO_BASE_URL": "http://127.0.0.1:1"],
            messages: [
                "Of the settings of Yahoo, these are set: PORTICO_YAHOO_BASE_URL. Yahoo needs PORTICO_YAHOO=true."
            ]),
        Misuse(
            environment: ["PORTICO_YAHOO": "true", "PORTICO_YAHOO_BASE_URL": "http://127.0.0.1:1"],
            messages: ["PORTICO_YAHOO_BASE_URL and PORTICO_YAHOO_COOKIE_URL belong together"]),
        Misuse(
            environment: ["PORTICO_YAHOO": "true", "PORTICO_YAHOO_COOKIE_URL": "yahoo"],
            messages: ["PORTICO_YAHOO_COOKIE_URL is not an http or https address"]),
        Misuse(
            environment: ["PORTICO_YAHOO": "true", "PORTICO_ROUTE_QUOTES": "yahoo, google"],
            messages: [
                "PORTICO_ROUTE_QUOTES has \"google\", which is not a provider",
                "alpha-vantage, polygon",
            ]
        ),
        Misuse(
            environment: ["PORTICO_YAHOO": "true", "PORTICO_ROUTE_CLOCK": "alpaca,yahoo"],
            messages: [
                "PORTICO_ROUTE_CLOCK has \"yahoo\", which has no market hours. The providers with market hours are: alpaca."
            ]),
        // Hosts and sites that no client sends.
        Misuse(
            environment: ["PORTICO_HOSTS": "portico.example.com, *.example.com"],
            messages: [
                "PORTICO_HOSTS has \"*.example.com\"; write each host in full, like portico.example.com or "
                    + "portico.example.com:8443, or * for any."
            ]),
        Misuse(
            environment: ["PORTICO_HOSTS": "https://portico.example.com"],
            messages: ["PORTICO_HOSTS has \"https://portico.example.com\"; write"]),
        Misuse(environment: ["PORTICO_HOSTS": "a:99999"], messages: ["PORTICO_HOSTS has \"a:99999\"; write"]),
        Misuse(
            environment: ["PORTICO_CORS_ORIGINS": "https://*.example.com"],
            messages: [
                "PORTICO_CORS_ORIGINS has \"https://*.example.com\"; write each site in full, as browsers do, like "
                    + "https://app.example.com, or * for any."
            ]),
        // Files.
        Misuse(
            environment: [
                "PORTICO_ALPACA_KEY_ID": "PKTEST", "PORTICO_ALPACA_SECRET_KEY_FILE": "/nonexistent/secret",
            ],
            messages: ["PORTICO_ALPACA_SECRET_KEY_FILE names \"/nonexistent/secret\", which cannot be read"]),
        Misuse(
            environment: ["PORTICO_ALPACA_TOKEN_FILE": "/nonexistent/token"],
            messages: ["PORTICO_ALPACA_TOKEN_FILE names \"/nonexistent/token\", which cannot be read"]),
        Misuse(
            arguments: ["--owner-token-file", "/nonexistent/owner"],
            messages: ["(PORTICO_OWNER_TOKEN_FILE) names \"/nonexistent/owner\", which cannot be read"]),
        Misuse(
            environment: ["PORTICO_CONFIG": "/nonexistent/portico.json"],
            messages: [
                "(PORTICO_CONFIG) names \"/nonexistent/portico.json\", which cannot be read: No such file or directory. Name a file"
            ]),
    ]

    @Test(
        "that is invalid is rejected with status 2, and the message names the setting and a remedy",
        arguments: misuses)
    func misuse(_ misuse: Misuse) async throws {
        let run = try await Program.run(["serve"] + misuse.arguments, environment: misuse.environment)
        #expect(run.status == 2)
        for message in misuse.messages { #expect(run.errors.contains(message), "\(run.errors)") }
        #expect(run.output.isEmpty)
        #expect(!run.errors.contains("planted"), "\(run.errors)")
    }

    @Test(
        "in a file is rejected for an unknown key or an invalid value",
        arguments: [
            (#"{"prot": 1}"#, #"has "prot", which is not a setting of Portico. Did you mean port?"#),
            (#"{"port": [1]}"#, #""port" in the configuration file"#),
            (#"{"config": "b.json"}"#, #"has "config": a file cannot name another one. Remove it."#),
            ("{\n\"port\": 1,\n}", "at line 3, column 1."),
            (
                #"{"port": 1, "host": "a", "port": 2}"#,
                #"has "port" twice, again at line 1, column 26. Remove one of them."#
            ),
            (#"{"p\u006Frt": 1, "port": 2}"#, #"has "port" twice"#),
            (#"{"route-news": "saxo"}"#, #"has "saxo", which has no news. The providers with news are: "#),
            (#"{"port": null}"#, #""port" in the configuration file"#),
            (#"{"port": "x"}"#, #""port" in the configuration file "#),
            (#"{"port": 80.5}"#, #""port" in the configuration file "#),
            (#"{"hosts": "*.example.com"}"#, #""hosts" in the configuration file "#),
            (
                #"{"polygon-per-minute": 5}"#,
                #"these are set: "polygon-per-minute" in the configuration file "#
            ),
            (
                #"{"polygon-key": "planted", "polygon-key-file": "/dev/null"}"#,
                #""polygon-key-file" in the configuration file "#
            ),
            (#"{"tls-key-file": "key.pem"}"#, #""tls-key-file" in the configuration file "#),
            (#"{"documents": "/nowhere"}"#, #""documents" in the configuration file "#),
            (#"{"route-quotes": "google"}"#, #""route-quotes" in the configuration file "#),
            (#"{"cors-origins": "null"}"#, #""cors-origins" in the configuration file "#),
            (#"{"redirect-uris": "http://a.example"}"#, #""redirect-uris" in the configuration file "#),
            (#"{"explorer": "/nowhere"}"#, #""explorer" in the configuration file "#),
            (#"{"sandbox-time": "noon"}"#, #""sandbox-time" in the configuration file "#),
            (#"{"port": 1"#, "is not a JSON object"),
            ("[]", "is not a JSON object"),
        ])
    func file(content: String, message: String) async throws {
        try await withFolder { folder in
            let run = try await Program.run(["serve", "--config", write(content, "portico.json", in: folder)])
            #expect(run.status == 2)
            #expect(run.errors.contains(message), "\(run.errors)")
            #expect(run.errors.contains("portico.json\""), "\(run.errors)")
        }
    }

    @Test(
        "of a database or Redis with a wrong form is rejected with status 2, before a connection",
        arguments: [
            (
                ["PORTICO_DATABASE_URL": "mysql://u:planted@h/d"],
                "PORTICO_DATABASE_URL is not the URL of a database."
            ),
            (
                ["PORTICO_DATABASE_URL": "postgresql://127.0.0.1:1/d", "PORTICO_MASTER_KEY": "planted"],
                "The master key in PORTICO_MASTER_KEY is not 32 bytes in base64."
            ),
            (["PORTICO_REDIS_URL": "http://u:planted@h"], "PORTICO_REDIS_URL does not begin with redis://"),
        ])
    func servers(variables: [String: String], message: String) async throws {
        let key = ["PORTICO_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString()]
        let run = try await Program.run(
            ["serve", "--port", "0"], environment: variables.merging(key) { own, _ in own })
        #expect(run.status == 2)
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(!run.errors.contains("planted"), "\(run.errors)")
    }

    @Test("of an invalid master key is rejected with the name of its source")
    func masterKey() async throws {
        try await withFolder { folder in
            let file = try write(#"{"master-key": "planted"}"#, "portico.json", in: folder)
            let run = try await Program.run(["serve", "--config", file, "--data", folder.path])
            #expect(run.status == 2)
            let message =
                "The master key in \"master-key\" in the configuration file \"\(file)\" is not 32 bytes"
            #expect(run.errors.contains(message), "\(run.errors)")
        }
    }

    @Test(
        "of an owner's token that is too short, empty or cannot be sent is rejected, and the message does not contain it",
        arguments: [
            ("fifteen-bytes-x", "needs at least 16"), (" \n", "is empty"),
            ("sixteen bytes with spaces", "cannot contain"),
        ])
    func ownerToken(content: String, message: String) async throws {
        try await withFolder { folder in
            let run = try await Program.run([
                "serve", "--owner-token-file", write(content, "owner", in: folder),
            ])
            #expect(run.status == 2)
            #expect(run.errors.contains(message), "\(run.errors)")
            if content != " \n" { #expect(!run.errors.contains(content)) }
        }
    }

    @Test("with a port in use is reported with status 1")
    func portInUse() async throws {
        try await withOccupiedPort { port in
            let run = try await Program.run(["serve", "--port", "\(port)"])
            #expect(run.status == 1)
            #expect(run.errors.contains("\(port)"), "\(run.errors)")
            #expect(run.errors.lowercased().contains("in use"), "\(run.errors)")
            #expect(run.output.isEmpty)
        }
    }

    @Test("gives a flag precedence over a variable, and a variable over the file")
    func precedence() async throws {
        try await withOccupiedPort { occupied in
            try await withFolder { folder in
                let file = try write(#"{"port": \#(occupied)}"#, "portico.json", in: folder)
                let variable = ["PORTICO_PORT": "\(occupied)"]
                // Each alone counts: the occupied port is tried.
                #expect(try await Program.run(["serve", "--config", file]).status == 1)
                #expect(try await Program.run(["serve"], environment: variable).status == 1)
                // A free one beats it from above, never from below.
                let free = try write(#"{"port": 0}"#, "free.json", in: folder)
                #expect(
                    try await Program.run(["serve", "--config", free], environment: variable).status == 1)
                #expect(
                    try await Program.run(
                        ["serve", "--port", "\(occupied)"], environment: ["PORTICO_PORT": "0"]
                    ).status == 1)
                try await start(["serve", "--config", file], ["PORTICO_PORT": "0"])
                try await start(["serve", "--port", "0"], variable)
                try await start(["serve", "--config", file, "--port", "0"], variable)
            }
        }
    }

    @Test("uses the sandbox by default on loopback, and on a public address only if it is set")
    func sandbox() async throws {
        let port = ["serve", "--port", "0"]
        try await start(port + ["--host", "localhost"], [:])
        try await start(port + ["--host", "127.0.0.1"], [:])
        // An empty variable counts as none.
        try await start(port, ["PORTICO_CONFIG": ""])
        try await start(port + ["--host", "0.0.0.0", "--sandbox"], [:])
        try await start(port + ["--host", "0.0.0.0"], ["PORTICO_SANDBOX": "true"])
    }

    @Test("reads secrets from files without the newline at the end")
    func secretFile() async throws {
        try await withSandbox { sandbox in
            try await withFolder { folder in
                let secret = try write(SandboxUser.demo.alpaca.secretKey + "\n", "secret", in: folder)
                let upstream = Upstream(
                    tradingURL: sandbox.alpaca.tradingURL, dataURL: sandbox.alpaca.dataURL,
                    credential: [
                        "PORTICO_ALPACA_KEY_ID": SandboxUser.demo.alpaca.keyID,
                        "PORTICO_ALPACA_SECRET_KEY_FILE": secret,
                    ])
                try await withServer(before: upstream) { server in
                    let answer = try await server.ask(
                        "{ account { equity environment } }", token: PorticoAppTests.ownerToken)
                    #expect(answer.failures.isEmpty, "\(answer.body)")
                    // It is Alpaca's practice environment, for all that Portico can tell.
                    #expect(answer.json?["data"]?["account"]?["environment"] == "PAPER")
                }
            }
        }
    }

    /// Starts a server, and sees that it is ready.
    private func start(_ arguments: [String], _ environment: [String: String]) async throws {
        try await withProgram(arguments, environment: environment) { program, port in
            let answer = try await RunningServer(program: program, port: port).get("/health/ready")
            #expect(answer.status == 200)
        }
    }

    private func withOccupiedPort(_ test: (Int) async throws -> Void) async throws {
        try await withSandbox { sandbox in
            try await test(#require(sandbox.address.split(separator: ":").last.flatMap { Int($0) }))
        }
    }

    private func write(_ text: String, _ name: String, in folder: URL) throws -> String {
        let file = folder.appending(path: name)
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }
}
