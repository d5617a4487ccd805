-- Posts the file named by $BODY again and again, with the session of $TOKEN where there is one.
local file = assert(io.open(assert(os.getenv("BODY"), "BODY names no file"), "rb"))
wrk.method = "POST"
wrk.body = file:read("*a")
wrk.headers["Content-Type"] = "application/json"
file:close()
local token = os.getenv("TOKEN")
if token then wrk.headers["Authorization"] = "Bearer " .. token end
