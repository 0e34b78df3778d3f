; Colours of serQ. `tests/editors` holds the lists of words against the compiler's own.

(comment) @comment
(string) @string
(number) @number
(infinity) @constant.builtin
(self) @variable.builtin

; ---- Names ------------------------------------------------------------------------------------

(name) @variable

(let_item name: (name) @constant)
(def_item name: (name) @function)
(parameters (name) @variable.parameter)
(pool_item name: (name) @type)
(stage_item name: (name) @type)
(queue_item name: (name) @type)
(queue_item role: (name) @attribute)
(queue_pool name: (name) @type)
(gauge_item name: (name) @property)
(observe_statement name: (name) @property)
(entry verb: (name) @function.method)
(entry source: (name) @variable.parameter)
(call_statement verb: (name) @function.method)
(use_statement name: (name) @function)
(call function: (name) @function)
(draw distribution: (name) @function.builtin)

((call function: (name) @function.builtin)
  (#any-of? @function.builtin
    "min" "max" "abs" "floor" "ceil" "sqrt" "exp" "ln" "pow" "used" "free" "cachedin" "leased"
    "up" "holders"
    "queued" "blocksize" "queue" "busy" "work" "budget_left" "kv_decode" "kv_prefill" "est_lambda"
    "est_rho" "est_wait" "price"))

((name) @variable.builtin
  (#any-of? @variable.builtin
    "serial" "turn_no" "cached" "computed" "now" "waited" "age" "last" "waiting" "present"
    "residents" "decoders" "kv_decode" "kv_prefill" "decoding" "remaining" "tokens" "prefilled"
    "attention" "size" "admission" "new" "out" "think" "more" "forced"))

; ---- Words ------------------------------------------------------------------------------------

[
  "let" "use" "def" "pool" "stage" "queue" "pull" "push" "share" "workload" "session" "server" "gauge"
  "run" "fail" "nic" "init" "turn" "hidden" "trace" "arrive"
] @keyword

[
  "latency" "horizon" "warmup" "seed" "arrivals" "cap" "block" "evict" "by" "preempt" "admit"
  "via" "spill" "when" "budget" "cost" "chunk" "serve" "memory" "only" "at" "arrival" "ordered"
  "in" "from" "to" "on" "growing" "reserve" "reuse" "cache" "lease" "with" "first" "admission"
  "exclusive" "prefix" "renew" "for"
] @keyword.modifier

[
  "request" "set" "observe" "mark" "hold" "book" "grow" "drop" "release" "load" "choose" "prefill"
  "decode" "tool" "transfer"
] @keyword

["branch" "else" "loop" "fork" "join" "end"] @keyword.control

["maxmin" "bottleneck" "lru" "own" "shared" "none" "lifo" "fifo" "ps" "delay" "step" "poisson" "renewal" "closed"
 "batch"] @constant.builtin

["max" "min" "sum"] @keyword.operator

; ---- Signs ------------------------------------------------------------------------------------

["=" "+" "-" "*" "/" "^" "<" ">" "<=" ">=" "==" "!=" "&&" "||" "!" "?" "~"] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
[";" "," "." ":"] @punctuation.delimiter
