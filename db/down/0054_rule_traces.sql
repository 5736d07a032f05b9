-- down: which rows of rule sets changed records, and why
drop table ruletrace;
