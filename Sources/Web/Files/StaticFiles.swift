import Foundation
import NIOHTTP1
import PorticoCore

/// The files of a directory, read once into a table by their URL paths.
///
/// No path of a request reaches the file system, so none can leave the directory. `index.html` has the path
/// of its directory. Hidden files, and files with an unknown extension, are omitted. Symbolic links are
/// followed, because the operator controls the directory.
package struct StaticFiles: Sendable {
    private var files: [String: StaticFile] = [:]
    /// Paths of folders without their slash.
    private var folders: Set<String> = []
    private var size = 0

    /// The maximum number of files; they stay in memory.
    package static let maximumFiles = 500
    /// In bytes, of all files.
    package static let maximumSize = 32 << 20
    /// Folders in folders, which a link to a folder above could make endless.
    package static let maximumDepth = 8

    /// Reads a directory, and compresses its files once, for all requests.
    ///
    /// - Throws: `StaticFilesError` if a file cannot be read, has a name that cannot be in a URL, or if
    ///   there are too many.
    package init(at path: String) throws(StaticFilesError) {
        try read(path, as: "/", depth: 0)
    }

    /// The routes by path.
    package var routes: [String: any Route] {
        var routes: [String: any Route] = files.mapValues { file in ReadOnlyRoute { _ in file.response } }
        for folder in folders where files[folder + "/"] != nil {
            routes[folder] = ReadOnlyRoute { _ in
                var response = HTTPResponse(.permanentRedirect)
                response.headers = [HTTPResponse.Header("location", folder + "/")]
                return response
            }
        }
        return routes
    }

    /// The paths of the files.
    package var paths: [String] { files.keys.sorted() }

    private mutating func read(_ path: String, as url: String, depth: Int) throws(StaticFilesError) {
        guard depth <= StaticFiles.maximumDepth else { throw .tooMuch(path, .depth) }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw .unreadable(path)
        }
        for name in names.sorted() where !name.hasPrefix(".") {
            let file = path + "/" + name
            switch StaticFiles.kind(of: file) {
            case .typeDirectory?:
                guard StaticFiles.isPlain(name) else { throw .name(file) }
                folders.insert(url + name)
                try read(file, as: url + name + "/", depth: depth + 1)
            case .typeRegular?:
                guard let type = FileType(ofFile: name) else { continue }
                guard StaticFiles.isPlain(name) else { throw .name(file) }
                try add(file, name, type, as: url)
            // A broken link, or a special file that would block, such as a pipe.
            case nil, _?: throw .unreadable(file)
            }
        }
    }

    private mutating func add(
        _ path: String, _ name: String, _ type: FileType, as url: String
    ) throws(StaticFilesError) {
        guard let data = FileManager.default.contents(atPath: path) else { throw .unreadable(path) }
        size += data.count
        guard files.count < StaticFiles.maximumFiles else { throw .tooMuch(path, .files) }
        guard size <= StaticFiles.maximumSize else { throw .tooMuch(path, .size) }
        let key = name == "index.html" ? url : url + name
        files[key] = StaticFile(name, type, Array(data))
    }

    /// The type of the file at a path after all links; nil if it does not exist.
    private static func kind(of path: String) -> FileAttributeType? {
        let end = URL(filePath: path).resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: end)
        return attributes?[.type] as? FileAttributeType
    }

    /// Whether a name needs no percent-encoding in a URL (RFC 3986, section 2.3).
    private static func isPlain(_ name: String) -> Bool {
        name.utf8.allSatisfy(PercentEncoding.isUnreserved)
    }
}

/// A folder that cannot be served.
package enum StaticFilesError: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable(String)
    case name(String)
    case tooMuch(String, Bound)

    /// A limit of the files.
    package enum Bound: Sendable, Hashable {
        case files
        case size
        case depth
    }

    package var description: String {
        switch self {
        case .unreadable(let path): "\"\(path)\" cannot be read. Allow it, or take it out."
        case .name(let path):
            "\"\(path)\" cannot be served: its name may have letters, digits, and - . _ ~ only. Rename it."
        case .tooMuch(let path, .files):
            "With \"\(path)\" there are more than \(StaticFiles.maximumFiles) files. Is it the right folder?"
        case .tooMuch(let path, .size):
            "With \"\(path)\" there are more than \(StaticFiles.maximumSize >> 20) MiB. Is it the right folder?"
        case .tooMuch(let path, .depth):
            "\"\(path)\" is deeper than \(StaticFiles.maximumDepth) folders. Does a link lead back up?"
        }
    }
}

/// A file that is served as it is, made ready once: its tag and its compressed form.
struct StaticFile: Sendable {
    let response: HTTPResponse

    /// - Parameters:
    ///   - name: The last path component, which determines how long the file may be cached.
    ///   - type: The media type.
    ///   - bytes: The content.
    init(_ name: String, _ type: FileType, _ bytes: [UInt8]) {
        var response = HTTPResponse(.ok, type.contentType, body: bytes)
        response.prepared = HTTPResponse.Prepared(
            tag: EntityTag(of: bytes),
            gzip: type == .png ? nil : Gzip.compress(bytes, level: CompressionPolicy().level))
        response.headers =
            [HTTPResponse.Header("cache-control", StaticFile.caching(of: name))]
            + ContentSecurityPolicy.headers(isPage: type.isPage)
        self.response = response
    }

    /// A file with a version in its name may be cached permanently; all others are revalidated by their
    /// entity tags.
    private static func caching(of name: String) -> String {
        name.contains(/[-.]\d+\.\d+\.\d+\./) ? "public, max-age=31536000, immutable" : "no-cache"
    }
}

/// The types of files that pages are made of, by the extensions of their names.
enum FileType: String, Sendable {
    case css
    case graphql
    case html
    case js
    case json
    case png
    case svg
    case txt

    /// The type of a file by its name; nil for an unknown extension.
    init?(ofFile name: String) {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
        self.init(rawValue: String(name[name.index(after: dot)...]))
    }

    var contentType: StaticString {
        switch self {
        case .css: "text/css; charset=utf-8"
        // GraphQL's language has no registered media type.
        case .graphql, .txt: "text/plain; charset=utf-8"
        case .html: "text/html; charset=utf-8"
        case .js: "text/javascript; charset=utf-8"
        case .json: "application/json; charset=utf-8"
        case .png: "image/png"
        case .svg: "image/svg+xml"
        }
    }

    /// Whether browsers run or render it as a page.
    var isPage: Bool {
        switch self {
        case .html, .svg: true
        case .css, .graphql, .js, .json, .png, .txt: false
        }
    }
}
