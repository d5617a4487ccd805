/// A sealed text is not authentic, or libcrypto failed.
package struct CryptographyError: Error, Hashable, Sendable, CustomStringConvertible {
    package init() {}

    package var description: String { "The text is not authentic, or OpenSSL failed." }
}
