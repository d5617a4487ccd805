// swift-tools-version: 6.2
import PackageDescription

/// The settings of all targets.
let strictSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// A target of the library or of the tests.
func target(
    _ name: String, at path: String, dependencies: [Target.Dependency] = [],
    excluding excluded: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: path, exclude: excluded, swiftSettings: strictSettings)
}

/// An executable.
func executable(_ name: String, at path: String, dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: strictSettings)
}

/// The tests of one target; they mirror `Sources`.
func tests(_ name: String, dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: strictSettings)
}

/// The providers; each is a target in `Sources/Providers`.
let providers = ["Alpaca", "AlphaVantage", "Polygon", "Saxo", "Yahoo"]
let providerTargets = providers.map { Target.Dependency.byName(name: $0) }

let nio: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOPosix", package: "swift-nio"),
    .product(name: "NIOHTTP1", package: "swift-nio"),
]
let http2: [Target.Dependency] = [
    .product(name: "NIOHTTP2", package: "swift-nio-http2"),
    .product(name: "NIOHPACK", package: "swift-nio-http2"),
]
let webSocket: Target.Dependency = .product(name: "NIOWebSocket", package: "swift-nio")
let nioTLS: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")
let tls: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let sqlite: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let yaml: Target.Dependency = .product(name: "Yams", package: "Yams")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let tracing: Target.Dependency = .product(name: "Tracing", package: "swift-distributed-tracing")

