import Brokerage
import Foundation
import NIOCore
import NIOPosix
import Upstream

/// The least that a server in Swift can do for the cases of private data.
///
/// See `Scripts/bench-private.sh`. It has NIO, libcurl, the JSON reader, and bytes that are appended to a buffer, but no
/// GraphQL, no limits, no errors and no quotas.
///
/// `PORT`, `BROKER_PORT` and `USERS` are as for `backend.js`.
@main
struct FloorServer {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        let port = Int(environment["PORT"] ?? "") ?? 0
        let brokerPort = Int(environment["BROKER_PORT"] ?? "") ?? 0
        struct User: Decodable { let token, key, secret: String }
        let bytes = try Data(contentsOf: URL(filePath: environment["USERS"] ?? ""))
        let known = try JSONDecoder().decode([User].self, from: bytes)
        let broker = FloorBroker()
        // One event loop, on which all values of users are read and written.
        let eventLoop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
        let users = try await eventLoop.submit {
            let users = known.map { user in
                (
                    user.token,
                    FloorUser(UserHeaders(key: user.key, secret: user.secret), broker, brokerPort, eventLoop)
                )
            }
            return NIOLoopBound(Dictionary(uniqueKeysWithValues: users), eventLoop: eventLoop)
        }.get()
        let channel = try await ServerBootstrap(group: eventLoop)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FloorHandler(users.value))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        try await channel.closeFuture.get()
    }
}

/// The values of one user, on the event loop.
private final class FloorUser {
    private struct Cached<Value> {
        var value: Value?
        var freshUntil = NIODeadline.uptimeNanoseconds(0)
    }

    private var account = Cached<FloorAccount>()
    private var positions = Cached<[FloorPosition]>()
    private var quotes = Cached<[String: FloorSnapshot]>()
    private let headers: UserHeaders
    private let broker: FloorBroker
    private let port: Int
    private let eventLoop: any EventLoop

    init(_ headers: UserHeaders, _ broker: FloorBroker, _ port: Int, _ eventLoop: any EventLoop) {
        (self.headers, self.broker, self.port, self.eventLoop) = (headers, broker, port, eventLoop)
    }

    /// Responds when all values are there: account, positions, and quotes of the positions.
    func respond(_ wanted: Wanted, _ send: @escaping ([UInt8]) -> Void) {
        let now = NIODeadline.now()
        var pending = 0
        func finish() {
            pending -= 1
            if pending == 0 { send(response(wanted)) }
        }
        pending = 1
        if wanted != .positions, account.freshUntil <= now {
            pending += 1
            load(port, "/v2/account", { try? JSONReader.read($0, FloorAccount.init(json:)) }) {
                self.account = $0
                finish()
            }
        }
        if wanted != .account {
            pending += 1
            loadPositions(now) {
                guard wanted == .home else { return finish() }
                self.loadQuotes(now, finish)
            }
        }
        finish()
    }

    private func loadPositions(_ now: NIODeadline, _ then: @escaping () -> Void) {
        if positions.freshUntil > now { return then() }
        load(
            port, "/v2/positions",
            {
                try? JSONReader.read($0) { reader throws(JSONError) in
                    try reader.array(of: FloorPosition.self)
                }
            }
        ) {
            self.positions = $0
            then()
        }
    }

    private func loadQuotes(_ now: NIODeadline, _ then: @escaping () -> Void) {
        if quotes.freshUntil > now { return then() }
        let symbols = (positions.value ?? []).map(\.symbol).joined(separator: "%2C")
        load(port + 1, "/v2/stocks/snapshots?symbols=\(symbols)", seconds: 1, Self.snapshots) {
            self.quotes = $0
            then()
        }
    }

    @Sendable private static func snapshots(_ body: [UInt8]) -> [String: FloorSnapshot]? {
        var snapshots: [String: FloorSnapshot] = [:]
        try? JSONReader.read(body) { reader throws(JSONError) in
            try reader.object { key, reader throws(JSONError) in
                snapshots[key.string] = try FloorSnapshot(json: &reader)
            }
        }
        return snapshots
    }

