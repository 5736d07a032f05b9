-- down: the records of BulkRun
drop view if exists report.bulkrun;
drop table bulkrun;
alter table importfilequeue drop column callid;
