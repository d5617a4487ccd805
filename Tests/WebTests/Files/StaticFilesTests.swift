import Foundation
import TestSupport
import Testing
import Web

@Suite("Static files")
struct StaticFilesTests {
    private static let script = String(repeating: "export const answer = 42;\n", count: 100)
    private static let files = [
        "index.html": "<!doctype html><title>Hello</title>",
        "app/app.css": "body { margin: 0 }",
        "app/app.js": script,
        "libraries/library-1.20.3.min.js": "window.library = 1;",
        "sub/index.html": "<!doctype html><title>Sub</title>",
        "data/screen.graphql": "{ hello }",
        "data/screen.json": "{}",
        ".hidden.html": "hidden",
        ".git/config.txt": "hidden",
        "app/module.wasm": "of no type that is served",
        "Makefile": "of no type at all",
    ]

    /// Runs a test with a folder of files, next to a file that must not be reachable.
    private func withFolder<Value>(
        _ files: [String: String] = StaticFilesTests.files, _ test: (URL) async throws -> Value
    ) async throws -> Value {
        let place = FileManager.default.temporaryDirectory.appending(path: "portico-files-\(UUID())")
        defer { try? FileManager.default.removeItem(at: place) }
        let folder = place.appending(path: "folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("secret".utf8).write(to: place.appending(path: "secret.txt"))
        for (path, text) in files {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        return try await test(folder)
    }

    private func withFiles(_ test: (TestServer, URL) async throws -> Void) async throws {
        try await withFolder { folder in
            let routes = try StaticFiles(at: folder.path).routes
            try await withServer(routes: routes) { server in try await test(server, folder) }
        }
    }

    @Test(
        "are served by path, each with its type",
        arguments: [
            ("/", "text/html; charset=utf-8", files["index.html"]),
            ("/?utm=1", "text/html; charset=utf-8", files["index.html"]),
            ("/sub/", "text/html; charset=utf-8", files["sub/index.html"]),
            ("/app/app.css", "text/css; charset=utf-8", files["app/app.css"]),
            ("/app/app.js", "text/javascript; charset=utf-8", script),
            ("/data/screen.graphql", "text/plain; charset=utf-8", "{ hello }"),
            ("/data/screen.json", "application/json; charset=utf-8", "{}"),
        ])
    func types(_ path: String, _ type: String, _ body: String?) async throws {
        try await withFiles { server, _ in
            let answer = try await server.ask(RawRequest.get(path))
            #expect(answer.status == 200)
            #expect(answer["content-type"] == type)
            #expect(answer.body == body)
            #expect(answer["x-content-type-options"] == "nosniff")
            #expect(answer["referrer-policy"] == "no-referrer")
            #expect((answer["content-security-policy"] != nil) == type.hasPrefix("text/html"))
            let head = try await server.ask(RawRequest.get(path, method: "HEAD"), toHead: true)
            #expect(head.status == 200)
            #expect(head["content-length"] == answer["content-length"])
        }
    }

    @Test("allow no foreign content and no frames of other sites")
    func policy() async throws {
        try await withFiles { server, _ in
            let page = try await server.ask(RawRequest.get("/"))
            let policy = try #require(page["content-security-policy"])
            let directives = policy.split(separator: ";").map { $0.split(separator: " ").map(String.init) }
            #expect(directives.contains(["default-src", "'none'"]))
            #expect(directives.contains(["script-src", "'self'"]))
            #expect(directives.contains(["connect-src", "'self'"]))
            #expect(directives.contains(["frame-ancestors", "'none'"]))
            #expect(!policy.contains("unsafe") && !policy.contains("http"))
            #expect(page["cross-origin-opener-policy"] == "same-origin")
        }
    }

    @Test(
        "include nothing outside of the directory",
        arguments: [
            "/../secret.txt", "/app/../../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt",
            "/app/..%5c..%5csecret.txt", "//secret.txt", "/app//app.js", "/app/./app.js", "/app/%61pp.js",
            "/.hidden.html", "/.git/config.txt", "/app/module.wasm", "/Makefile", "/index.html", "/app/",
            "/app", "/APP/APP.JS", "/app/app.js/", "/app/app.js%00.html",
        ])
    func traversal(_ path: String) async throws {
        try await withFiles { server, _ in
            let answer = try await server.ask(RawRequest.get(path))
            #expect(answer.status == 404)
            #expect(answer["content-type"]?.contains("json") == true)
            #expect(answer.body != "secret" && answer.body != "hidden")
        }
    }

    @Test("redirect the name of a directory to its page")
    func redirect() async throws {
        try await withFiles { server, _ in
            let answer = try await server.ask(RawRequest.get("/sub"))
            #expect(answer.status == 308)
            #expect(answer["location"] == "/sub/")
        }
    }

    @Test("are read-only", arguments: ["POST", "PUT", "DELETE", "OPTIONS"])
    func methods(_ method: String) async throws {
        try await withFiles { server, _ in
            let answer = try await server.ask(RawRequest.get("/app/app.js", method: method))
            #expect(answer.status == 405)
            #expect(answer["allow"] == "GET, HEAD")
        }
    }

    @Test("are validated by entity tags, and immutable if the name has a version")
    func caching() async throws {
        try await withFiles { server, _ in
            let script = try await server.ask(RawRequest.get("/app/app.js"))
            #expect(script["cache-control"] == "no-cache")
            let tag = try #require(script["etag"])
            let again = try await server.ask(RawRequest.get("/app/app.js", fields: ["If-None-Match: \(tag)"]))
            #expect(again.status == 304)
            #expect(again["etag"] == tag)
            #expect(again["cache-control"] == "no-cache")
            #expect(again["vary"] == "accept-encoding")
            let other = try await server.ask(RawRequest.get("/", fields: ["If-None-Match: \(tag)"]))
            #expect(other.status == 200)
            let library = try await server.ask(RawRequest.get("/libraries/library-1.20.3.min.js"))
            #expect(library["cache-control"] == "public, max-age=31536000, immutable")
        }
    }

    @Test("are compressed for clients that accept it, with the same tag")
    func compression() async throws {
        try await withFiles { server, _ in
            let plain = try await server.ask(RawRequest.get("/app/app.js"))
            #expect(plain["content-encoding"] == nil)
            #expect(plain["vary"] == "accept-encoding")
            let head = try await server.ask(
                RawRequest.get("/app/app.js", method: "HEAD", fields: ["Accept-Encoding: gzip"]),
                toHead: true)
            #expect(head["content-encoding"] == "gzip")
            #expect(head["etag"] == plain["etag"])
            let length = try #require(head["content-length"].flatMap { Int($0) })
            #expect(length < Self.script.utf8.count / 4)
        }
    }

    @Test("are read once: later changes have no effect")
    func once() async throws {
        try await withFiles { server, folder in
            try FileManager.default.removeItem(at: folder.appending(path: "app"))
            try Data("later".utf8).write(to: folder.appending(path: "later.txt"))
            #expect(try await server.ask(RawRequest.get("/app/app.js")).body == Self.script)
            #expect(try await server.ask(RawRequest.get("/later.txt")).status == 404)
        }
    }

    @Test("include the targets of symbolic links")
    func links() async throws {
        try await withFolder(["page/index.html": "page", "documents/a.graphql": "{ hello }"]) { folder in
            let page = folder.appending(path: "page")
            try FileManager.default.createSymbolicLink(
                atPath: page.appending(path: "operations").path, withDestinationPath: "../documents")
            #expect(try StaticFiles(at: page.path).paths == ["/", "/operations/a.graphql"])
        }
    }

    @Test("are rejected with the name of an entry that cannot be served")
    func refusals() async throws {
        try await withFolder([:]) { folder in
            let path = folder.path
            #expect(throws: StaticFilesError.unreadable(path + "/none")) {
                try StaticFiles(at: path + "/none")
            }
            try Data().write(to: folder.appending(path: "two words.html"))
            #expect(throws: StaticFilesError.name(path + "/two words.html")) { try StaticFiles(at: path) }
        }
        try await withFolder([:]) { folder in
            let link = folder.appending(path: "lost.html").path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nowhere.html")
            #expect(throws: StaticFilesError.unreadable(link)) { try StaticFiles(at: folder.path) }
        }
        try await withFolder([:]) { folder in
            try FileManager.default.createSymbolicLink(
                atPath: folder.appending(path: "again").path, withDestinationPath: ".")
            let end = folder.path + String(repeating: "/again", count: StaticFiles.maximumDepth + 1)
            #expect(throws: StaticFilesError.tooMuch(end, .depth)) { try StaticFiles(at: folder.path) }
        }
        try await withFolder([:]) { folder in
            for number in 0...StaticFiles.maximumFiles {
                try Data().write(to: folder.appending(path: "\(1_000 + number).txt"))
            }
            let last = folder.path + "/\(1_000 + StaticFiles.maximumFiles).txt"
            #expect(throws: StaticFilesError.tooMuch(last, .files)) { try StaticFiles(at: folder.path) }
        }
        try await withFolder([:]) { folder in
            let file = folder.appending(path: "large.txt")
            try Data(count: StaticFiles.maximumSize + 1).write(to: file)
            #expect(throws: StaticFilesError.tooMuch(file.path, .size)) {
                try StaticFiles(at: folder.path)
            }
        }
    }

    @Test(
        "are rejected with a remedy",
        arguments: [
            (StaticFilesError.unreadable("/a"), "\"/a\" cannot be read. Allow it, or take it out."),
            (
                .name("/a b"),
                "\"/a b\" cannot be served: its name may have letters, digits, and - . _ ~ only. Rename it."
            ),
            (.tooMuch("/a", .size), "With \"/a\" there are more than 32 MiB. Is it the right folder?"),
            (.tooMuch("/a", .files), "With \"/a\" there are more than 500 files. Is it the right folder?"),
            (.tooMuch("/a", .depth), "\"/a\" is deeper than 8 folders. Does a link lead back up?"),
        ])
    func messages(_ failure: StaticFilesError, _ message: String) {
        #expect(failure.description == message)
    }
}
