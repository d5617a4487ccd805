import NIOHTTP1

/// Who asks, as Alpaca's edge finds out: by bearer token or by a pair of keys.
struct AlpacaDoor: Sendable {
    let users: [SandboxUser]
    let settings: AlpacaSettings

    /// The user whom the headers prove; throws ``AlpacaError`` for anyone else.
    func user(_ headers: HTTPHeaders) throws(AlpacaError) -> SandboxUser {
        if let authorization = headers.first(name: "Authorization") {
            let words = authorization.split(separator: " ")
            guard words.count == 2, words[0].lowercased() == "bearer",
                let user = users.first(where: { $0.alpaca.token == words[1] })
            else { throw .unauthorized(message: settings.unauthorizedMessage) }
            return user
        }
        guard let keyID = headers.first(name: "APCA-API-KEY-ID"),
            let secret = headers.first(name: "APCA-API-SECRET-KEY")
        else { throw .forbidden }
        guard let user = users.first(where: { $0.alpaca.keyID == keyID && $0.alpaca.secretKey == secret })
        else {
            throw .unauthorized(message: settings.unauthorizedMessage)
        }
        guard user.alpaca.environment == settings.environment else { throw .forbidden }
        return user
    }
}
