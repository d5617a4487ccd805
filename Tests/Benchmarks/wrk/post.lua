-- Posts the file named by $BODY, again and again.
local file = assert(io.open(assert(os.getenv("BODY"), "BODY names no file"), "rb"))
wrk.method = "POST"
wrk.body = file:read("*a")
wrk.headers["Content-Type"] = "application/json"
file:close()
