[(block) (pool_body) (queue_item) (workload_item) (run_item) (step_kind)] @indent.begin
"}" @indent.branch
