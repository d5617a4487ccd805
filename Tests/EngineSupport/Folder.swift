package import Foundation
package import Storage

/// A folder for one test, deleted after it.
package struct Folder {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "portico-storage-\(UUID().uuidString)")
    }

    package var path: String { url.path }

    package func opened() throws -> DataDirectory { try DataDirectory(path) }

    package func file(_ name: String) -> String { url.appending(path: name).path }

    /// Everything in all files, those beside the databases included.
    package func allBytes() throws -> Data {
        try FileManager.default.contentsOfDirectory(atPath: path).reduce(into: Data()) { all, name in
            all += try Data(contentsOf: url.appending(path: name))
        }
    }

    package func permissions(_ name: String = "") throws -> Int {
        let path = name.isEmpty ? path : file(name)
        let value = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        return (value as? NSNumber)?.intValue ?? -1
    }

    package static func with(_ body: (Folder) async throws -> Void) async throws {
        let folder = try Folder()
        defer { try? FileManager.default.removeItem(at: folder.url) }
        try await body(folder)
    }
}
