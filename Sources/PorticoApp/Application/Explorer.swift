import GraphQL
import NIOHTTP1
import PorticoCore
import Web

/// The pages for browsers: the explorer at `/`, and the other files of its directory.
struct Explorer {
    let routes: [String: any Route]
    /// Whether the explorer is served.
    let hasPages: Bool

    /// - Throws: `UsageError` if the directory cannot be served.
    init(_ settings: ExplorerSettings, isSandbox: Bool) throws {
        switch settings {
        case .off:
            routes = [:]
            hasPages = false
        case .missing:
            routes = ExplorerUnavailablePage.routes
            hasPages = false
        case .folder(let path):
            let folder = try Explorer.folder(at: path)
            routes = folder.routes.merging([
                "/explorer/settings.json": Explorer.settings(folder, isSandbox: isSandbox)
            ]) { _, own in own }
            hasPages = true
        }
    }

    private static func folder(at path: String) throws -> StaticFiles {
        do {
            return try StaticFiles(at: path)
        } catch {
            throw UsageError("\(Settings.server.explorer) cannot be used: \(error)")
        }
    }

    /// The settings of the pages: the token of the sandbox, and the documents of the server.
    private static func settings(_ folder: StaticFiles, isSandbox: Bool) -> ReadOnlyRoute {
        let documents = folder.paths.filter { $0.hasPrefix("/operations/") && $0.hasSuffix(".graphql") }
        let settings: InputObject = [
            "version": .string(Version.current),
            // Only the token of the sandbox is public.
            "token": isSandbox ? .string(SessionAuthenticator.sandboxToken) : .null,
            "operations": .list(documents.map { .string($0) }),
        ]
        var response = HTTPResponse(
            .ok, "application/json; charset=utf-8", body: InputValue.object(settings).json)
        response.headers =
            [HTTPResponse.Header("cache-control", "no-cache")] + ContentSecurityPolicy.headers(isPage: false)
        return ReadOnlyRoute { [response] _ in response }
    }
}

/// The page at `/` if the explorer's directory is missing; it says how to install the explorer.
enum ExplorerUnavailablePage {
    static let routes: [String: any Route] = [
        "/": route("text/html; charset=utf-8", page, isPage: true),
        "/missing.css": route("text/css; charset=utf-8", style, isPage: false),
    ]

    private static func route(_ type: StaticString, _ text: String, isPage: Bool) -> ReadOnlyRoute {
        var response = HTTPResponse(.ok, type, body: Array(text.utf8))
        response.headers =
            [HTTPResponse.Header("cache-control", "no-store")] + ContentSecurityPolicy.headers(isPage: isPage)
        return ReadOnlyRoute { [response] _ in response }
    }

    private static let page = """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>Portico</title>
        <link rel="stylesheet" href="/missing.css">
        <main>
          <h1>Portico serves GraphQL at <code>/graphql</code></h1>
          <p>Use any GraphQL client. The schema is at <a href="/schema.graphql"><code>/schema.graphql</code></a>.</p>
          <p>The explorer (GraphiQL with samples and a view of the upstream calls of each response) is not installed. In
            Portico's sources, <code>make run</code> fetches and serves it. To do this without <code>make run</code>:</p>
          <pre>make explorer
        portico serve --explorer Explorer</pre>
          <p><code>--explorer off</code> or <code>--production</code> disables this page.</p>
        </main>
        </html>

        """

    private static let style = """
        :root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
        body { margin: 0; }
        main { max-width: 40rem; margin: 18vh auto 0; padding: 0 1.5rem; }
        h1 { font-size: 1.5rem; font-weight: 650; letter-spacing: -0.01em; }
        pre { padding: 0.9rem 1.1rem; border: 1px solid rgb(128 128 128 / 35%); border-radius: 8px; overflow-x: auto; }

        """
}
