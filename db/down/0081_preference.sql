-- down: the records of Preference
drop view if exists report.preference;
drop table preference;
