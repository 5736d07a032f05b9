-- down: nothing
drop index if exists decisionstep_failed_idx;
