import GraphQL
import NIOHTTP1
import Web

/// The pages for people: the explorer at `/`, and what lies beside it in its folder.
struct Explorer {
    let routes: [String: any Route]
    /// Whether there is something to look at.
    let hasPages: Bool

    /// - Throws: `UsageError` where the folder cannot be served.
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
            throw UsageError("\(SettingDefinition.explorer.description) cannot be used: \(error)")
        }
    }

    /// What the pages cannot know by themselves: whose data there is to see, and which documents there are.
    private static func settings(_ folder: StaticFiles, isSandbox: Bool) -> ReadOnlyRoute {
        let documents = folder.paths.filter { $0.hasPrefix("/operations/") && $0.hasSuffix(".graphql") }
        let settings: InputObject = [
            "version": .string(Version.current),
            // Only the sandbox's, which everybody knows.
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
