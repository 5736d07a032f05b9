-- down: nothing
drop index importlog_case_idx;
