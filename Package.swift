// swift-tools-version: 6.2
import PackageDescription

/// The strict settings that every room of the house is built under.
let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// A room: one target, at its place in the house, over the floors that it stands on.
func room(
    _ name: String, at path: String, over floors: [Target.Dependency] = [], excluding excluded: [String] = [],
    resources: [Resource] = []
) -> Target {
    .target(
        name: name, dependencies: floors, path: path, exclude: excluded, resources: resources,
        swiftSettings: house)
}

/// An executable, likewise.
func door(_ name: String, at path: String, over floors: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: floors, path: path, swiftSettings: house)
}

/// The tests of one room; they mirror `Sources`.
func tests(_ name: String, of floors: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: floors, path: "Tests/\(name)", swiftSettings: house)
}

let nio: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOPosix", package: "swift-nio"),
    .product(name: "NIOHTTP1", package: "swift-nio"),
]
let http2: Target.Dependency = .product(name: "NIOHTTP2", package: "swift-nio-http2")
let webSocket: Target.Dependency = .product(name: "NIOWebSocket", package: "swift-nio")
let nioTLS: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")
let tls: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let sqlite: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let passwords: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let tracing: Target.Dependency = .product(name: "Tracing", package: "swift-distributed-tracing")
let configuration: Target.Dependency = .product(name: "Configuration", package: "swift-configuration")