    private func load<Value: Sendable>(
        _ port: Int, _ path: String, seconds: Int64 = 2, _ decode: @escaping @Sendable ([UInt8]) -> Value?,
        _ store: @escaping (Cached<Value>) -> Void
    ) {
        let store = NIOLoopBound(store, eventLoop: eventLoop)
        broker.send(
            FloorBroker.Call(url: "http://127.0.0.1:\(port)\(path)", headers: headers) { [eventLoop] body in
                let value = decode(body)
                eventLoop.execute {
                    store.value(Cached(value: value, freshUntil: .now() + .seconds(seconds)))
                }
            })
    }

    private func response(_ wanted: Wanted) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(2_500)
        func add(_ text: String) { body.append(contentsOf: text.utf8) }
        func add(_ key: String, _ value: Brokerage.Decimal?) {
            add("\"\(key)\":\(value.map { "\"\($0)\"" } ?? "null")")
        }
        add("{\"data\":{")
        if wanted != .positions {
            add("\"account\":{")
            add("equity", account.value?.equity)
            if wanted == .home {
                add(",")
                add("cash", account.value?.cash)
                add(",")
                add("buyingPower", account.value?.buyingPower)
            }
            add("}")
        }
        if wanted == .home { add(",") }
        if wanted != .account {
            add("\"positions\":[")
            for (index, position) in (positions.value ?? []).enumerated() {
                add(
                    index == 0
                        ? "{\"symbol\":\"\(position.symbol)\"," : ",{\"symbol\":\"\(position.symbol)\",")
                add("quantity", position.quantity)
                add(",")
                add("marketValue", position.marketValue)
                add(",")
                add("unrealizedProfitLoss", position.unrealized)
                if wanted == .home {
                    let quote = quotes.value?[position.symbol]
                    let (price, close) = (quote?.trade?.price, quote?.previousDay?.close)
                    add(",\"quote\":{")
                    add("price", price)
                    add(",")
                    let change = price.flatMap { price in close.flatMap { try? price - $0 } }
                    add(
                        "changePercentage",
                        change.flatMap { change in close.flatMap { change.percent(of: $0) } })
                    add("}")
                }
                add("}")
            }
            add("]")
        }
        add("}}")
        return body
    }
}

/// The operations of the benchmark.
private enum Wanted {
    case home, account, positions
}

private final class FloorHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let users: [String: FloorUser]
    private let tokenLength: Int
    private var received = ByteBuffer()

    init(_ users: [String: FloorUser]) {
        self.users = users
        tokenLength = users.keys.first?.utf8.count ?? 0
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received.writeImmutableBuffer(unwrapInboundIn(data))
        guard let end = received.index(behind: "\r\n\r\n") else { return }
        guard let length = received.index(behind: "Content-Length: ").flatMap({ received.number(at: $0) })
        else {
            received.clear()
            return send([], context)
        }
        guard received.readableBytes >= end + length else { return }
        let token =
            received.index(behind: "Bearer ").flatMap { received.getString(at: $0, length: tokenLength) }
            ?? ""
        let wanted: Wanted =
            received.index(behind: "query Home") != nil
            ? .home : received.index(behind: "query Equity") != nil ? .account : .positions
        received.clear()
        users[token]?.respond(wanted) { self.send($0, context) }
    }

    private func send(_ body: [UInt8], _ context: ChannelHandlerContext) {
        var response = ByteBuffer(
            string:
                "HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: \(body.count)\r\n\r\n"
        )
        response.writeBytes(body)
        context.writeAndFlush(wrapOutboundOut(response), promise: nil)
    }
}

extension ByteBuffer {
    /// The index behind the first occurrence of a text; the reader index is 0.
    fileprivate func index(behind text: StaticString) -> Int? {
        withUnsafeReadableBytes { bytes in
            let (count, first) = (text.utf8CodeUnitCount, text.utf8Start.pointee)
            guard let base = bytes.baseAddress, bytes.count >= count else { return nil }
            for start in 0...bytes.count - count
            where bytes[start] == first && memcmp(base + start, text.utf8Start, count) == 0 {
                return start + count
            }
            return nil
        }
    }

    fileprivate func number(at index: Int) -> Int {
        var number = 0
        for byte in readableBytesView[index...] {
            guard (0x30...0x39).contains(byte) else { break }
            number = number * 10 + Int(byte - 0x30)
        }
        return number
    }
}
