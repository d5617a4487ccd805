import Foundation

/// A certificate for this machine or another name, made for one test and deleted with it.
package struct ThrowawayCertificate: Sendable {
    let folder: URL
    package var certificate: String { folder.appending(path: "certificate.pem").path }
    package var key: String { folder.appending(path: "key.pem").path }

    private static let tool = "/usr/bin/openssl"

    /// Whether there is a tool that makes them.
    package static var canBeMade: Bool { FileManager.default.isExecutableFile(atPath: tool) }

    package static func make(for host: String = "localhost") async throws -> ThrowawayCertificate {
        let folder = FileManager.default.temporaryDirectory.appending(path: "portico-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let made = ThrowawayCertificate(folder: folder)
        let process = Process()
        process.executableURL = URL(filePath: tool)
        process.arguments =
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=\(host)"
            .split(separator: " ").map(String.init)
            + ["-addext", "subjectAltName=DNS:\(host)", "-keyout", made.key, "-out", made.certificate]
        process.standardError = FileHandle.nullDevice
        let status: Int32 = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        guard status == 0 else { throw CocoaError(.executableLoad) }
        return made
    }

    package func delete() throws {
        try FileManager.default.removeItem(at: folder)
    }
}
