internal import COpenSSL

/// The initialization of libcrypto.
enum Libcrypto {
    /// Initializes libcrypto, once in a process.
    ///
    /// libcrypto does not free its data at the exit of the process, because other threads may still use it.
    static func initialize() { _ = once }

    private static let once: Void = {
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }()
}

/// A sealed text is not authentic, or libcrypto failed.
package struct CryptographyError: Error, Hashable, Sendable, CustomStringConvertible {
    package init() {}

    package var description: String { "The text is not authentic, or OpenSSL failed." }
}
