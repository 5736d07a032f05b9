-- down: nothing
drop index decisionstep_started_idx;
