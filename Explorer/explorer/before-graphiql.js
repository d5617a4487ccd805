// GraphiQL's bundle needs this global, and otherwise creates it with `Function`, which the content security policy
// forbids.
var regeneratorRuntime;
