-- down: nothing
drop index decisionstep_failed_idx;
