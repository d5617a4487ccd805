// GraphiQL's bundle sets this global, and where there is none makes it by `Function`, which the policy of the page
// forbids. So there is one.
var regeneratorRuntime;
