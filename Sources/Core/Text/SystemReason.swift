import Foundation

/// The reason why an operation on a file failed.
package enum SystemReason {
    /// The system's text, such as `Is a directory`; nil if the error is not one of the system.
    package static func text(of error: any Error) -> String? {
        // Foundation has its cause as `POSIXError` or as `NSError`.
        guard let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error else { return nil }
        let reason = cause as NSError
        return reason.domain == NSPOSIXErrorDomain ? text(of: Int32(truncatingIfNeeded: reason.code)) : nil
    }

    /// The system's text of an error number.
    package static func text(of number: Int32) -> String {
        // The text of strerror belongs to the C library; it is copied here.
        unsafe strerror(number).map { unsafe String(cString: $0) } ?? "unknown"
    }
}
