-- down: nothing; lists of cases with the newest first are sorted more slowly
drop index if exists casesummary_newest_idx;
