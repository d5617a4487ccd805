import Brokerage
import PorticoCore
package import Upstream

/// A page of a list: `Data`, and in `__next` the address of the next one.
package struct SaxoPage<Item: JSONDecodable & Sendable>: JSONDecodable {
    /// The items that can be read.
    package var items: [Item] = []
    /// The errors of the items that could not be read.
    package var failures: [JSONError] = []
    package var next: String?

    package init(json reader: inout JSONReader) throws(JSONError) {
        var data: JSONRows<Item>?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "Data": data = try reader.rows()
            case "__next": next = try reader.stringOrNil()
            default: try reader.skip()
            }
        }
        let rows = try reader.required(data, "Data")
        items = rows.elements
        failures = rows.failures.map { $0.inside(.key("Data")) }
    }

    /// An empty page, which Saxo may return as status 204 or as an empty body.
    init() {}

    /// Reads a whole response.
    init(_ response: HTTPClientResponse) throws(JSONError) {
        guard response.status != 204, !response.body.isEmpty else {
            self.init()
            return
        }
        self = try SaxoPage(json: response.body)
    }
}

/// The items of all pages of a list.
struct SaxoList<Item: Sendable>: Sendable {
    var items: [Item] = []
    /// The errors of the items that could not be read.
    var failures: [JSONError] = []

    /// The same with the places of the items, without their values.
    var unreadable: [String] { failures.map(\.description) }
}

/// The target of the link to a next page.
enum SaxoNextPageLink {
    /// Returns the address of a link; nil for one that does not begin with `base`: the token must not be
    /// sent elsewhere.
    ///
    /// Links are absolute, or begin with `/openapi/`, with which the base address ends in both environments.
    /// They are used unchanged, except that characters that an address cannot contain are escaped: keys of
    /// clients have a `|`.
    static func address(_ link: String, from base: HTTPURL) -> HTTPURL? {
        let root = base.text.hasSuffix("/") ? String(base.text.dropLast()) : base.text
        let escaped = escape(link)
        if escaped.hasPrefix(root + "/") || escaped.hasPrefix(root + "?") { return HTTPURL(escaped) }
        guard escaped.hasPrefix("/"), let host = authority(of: root) else { return nil }
        let path = root.dropFirst(host.count)
        if escaped.hasPrefix(path + "/") { return HTTPURL(host + escaped) }
        guard path.hasSuffix(mount), escaped.hasPrefix(mount + "/") else { return nil }
        return HTTPURL(root + escaped.dropFirst(mount.count))
    }

    private static let mount = "/openapi"

    /// `https://host:port` of an address.
    private static func authority(of address: String) -> String? {
        guard let scheme = address.firstRange(of: "://") else { return nil }
        let end = address[scheme.upperBound...].firstIndex(of: "/") ?? address.endIndex
        return String(address[..<end])
    }

    private static func escape(_ link: String) -> String {
        var text = ""
        for scalar in link.unicodeScalars {
            if allowed.contains(scalar) {
                text.unicodeScalars.append(scalar)
            } else {
                text += PercentEncoding.encode(String(scalar))
            }
        }
        return text
    }

    /// The characters that RFC 3986 allows in an address.
    private static let allowed = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/?[]@!$&'()*+,;=%".unicodeScalars)
}

extension JSONReader {
    /// Reads a number; nil for null, and for 0, with which Saxo means unknown.
    mutating func nonzeroOrNil() throws(JSONError) -> Decimal? {
        guard let value = try decimalOrNil(), !value.isZero else { return nil }
        return value
    }

    /// See ``nonzeroOrNil()``; for field tables.
    static func nonzero(_ reader: inout JSONReader) throws(JSONError) -> Decimal? {
        try reader.nonzeroOrNil()
    }

    /// Reads a value; nil for null, and for one that cannot be read, so that the other members keep their values.
    static func readable<Value: JSONDecodable>(_ reader: inout JSONReader) throws(JSONError) -> Value? {
        try reader.readable { reader throws(JSONError) in
            try reader.optional { reader throws(JSONError) in try Value(json: &reader) }
        }
    }

    /// Reads a value as `read` does; nil if it cannot be read.
    mutating func readable<Value>(
        _ read: (inout JSONReader) throws(JSONError) -> Value?
    ) throws(JSONError) -> Value? {
        switch try row(read) {
        case .success(let value): value
        case .failure: nil
        }
    }

    /// Reads a time; nil for null, and for the year 0001, with which Saxo means unknown.
    mutating func timeOrNil() throws(JSONError) -> Instant? {
        guard let time = try instantOrNil(), time.secondsSince1970 > 0 else { return nil }
        return time
    }

    /// Reads an id that may be written as a number; nil for null.
    mutating func idOrNil() throws(JSONError) -> String? {
        switch try kind() {
        case .null:
            try skip()
            return nil
        case .number: return String(try int())
        case .object, .array, .string, .true, .false: return try string()
        }
    }

    /// Reads texts; null is none.
    mutating func strings() throws(JSONError) -> [String] {
        var texts: [String] = []
        guard try !null() else { return texts }
        try array { reader throws(JSONError) in texts.append(try reader.string()) }
        return texts
    }
}
