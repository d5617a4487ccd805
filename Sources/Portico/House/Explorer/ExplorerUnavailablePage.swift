import NIOHTTP1
import Web

/// What stands at `/` where the explorer's folder is not there: how to get it.
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
          <h1>Portico answers at <code>/graphql</code></h1>
          <p>Ask it with any GraphQL client; the schema is at <a href="/schema.graphql"><code>/schema.graphql</code></a>.</p>
          <p>The explorer, GraphiQL with samples and a view of each answer's upstream calls, is a folder of its own, and
            was not found. In Portico's sources, <code>make run</code> fetches and serves it. Otherwise</p>
          <pre>make explorer
        portico serve --explorer Explorer</pre>
          <p><code>--explorer off</code> switches this page off, and so does <code>--production</code>.</p>
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