let package = Package(
    name: "portico",
    products: [
        .executable(name: "portico", targets: ["Portico"]),
        .library(name: "GraphQL", targets: ["GraphQL"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // The query engine: knows nothing of brokers or HTTP.
        room("GraphQL", at: "Sources/GraphQL"),

        // Brokers and market data.
        room("Brokerage", at: "Sources/Brokerage"),
        .systemLibrary(
            name: "CCurl", path: "Sources/CCurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        room(
            "Upstream", at: "Sources/Upstream",
            over: ["Brokerage", "CCurl", tracing] + nio + [webSocket, tls]),
        room(
            "Storage", at: "Sources/Storage",
            over: ["Brokerage", "Upstream", sqlite, crypto, passwords] + nio),
        room("Alpaca", at: "Sources/Providers/Alpaca", over: ["Brokerage", "Upstream"]),
        room("AlphaVantage", at: "Sources/Providers/AlphaVantage", over: ["Brokerage", "Upstream"]),
        room("Polygon", at: "Sources/Providers/Polygon", over: ["Brokerage", "Upstream"]),
        room("Saxo", at: "Sources/Providers/Saxo", over: ["Brokerage", "Upstream", crypto]),
        room("Yahoo", at: "Sources/Providers/Yahoo", over: ["Brokerage", "Upstream"]),
        room("Sandbox", at: "Sources/Sandbox", over: ["Brokerage", logging, crypto] + nio + [webSocket]),

        // From the front door to the resolvers.
        room(
            "Contract", at: "schema", excluding: ["operations"],
            resources: [.embedInCode("operations.json"), .embedInCode("schema.graphql")]),
        room("Gateway", at: "Sources/Gateway", over: ["Brokerage", "GraphQL", "Storage", "Upstream"]),
        .systemLibrary(name: "CMalloc", path: "Sources/CMalloc"),
        .systemLibrary(name: "CZlib", path: "Sources/CZlib", providers: [.apt(["zlib1g-dev"])]),
        room(
            "Web", at: "Sources/Web",
            over: [
                "CMalloc", "CZlib", "GraphQL", crypto, http2, logging, lifecycle, nioTLS, tls, tracing,
                webSocket,
            ] + nio),
        door(
            "Portico", at: "Sources/Portico",
            over: [
                "Alpaca", "AlphaVantage", "Brokerage", "Contract", "Gateway", "GraphQL", "Polygon", "Sandbox",
                "Saxo", "Storage", "Upstream", "Web", "Yahoo", arguments, configuration, lifecycle, logging,
                signals, system,
            ]),

        // What outside harnesses measure.
        room("Workload", at: "Tests/Benchmarks/Sources/Workload", over: ["GraphQL"]),
        door(
            "BenchServer", at: "Sources/BenchServer",
            over: ["GraphQL", "Web", "Workload", lifecycle, logging, signals] + nio),
        door(
            "DoorBenchmarks", at: "Tests/Benchmarks/Sources/DoorBenchmarks",
            over: ["Brokerage", "Sandbox", "TestSupport"] + nio),

        .target(name: "CMallocCounter", path: "Tests/Benchmarks/Sources/CMallocCounter"),
        door(
            "GatewayBenchmarks", at: "Tests/Benchmarks/Sources/GatewayBenchmarks",
            over: [
                "Alpaca", "AlphaVantage", "Brokerage", "CMallocCounter", "Contract", "Gateway", "GraphQL",
                "Polygon", "Sandbox", "Saxo", "Storage", "Upstream", "Yahoo",
            ]),

        // What is sent to the front door, and by what.
        room("SocketInputs", at: "Tests/Fuzz/Sources/SocketInputs", over: ["TestSupport"]),
        door(
            "SocketFuzzer", at: "Tests/Fuzz/Sources/SocketFuzzer",
            over: ["SocketInputs", "TestSupport"] + nio),

        // Hostile and legitimate clients, and the program that runs an hour's volume of hostile requests.
        room(
            "HostileTraffic", at: "Tests/Soak/Sources/HostileTraffic",
            over: ["Brokerage", "Sandbox", "TestSupport"]),
        door(
            "HostileSoak", at: "Tests/Soak/Sources/HostileSoak",
            over: ["Brokerage", "HostileTraffic", "Sandbox", "TestSupport"]),

        room("TestSupport", at: "Tests/Support"),
        room("ProviderTestSupport", at: "Tests/ProviderSupport", over: ["Brokerage", "Upstream"] + nio),
        tests("GraphQLTests", of: ["GraphQL", "TestSupport"]),
        tests("BrokerageTests", of: ["Brokerage"]),
        tests(
            "UpstreamTests",
            of: [
                "Brokerage", "TestSupport", "Upstream", tls, tracing, webSocket,
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ] + nio),
        tests("StorageTests", of: ["Brokerage", "Storage", "TestSupport", "Upstream", sqlite]),
        tests("AlpacaTests", of: ["Alpaca", "Brokerage", "Sandbox", "TestSupport", "Upstream"] + nio),
        tests(
            "AlphaVantageTests",
            of: ["AlphaVantage", "Brokerage", "ProviderTestSupport", "Sandbox", "TestSupport", "Upstream"]),
        tests(
            "PolygonTests",
            of: ["Polygon", "Brokerage", "ProviderTestSupport", "Sandbox", "TestSupport", "Upstream"]),
        tests(
            "YahooTests",
            of: ["Yahoo", "Brokerage", "ProviderTestSupport", "Sandbox", "TestSupport", "Upstream"]),
        tests(
            "SaxoTests",
            of: ["Brokerage", "ProviderTestSupport", "Sandbox", "Saxo", "TestSupport", "Upstream"] + nio),
        tests("SandboxTests", of: ["Brokerage", "Sandbox", "TestSupport"] + nio),
        tests("SupportTests", of: ["TestSupport"]),
        tests(
            "WebTests",
            of: [
                "GraphQL", "SocketInputs", "TestSupport", "Web", lifecycle, logging, tls, tracing, webSocket,
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ] + nio),
        tests(
            "GatewayTests",
            of: [
                "Alpaca", "AlphaVantage", "Brokerage", "Contract", "Gateway", "GraphQL", "Polygon", "Sandbox",
                "Saxo", "Storage", "TestSupport", "Upstream", "Yahoo",
            ]),
        tests(
            "PorticoTests",
            of: [
                "Alpaca", "AlphaVantage", "Brokerage", "Contract", "Gateway", "GraphQL", "HostileTraffic",
                "Polygon", "Portico", "Sandbox", "Saxo", "Storage", "TestSupport", "Upstream", "Web", logging,
                sqlite,
            ] + nio),
    ]
)
