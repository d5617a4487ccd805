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
func room(_ name: String, at path: String, over floors: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: floors, path: path, swiftSettings: house)
}

/// The tests of one room; they mirror `Sources`.
func tests(_ name: String, of floors: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(
        name: name, dependencies: floors, path: "Tests/\(name)", resources: resources, swiftSettings: house)
}

let nio: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOPosix", package: "swift-nio"),
    .product(name: "NIOHTTP1", package: "swift-nio"),
]
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")

let package = Package(
    name: "portico",
    products: [
        .library(name: "GraphQL", targets: ["GraphQL"])
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        room("GraphQL", at: "Sources/GraphQL"),
        tests("GraphQLTests", of: ["GraphQL"]),
    ]
)
