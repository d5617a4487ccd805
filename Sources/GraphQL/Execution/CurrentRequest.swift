/// The request that the current task answers, by the name under which logs know it.
///
/// So that an error which hides what went wrong can say where it is written.
package enum CurrentRequest {
    /// Nil outside of any request, and in work that several requests share.
    @TaskLocal package static var id: (any CustomStringConvertible & Sendable)?
}
