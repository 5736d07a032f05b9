-- down: the records of PageLayout
drop view if exists report.pagelayout;
drop table pagelayout;
