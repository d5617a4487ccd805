/// The current position of the write pass in the response: a stack of integers, converted to names only for
/// errors.
///
/// A response key is stored as the complement of its index in the plan's keys (so it is negative), a list
/// position unchanged. The top of the stack is the current field or item.
@usableFromInline
@frozen
@safe
struct ResponsePath: ~Copyable {
    /// The position of the top; -1 before the root object has been entered.
    @usableFromInline
    var depth = -1
    @usableFromInline
    var segments: UnsafeMutablePointer<Int>
    @usableFromInline
    var capacity: Int
    /// True if the path owns its memory, which it does after it has grown.
    @usableFromInline
    var isOwner = false

    /// The usual maximum depth of paths.
    static var initialCapacity: Int { 32 }

    /// Creates an empty path.
    ///
    /// - Parameter memory: The initial memory, with room for `initialCapacity` segments; it must outlive the path.
    init(in memory: UnsafeMutablePointer<Int>) {
        unsafe segments = memory
        capacity = ResponsePath.initialCapacity
    }

    @inlinable
    deinit {
        if isOwner { unsafe segments.deallocate() }
    }

    /// Enters a level; the caller sets the new top.
    @inlinable
    @inline(__always)
    mutating func enter() {
        depth &+= 1
        if depth == capacity { grow() }
    }

    /// Leaves the current level.
    @inlinable
    @inline(__always)
    mutating func exit() {
        depth &-= 1
    }

    /// Sets the current item.
    @inlinable
    @inline(__always)
    mutating func set(index: Int) {
        unsafe segments[depth] = index
    }

    /// Sets the current field.
    @inlinable
    @inline(__always)
    mutating func set(key: Int) {
        unsafe segments[depth] = ~key
    }

    /// Enters the levels of a path.
    mutating func enter(_ path: [Int]) {
        for segment in path {
            enter()
            unsafe segments[depth] = segment
        }
    }

    /// A copy of the path, including the top.
    var copy: [Int] {
        unsafe Array(UnsafeBufferPointer(start: segments, count: depth + 1))
    }

    @inline(never)
    @usableFromInline
    mutating func grow() {
        let larger = UnsafeMutablePointer<Int>.allocate(capacity: capacity * 2)
        unsafe larger.update(from: segments, count: capacity)
        if isOwner { unsafe segments.deallocate() }
        unsafe segments = larger
        isOwner = true
        capacity *= 2
    }
}

/// A field or item that failed, as recorded by the write pass.
@usableFromInline
struct FieldFailure {
    /// The segments of the `ResponsePath`, including its top.
    let path: [Int]
    let error: any Error

    /// The minimum length of its entry in `errors` in bytes: with a location, a path of short segments and
    /// no message.
    var minimumBytes: Int { 60 + path.count * 2 }
}
