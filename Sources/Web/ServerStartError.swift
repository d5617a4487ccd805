import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A server that could not begin to listen.
package struct ServerStartError: Error, Hashable, Sendable {
    package let host: String
    package let port: Int
    package let reason: Reason

    package enum Reason: Hashable, Sendable {
        /// No address belongs to the name.
        case unknownHost
        /// The address belongs to another machine, or to none.
        case foreignAddress
        /// Another socket listens there.
        case portInUse
        /// The system reserves the port.
        case privilegedPort
        /// Another failure, in the words of the system.
        case other(String)
    }

    /// The failure of a server that was to listen.
    ///
    /// - Parameters:
    ///   - host: The name or address.
    ///   - port: The port.
    ///   - error: The error of NIO.
    package init(host: String, port: Int, _ error: any Error) {
        self.host = host
        self.port = port
        reason =
            switch error {
            case is SocketAddressError.UnknownHost: .unknownHost
            case let error as IOError: Reason(error)
            default: .other("\(error)")
            }
    }
}

extension ServerStartError.Reason {
    fileprivate init(_ error: IOError) {
        switch error.errnoCode {
        case EADDRNOTAVAIL: self = .foreignAddress
        case EADDRINUSE: self = .portInUse
        case EACCES: self = .privilegedPort
        default: self = .other(Self.text(of: error.errnoCode))
        }
    }

    /// The system's words for one of its error numbers.
    private static func text(of code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        // Writes into the buffer, within its length.
        _ = unsafe strerror_r(code, &buffer, buffer.count)
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ServerStartError: CustomStringConvertible {
    package var description: String { "Cannot listen on \(host) port \(port): \(message)" }

    private var message: String {
        let remedy = "Use an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all its addresses."
        return switch reason {
        case .unknownHost: "the name cannot be resolved. \(remedy)"
        case .foreignAddress: "the address is not one of this machine. \(remedy)"
        case .portInUse: "the port is in use. Free it, or choose another; port 0 takes a free one."
        case .privilegedPort:
            "the system reserves the port for privileged processes. Choose another, such as 8080."
        case .other(let reason): "\(reason)."
        }
    }
}
