-- down: nothing
drop index if exists decisionstep_started_idx;
