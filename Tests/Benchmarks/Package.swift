// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the engine is measured as another server would use it: through the public interface
// of the product `GraphQL`.

/// The settings of all targets.
let strictSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let engine: Target.Dependency = .product(name: "GraphQL", package: "portico")

let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "portico", path: "../..")],
    targets: [
        .target(name: "CMallocCounter"),
        .target(name: "Workload", dependencies: [engine], swiftSettings: strictSettings),
        .executableTarget(
            name: "EngineBenchmarks", dependencies: ["CMallocCounter", "Workload", engine],
            swiftSettings: strictSettings),
    ]
)
