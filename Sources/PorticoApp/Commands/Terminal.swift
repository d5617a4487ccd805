import Foundation

/// Where commands write what people read.
enum Terminal {
    static func write(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    /// To standard error, so that results can be piped on without it.
    static func report(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
