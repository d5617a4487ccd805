// The index of @apollo/query-planner without its types, which deno would look for when it runs.
export * from "@apollo/query-planner/buildPlan";
export * from "@apollo/query-planner/conditions";
export * from "@apollo/query-planner/QueryPlan";
