// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because all of it is built with `swift build --sanitize=fuzzer`, the engine included: its
// branches are what the fuzzer steers by. `make fuzz` builds and runs it.

let strictSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let engine: Target.Dependency = .product(name: "GraphQL", package: "portico")

/// One fuzz target: libFuzzer brings `main`, so Swift must not.
func target(_ name: String) -> Target {
    .executableTarget(
        name: name, dependencies: ["FuzzSupport", engine],
        swiftSettings: strictSettings + [.unsafeFlags(["-parse-as-library"])])
}

let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "portico", path: "../..")],
    targets: [
        .target(name: "FuzzSupport", dependencies: [engine], swiftSettings: strictSettings),
        target("FuzzLanguage"),
        target("FuzzValidator"),
        target("FuzzSchema"),
        target("FuzzExecutor"),
        target("FuzzRequest"),
    ]
)
