// swift-tools-version: 6.2
import PackageDescription

// A separate package, because `swift build --sanitize=fuzzer` instruments all of it, the engine included:
// the fuzzer uses the coverage of its branches. `make fuzz` builds and runs it.

let strictSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let engine: Target.Dependency = .product(name: "GraphQL", package: "portico")

/// Returns one fuzz target: libFuzzer has `main`, so Swift must not.
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
