import Brokerage
import CCurl
import Foundation
import Synchronization
import Upstream

/// Calls of the simulated broker: libcurl's multi interface on one thread, without limits, retries and deadlines.
final class FloorBroker: Sendable {
    /// One call; its response is decoded on the thread of libcurl.
    struct Call: Sendable {
        let url: String
        let headers: UserHeaders
        let complete: @Sendable (_ body: [UInt8]) -> Void
    }

    private struct Mailbox {
        var calls: [Call] = []
        var wake: (@Sendable () -> Void)?
    }

    // Calls come from the event loop; held for an append.
    private let mailbox = Mutex(Mailbox())

    init() {
        Thread { [self] in run() }.start()
    }

    func send(_ call: Call) {
        mailbox.withLock { mailbox in
            mailbox.calls.append(call)
            if mailbox.calls.count == 1 { mailbox.wake?() }
        }
    }

    /// The state of one transfer, to which its handle refers.
    private final class Transfer {
        let handle: UnsafeMutableRawPointer
        var call: Call?
        var body: [UInt8] = []

        init?() {
            guard let handle = curl_easy_init() else { return nil }
            self.handle = handle
            let context = Unmanaged.passUnretained(self).toOpaque()
            ccurl_set_pointer(handle, CURLOPT_PRIVATE, context)
            ccurl_set_pointer(handle, CURLOPT_WRITEDATA, context)
            ccurl_set_data_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, _, count, context in
                guard let context else { return 0 }
                let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
                transfer.body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
                return count
            }
            ccurl_set_long(handle, CURLOPT_NOSIGNAL, 1)
        }
    }

    private func run() {
        guard curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK, let multi = curl_multi_init() else {
            return
        }
        let handle = Waker(pointer: multi)
        mailbox.withLock { $0.wake = { curl_multi_wakeup(handle.pointer) } }
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 512)
        var idle: [Transfer] = []
        var active: [UnsafeMutableRawPointer: Transfer] = [:]
        while true {
            let calls = mailbox.withLock { mailbox in
                defer { mailbox.calls.removeAll(keepingCapacity: true) }
                return mailbox.calls
            }
            for call in calls {
                guard let transfer = idle.popLast() ?? Transfer() else { continue }
                transfer.call = call
                ccurl_set_string(transfer.handle, CURLOPT_URL, call.url)
                ccurl_set_list(transfer.handle, CURLOPT_HTTPHEADER, call.headers.list)
                active[transfer.handle] = transfer
                curl_multi_add_handle(multi, transfer.handle)
            }
            var (running, rest): (Int32, Int32) = (0, 0)
            curl_multi_perform(multi, &running)
            while let message = curl_multi_info_read(multi, &rest) {
                guard let easy = message.pointee.easy_handle, let transfer = active.removeValue(forKey: easy)
                else { continue }
                curl_multi_remove_handle(multi, easy)
                transfer.call?.complete(transfer.body)
                transfer.call = nil
                transfer.body.removeAll(keepingCapacity: true)
                idle.append(transfer)
            }
            curl_multi_poll(multi, nil, 0, 1_000, nil)
        }
    }

    /// The handle of libcurl, for its one function that other threads may call.
    private struct Waker: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }
}

/// The header fields of a user's calls, which are never released.
final class UserHeaders: @unchecked Sendable {
    // Sendable, because it does not change.
    let list: UnsafeMutablePointer<curl_slist>?

    init(key: String, secret: String) {
        var list = curl_slist_append(nil, "Accept: application/json")
        list = curl_slist_append(list, "APCA-API-KEY-ID: \(key)")
        self.list = curl_slist_append(list, "APCA-API-SECRET-KEY: \(secret)")
    }
}

/// An account, with the fields of the operations.
struct FloorAccount: JSONObjectDecodable {
    var equity: Brokerage.Decimal?
    var cash: Brokerage.Decimal?
    var buyingPower: Brokerage.Decimal?

    static let json = JSONFields(Self()) {
        $0.optional("equity", \.equity)
        $0.optional("cash", \.cash)
        $0.optional("buying_power", \.buyingPower)
    }
}

/// A position, likewise.
struct FloorPosition: JSONObjectDecodable {
    var symbol = ""
    var quantity: Brokerage.Decimal?
    var marketValue: Brokerage.Decimal?
    var unrealized: Brokerage.Decimal?

    static let json = JSONFields(Self()) {
        $0.required("symbol", \.symbol)
        $0.optional("qty", \.quantity)
        $0.optional("market_value", \.marketValue)
        $0.optional("unrealized_pl", \.unrealized)
    }
}

/// A snapshot of a share, likewise.
struct FloorSnapshot: JSONObjectDecodable {
    var trade: Price?
    var previousDay: Price?

    static let json = JSONFields(Self()) {
        $0.optional("latestTrade", \.trade)
        $0.optional("prevDailyBar", \.previousDay)
    }

    /// A trade, or a bar.
    struct Price: JSONObjectDecodable {
        var price: Brokerage.Decimal?
        var close: Brokerage.Decimal?

        static let json = JSONFields(Self()) {
            $0.optional("p", \.price)
            $0.optional("c", \.close, JSONReader.close)
        }
    }
}

extension JSONReader {
    /// A close; the conditions of a trade have the same key, and are a list.
    fileprivate static func close(_ reader: inout JSONReader) throws(JSONError) -> Brokerage.Decimal? {
        if try reader.kind() == .number { return try reader.decimal() }
        try reader.skip()
        return nil
    }
}
