-- down: nothing; lists of cases on hold are sorted more slowly
drop index if exists casesummary_hold_due_idx;
