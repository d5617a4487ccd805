import TestSupport

/// WebSockets that continue after a valid handshake with nearly valid frames (RFC 6455, section 5.2).
enum FrameInputs {
    static func next(_ random: inout SplitMix) -> SocketInput {
        var bytes = handshake
        for _ in 0..<(1 + random.number(below: 6)) {
            var text = random.element(of: messages)
            for _ in 0..<random.number(below: 3) { random.mutate(&text, with: tokens) }
            var frame = frame(text, &random)
            if random.chance(oneIn: 4) { random.mutate(&frame, with: tokens) }
            bytes += frame
        }
        return SocketInput(bytes, .survival)
    }

    private static let handshake = """
        GET /graphql HTTP/1.1\r
        Host: portico\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
        Sec-WebSocket-Version: 13\r
        Sec-WebSocket-Protocol: graphql-transport-ws\r
        \r

        """.bytes

    /// Returns usually a complete text; sometimes another kind, a part, reserved bits, no mask, or a wrong
    /// length.
    private static func frame(_ payload: [UInt8], _ random: inout SplitMix) -> [UInt8] {
        var first: UInt8 = random.chance(oneIn: 6) ? UInt8(random.number(below: 16)) : 1
        if !random.chance(oneIn: 8) { first |= 0x80 }
        if random.chance(oneIn: 16) { first |= 0x40 >> UInt8(random.number(below: 3)) }
        let mask: UInt8 = random.chance(oneIn: 16) ? 0 : 0x80
        var frame = [first]
        let length =
            random.chance(oneIn: 16)
            ? Int(random.next() >> UInt64(1 + random.number(below: 63))) : payload.count
        switch length {
        case ..<126 where !random.chance(oneIn: 16): frame.append(mask | UInt8(length))
        case ..<65_536 where !random.chance(oneIn: 16):
            frame += [mask | 126, UInt8(length >> 8), UInt8(length & 0xFF)]
        default:
            frame.append(mask | 127)
            frame += (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
        }
        guard mask != 0 else { return frame + payload }
        let key = (0..<4).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        return frame + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }

    private static let messages: [[UInt8]] = [
        #"{"type":"connection_init"}"#, #"{"type":"connection_init","payload":{"token":"sandbox"}}"#,
        #"{"type":"connection_init"}"#, #"{"type":"ping","payload":{"a":[1]}}"#, #"{"type":"pong"}"#,
        #"{"id":"1","type":"subscribe","payload":{"query":"{ __typename }"}}"#,
        #"{"id":"1","type":"subscribe","payload":{"query":"subscription { quotes(symbols: [\"AAPL\"]) { price } }"}}"#,
        #"{"id":"2","type":"subscribe","payload":{"query":"subscription { account { equity } }","variables":{}}}"#,
        #"{"id":"1","type":"complete"}"#, #"{"type":"subscribe","payload":null}"#, "",
    ].map(\.bytes)

    private static let tokens: [[UInt8]] =
        [
            "\"", "\\u", "{", "}", "[", ",", ":", "null", "\"id\":\"1\"", "\"type\":1", "\u{FEFF}", "é",
            "-1e999",
        ].map(\.bytes) + [
            [0xFF], [0xC0, 0x80], [0x88, 0x80], [0x89, 0xFE], [0x81, 0xFF], [0x00, 0x80],
            [UInt8](repeating: UInt8(ascii: "["), count: 5_000),
        ]
}
