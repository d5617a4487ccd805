import Brokerage
import PorticoCore
package import Upstream

/// A page of a list: `Data`, and in `__next` the address of the next one.
package struct SaxoPage<Item: JSONDecodable>: JSONDecodable {
    package var items: [Item] = []
    package var next: String?

    package init(json reader: inout JSONReader) throws(JSONError) {
        var data: [Item]?
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "Data": data = try reader.array(of: Item.self)
            case "__next": next = try reader.stringOrNil()
            default: try reader.skip()
            }
        }
        items = try reader.required(data, "Data")
    }

    /// Nothing, which Saxo may tell by status 204 or an empty body.
    init() {}

    /// Reads a whole answer.
    init(_ response: HTTPClientResponse) throws(JSONError) {
        guard response.status != 204, !response.body.isEmpty else {
            self.init()
            return
        }
        self = try JSONReader.read(response.body) { reader throws(JSONError) in
            try SaxoPage(json: &reader)
        }
    }
}

/// Where the link to a next page leads.
enum SaxoNextPageLink {
    /// The address behind a link; nil for one that leads anywhere else than to `base`, whose token must not go there.
    ///
    /// Links are absolute, or begin with `/openapi/`, which is where the base address ends in both environments. They
    /// are followed as they are, except that characters which may not stand in an address are escaped: keys of clients
    /// have a `|`.
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

    /// What may stand in an address by RFC 3986.
    private static let allowed = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/?[]@!$&'()*+,;=%".unicodeScalars)
}

extension JSONReader {
    /// Reads a figure where 0 stands for unknown; nil for null too.
    mutating func nonzeroOrNil() throws(JSONError) -> Decimal? {
        guard let value = try decimalOrNil(), !value.isZero else { return nil }
        return value
    }

    /// Reads a time where the year 0001 stands for unknown; nil for null too.
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