let package = Package(
    name: "portico",
    products: [
        .executable(name: "portico", targets: ["portico"]),
        .executable(name: "portico-server", targets: ["portico-server"]),
        .library(name: "GraphQL", targets: ["GraphQL"]),
        .library(name: "GraphQLTools", targets: ["GraphQLTools"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // What several targets use: collections, tasks, text.
        target("PorticoCore", at: "Sources/Core"),

        // The query engine, independent of brokers and HTTP.
        target("GraphQL", at: "Sources/GraphQL"),

        // Schema differences, lint and mocks, for commands.
        target("GraphQLTools", at: "Sources/GraphQLTools", dependencies: ["GraphQL", "PorticoCore", yaml]),

        // Brokers and market data.
        target("Brokerage", at: "Sources/Brokerage"),
        // Returns, gains and tax lots, calculated from values and activities.
        target("Performance", at: "Sources/Performance", dependencies: ["Brokerage"]),
        .systemLibrary(
            name: "COpenSSL", path: "Sources/COpenSSL",
            providers: [.apt(["libssl-dev"])]),
        target("Cryptography", at: "Sources/Cryptography", dependencies: ["COpenSSL"]),
        .systemLibrary(
            name: "CCurl", path: "Sources/CCurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        target(
            "Upstream", at: "Sources/Upstream",
            dependencies: ["Brokerage", "CCurl", "PorticoCore", tracing] + nio + [webSocket, tls]),
        .systemLibrary(name: "CPQ", path: "Sources/CPQ", providers: [.apt(["libpq-dev"])]),
        target(
            "OpenIDConnect", at: "Sources/OpenIDConnect",
            dependencies: ["Brokerage", "Cryptography", "PorticoCore", "Upstream"]),
        target(
            "Storage", at: "Sources/Storage",
            dependencies: ["Brokerage", "CPQ", "Cryptography", "PorticoCore", sqlite] + nio),
        target("Redis", at: "Sources/Redis", dependencies: ["PorticoCore", tls] + nio),
        // What one process has alone, and what several replicas share.
        target(
            "Coordination", at: "Sources/Coordination",
            dependencies: [
                "Brokerage", "Cryptography", "PorticoCore", "Redis", "Storage", "Upstream", sqlite,
            ]),
        target(
            "Sandbox", at: "Sources/Sandbox",
            dependencies: ["Brokerage", "Cryptography", "PorticoCore", logging] + nio + [webSocket]),

        // The schema and other files that executables contain.
        .target(name: "CEmbeddedFiles", path: "Sources/CEmbeddedFiles"),
        target("Contract", at: "Sources/Contract", dependencies: ["CEmbeddedFiles"]),
        // Providers that a file describes.
        target(
            "ProviderFile", at: "Sources/ProviderFile",
            dependencies: ["Brokerage", "Contract", "PorticoCore", "Upstream", yaml]),
        // From the HTTP server to the resolvers.
        target(
            "Gateway", at: "Sources/Gateway",
            dependencies: [
                "Brokerage", "Coordination", "Cryptography", "GraphQL", "OpenIDConnect", "Performance",
                "PorticoCore", "Storage", "Upstream",
            ]),
        .target(
            name: "CJemalloc", path: "Sources/CJemalloc", linkerSettings: [.linkedLibrary("jemalloc")]),
        .systemLibrary(name: "CZlib", path: "Sources/CZlib", providers: [.apt(["zlib1g-dev"])]),
        target(
            "Web", at: "Sources/Web",
            dependencies: [
                "CJemalloc", "CZlib", "Cryptography", "GraphQL", "PorticoCore", logging, lifecycle,
                nioTLS,
                tls, tracing, webSocket,
            ] + nio + http2),
        // The commands and the server; the executable portico contains the sandbox, portico-server does not.
        target(
            "PorticoApp", at: "Sources/PorticoApp",
            dependencies: [
                "Brokerage", "Contract", "Coordination", "Gateway", "GraphQL", "GraphQLTools",
                "OpenIDConnect", "PorticoCore", "ProviderFile", "Redis", "Storage", "Upstream", "Web",
                arguments,
                lifecycle, logging, signals,
            ] + providerTargets,
            excluding: [
                "Commands/Docs/examples.graphql", "Commands/Docs/examples.json",
                "Commands/Providers/Verify/known-members.json",
            ]),
        executable(
            "portico", at: "Sources/Executables/portico",
            dependencies: [
                "GraphQL", "PorticoApp", "PorticoCore", "Sandbox", "Upstream", "Web", arguments, lifecycle,
                logging, signals,
            ]),
        executable(
            "portico-server", at: "Sources/Executables/portico-server",
            dependencies: ["PorticoApp", arguments]),

        // Programs that benchmarks measure.
        target("Workload", at: "Tests/Benchmarks/Sources/Workload", dependencies: ["GraphQL"]),
        executable(
            "BenchServer", at: "Tests/Benchmarks/Sources/BenchServer",
            dependencies: ["GraphQL", "Web", "Workload", lifecycle, logging, signals] + nio),
        // Without strict memory safety: it is measured, and never built into Portico.
        .executableTarget(
            name: "FloorServer", dependencies: ["Brokerage", "CCurl", "CJemalloc", "Upstream"] + nio,
            path: "Tests/Benchmarks/Sources/FloorServer",
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
        executable(
            "ServerBenchmarks", at: "Tests/Benchmarks/Sources/ServerBenchmarks",
            dependencies: ["Brokerage", "PorticoCore", "Sandbox", "TestSupport"] + nio),

        .target(name: "CMallocCounter", path: "Tests/Benchmarks/Sources/CMallocCounter"),
        executable(
            "GatewayBenchmarks", at: "Tests/Benchmarks/Sources/GatewayBenchmarks",
            dependencies: [
                "Brokerage", "CMallocCounter", "Contract", "Gateway", "GraphQL", "PorticoCore",
                "ProviderFile",
                "Sandbox", "Storage", "Upstream",
            ] + providerTargets),

        // Input for the server's sockets, and the program that sends it.
        target("SocketInputs", at: "Tests/Fuzz/Sources/SocketInputs", dependencies: ["TestSupport"]),
        executable(
            "SocketFuzzer", at: "Tests/Fuzz/Sources/SocketFuzzer",
            dependencies: ["SocketInputs", "TestSupport"] + nio),

        // Hostile and legitimate clients, and the program that runs an hour's volume of hostile requests.
        target(
            "HostileTraffic", at: "Tests/Soak/Sources/HostileTraffic",
            dependencies: ["Brokerage", "IssuerSupport", "PorticoCore", "Sandbox", "TestSupport"]),
        executable(
            "HostileSoak", at: "Tests/Soak/Sources/HostileSoak",
            dependencies: [
                "Brokerage", "HostileTraffic", "IssuerSupport", "PorticoCore", "Sandbox", "TestSupport",
            ]),

        target("TestSupport", at: "Tests/Support", dependencies: ["GraphQL"]),
        target(
            "EngineTestSupport", at: "Tests/EngineSupport",
            dependencies: ["Brokerage", "PorticoCore", "Redis", "Storage", "TestSupport"] + nio),
        target(
            "ProviderTestSupport", at: "Tests/ProviderSupport",
            dependencies: ["Brokerage", "PorticoCore", "TestSupport", "Upstream"] + nio),
        target(
            "IssuerSupport", at: "Tests/IssuerSupport",
            dependencies: ["COpenSSL", "Cryptography", "PorticoCore", "ProviderTestSupport"]),
        tests("CryptographyTests", dependencies: ["Cryptography", "TestSupport"]),
        tests("CoreTests", dependencies: ["PorticoCore", "TestSupport"]),
        tests("GraphQLToolsTests", dependencies: ["GraphQL", "GraphQLTools", "TestSupport"]),
        tests("GraphQLTests", dependencies: ["GraphQL", "TestSupport"]),
        tests("BrokerageTests", dependencies: ["Brokerage", "TestSupport"]),
        tests("PerformanceTests", dependencies: ["Brokerage", "Performance", "TestSupport"]),
        tests(
            "UpstreamTests",
            dependencies: [
                "Brokerage", "PorticoCore", "TestSupport", "Upstream", tls, tracing, webSocket,
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ] + nio),
        tests(
            "RedisTests", dependencies: ["EngineTestSupport", "PorticoCore", "Redis", "TestSupport"] + nio),
        tests(
            "CoordinationTests",
            dependencies: [
                "Brokerage", "Coordination", "Cryptography", "EngineTestSupport", "PorticoCore", "Redis",
                "Storage", "TestSupport", "Upstream", sqlite,
            ]),
        tests(
            "OpenIDConnectTests",
            dependencies: [
                "Brokerage", "IssuerSupport", "OpenIDConnect", "PorticoCore", "TestSupport", "Upstream",
            ]),
        tests(
            "StorageTests",
            dependencies: [
                "Brokerage", "Coordination", "EngineTestSupport", "PorticoCore", "Storage", "TestSupport",
                "Upstream", sqlite,
            ]),
        tests(
            "AlpacaTests",
            dependencies: [
                "Alpaca", "Brokerage", "PorticoCore", "ProviderTestSupport", "Sandbox", "TestSupport",
                "Upstream",
            ]),
        tests(
            "AlphaVantageTests",
            dependencies: [
                "AlphaVantage", "Brokerage", "PorticoCore", "ProviderTestSupport", "Sandbox", "TestSupport",
                "Upstream",
            ]),
        tests(
            "PolygonTests",
            dependencies: [
                "Polygon", "Brokerage", "PorticoCore", "ProviderTestSupport", "Sandbox", "TestSupport",
                "Upstream",
            ]),
        tests(
            "YahooTests",
            dependencies: [
                "Yahoo", "Brokerage", "PorticoCore", "ProviderTestSupport", "Sandbox", "TestSupport",
                "Upstream",
            ]),
        tests(
            "SaxoTests",
            dependencies: [
                "Brokerage", "PorticoCore", "ProviderTestSupport", "Sandbox", "Saxo", "TestSupport",
                "Upstream",
            ] + nio),
        tests(
            "ProviderFileTests",
            dependencies: [
                "AlphaVantage", "Brokerage", "Contract", "Polygon", "PorticoCore", "ProviderFile",
                "ProviderTestSupport", "Sandbox", "TestSupport", "Upstream",
            ]),
        tests("SandboxTests", dependencies: ["Brokerage", "PorticoCore", "Sandbox", "TestSupport"] + nio),
        tests("SupportTests", dependencies: ["TestSupport"]),
        tests(
            "WebTests",
            dependencies: [
                "GraphQL", "PorticoCore", "SocketInputs", "TestSupport", "Web", lifecycle, logging, tls,
                tracing,
                webSocket,
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio + http2),
        tests(
            "GatewayTests",
            dependencies: [
                "Brokerage", "Contract", "Coordination", "Gateway", "GraphQL", "OpenIDConnect", "PorticoCore",
                "ProviderTestSupport", "Sandbox", "Storage", "TestSupport", "Upstream",
            ] + providerTargets),
        tests(
            "PorticoAppTests",
            dependencies: [
                "Brokerage", "Contract", "Coordination", "Gateway", "GraphQL", "GraphQLTools",
                "HostileTraffic",
                "IssuerSupport",
                "PorticoApp",
                "PorticoCore", "ProviderTestSupport", "Sandbox", "Storage", "TestSupport", "Upstream", "Web",
                "portico",
                "portico-server",
                logging, sqlite,
            ] + nio + providerTargets),
    ]
        + providers.map {
            target(
                $0, at: "Sources/Providers/\($0)",
                dependencies: ["Brokerage", "PorticoCore", "Upstream"]
                    + ($0 == "Saxo" ? ["Cryptography"] : []))
        }
)
